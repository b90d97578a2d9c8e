"""The contacts of two convex shapes, from the nearest points that `coal` finds to full face manifolds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from signorini.collision.support_search import nearest_points
from signorini.kernels.collision import hull as collision_hull
from signorini.kernels.collision.hull import PARALLEL, SNAP
from signorini.kernels.collision.plane import LEVEL
from signorini.kernels.collision.polygon import COINCIDENT, clip_segment, overlap, plane_through, signed_area, tangents
from signorini.kernels.collision.round_face import AROUND, CROSSING_SHARE, PLACE, RIM_SHARE, SHARE
from signorini.math.sparse import Array
from signorini.model.shapes.convex_form import ConvexForm
from signorini.model.shapes.polyhedron_form import PolyhedronForm
from signorini.problem.errors import MissingExtraError

APART = 0.01
"""Distance from which nearest points are searched, relative to the smaller radius."""
MOST_GUESSES = 8
INNER_FEATURE = 1 << 12
"""Features of inner points of round faces begin here, above those of corners."""
ON_RIM = 1e-6
"""How near a point of the rim a corner of an overlap is that point, relative to their distances."""
SINGLE = 1 << 13
"""Feature of the nearest point, above those of manifolds."""


def load_coal() -> Any:
    """The library, or what to type to get it."""
    try:
        import coal
    except ImportError as error:
        raise MissingExtraError(
            "contacts of cylinders, cones, ellipsoids, hulls and meshes need coal; type: pip install coal"
        ) from error
    return coal


@dataclass(frozen=True, eq=False)
class Posed:
    """A convex form somewhere in the world."""

    form: ConvexForm
    solid: Any
    """Of coal, None where it does not know the shape."""
    position: Array
    rotation: Array
    """(3, 3), form to world."""

    def support(self, direction: Array) -> Array:
        """Farthest point along a world direction."""
        return np.asarray(self.position + self.rotation @ self.form.support(direction @ self.rotation))

    def feature(self, direction: Array) -> Array:
        """World corners of the feature towards a world direction."""
        return np.asarray(self.position + self.form.feature(direction @ self.rotation) @ self.rotation.T)

    def round_radius(self, direction: Array) -> float:
        """Radius of the feature towards a world direction if it is a round face [m], else 0."""
        return self.form.round_radius(direction @ self.rotation)

    @cached_property
    def normals(self) -> Array:
        """World normals of the flat faces."""
        return np.asarray(self.form.normals @ self.rotation.T)

    @cached_property
    def polyhedron(self) -> collision_hull.Polyhedron | None:
        """In the world, for the kernels of polyhedra; None for other shapes."""
        if not isinstance(self.form, PolyhedronForm):
            return None
        corners = self.position + self.form.corners @ self.rotation.T
        return corners, self.normals, *self.form.face_lists, self.form.size


@dataclass(frozen=True, eq=False)
class Touch:
    """One contact: point on a, unit normal from b to a, gap [m], number of the feature, share of a round face [-]."""

    point: Array
    normal: Array
    gap: float
    feature: int
    share: float = 0.0


class Nearest:
    """Nearest points of two convex shapes, apart or overlapping.

    `coal` is asked only for shapes well apart, where its search (GJK) is exact. Others are first moved apart along a
    guessed normal n; the nearest points then give a better n. A fixed point is a local optimum of the separation,
    because moving apart along the true normal keeps the nearest points.
    """

    def __init__(self) -> None:
        self.coal = load_coal()
        self._request = self.coal.DistanceRequest(True, 0.0, 0.0)
        # The error of the normal is the square root of this: a default of 1e-6 would leave 1e-3 rad on round shapes.
        self._request.gjk_tolerance, self._request.gjk_max_iterations = 1e-12, 1000
        self._result = self.coal.DistanceResult()

    def __call__(self, a: Posed, b: Posed) -> Touch:
        """The single nearest (or deepest) contact."""
        apart = APART * min(a.form.size, b.form.size)
        distance, touch = self._search(a, b, np.zeros(3))
        if touch is not None and distance > apart:
            return separation(a, b, touch.normal, touch.point)
        best = by_faces(a, b)
        for _ in range(MOST_GUESSES):
            shift = (apart - best.gap) * best.normal
            _, touch = self._search(a, b, shift)
            if touch is None:
                break
            better = separation(a, b, touch.normal, touch.point - shift)
            # Equal is better too: its point comes from a search.
            if better.gap < best.gap - 1e-12 * apart:
                break
            done = float(best.normal @ better.normal) > 1 - 1e-12
            best = better
            if done:
                break
        return best

    def _search(self, a: Posed, b: Posed, shift: Array) -> tuple[float, Touch | None]:
        """Distance and contact with a moved by `shift`; None where the search failed or the shapes overlap."""
        if a.solid is None or b.solid is None:
            found = nearest_points(lambda d: a.support(d) + shift, b.support, a.position + shift - b.position)
            return (0.0, None) if found is None else (found[0], Touch(found[2], found[1], found[0], SINGLE))
        self._result.clear()
        at_a = self.coal.Transform3s(a.rotation, a.position + shift)
        at_b = self.coal.Transform3s(b.rotation, b.position)
        distance = self.coal.distance(a.solid, at_a, b.solid, at_b, self._request, self._result)
        normal, point = -np.array(self._result.normal), np.array(self._result.getNearestPoint1())
        length = float(np.linalg.norm(normal))
        if not (distance > 0 and np.isfinite(point).all() and 0.5 < length < 2.0):
            return 0.0, None
        return float(distance), Touch(point, normal / length, float(distance), SINGLE)


def separation(a: Posed, b: Posed, n: Array, near: Array) -> Touch:
    """Contact of two shapes along n with the gap that their supports leave; the point is `near` moved along n."""
    low = a.support(-n)
    return Touch(near + (n @ (low - near)) * n, n, float(n @ (low - b.support(n))), SINGLE)


def by_faces(a: Posed, b: Posed) -> Touch:
    """The separating direction among face normals and the line of centres: a first guess for shapes that overlap."""
    between = a.position - b.position
    length = float(np.linalg.norm(between))
    line = between / length if length > 0 else np.array([0.0, 0.0, 1.0])
    if a.polyhedron is not None and b.polyhedron is not None:
        return _between_centres(a, b, collision_hull.best_face(a.polyhedron, b.polyhedron, line))
    directions = np.vstack((line, -a.normals, b.normals))
    reached = a.form.extents(-directions @ a.rotation) + b.form.extents(directions @ b.rotation)
    return _between_centres(a, b, directions[int(np.argmax(directions @ between - reached))])


def _between_centres(a: Posed, b: Posed, n: Array) -> Touch:
    """Contact along n at the centre of the smaller of the two features that look at each other."""
    low, high = _farthest(a, -n), _farthest(b, n)
    smaller = low if len(low) <= len(high) else high
    return separation(a, b, n, smaller.mean(axis=0))


def _farthest(shape: Posed, direction: Array) -> Array:
    """Those corners of the feature towards a direction that are farthest along it, or the support point beyond them."""
    corners, support = shape.feature(direction), shape.support(direction)
    height, near = corners @ direction, 1e-6 * shape.form.size
    top = float(height.max())
    return support[None] if float(support @ direction) > top + near else np.asarray(corners[height > top - near])


def manifold(a: Posed, b: Posed, nearest: Touch, limit: float) -> list[Touch]:
    """All contacts of the features that look at each other along the nearest contact's normal."""
    if a.polyhedron is not None and b.polyhedron is not None:
        return _of_polyhedra(a.polyhedron, b.polyhedron, nearest, limit)
    return general_manifold(a, b, nearest, limit)


