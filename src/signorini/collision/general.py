"""Pairs without a kernel of their own: cylinders, cones, ellipsoids, hulls and meshes against anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from signorini.collision.convex_shapes import convex_table
from signorini.collision.manifold import Posed, Touch, contacts_between, through_the_face, with_inner_points
from signorini.collision.mesh import Surface
from signorini.collision.seams import Seams
from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.conventions import CONVEX, HALF_SPACE, MESH, SPHERE
from signorini.kernels.collision.convex_pair import put_all
from signorini.kernels.collision.convex_table import convex_pairs
from signorini.kernels.collision.mesh import sphere_mesh
from signorini.kernels.collision.plane import LEVEL, STANDING
from signorini.kernels.collision.round_face import LEANING
from signorini.kernels.collision.table import Found, Placement
from signorini.math.sparse import Array
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexForm


class GeneralPairs:
    """Contacts of pairs of any two shapes, one pair at a time; bodies are few where such shapes are used."""

    def __init__(self, table: ShapeTable) -> None:
        self.table = table
        self._form = cache(self._make_form)
        self.seams = Seams(table, self._form)
        self.convex, known = convex_table(table)
        self.is_plain = known & ~self.seams.in_pieces
        """Which shapes the kernels of general convex pairs support."""
        self.has_corners = known & (self.convex.kind == CONVEX) & (self.convex.rounding == 0.0)
        """Which of them stand on half-spaces on corners alone."""
        self._core = cache(self._make_core)
        self._surface = cache(self._make_surface)
        self._wedge = cache(self._make_wedge)

    def contacts(self, groups: list[Pairs], placed: Placement) -> Found:
        """Raw contacts of all pairs; of each the smaller kind is first."""
        rows: list[tuple[int, int, Touch]] = []
        parts: list[Found] = []
        kind = self.table.arrays.kind
        for group in groups:
            if kind[group.first[0]] == SPHERE and kind[group.second[0]] == MESH:
                parts += [self._spheres_on(mesh, group, placed) for mesh in np.unique(group.second)]
                continue
            plain = self.are_compiled(group)
            if plain.any():
                parts.append(self._convex(Pairs(*(array[plain] for array in group)), placed))
                group = Pairs(*(array[~plain] for array in group))
            for i, j, limit in zip(group.first.tolist(), group.second.tolist(), group.limit.tolist(), strict=True):
                rows += [(i, j, touch) for touch in self._touches(i, j, limit, placed)]
        return joined([stored(rows, self.table.part_bits), *parts])

    def are_compiled(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs are for the kernels of convex shapes; of each the smaller kind is first."""
        on_plane = (self.table.arrays.kind[pairs.first] == HALF_SPACE) & self.has_corners[pairs.second]
        return np.asarray((self.is_plain[pairs.first] & self.is_plain[pairs.second]) | on_plane)

    def _convex(self, pairs: Pairs, placed: Placement) -> Found:
        """Pairs of convex shapes with a kernel, no pieces of larger bodies."""
        return _filled(8 * len(pairs.first), self.table.part_bits, partial(convex_pairs, self.convex, placed, *pairs))

    def _spheres_on(self, mesh: int, group: Pairs, placed: Placement) -> Found:
        """Spheres against one surface, by their own kernel."""
        chosen = group.second == mesh
        first, second, limit = (array[chosen] for array in group)
        data = self._surface(int(mesh)).data
        run = partial(sphere_mesh, self.table.arrays, placed, first, second, limit, data)
        return _filled(4 * len(first), self.table.part_bits, run)

    def _touches(self, i: int, j: int, limit: float, placed: Placement) -> Iterable[Touch]:
        kind = self.table.arrays.kind
        if kind[j] == MESH:
            movable = kind[i] < HALF_SPACE or kind[i] == CONVEX
            return self.seams.visible(i, j, self._on_mesh(i, j, limit, placed), placed) if movable else []
        if kind[j] == HALF_SPACE or kind[i] == HALF_SPACE:
            i_is_plane = kind[i] == HALF_SPACE
            touches = self._on_plane(j if i_is_plane else i, i if i_is_plane else j, limit, placed)
            return [turned(t) for t in touches] if i_is_plane else touches
        found, _ = contacts_between(self._posed(i, placed), self._posed(j, placed), limit)
        return self.seams.visible(i, j, found, placed)

    def _on_plane(self, i: int, plane: int, limit: float, placed: Placement) -> list[Touch]:
        """Shape i above the half-space."""
        n = placed.rotation[plane].reshape(3, 3) @ self.table.arrays.param[plane]
        R = placed.rotation[i].reshape(3, 3)
        local, shares = _plane_points(self._form(i), -n @ R)
        points = placed.origin[i] + local @ R.T
        gaps = (points - placed.origin[plane]) @ n
        near = np.flatnonzero(gaps < limit).tolist()
        return [Touch(points[k], n, float(gaps[k]), k, float(shares[k])) for k in near]

    def _on_mesh(self, i: int, mesh: int, limit: float, placed: Placement) -> list[Touch]:
        """Convex shape i on the triangles of a surface that are near it."""
        surface = self._surface(int(mesh))
        R, origin = placed.rotation[mesh].reshape(3, 3), placed.origin[mesh]
        a = self._posed(i, placed)
        centre = (placed.bounds[i, :3] - origin) @ R
        half = np.abs(R.T) @ placed.bounds[i, 3:6] + limit
        touches: list[Touch] = []
        deep: list[Touch] = []
        for t in surface.near(centre - half, centre + half):
            flipped = not surface.solid and bool((centre - surface.corners[t, 0]) @ surface.normals[t] < 0)
            form, core = self._wedge(int(mesh), t, flipped)
            b = Posed(form, core, origin, R)
            found, gap = contacts_between(a, b, limit)
            outward = [
                replace(touch, feature=32 * t + (touch.feature // 64 * 5 + touch.feature) % 32)
                for touch in found
                if surface.faces_out(t, (touch.point - touch.gap * touch.normal - origin) @ R, touch.normal @ R)
            ]
            touches += outward
            if not outward and gap < 0:
                deep.append(through_the_face(a, b, R @ (surface.normals[t] * (-1.0 if flipped else 1.0)), 32 * t))
        if not touches and deep:
            # So deep that the shortest way out does not leave the surface: out through the nearest face.
            touches = [max(deep, key=lambda touch: touch.gap)]
        return without_repeats(touches, 1e-6 * float(placed.bounds[i, 9]))

    def _posed(self, i: int, placed: Placement) -> Posed:
        rotation = np.eye(3) if self.table.centred[i] else placed.rotation[i].reshape(3, 3).copy()
        return Posed(self._form(i), self._core(i), placed.origin[i].copy(), rotation)

    # By the number of the shape: what is derived from a shape is kept.

    def _make_form(self, i: int) -> ConvexForm:
        return self.table.shapes[i].convex_form()

    def _make_core(self, i: int) -> ConvexCore | None:
        return self._form(i).core()

    def _make_surface(self, i: int) -> Surface:
        return Surface.of(self.table.shapes[i].mesh())

    def _make_wedge(self, i: int, triangle: int, flipped: bool) -> tuple[ConvexForm, ConvexCore | None]:
        form = self._surface(i).wedge(triangle, flipped)
        return form, form.core()


def _filled(capacity: int, bits: int, run: Callable[[Found, int], int]) -> Found:
    """The contacts of a kernel, with room for `capacity` of them or, where that is too little, for all."""
    found = Found.of_size(capacity, bits)
    count = run(found, 0)
    if count > capacity:
        found = Found.of_size(count, bits)
        run(found, 0)
    return Found(found.identity[:count], found.data[:count], bits)


def _plane_points(form: ConvexForm, down: Array) -> tuple[Array, Array]:
    """Points that may touch a plane towards `down` and their shares of a round face, on which the form may stand."""
    tilt = float(np.linalg.norm(form.normals - down, axis=1).min(initial=np.inf))
    if form.round_radius(down) == 0.0 or tilt > STANDING:
        points = form.plane_points(down)
        return points, np.zeros(len(points))
    points, shares = with_inner_points(form.feature(down))
    if tilt < LEVEL:
        return points, shares
    return np.vstack((points, form.support(down))), np.append(shares, shares[0] * min(1.0, tilt / LEANING))


def stored(rows: list[tuple[int, int, Touch]], bits: int) -> Found:
    """Contacts of shapes i and j in the form of the kernels."""
    found = Found.of_size(len(rows), bits)
    if rows:
        shapes = np.array([(i, j) for i, j, _ in rows])
        names = np.array([touch.feature for _, _, touch in rows])
        touches = np.array(
            [(*touch.point.tolist(), *touch.normal.tolist(), touch.gap, touch.share) for _, _, touch in rows]
        )
        put_all(found, shapes, names, touches)
    return found


def joined(parts: list[Found]) -> Found:
    """All contacts in one."""
    return Found(np.concatenate([p.identity for p in parts]), np.concatenate([p.data for p in parts]), parts[0].bits)


def without_repeats(touches: list[Touch], tolerance: float) -> list[Touch]:
    """Of contacts at one place with one normal the first, for all of them: neighbouring triangles share their edges."""
    kept: list[Touch] = []
    for touch in touches:
        same = (
            k
            for k, other in enumerate(kept)
            if np.linalg.norm(touch.point - other.point) < tolerance and touch.normal @ other.normal > 1 - 1e-6
        )
        place = next(same, -1)
        if place < 0:
            kept.append(touch)
        elif touch.share > kept[place].share:
            kept[place] = replace(kept[place], share=touch.share)
    return kept


def turned(touch: Touch) -> Touch:
    """The same contact seen from the other shape."""
    return replace(touch, point=touch.point - touch.gap * touch.normal, normal=-touch.normal)
