"""All shapes of a model as arrays, built once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE, MESH, SPHERE
from signorini.kernels.collision.identity import MOST_PARTS
from signorini.kernels.collision.table import ShapeArrays
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.component import Joint
from signorini.model.flexible_body import FlexibleBody, HeldNodes
from signorini.model.pair_material import PairOverride
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.shapes.descriptor import BoundingBox
from signorini.model.shapes.shape import Placed, Shape
from signorini.model.state import State
from signorini.problem.errors import ModelError

RELATIVE_MARGIN = 0.02
"""Default contact envelope of a shape, relative to the smallest half size of its bounding box."""

NO_MARGIN = 1e300
"""Of half-spaces: the other shape decides."""


class Collidable(Protocol):
    """What detection needs to know of a model."""

    @property
    def bodies(self) -> Sequence[Body]:
        """All bodies."""

    @property
    def joints(self) -> Sequence[Joint]:
        """Pairs of bodies tied by one do not collide."""

    @property
    def excluded(self) -> Collection[tuple[int, int]]:
        """Further pairs of bodies that do not collide, the lower index first."""

    @property
    def flexibles(self) -> Sequence[FlexibleBody]:
        """All flexible bodies."""

    @property
    def held(self) -> Sequence[HeldNodes]:
        """Nodes whose motion is known: two of them do not collide."""

    def initial_state(self) -> State:
        """At t = 0."""

    @property
    def margin(self) -> float | None:
        """Contact envelope of bodies without their own [m]."""

    @property
    def gravity(self) -> Array:
        """[m/s2]: resting bodies may fall by step^2 |g| within a step."""

    @property
    def pair_materials(self) -> Sequence[PairOverride]:
        """Pairs with a material of their own."""


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """The shapes of a model, body by body."""

    shapes: tuple[Shape, ...]
    arrays: ShapeArrays
    centred: Any
    """Which are spheres about the origin of their body: they need no rotation."""

    @cached_property
    def reach(self) -> Array:
        """How far any point of a shape is from the origin of its body at most [m], shape (shapes,)."""
        half, rounding, position = self.arrays.half, self.arrays.rounding, self.arrays.position
        ball = np.linalg.norm(half, axis=1) + np.linalg.norm(self.arrays.centre, axis=1) + rounding
        return np.asarray(ball + np.linalg.norm(position, axis=1))

    @classmethod
    def of(cls, model: Collidable) -> ShapeTable:
        """Collect and number all shapes."""
        rows = [(index, body, placed) for index, body in enumerate(model.bodies) for placed in body.shapes]
        if len(rows) >= MOST_PARTS:
            raise ModelError(f"the model has {len(rows)} shapes, expected fewer than {MOST_PARTS}")
        shapes = tuple(placed.shape for _, _, placed in rows)
        arrays = _arrays(rows, model)
        centred = (arrays.kind == SPHERE) & ~arrays.position.any(axis=1)
        return cls(shapes, arrays, centred)


def _arrays(rows: list[tuple[int, Body, Placed]], model: Collidable) -> ShapeArrays:
    bodies, shapes = [body for _, body, _ in rows], [placed.shape for _, _, placed in rows]
    boxes = [shape.bounding_box() for shape in shapes]
    default = [_default_margin(shape.kind, box) for shape, box in zip(shapes, boxes, strict=True)]
    margins = [model.margin if body.margin is None else body.margin for body in bodies]
    if not is_plain(model):
        reach = PairTable.of(model).reach[[index for index, _, _ in rows]].tolist()
        margins = [_reaching(m, r, d) for m, r, d in zip(margins, reach, default, strict=True)]
    return ShapeArrays(
        kind=np.array([shape.kind for shape in shapes], dtype=np.int64),
        body=np.array([index for index, _, _ in rows], dtype=np.int64),
        param=_table([shape.parameters() for shape in shapes], 3),
        position=_table([placed.position for _, _, placed in rows], 3),
        orientation=_table([placed.orientation for _, _, placed in rows], 4),
        centre=_table([box.centre for box in boxes], 3),
        half=_table([box.half for box in boxes], 3),
        rounding=np.array([box.rounding for box in boxes], dtype=np.float64),
        margin=_table([(-1.0 if m is None else m, d) for m, d in zip(margins, default, strict=True)], 2),
        filters=np.array([_filters(index, body) for index, body, _ in rows], dtype=np.int64).reshape(-1, 4),
        friction=np.array([body.material.friction for body in bodies], dtype=np.float64),
        tied=tied_pairs(model),
        bodies=len(model.bodies),
    )


def _table(rows: list[Any], columns: int) -> Array:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)


def _filters(index: int, body: Body) -> tuple[int, int, int, int]:
    return index, body.group, body.mask, int(body.movable)


def _default_margin(kind: int, box: BoundingBox) -> float:
    """Of surfaces it is large, so that the partner decides; two surfaces take 2 % of their size."""
    if kind == HALF_SPACE:
        return NO_MARGIN
    if kind == MESH:
        return RELATIVE_MARGIN * float(np.linalg.norm(box.half))
    return RELATIVE_MARGIN * box.thinnest


def _reaching(asked: float | None, reach: float, default: float) -> float | None:
    """The margin, but no less than how far a cohesive surface pulls."""
    if reach <= 0:
        return asked
    return max(default if default < NO_MARGIN else 0.0, reach) if asked is None else max(asked, reach)


def tied_pairs(model: Collidable) -> Any:
    """Sorted keys a * bodies + b (a < b) of the pairs of bodies that joints tie, or that are excluded by name."""
    count = len(model.bodies)
    keys = {min(p) * count + max(p) for joint in model.joints for p in combinations(joint.bodies, 2)}
    keys |= {a * count + b for a, b in model.excluded}
    return np.array(sorted(keys), dtype=np.int64)