def _of_polyhedra(
    a: collision_hull.Polyhedron, b: collision_hull.Polyhedron, nearest: Touch, limit: float
) -> list[Touch]:
    most = len(a[0]) + len(b[0]) + 2
    found, names = np.empty((most, 4)), np.empty(most, dtype=np.int64)
    count, n = collision_hull.hull_manifold(
        a, b, nearest.normal, nearest.point, nearest.gap, limit, SINGLE, found, names
    )
    return [Touch(found[k, :3], n, float(found[k, 3]), int(names[k])) for k in range(count)]


def general_manifold(a: Posed, b: Posed, nearest: Touch, limit: float) -> list[Touch]:
    """The same for any two shapes."""
    snap = snapped(a, b, nearest)
    if snap is not None:
        nearest = snap
    n = nearest.normal
    of_a, of_b = a.feature(-n), b.feature(n)
    radii = (a.round_radius(-n) or np.inf, b.round_radius(n) or np.inf)
    rounder = None if min(radii) == np.inf else int(np.argmin(radii))
    touches = between_features(of_a, of_b, n, rounder)
    kept = [touch for touch in touches if touch.gap < limit]
    tolerance = 1e-6 * (abs(nearest.gap) + float(np.ptp([t.point for t in kept], axis=0).max() if kept else 0.0))
    # Along the normal of a face the supports may lie beside it: only what is over the face counts.
    beside = snap is not None and len(touches) > 2
    if not beside and (not kept or min(touch.gap for touch in kept) > nearest.gap + tolerance):
        kept.append(nearest)
    return [touch for touch in kept if touch.gap < limit]


def snapped(a: Posed, b: Posed, nearest: Touch) -> Touch | None:
    """The contact along the normal of a face within `SNAP` of the nearest one's, that of largest separation."""
    candidates = np.vstack((-a.normals, b.normals))
    near = candidates[np.linalg.norm(candidates - nearest.normal, axis=1) < SNAP]
    return max((separation(a, b, n, nearest.point) for n in near), key=lambda touch: touch.gap, default=None)


