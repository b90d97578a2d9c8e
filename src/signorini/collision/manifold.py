"""The contacts of two convex shapes: compiled where both are known to kernels, else by a search over support points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.collision.support_search import Supported, nearest_contact
from signorini.kernels.collision.convex import Convex
from signorini.kernels.collision.convex_pair import SNAP, convex_contacts, rounder_of, with_nearest
from signorini.kernels.collision.face_manifold import feature_contacts
from signorini.kernels.collision.round_face import AROUND, PLACE, SHARE
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexForm


@dataclass(frozen=True, eq=False)
class Posed:
    """A convex form somewhere in the world."""

    form: ConvexForm
    core: ConvexCore | None
    """Of the form, None where kernels do not know it."""
    position: Array
    rotation: Array
    """(3, 3), form to world."""

    @classmethod
    def of(cls, form: ConvexForm, position: Array, rotation: Array) -> Posed:
        """A form at a place."""
        return cls(form, form.core(), position, rotation)

    def support(self, direction: Array) -> Array:
        """Farthest point along a world direction."""
        return np.asarray(self.position + self.rotation @ self.form.support(direction @ self.rotation))

    def feature(self, direction: Array) -> Array:
        """World corners of the feature towards a world direction."""
        return np.ascontiguousarray(self.position + self.form.feature(direction @ self.rotation) @ self.rotation.T)

    def round_radius(self, direction: Array) -> float:
        """Radius of the feature towards a world direction if it is a round face [m], else 0."""
        return self.form.round_radius(direction @ self.rotation)

    @property
    def size(self) -> float:
        """Half the largest extent [m]."""
        return self.form.size

    @cached_property
    def normals(self) -> Array:
        """World normals of the flat faces."""
        return np.ascontiguousarray(self.form.normals @ self.rotation.T)

    @cached_property
    def convex(self) -> Convex | None:
        """For the kernels; None where they do not know the form."""
        core = self.core
        if core is None:
            return None
        corners = np.ascontiguousarray(self.position + core.corners @ self.rotation.T)
        return Convex(
            core.kind, np.array(core.parameters), core.rounding, corners, self.normals, core.face_start,
            core.face_corner, self.size, self.position, np.ascontiguousarray(self.rotation).reshape(9),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Touch:
    """One contact: point on a, unit normal from b to a, gap [m], number of the feature, share of a round face [-]."""

    point: Array
    normal: Array
    gap: float
    feature: int
    share: float = 0.0


def contacts_between(a: Posed, b: Posed, limit: float) -> tuple[list[Touch], float]:
    """Contacts nearer than `limit` [m] of two shapes, and the least gap [m]."""
    if a.convex is None or b.convex is None:
        return _by_support_points(a, b, limit)
    most = max(len(a.convex.corners), AROUND) + max(len(b.convex.corners), AROUND) + len(SHARE) + 4
    n, point, found, names = np.empty(3), np.empty(3), np.empty((most, 5)), np.empty(most, dtype=np.int64)
    count, gap = convex_contacts(a.convex, b.convex, limit, n, point, np.empty((2, most, 3)), found, names)
    return _touches(found, names, count, n), float(gap)


def _touches(found: Array, names: Indices, count: int, n: Array) -> list[Touch]:
    return [Touch(found[k, :3], n, float(found[k, 3]), int(names[k]), float(found[k, 4])) for k in range(count)]


def _by_support_points(a: Posed, b: Posed, limit: float) -> tuple[list[Touch], float]:
    """The same for shapes that kernels do not know."""
    least, n, point = nearest_contact(a, b)
    if least >= limit:
        return [], least
    gap = least
    snap = _snapped(a, b, n)
    if snap is not None:
        n = snap
        low = a.support(-n)
        point, gap = point + float(n @ (low - point)) * n, float(n @ (low - b.support(n)))
    of_a, of_b = a.feature(-n), b.feature(n)
    most = len(of_a) + len(of_b) + len(SHARE) + 4
    found, names = np.empty((most, 5)), np.empty(most, dtype=np.int64)
    rounder = rounder_of(a.round_radius(-n), b.round_radius(n))
    count, all_count = feature_contacts(of_a, of_b, n, rounder, limit, found, names)
    count = with_nearest(count, all_count, snap is not None, point, gap, limit, found, names)
    return _touches(found, names, count, n), least


def _snapped(a: Supported, b: Supported, n: Array) -> Array | None:
    """The normal of a face within `SNAP` of n, that of largest separation; None without one."""
    candidates = np.vstack((-a.normals, b.normals))
    near = candidates[np.linalg.norm(candidates - n, axis=1) < SNAP]
    return max(near, key=lambda m: float(m @ (a.support(-m) - b.support(m))), default=None)


def through_the_face(a: Posed, b: Posed, normal: Array, feature: int) -> Touch:
    """Contact of a shape with the plane of a face of b."""
    low = a.support(-normal)
    return Touch(low, normal, float(normal @ (low - b.support(normal))), feature)


def with_inner_points(rim: Array) -> tuple[Array, Array]:
    """The points that stand for a round face, those of its `rim` first, and their shares of it."""
    centre = rim.mean(axis=0)
    axes = rim[[0, AROUND // 4]] - centre
    return np.vstack((rim, centre + PLACE[AROUND:] @ axes)), SHARE
