"""Runs as glTF animations: one self-contained .glb that browsers, Blender and slides show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.fe.soft_body import SoftBody
from signorini.io.body_surfaces import BodySurface, body_surfaces, total
from signorini.io.gltf_binary import ELEMENTS, VERTICES, GlbBuffer
from signorini.io.shading import smooth_corners
from signorini.io.trajectory import States, frames_of
from signorini.math.rotations import to_xyzw
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError, ModelError

COLOURS = ((0.30, 0.47, 0.66), (0.95, 0.56, 0.17), (0.88, 0.34, 0.35), (0.46, 0.72, 0.70), (0.35, 0.63, 0.31),
           (0.93, 0.79, 0.28), (0.69, 0.48, 0.63), (1.00, 0.62, 0.65), (0.61, 0.46, 0.37))  # fmt: skip
"""Of bodies that move, in turn."""
GROUND = (0.75, 0.75, 0.75)
"""Of bodies that do not."""
Z_UP_TO_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""Quaternion (x, y, z, w) of the turn from our axes to those of glTF."""
MOST_SHAPES = 60
"""Shapes that a deforming body takes during the animation: each is a copy of its surface."""


def save_gltf(path: str | Path, model: Model, states: State | States, every: int = 1) -> Path:
    """Write a run, or states, as a glTF animation to `path` (.glb); one state is a still.

    Bodies keep their names. Flexible bodies deform between up to 60 of their shapes; cables are left out.

    Parameters
    ----------
    every
        Of a run or of states, every n-th is written.
    """
    target = Path(path)
    if target.suffix != ".glb":
        raise FileError(f"{target} has the ending '{target.suffix}', expected '.glb'")
    if every < 1:
        raise ModelError(f"every is {every}, expected 1 or more")
    kept = [states] if isinstance(states, State) else list(frames_of(states, every))
    if not kept:
        raise ModelError("there are no states to write")
    surfaces = body_surfaces(model)
    soft = [body for body in model.flexibles if isinstance(body.flexible, SoftBody)]
    if not total(surfaces) and not soft:
        raise ModelError("the model has no bodies with shapes: there is nothing to write")
    scene = _Scene.empty([state.time for state in kept], model.stored)
    for number, (body, surface) in enumerate(zip(model.bodies, surfaces, strict=True)):
        if len(surface.triangles):
            scene.add_rigid(number, body, surface, kept)
    for flexible in soft:
        scene.add_soft(flexible, kept)
    try:
        target.write_bytes(scene.binary())
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from error
    return target


