"""All shapes of a model as arrays, built once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from signorini.kernels.collision.table import (
    BOX,
    CAPSULE,
    CONVEX,
    CYLINDER,
    HALF_SPACE,
    MESH,
    MOST_SHAPES,
    SPHERE,
    ShapeArrays,
)
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.component import Joint
from signorini.model.flexible_body import FlexibleBody, HeldNodes
from signorini.model.pair_material import PairOverride
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.height_field import HeightField
from signorini.model.shapes.shape import Placed, Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.shapes.triangle_mesh import TriangleMesh
from signorini.model.state import State
from signorini.problem.errors import ModelError

RELATIVE_MARGIN = 0.02
"""Default contact envelope of a shape, relative to the smallest half size of its bounding box."""


class Collidable(Protocol):
    """What detection needs to know of a model."""

    @property
    def bodies(self) -> Sequence[Body]:
        """All bodies."""

    @property
    def joints(self) -> Sequence[Joint]:
        """Pairs of bodies tied by one do not collide."""

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


@dataclass(frozen=True)
class Outline:
    """Kind, parameters and bounding box (centre, half sizes, rounding) of one shape, in its frame [m]."""

    kind: int
    param: tuple[float, float, float]
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    half: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rounding: float = 0.0

    @property
    def smallest(self) -> float:
        """Half size of the bounding box where it is thinnest [m]; surfaces and half-spaces have none."""
        return np.inf if self.kind in (HALF_SPACE, MESH) else min(self.half) + self.rounding


def outline(shape: Shape) -> Outline:
    """Of any shape that Signorini knows."""
    match shape:
        case Sphere():
            return Outline(SPHERE, (shape.radius, 0, 0), rounding=shape.radius)
        case Capsule():
            half = 0.5 * shape.length
            return Outline(CAPSULE, (shape.radius, half, 0), half=(0, 0, half), rounding=shape.radius)
        case Box():
            x, y, z = (0.5 * s for s in shape.size)
            return Outline(BOX, (x, y, z), half=(x, y, z))
        case Cylinder():
            half, r = 0.5 * shape.length, shape.radius
            return Outline(CYLINDER, (r, half, 0), half=(r, r, half))
        case Cone():
            half, r = 0.5 * shape.height, shape.radius
            return Outline(CONVEX, (r, half, 0), half=(r, r, half))
        case Ellipsoid():
            return Outline(CONVEX, shape.radii, half=shape.radii)
        case HalfSpace():
            return Outline(HALF_SPACE, shape.normal)
        case ConvexHull():
            return _cloud(CONVEX, shape.vertices)
        case TriangleMesh():
            return _cloud(MESH, shape.vertices[np.unique(shape.triangles)])
        case HeightField():
            return _cloud(MESH, shape.vertices())
    raise ModelError(
        f"collision detection does not know the shape {type(shape).__name__}; it knows Sphere, Box, Capsule, Cylinder, "
        "Cone, Ellipsoid, HalfSpace, ConvexHull, TriangleMesh and HeightField"
    )


def _cloud(kind: int, points: Array) -> Outline:
    low, high = points.min(axis=0), points.max(axis=0)
    (x, y, z), (a, b, c) = 0.5 * (low + high), 0.5 * (high - low)
    return Outline(kind, (0, 0, 0), (float(x), float(y), float(z)), (float(a), float(b), float(c)))


def pieces(body: Body) -> list[Placed]:
    """The shapes of a body; the meshes of a movable one as their convex pieces."""
    result: list[Placed] = []
    for placed in body.shapes:
        if isinstance(placed.shape, TriangleMesh) and body.movable:
            result += [Placed(piece, placed.position, placed.orientation) for piece in placed.shape.convex_pieces()]
        else:
            result.append(placed)
    return result


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """The shapes of a model, body by body."""

    shapes: tuple[Shape, ...]
    arrays: ShapeArrays
    centred: Any
    """Which are spheres about the origin of their body: they need no rotation."""

    @classmethod
    def of(cls, model: Collidable) -> ShapeTable:
        """Collect and number all shapes."""
        rows = [(index, body, placed) for index, body in enumerate(model.bodies) for placed in pieces(body)]
        if len(rows) >= MOST_SHAPES:
            raise ModelError(f"the model has {len(rows)} shapes, expected fewer than {MOST_SHAPES}")
        outlines = [outline(placed.shape) for _, _, placed in rows]
        shapes = tuple(placed.shape for _, _, placed in rows)
        arrays = _arrays(rows, outlines, model)
        centred = (arrays.kind == SPHERE) & ~arrays.position.any(axis=1)
        return cls(shapes, arrays, centred)


def _arrays(rows: list[tuple[int, Body, Placed]], outlines: list[Outline], model: Collidable) -> ShapeArrays:
    bodies = [body for _, body, _ in rows]
    margins = [model.margin if body.margin is None else body.margin for body in bodies]
    if not is_plain(model):
        reach = PairTable.of(model).reach[[index for index, _, _ in rows]].tolist()
        margins = [_reaching(m, r, o) for m, r, o in zip(margins, reach, outlines, strict=True)]
    return ShapeArrays(
        kind=np.array([o.kind for o in outlines], dtype=np.int64),
        body=np.array([index for index, _, _ in rows], dtype=np.int64),
        param=_table([o.param for o in outlines], 3),
        position=_table([placed.position for _, _, placed in rows], 3),
        orientation=_table([placed.orientation for _, _, placed in rows], 4),
        centre=_table([o.centre for o in outlines], 3),
        half=_table([o.half for o in outlines], 3),
        rounding=np.array([o.rounding for o in outlines], dtype=np.float64),
        margin=_table(
            [(-1.0 if m is None else m, _default_margin(o)) for m, o in zip(margins, outlines, strict=True)], 2
        ),
        filters=np.array([_filters(index, body) for index, body, _ in rows], dtype=np.int64).reshape(-1, 4),
        friction=np.array([body.material.friction for body in bodies], dtype=np.float64),
        tied=tied_pairs(model),
        bodies=len(model.bodies),
    )


def _table(rows: list[Any], columns: int) -> Array:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)


def _filters(index: int, body: Body) -> tuple[int, int, int, int]:
    return index, body.group, body.mask, int(body.movable)


def _default_margin(o: Outline) -> float:
    """Of surfaces it is large, so that the partner decides; two surfaces take 2 % of their size."""
    if o.kind == HALF_SPACE:
        return 1e300
    if o.kind == MESH:
        return RELATIVE_MARGIN * float(np.linalg.norm(o.half))
    return RELATIVE_MARGIN * o.smallest


def _reaching(asked: float | None, reach: float, o: Outline) -> float | None:
    """The margin, but no less than how far a cohesive surface pulls."""
    if reach <= 0:
        return asked
    return max(_default_margin(o) if o.kind != HALF_SPACE else 0.0, reach) if asked is None else max(asked, reach)


def tied_pairs(model: Collidable) -> Any:
    """Sorted keys a * bodies + b (a < b) of the pairs of bodies that joints tie."""
    count = len(model.bodies)
    keys = {min(p) * count + max(p) for joint in model.joints for p in combinations(joint.bodies, 2)}
    return np.array(sorted(keys), dtype=np.int64)
