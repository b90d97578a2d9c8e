"""All shapes of a model as arrays, built once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from signorini.collision.margins import check_rigid_margins
from signorini.kernels.collision.conventions import HALF_SPACE, MESH, SPHERE
from signorini.kernels.collision.identity import MOST_PART_BITS, part_bits
from signorini.kernels.collision.table import ShapeArrays
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.body import Body
from signorini.model.body_list import BodyList
from signorini.model.component import Joint
from signorini.model.flexible_body import FlexibleBody, HeldNodes
from signorini.model.joints.coupling import LinearCoupling
from signorini.model.pair_material import PairOverride
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.periods import Periods
from signorini.model.shapes.descriptor import BoundingBox
from signorini.model.shapes.shape import Shape
from signorini.model.state import State
from signorini.model.store import Store
from signorini.problem.errors import ModelError

RELATIVE_MARGIN = 0.02
"""Default contact envelope of a shape, relative to the smallest half size of its bounding box."""

NO_MARGIN = 1e300
"""Of half-spaces: the other shape decides."""


class Collidable(Protocol):
    """What detection needs to know of a model."""

    @property
    def bodies(self) -> BodyList:
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
    def periods(self) -> Periods | None:
        """How space repeats itself."""

    @property
    def store(self) -> Store | None:
        """Bodies that are not in the scene all the time."""

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

    @property
    def part_bits(self) -> int:
        """Bits of the number of a shape in identities of contacts."""
        return part_bits(len(self.shapes))

    @cached_property
    def reach(self) -> Array:
        """How far any point of a shape is from the origin of its body at most [m], shape (shapes,)."""
        half, rounding, position = self.arrays.half, self.arrays.rounding, self.arrays.position
        ball = np.linalg.norm(half, axis=1) + np.linalg.norm(self.arrays.centre, axis=1) + rounding
        return np.asarray(ball + np.linalg.norm(position, axis=1))

    @classmethod
    def of(cls, model: Collidable) -> ShapeTable:
        """Collect and number all shapes."""
        arrays, shapes = _arrays(model)
        centred = (arrays.kind == SPHERE) & ~arrays.position.any(axis=1)
        return cls(shapes, arrays, centred)

    def with_rows(self, row: Indices, body: Indices) -> ShapeTable:
        """These and `row`s of them again, for further bodies: `body` of each shape.

        The rows that come again collide with movable bodies alone; pairs are distinguished by the bodies that they
        repeat.
        """
        arrays, every = self.arrays, np.concatenate((np.arange(len(self.shapes)), row))
        _check_number(len(every), " with those of its images")
        of_shapes = {
            name: getattr(arrays, name)[every] for name in ShapeArrays._fields if name not in ("tied", "bodies", "body")
        }
        of_shapes["filters"][len(self.shapes) :, 3] = 0
        new = ShapeArrays(**of_shapes, body=body, tied=arrays.tied, bodies=arrays.bodies)
        return ShapeTable(tuple(map(self.shapes.__getitem__, every.tolist())), new, self.centred[every])


def _check_number(shapes: int, whose: str = "") -> None:
    """`ModelError` for more shapes than identities of contacts can name."""
    if shapes > 1 << MOST_PART_BITS:
        raise ModelError(f"the model has {shapes} shapes{whose}, expected at most {1 << MOST_PART_BITS}")


def _arrays(model: Collidable) -> tuple[ShapeArrays, tuple[Shape, ...]]:
    """Equal bodies are processed once."""
    kinds = model.bodies.kinds
    rows = [(body, placed) for _, _, body in kinds for placed in body.shapes]
    kind, owner = _expanded(kinds)
    _check_number(len(kind))
    bodies, shapes = [body for body, _ in rows], [placed.shape for _, placed in rows]
    boxes = [shape.bounding_box() for shape in shapes]
    check_rigid_margins(bodies, shapes, boxes, model.margin)
    default = np.array([_default_margin(shape.kind, box) for shape, box in zip(shapes, boxes, strict=True)])[kind]
    given = [model.margin if body.margin is None else body.margin for body in bodies]
    asked = np.array([-1.0 if margin is None else margin for margin in given], dtype=np.float64)[kind]
    if not is_plain(model):
        asked = _reaching(asked, PairTable.of(model).reach[owner], default)
    filters = np.array([(0, body.group, body.mask, int(body.movable)) for body in bodies], dtype=np.int64)
    filters = filters.reshape(-1, 4)[kind]
    filters[:, 0] = owner
    arrays = ShapeArrays(
        kind=np.array([shape.kind for shape in shapes], dtype=np.int64)[kind],
        body=owner,
        param=_table([shape.parameters() for shape in shapes], 3)[kind],
        position=_table([placed.position for _, placed in rows], 3)[kind],
        orientation=_table([placed.orientation for _, placed in rows], 4)[kind],
        centre=_table([box.centre for box in boxes], 3)[kind],
        half=_table([box.half for box in boxes], 3)[kind],
        rounding=np.array([box.rounding for box in boxes], dtype=np.float64)[kind],
        margin=np.column_stack((asked, default)),
        filters=filters,
        friction=np.array([body.material.friction for body in bodies], dtype=np.float64)[kind],
        tied=tied_pairs(model),
        bodies=len(model.bodies),
    )
    return arrays, tuple(map(shapes.__getitem__, kind.tolist()))


def _expanded(kinds: list[tuple[int, int, Body]]) -> tuple[Indices, Indices]:
    """For every shape of the model: its row among those of `kinds`, and its body."""
    row, rows, owners = 0, [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start, count, body in kinds:
        width = len(body.shapes)
        rows.append(np.tile(np.arange(row, row + width), count))
        owners.append(np.repeat(np.arange(start, start + count), width))
        row += width
    return np.concatenate(rows), np.concatenate(owners)


def _table(rows: list[Any], columns: int) -> Array:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)


def _default_margin(kind: int, box: BoundingBox) -> float:
    """Of surfaces it is large, so that the partner decides; two surfaces take 2 % of their size."""
    if kind == HALF_SPACE:
        return NO_MARGIN
    if kind == MESH:
        return RELATIVE_MARGIN * float(np.linalg.norm(box.half))
    return RELATIVE_MARGIN * box.thinnest


def _reaching(asked: Array, reach: Array, default: Array) -> Array:
    """The margins, -1 where none is asked for, but no less than how far a cohesive surface pulls."""
    usual = np.where(default < NO_MARGIN, default, 0.0)
    return np.where(reach <= 0, asked, np.maximum(np.where(asked < 0, usual, asked), reach))


def tied_pairs(model: Collidable) -> Any:
    """Sorted keys a * bodies + b (a < b) of the pairs of bodies that joints tie, or that are excluded by name."""
    count = len(model.bodies)
    ties = [joint for joint in model.joints if not (isinstance(joint, LinearCoupling) and joint.collide)]
    keys = {min(p) * count + max(p) for joint in ties for p in combinations(joint.bodies, 2)}
    keys |= {a * count + b for a, b in model.excluded}
    return np.array(sorted(keys), dtype=np.int64)
