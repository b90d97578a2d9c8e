"""Bodies and joints of a model as a tree, as MJCF describes them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from signorini.model.coordinate import WORLD
from signorini.model.joints.cylindrical import Cylindrical
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.framed import Framed
from signorini.model.joints.planar import Planar
from signorini.model.joints.prismatic import Prismatic
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.spherical import Spherical
from signorini.model.joints.universal import Universal
from signorini.model.model import Model

EXPRESSIBLE = (Revolute, Prismatic, Spherical, Fixed, Universal, Cylindrical, Planar)
"""Joints that MJCF can put between a body and its parent."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A body in the tree."""

    body: int
    parent: int
    """WORLD for a root."""
    joint: Framed | None
    """None: it moves freely."""


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """Every movable body once; joints that close loops are left over."""

    branches: list[Branch] = field(default_factory=list)
    """Parents before children."""
    loops: list[Framed] = field(default_factory=list)

    @classmethod
    def of(cls, model: Model) -> SpanningTree:
        """From what stands still outwards, then from bodies that hang on nothing."""
        usable = [joint for joint in model.joints if isinstance(joint, EXPRESSIBLE)]
        still = {WORLD, *(k for k, body in enumerate(model.bodies) if not body.movable)}
        tree, used, reached = cls(), set(), set(still)
        starts = deque([WORLD, *(k for k, body in enumerate(model.bodies) if body.movable)])
        while starts:
            start = starts.popleft()
            if start != WORLD and start in reached:
                continue
            if start != WORLD:
                tree.branches.append(Branch(start, WORLD, None))
                reached.add(start)
            front = deque(sorted(still) if start == WORLD else [start])
            while front:
                here = front.popleft()
                for joint in usable:
                    there = _other(joint, here)
                    if there is None or there in reached:
                        continue
                    parent = WORLD if here in still else here
                    tree.branches.append(Branch(there, parent, joint))
                    used.add(id(joint))
                    reached.add(there)
                    front.append(there)
        tree.loops.extend(joint for joint in usable if id(joint) not in used)
        return tree


def _other(joint: Framed, here: int) -> int | None:
    """The body at the other end of a joint."""
    if joint.a == here:
        return joint.b
    return joint.a if joint.b == here else None