def between_features(a: Array, b: Array, n: Array, rounder: int | None = None) -> list[Touch]:
    """Contacts at the corners of the overlap of two features seen along n; none where one is a point.

    Where feature number `rounder` of the two is a round face, the points that stand for it, and the lowest of its rim.
    """
    if len(a) < 2 or len(b) < 2:
        return []
    frame = np.vstack((np.reshape(tangents(*n), (2, 3)), n))
    p, q = a @ frame.T, b @ frame.T
    if len(p) > 2 and len(q) > 2:
        corners, names = overlap(p, q)
    else:
        corners, names = _line_overlap(p, q)
    if not len(corners):
        return []
    shares = np.zeros(len(corners))
    plane_p, plane_q = plane_through(p), plane_through(q)
    if rounder is not None and len(corners) > 2:
        faces = (p, q) if rounder == 0 else (q, p)
        corners, names, shares = _round_points(corners, names, *faces, np.subtract(plane_p, plane_q)[:2])
    height = corners @ plane_p[:2] + plane_p[2]
    gaps = height - (corners @ plane_q[:2] + plane_q[2])
    points = np.column_stack((corners, height)) @ frame
    return [Touch(points[k], n, float(gaps[k]), int(name), float(shares[k])) for k, name in enumerate(names)]


def with_inner_points(rim: Array) -> tuple[Array, Array]:
    """The points that stand for a round face, those of its `rim` first, and their shares of it."""
    centre = rim.mean(axis=0)
    axes = rim[[0, AROUND // 4]] - centre
    return np.vstack((rim, centre + PLACE[AROUND:] @ axes)), SHARE


def _round_points(corners: Array, names: Array, rim: Array, other: Array, slope: Array) -> tuple[Array, Array, Array]:
    """The points that stand for a round face where it lies over another, with their names and shares.

    Corners (u, v) of the overlap, inner points in it, and the point of the rim that is lowest where the gap rises with
    `slope`.
    """
    points, shares = with_inner_points(rim[:, :2])
    apart = np.linalg.norm(corners[:, None] - rim[:, :2], axis=2).min(axis=1)
    on_rim = apart < ON_RIM * np.linalg.norm(rim[0] - rim[1])
    inside = AROUND + np.flatnonzero(_holds(corners, points[AROUND:]))
    found, labels = [corners, points[inside]], [names, INNER_FEATURE + inside]
    weights = [np.where(on_rim, RIM_SHARE, CROSSING_SHARE), shares[inside]]
    centre = points[:AROUND].mean(axis=0)
    axes = points[[0, AROUND // 4]] - centre
    rise = axes @ slope
    tilt = float(np.hypot(*rise))
    if tilt > LEVEL * float(np.hypot(*axes[0])):
        lowest = (centre - rise @ axes / tilt)[None]
        if _holds(other[:, :2], lowest).all():
            found.append(lowest)
            labels.append(np.array([INNER_FEATURE]))
            weights.append(np.array([RIM_SHARE]))
    return np.vstack(found), np.concatenate(labels), np.concatenate(weights)


def _holds(polygon: Array, points: Array) -> Array:
    """Which points (u, v) are in a convex polygon, shape (points,)."""
    turn = 1.0 if signed_area(polygon, len(polygon)) >= 0 else -1.0
    side = np.roll(polygon, -1, axis=0) - polygon
    off = points[:, None] - polygon
    height = turn * (side[:, 0] * off[..., 1] - side[:, 1] * off[..., 0])
    return np.asarray((height >= -COINCIDENT * (side**2).sum(axis=1)).all(axis=1))


def _line_overlap(p: Array, q: Array) -> tuple[Array, Array]:
    """Ends of a line's part above a face or above a parallel line."""
    line, other = (p, q) if len(p) == 2 else (q, p)
    along = line[1, :2] - line[0, :2]
    square = float(along @ along)
    if square == 0.0:
        return np.zeros((0, 2)), np.zeros(0)
    if len(other) > 2:
        low, high = clip_segment(line, other)
    else:
        across = other[1, :2] - other[0, :2]
        sine = (along[0] * across[1] - along[1] * across[0]) / np.sqrt(square * max(float(across @ across), 1e-300))
        ends = np.sort((other[:, :2] - line[0, :2]) @ along / square)
        low, high = (max(0.0, ends[0]), min(1.0, ends[1])) if abs(sine) < PARALLEL else (1.0, 0.0)
    if high <= low:
        return np.zeros((0, 2)), np.zeros(0)
    return np.stack([line[0, :2] + s * along for s in (low, high)]), np.array([1, 2])