@dataclass(frozen=True, eq=False)
class _Scene:
    """Nodes, meshes and channels that are being collected."""

    buffer: GlbBuffer
    times: list[float]

    palette: Iterator[tuple[float, float, float]]
    input: int | None
    """Accessor of the times; None for a still."""
    away: Callable[[Array], Any]
    """Which positions are those of bodies that are not in the scene."""

    @classmethod
    def empty(cls, times: list[float], away: Callable[[Array], Any]) -> _Scene:
        """Nothing yet."""
        buffer = GlbBuffer()
        buffer.header.update({"nodes": [], "meshes": [], "materials": [], "channels": [], "samplers": []})
        axis = buffer.array(np.array(times), None) if len(times) > 1 else None
        return cls(buffer, times, itertools.cycle(COLOURS), axis, away)

    def add_rigid(self, number: int, body: Body, surface: BodySurface, states: list[State]) -> None:
        """A body with its path."""
        points, normals = smooth_corners(surface.vertices, surface.triangles)
        still = not body.movable and body.motion is None
        mesh = self._mesh(body.name, points, normals, self._colour(GROUND if still else next(self.palette)))
        position = np.array([state.position[number] for state in states])
        away = self.away(position)
        position = _held(position, away) if away.any() else position
        orientation = to_xyzw(np.array([state.orientation[number] for state in states]))
        node = self._node(body.name, mesh, translation=position[0].tolist(), rotation=orientation[0].tolist())
        if away.any():
            # A body that is not in the scene has no size; nothing is blended on its way in and out.
            self.buffer.header["nodes"][node]["scale"] = [float(not away[0])] * 3
            self._channel(node, "scale", np.repeat((~away).astype(np.float64)[:, None], 3, axis=1), step=True)
        if not still:
            self._channel(node, "translation", position, step=bool(away.any()))
            self._channel(node, "rotation", orientation, step=bool(away.any()))

    def add_soft(self, body: FlexibleBody, states: list[State]) -> None:
        """A body whose surface changes: shapes that are mixed over time."""
        assert isinstance(body.flexible, SoftBody)
        triangles = np.asarray(body.flexible.mesh.surface, dtype=np.int64)
        chosen = np.unique(np.linspace(0, len(states) - 1, min(len(states), MOST_SHAPES)).round().astype(int))
        shapes = [states[k].node_position[body.nodes][triangles].reshape(-1, 3) for k in chosen]
        normals = np.repeat(_flat_normals(shapes[0]), 3, axis=0)
        targets = [{"POSITION": self.buffer.array(shape - shapes[0], VERTICES)} for shape in shapes[1:]]
        mesh = self._mesh(body.name, shapes[0], normals, self._colour(next(self.palette)), targets)
        node = self._node(body.name, mesh)
        if targets and self.input is not None:
            self._channel(node, "weights", _weights(np.array(self.times), chosen).reshape(-1))

    def binary(self) -> bytes:
        """The file."""
        header = self.buffer.header
        channels, samplers = header.pop("channels"), header.pop("samplers")
        if channels:
            header["animations"] = [{"name": "run", "channels": channels, "samplers": samplers}]
        children = list(range(len(header["nodes"])))
        header["nodes"].append({"name": "world", "rotation": list(Z_UP_TO_Y_UP), "children": children})
        header["scenes"] = [{"nodes": [len(children)]}]
        return self.buffer.binary()

    def _mesh(self, name: str, points: Array, normals: Array, material: int, targets: Any = ()) -> int:
        index = self.buffer.array(np.arange(len(points), dtype=np.uint32), ELEMENTS)
        attributes = {"POSITION": self.buffer.array(points, VERTICES), "NORMAL": self.buffer.array(normals, VERTICES)}
        part: dict[str, Any] = {"attributes": attributes, "indices": index, "material": material}
        mesh: dict[str, Any] = {"name": name, "primitives": [part]}
        if targets:
            part["targets"], mesh["weights"] = list(targets), [0.0] * len(targets)
        return _appended(self.buffer.header["meshes"], mesh)

    def _node(self, name: str, mesh: int, **pose: Any) -> int:
        return _appended(self.buffer.header["nodes"], {"name": name, "mesh": mesh, **pose})

    def _colour(self, rgb: tuple[float, float, float]) -> int:
        look = {"baseColorFactor": [*rgb, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
        material = {"pbrMetallicRoughness": look, "doubleSided": True}
        known = self.buffer.header["materials"]
        return int(known.index(material)) if material in known else _appended(known, material)

    def _channel(self, node: int, path: str, values: Array, step: bool = False) -> None:
        if self.input is None:
            return
        output = self.buffer.array(values, None)
        way = {"interpolation": "STEP"} if step else {}
        sampler = _appended(self.buffer.header["samplers"], {"input": self.input, "output": output, **way})
        self.buffer.header["channels"].append({"sampler": sampler, "target": {"node": node, "path": path}})


def _held(position: Array, away: Any) -> Array:
    """Positions, the last one in the scene while a body is not there."""
    last = np.maximum.accumulate(np.where(away, 0, np.arange(len(position))))
    return np.asarray(np.where(away[last][:, None], 0.0, position[last]))


def _appended(items: list[Any], item: Any) -> int:
    items.append(item)
    return len(items) - 1


def _flat_normals(corners: Array) -> Array:
    """Of triangles, shape (t, 3)."""
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300))


def _weights(times: Array, chosen: Any) -> Array:
    """Shares of all shapes but the first one at all times, shape (times, shapes - 1)."""
    shares = [np.interp(times, times[chosen], np.eye(len(chosen))[k]) for k in range(1, len(chosen))]
    return np.column_stack(shares)
