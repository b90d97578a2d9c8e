"""Contacts of flexible bodies: with rigid shapes, with one another, with themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from signorini.collision.contacts import Contacts, NodeSides
from signorini.collision.distance_table import distances_of
from signorini.collision.margins import check_flexible_margins
from signorini.collision.shape_table import Collidable, ShapeTable
from signorini.collision.skins import Sheet, SkinTable, default_margin
from signorini.kernels.collision.conventions import BOX, CONVEX, HALF_SPACE
from signorini.kernels.collision.mesh import refit, triangles_near
from signorini.kernels.collision.table import Placement
from signorini.kernels.skin import shapes as skin_shapes
from signorini.kernels.skin import sheet_lines, sheet_points
from signorini.kernels.skin.table import Placed, RawContacts, place
from signorini.math.rotations import rotate
from signorini.math.sparse import Array, Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.state import State

FIRST_CAPACITY = 256


class SkinDetector:
    """Finds the contacts of the flexible bodies of a model; built once, used at every step.

    A contact lasts while its gap is below `margin + step |u| + step^2 |gravity|`, u the relative velocity of the two
    points that would touch. Points of skins touch rigid shapes along the gradient of their signed distance; round
    shapes touch the inside of faces where these are lowest; corners and edges of polyhedra and meshes touch faces and
    edges. Points and faces of two skins, or of one that folds onto itself, look at each other.
    """

    def __init__(self, model: Collidable, table: ShapeTable) -> None:
        self.flexibles: Sequence[FlexibleBody] = model.flexibles
        self.table, self.skins = table, SkinTable(model.flexibles, table)
        self.distances, self.has_distance = distances_of(table.shapes)
        largest = float(table.arrays.margin[:, 0].max(initial=-1.0))
        check_flexible_margins(model.flexibles, largest, model.margin)
        arrays = self.skins.arrays
        P, T = len(arrays.body), len(arrays.triangles)
        self._placed = Placed(np.zeros((P, 3)), np.zeros((P, 3)), np.zeros((P, 3)), np.zeros((T, 3)))
        self._rows = _rows(FIRST_CAPACITY)
        self._filters = table.arrays.filters
        self._margins = _margins(model)
        self._friction = np.concatenate(
            ([body.material.friction for body in model.bodies], [body.material.friction for body in model.flexibles])
        )
        self._of_shape = {sheet.shape: sheet for sheet in self.skins.sheets if sheet.shape >= 0}
        self._knots = _Knots(model)
        self._wider = 0.0

    def detect(self, state: State, shapes: Placement, h: float, fall: float, wider: float = 0.0) -> Contacts:
        """All contacts of flexible bodies; `shapes` is where the rigid shapes are, `wider` is added to margins [m]."""
        self._wider = wider
        arrays, placed = self.skins.arrays, self._placed
        moving = (state.position, state.orientation, state.velocity, state.angular_velocity)
        place(arrays, *moving, state.node_position, state.node_velocity, placed)
        for sheet in self.skins.sheets:
            if len(sheet.facets):
                refit(placed.position, sheet.facets, sheet.leaf, sheet.low, sheet.high)
        self._count = 0
        for k, body in enumerate(self.flexibles):
            self._against_shapes(self.skins.sheets[k], body, state, shapes, (h, fall))
            self._against_skins(k, body, (h, fall))
        return self._contacts()

    @property
    def smallest_margin(self) -> float:
        """Smallest envelope of any of the bodies at rest [m]."""
        return min(asked if asked >= 0 else default for asked, default in self._margins)

    # --- rigid shapes --------------------------------------------------------------------------------------------

    def _against_shapes(
        self, sheet: Sheet, body: FlexibleBody, state: State, shapes: Placement, now: tuple[float, float]
    ) -> None:
        velocity = self._placed.velocity[sheet.points]
        mean = velocity.mean(axis=0)
        spread = float(np.linalg.norm(velocity - mean, axis=1).max())
        bounds, arrays = shapes.bounds, self.table.arrays
        low, high = sheet.low[1], sheet.high[1]
        asked, default = self._margins[sheet.flexible]
        given = np.maximum(arrays.margin[:, 0], asked)
        margin = np.where(given >= 0, given, np.minimum(arrays.margin[:, 1], default)) + self._wider
        approach = np.linalg.norm(bounds[:, 6:9] - mean, axis=1) + spread + bounds[:, 10]
        radius = float(self.skins.arrays.radius[sheet.points].max())
        reach = (margin + now[0] * approach + now[1] + radius)[:, None]
        centre, half = bounds[:, :3], bounds[:, 3:6] + reach
        near = np.all((centre - half < high) & (centre + half > low), axis=1) | self._planes
        filters = self._filters
        near &= ((filters[:, 2] & body.group) != 0) & ((filters[:, 1] & body.mask) != 0)
        for s in np.flatnonzero(near).tolist():
            limits = (float(margin[s]), now[0], now[1])
            self._against_shape(sheet, s, state, shapes, limits, float(reach[s, 0]))

    @property
    def _planes(self) -> Any:
        return self.has_distance & (self.distances.kind == HALF_SPACE)

    def _against_shape(
        self, sheet: Sheet, s: int, state: State, shapes: Placement, limits: tuple[float, float, float], reach: float
    ) -> None:
        bounds = shapes.bounds[s]
        other = self._of_shape.get(s)
        if self.has_distance[s]:
            kind, body = self.distances.kind[s], int(self.table.arrays.body[s])
            pose = _pose(state, shapes, s, body, bool(self.table.centred[s]))
            if kind == HALF_SPACE:
                points, facets = np.arange(sheet.points.start, sheet.points.stop), None
            else:
                facets = self._near(sheet, bounds[:3] - bounds[3:6] - reach, bounds[:3] + bounds[3:6] + reach)
                points = np.unique(sheet.facets[facets])
            common = (self.distances, s, pose, body, limits)
            self._run(skin_shapes.points_on_shape, points, *common)
            if facets is not None:
                self._facets_on_shape(sheet, facets, kind in (BOX, CONVEX), common)
        if other is not None:
            self._pair(sheet, other, limits)

    def _facets_on_shape(self, sheet: Sheet, facets: Indices, flat: bool, common: tuple[Any, ...]) -> None:
        """Bars, and, where no flat faces and straight edges do it, insides of triangles and their edges."""
        arrays = self.skins.arrays
        first = len(arrays.body) + len(arrays.triangles)
        if sheet.lines.start < sheet.lines.stop:
            offset = first + len(arrays.edges)
            self._run(skin_shapes.lines_on_shape, facets + sheet.lines.start, arrays.lines, offset, *common)
        elif not flat:
            triangles = facets + sheet.triangles.start
            self._run(skin_shapes.triangles_on_shape, triangles, *common)
            edges = np.unique(arrays.triangle_edges[triangles])
            self._run(skin_shapes.lines_on_shape, edges, arrays.edges, first, *common)

    def _near(self, sheet: Sheet, low: Array, high: Array) -> Indices:
        """Facets of a sheet near a box."""
        out = np.empty(len(sheet.facets), dtype=np.int64)
        return out[: triangles_near(sheet.low, sheet.high, sheet.leaf, low, high, out)]

    # --- sheets ----------------------------------------------------------------------------------------------------

    def _against_skins(self, k: int, body: FlexibleBody, now: tuple[float, float]) -> None:
        for m in range(k, len(self.flexibles)):
            other = self.flexibles[m]
            if m == k and not body.self_contact:
                continue
            if m > k and not (body.mask & other.group and other.mask & body.group):
                continue
            asked = max(self._margins[k][0], self._margins[m][0])
            margin = asked if asked >= 0 else min(self._margins[k][1], self._margins[m][1])
            self._pair(self.skins.sheets[k], self.skins.sheets[m], (margin + self._wider, *now))

    def _pair(self, a: Sheet, b: Sheet, limits: tuple[float, float, float]) -> None:
        """Two sheets, the first of them flexible, or one and the same."""
        widest = self._widest(a, b, limits)
        for points, surface in ((a, b), (b, a)):
            if surface.solid and len(surface.facets) and surface.triangles.start < surface.triangles.stop:
                self._run_sheets(sheet_points.points_on_triangles, points.points, surface, limits, widest)
            if a is b:
                break
        if a.edges.start < a.edges.stop and b.edges.start < b.edges.stop:
            self._run_sheets(sheet_lines.edges_on_edges, a.edges, b, limits, widest)
            if a is not b:
                self._run_sheets(sheet_lines.edges_on_edges, b.edges, a, limits, widest)
        self._bars(a, b, limits)

    def _bars(self, a: Sheet, b: Sheet, limits: tuple[float, float, float]) -> None:
        """Round bars of a against bars and edges of b, and those of b against edges of a."""
        arrays = self.skins.arrays
        first_edge = len(arrays.body) + len(arrays.triangles)
        first_line = first_edge + len(arrays.edges)
        for one, two in ((a, b), (b, a)):
            lines = (one.lines.start, one.lines.stop)
            if lines[0] == lines[1]:
                continue
            if two.lines.start < two.lines.stop and (one is a):
                offsets = (first_line, first_line, a is b)
                pairs = arrays.lines if a is b else arrays.lines[two.lines]
                offsets = offsets if a is b else (first_line, first_line + two.lines.start, False)
                self._run(sheet_lines.bars_on_bars, lines, pairs, offsets, limits)
            if two.edges.start < two.edges.stop:
                offsets = (first_line, first_edge + two.edges.start, False)
                self._run(sheet_lines.bars_on_bars, lines, arrays.edges[two.edges], offsets, limits)

    def _widest(self, a: Sheet, b: Sheet, limits: tuple[float, float, float]) -> float:
        """Bound of the distance of two points of two sheets that touch, apart or inside each other [m]."""
        one, two = self._placed.velocity[a.points], self._placed.velocity[b.points]
        middle = one.mean(axis=0)
        speed = float(np.linalg.norm(one - middle, axis=1).max() + np.linalg.norm(two - middle, axis=1).max())
        depth = min(float(self.skins.arrays.depth[sheet.points].max()) for sheet in (a, b))
        return max(limits[0] + limits[1] * speed + limits[2], depth)

    def _run_sheets(
        self,
        kernel: Callable[..., int],
        members: slice,
        surface: Sheet,
        limits: tuple[float, float, float],
        widest: float,
    ) -> None:
        tree = (surface.low, surface.high, surface.leaf)
        self._run(kernel, (members.start, members.stop), tree, surface.triangles.start, limits, widest)

    # --- results ---------------------------------------------------------------------------------------------------

    def _run(self, kernel: Callable[..., int], *args: Any) -> None:
        """Run a kernel into the rows, growing them until everything fits."""
        count = kernel(self.skins.arrays, self._placed, *args, self._rows, self._count)
        if count > len(self._rows.identity):
            old, self._rows = self._rows, _rows(2 * count)
            for was, now in zip(old, self._rows, strict=True):
                now[: self._count] = was[: self._count]
            count = kernel(self.skins.arrays, self._placed, *args, self._rows, self._count)
        self._count = count

    def _contacts(self) -> Contacts:
        _, kept = np.unique(self._rows.identity[: self._count], return_index=True)
        kept = kept[self._knots.are_free(self._rows, kept)]
        bodies, data = self._rows.bodies[kept], self._rows.data[kept]
        return Contacts(
            body_a=np.ascontiguousarray(bodies[:, 0]),
            body_b=np.ascontiguousarray(bodies[:, 1]),
            point_a=np.ascontiguousarray(data[:, :3]),
            point_b=np.ascontiguousarray(data[:, 3:6]),
            normal=np.ascontiguousarray(data[:, 6:9]),
            gap=np.ascontiguousarray(data[:, 9]),
            friction=np.minimum(self._friction[bodies[:, 0]], self._friction[bodies[:, 1]]),
            identity=self._rows.identity[kept],
            sides=NodeSides(self._rows.nodes[kept], self._rows.weights[kept], np.maximum(data[:, 10], 0.0)),
        )


class _Knots:
    """Contacts that cannot be: nodes with the body they are tied to, and things that cannot move on both sides."""

    def __init__(self, model: Collidable) -> None:
        bodies = len(model.bodies)
        state = model.initial_state()
        keys = [np.zeros(0, dtype=np.int64)]
        self._bodies, self._all = bodies, bodies + len(model.flexibles)
        owner = np.repeat(np.arange(bodies, self._all), [body.count for body in model.flexibles])
        for joint in model.joints:
            columns = joint.rows(state).columns
            nodes = np.unique((columns[columns >= 6 * bodies] - 6 * bodies) // 3)
            for body in (*joint.bodies, *np.unique(owner[nodes]).tolist()):
                others = nodes[owner[nodes] != body]
                keys.append(others * self._all + body)
        self._tied = np.unique(np.concatenate(keys))
        self._known = np.zeros(len(state.node_position), dtype=bool)
        for held in model.held:
            self._known[held.nodes] = True
        self._movable = np.array([body.movable for body in model.bodies], dtype=bool)

    def are_free(self, rows: RawContacts, chosen: Indices) -> Any:
        """Which of the contacts may be."""
        nodes, bodies = rows.nodes[chosen], rows.bodies[chosen]
        free = np.ones(len(chosen), dtype=bool)
        if len(self._tied):
            for side in (0, 1):
                pairs = nodes[:, side] * self._all + bodies[:, 1 - side, None]
                free &= ~(np.isin(pairs, self._tied) & (nodes[:, side] >= 0)).any(axis=1)
        if self._known.any():
            unknown = (nodes >= 0) & ~self._known[nodes]
            moves = unknown.any(axis=(1, 2))
            rigid = bodies[:, 1] < self._bodies
            moves[rigid] |= self._movable[bodies[rigid, 1]]
            free &= moves
        return free


def _margins(model: Collidable) -> list[tuple[float, float]]:
    """Asked for (-1: nothing) and by default, of each flexible body [m]; no less than how far a cohesive skin pulls."""
    reach = np.zeros(len(model.flexibles)) if is_plain(model) else PairTable.of(model).reach[len(model.bodies) :]
    found = []
    for body, pulls in zip(model.flexibles, reach.tolist(), strict=True):
        asked, default = model.margin if body.margin is None else body.margin, default_margin(body)
        found.append((-1.0 if asked is None else max(asked, pulls), max(default, pulls)))
    return found


def _pose(state: State, shapes: Placement, s: int, body: int, centred: bool) -> tuple[Array, ...]:
    spin = rotate(state.orientation[body], state.angular_velocity[body])
    rotation = np.eye(3).reshape(-1) if centred else shapes.rotation[s].copy()
    return rotation, shapes.origin[s].copy(), state.position[body], state.velocity[body], spin


def _rows(capacity: int) -> RawContacts:
    return RawContacts(
        np.empty(capacity, dtype=np.int64),
        np.empty((capacity, 2), dtype=np.int64),
        np.empty((capacity, 2, 4), dtype=np.int64),
        np.empty((capacity, 2, 4)),
        np.empty((capacity, 11)),
    )
