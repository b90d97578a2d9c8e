"""Models as MJCF files, for MuJoCo and its kin."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import numpy as np

from signorini.io.mjcf.spanning_tree import Branch, SpanningTree
from signorini.io.mjcf.written_actions import ActionWriter
from signorini.io.mjcf.written_shapes import ShapeWriter, words
from signorini.io.robots.description import Pose
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.coordinate import WORLD, Coordinate, Frame
from signorini.model.joints.cylindrical import Cylindrical
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.framed import Framed
from signorini.model.joints.planar import Planar
from signorini.model.joints.prismatic import Prismatic
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.spherical import Spherical
from signorini.model.joints.universal import Universal
from signorini.model.model import Model
from signorini.problem.errors import FileError

X, Y, Z = np.eye(3)


def save_mjcf(path: str | Path, model: Model) -> list[str]:
    """Write a model as MJCF to `path` (.xml); returns, and warns of, what MJCF has no word for.

    Body frames are in the centres of mass. Joints of the model become those of a tree of bodies, joints that close
    loops equality constraints; limits, dry friction, springs, couplings, ropes and motors go along. MuJoCo's contacts
    are soft and combine friction by the larger value: what is written is the model, not its behaviour.
    """
    target = Path(path)
    if target.suffix not in (".xml", ".mjcf"):
        raise FileError(f"{target} has the ending '{target.suffix}', expected '.xml' or '.mjcf'")
    root, left_out = MjcfWriter(model).document()
    indent(root)
    try:
        ElementTree(root).write(target, encoding="unicode", xml_declaration=False)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from error
    if left_out:
        warnings.warn(f"not written to {target.name}: {'; '.join(left_out)}", UserWarning, stacklevel=2)
    return left_out


@dataclass(frozen=True, eq=False)
class MjcfWriter:
    """Collects the elements of one model."""

    model: Model
    left_out: list[str] = field(default_factory=list)
    elements: dict[int, Element] = field(default_factory=dict)
    """Of bodies by index; WORLD is the world."""
    joints: dict[int, list[tuple[str, Coordinate]]] = field(default_factory=dict)
    """By id of a joint of the model: names of its joints in the file with their coordinates."""

    def document(self) -> tuple[Element, list[str]]:
        """The whole file, and what is not in it."""
        root = Element("mujoco", {"model": "signorini"})
        SubElement(root, "compiler", {"angle": "radian", "autolimits": "true"})
        SubElement(root, "option", {"gravity": words(self.model.gravity)})
        assets = SubElement(root, "asset")
        self.elements[WORLD] = SubElement(root, "worldbody")
        shapes, tree = ShapeWriter(assets, self.left_out), SpanningTree.of(self.model)
        for index, body in enumerate(self.model.bodies):
            if not body.movable:
                self._still(index, body, shapes)
        for branch in tree.branches:
            self._branch(branch, shapes)
        ActionWriter(self.model, root, self.elements, self.joints, self.left_out).write(tree.loops)
        self.left_out.extend(f"flexible body {body.name!r}" for body in self.model.flexibles)
        if not len(assets):
            root.remove(assets)
        return root, self.left_out

    def _still(self, index: int, body: Body, shapes: ShapeWriter) -> None:
        place = {"pos": words(body.position), "quat": words(body.orientation)}
        if body.motion is not None:
            place["mocap"] = "true"
            self.left_out.append(f"motion of {body.name!r}: it is a mocap body")
        element = SubElement(self.elements[WORLD], "body", {"name": body.name, **place})
        self.elements[index] = element
        shapes.write(body, element)

    def _branch(self, branch: Branch, shapes: ShapeWriter) -> None:
        body = self.model.bodies[branch.body]
        outer = Pose() if branch.parent == WORLD else pose_of(self.model.bodies[branch.parent])
        local = outer.inverse @ pose_of(body)
        place = {"pos": words(local.position), "quat": words(local.orientation)}
        element = SubElement(self.elements[branch.parent], "body", {"name": body.name, **place})
        self.elements[branch.body] = element
        tensor = body.inertia
        six = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        SubElement(element, "inertial", {"pos": "0 0 0", "mass": words(body.mass), "fullinertia": words(six)})
        if branch.joint is None:
            SubElement(element, "freejoint", {"name": f"{body.name}.free"})
        else:
            self._joint(branch, branch.joint, element)
        shapes.write(body, element)

    def _joint(self, branch: Branch, joint: Framed, element: Element) -> None:
        """Joints of a branch; a joint that points to the parent is reversed."""
        direct = joint.b == branch.body
        frame = joint.frame_b if direct else joint.frame_a
        sign = 1.0 if direct else -1.0
        made = self.joints.setdefault(id(joint), [])
        if isinstance(joint, Fixed):
            return
        if isinstance(joint, Spherical):
            SubElement(element, "joint", {"name": joint.name, "type": "ball", "pos": words(frame.position)})
            return
        for suffix, kind, axis, coordinate in _axes(joint, direct):
            name = f"{joint.name}{suffix}"
            along = sign * axis_in(frame, axis)
            attributes = {"name": name, "type": kind, "pos": words(frame.position), "axis": words(along)}
            SubElement(element, "joint", attributes)
            if coordinate is not None:
                made.append((name, coordinate))


def _axes(joint: Framed, direct: bool) -> list[tuple[str, str, Array, Coordinate | None]]:
    """Suffix of the name, type, axis in the frame of the joint, and coordinate, in the order from the parent."""
    if isinstance(joint, Revolute):
        return [("", "hinge", Z, joint.angle)]
    if isinstance(joint, Prismatic):
        return [("", "slide", Z, joint.slide)]
    if isinstance(joint, Cylindrical):
        return [(".slide", "slide", Z, joint.slide), (".turn", "hinge", Z, joint.angle)]
    if isinstance(joint, Universal):
        both: list[tuple[str, str, Array, Coordinate | None]] = [(".a", "hinge", X, None), (".b", "hinge", Y, None)]
        return both if direct else both[::-1]
    assert isinstance(joint, Planar)
    return [(".x", "slide", X, None), (".y", "slide", Y, None), (".turn", "hinge", Z, None)]


def pose_of(body: Body) -> Pose:
    """Of a body at t = 0."""
    return Pose(body.position, body.orientation)


def axis_in(frame: Frame, axis: Array) -> Array:
    """An axis of a frame in the body that carries it."""
    return np.asarray(matrix(frame.orientation) @ axis)
