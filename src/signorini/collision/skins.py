"""All skins of a model, and the corners, edges and faces of its rigid shapes, as arrays, built once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.collision.mesh import Surface, leaves_of
from signorini.collision.shape_table import RELATIVE_MARGIN, ShapeTable
from signorini.kernels.collision.conventions import MESH
from signorini.kernels.collision.identity import MOST_PARTS
from signorini.kernels.skin.table import Sheets
from signorini.math.rotations import matrix
from signorini.math.sparse import Array, Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.shapes.descriptor import SharpFeatures, SurfaceMesh
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError

DEPTH = 0.4
"""How deep others may be in a skin, relative to its shortest edges and to half its thickness."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """The surface of one flexible body or of one rigid shape."""

    points: slice
    """Among those of all sheets."""
    triangles: slice
    edges: slice
    lines: slice
    flexible: int
    """Place in `Model.flexibles`, -1 for a rigid shape."""
    shape: int
    """Number of the rigid shape, -1 for a flexible body."""
    solid: bool
    """Whether points of others are kept out by its triangles; convex shapes do that by their signed distance."""
    leaf: Indices
    """Facets (triangles, else lines) of the last row of its tree, -1 for none."""
    facets: Indices
    """Points of its facets, three each, the last one twice for lines; shape (facets, 3)."""
    low: Array
    """Of the boxes of its tree, filled at every step."""
    high: Array


@dataclass(frozen=True, eq=False)
class Outline:
    """Points, triangles and lines of one sheet before it joins the others."""

    points: Array
    """Where they are at the start, or in the frame of the shape [m]."""
    triangles: Indices
    lines: Indices
    outward: Array
    radius: float
    solid: bool
    depth: float
    """[m]; of flexible bodies their edges may give less."""


POINT_FIELDS = ("nodes", "weights", "body", "local", "outward", "radius")
NO_LINES = np.zeros((0, 2), dtype=np.int64)


def outline_of(shape: Shape) -> Outline | None:
    """Corners and faces of a rigid shape; None for those without."""
    if shape.kind == MESH:
        surface = Surface.of(shape.mesh())
        places, first = np.unique(surface.triangles, return_index=True)
        corners = np.zeros((int(places.max()) + 1, 3))
        corners[places] = surface.corners.reshape(-1, 3)[first]
        features: SharpFeatures | None = SharpFeatures.of_triangles(SurfaceMesh(corners, surface.triangles))
    else:
        features = shape.sharp_features()
    if features is None:
        return None
    triangles = np.ascontiguousarray(features.triangles, dtype=np.int64)
    outward = np.zeros_like(features.points) if features.outward is None else features.outward
    return Outline(features.points, triangles, NO_LINES, outward, 0.0, shape.kind == MESH, features.depth)


def outline_of_skin(body: FlexibleBody) -> Outline:
    """The skin of a flexible body at t = 0."""
    skin = body.flexible.skin
    points = skin.points(body.position)
    thin = 0.5 * float(np.ptp(skin.points(body.flexible.rest), axis=0).min())
    depth = DEPTH * thin if len(skin.triangles) else skin.radius
    return Outline(points, skin.triangles, skin.lines, np.zeros_like(points), skin.radius, True, depth)


def default_margin(body: FlexibleBody) -> float:
    """Default contact envelope of a flexible body [m]."""
    skin = body.flexible.skin
    thin = 0.5 * float(np.ptp(skin.points(body.flexible.rest), axis=0).min()) + skin.radius
    return RELATIVE_MARGIN * thin


class SkinTable:
    """Sheets of a model; the first ones are its flexible bodies."""

    def __init__(self, flexibles: Sequence[FlexibleBody], table: ShapeTable) -> None:
        outlines = [outline_of_skin(body) for body in flexibles]
        owners: list[tuple[int, int]] = [(k, -1) for k in range(len(flexibles))]
        for s, shape in enumerate(table.shapes):
            rigid = outline_of(shape)
            if rigid is not None:
                outlines.append(rigid)
                owners.append((-1, s))
        self._build(outlines, owners, flexibles, table)

    def _build(
        self,
        outlines: list[Outline],
        owners: list[tuple[int, int]],
        flexibles: Sequence[FlexibleBody],
        table: ShapeTable,
    ) -> None:
        starts = np.cumsum([0, *(len(o.points) for o in outlines)])
        points = [_points(o, owner, flexibles, table) for o, owner in zip(outlines, owners, strict=True)]
        triangles = np.vstack([o.triangles + start for o, start in zip(outlines, starts, strict=False)])
        lines = np.vstack([o.lines + start for o, start in zip(outlines, starts, strict=False)])
        edges, edge_triangles, edge_opposite, triangle_edges = edges_of(triangles)
        neighbour_start, neighbours = _neighbours(np.vstack((edges, lines)), int(starts[-1]))
        self.arrays = Sheets(
            **{name: np.concatenate([part[k] for part in points]) for k, name in enumerate(POINT_FIELDS)},
            triangles=triangles,
            edges=edges,
            edge_triangles=edge_triangles,
            edge_opposite=edge_opposite,
            triangle_edges=triangle_edges,
            lines=lines,
            neighbour_start=neighbour_start,
            neighbours=neighbours,
            depth=_depths(outlines, edges, starts),
            shapes=len(table.shapes),
            rigid=table.arrays.bodies,
        )
        features = len(table.shapes) + int(starts[-1]) + len(triangles) + len(edges) + len(lines)
        if features >= MOST_PARTS:
            raise ModelError(f"the model has {features} shapes, points, faces and edges, expected < {MOST_PARTS}")
        self.sheets = self._sheets(outlines, owners, starts)

    def _sheets(self, outlines: list[Outline], owners: list[tuple[int, int]], starts: Any) -> list[Sheet]:
        triangle = np.cumsum([0, *(len(o.triangles) for o in outlines)])
        line = np.cumsum([0, *(len(o.lines) for o in outlines)])
        edge = np.searchsorted(self.arrays.edges[:, 0], starts)
        result = []
        for k, (o, (flexible, shape)) in enumerate(zip(outlines, owners, strict=True)):
            own = self.arrays.triangles[triangle[k] : triangle[k + 1]]
            bars = self.arrays.lines[line[k] : line[k + 1]]
            facets = own if len(own) else bars[:, [0, 1, 1]]
            leaf = leaves_of(o.points[facets - starts[k]])
            result.append(
                Sheet(
                    points=slice(int(starts[k]), int(starts[k + 1])),
                    triangles=slice(int(triangle[k]), int(triangle[k + 1])),
                    edges=slice(int(edge[k]), int(edge[k + 1])),
                    lines=slice(int(line[k]), int(line[k + 1])),
                    flexible=flexible,
                    shape=shape,
                    solid=o.solid,
                    leaf=leaf,
                    facets=np.ascontiguousarray(facets),
                    low=np.full((2 * len(leaf), 3), np.inf),
                    high=np.full((2 * len(leaf), 3), -np.inf),
                )
            )
        return result


def _points(
    o: Outline, owner: tuple[int, int], flexibles: Sequence[FlexibleBody], table: ShapeTable
) -> tuple[Any, ...]:
    """Nodes, weights, body, local, outward and radius of the points of one sheet."""
    flexible, shape = owner
    count = len(o.points)
    radius = np.full(count, o.radius)
    if flexible >= 0:
        skin, first = flexibles[flexible].flexible.skin, flexibles[flexible].first
        nodes = np.where(skin.nodes >= 0, skin.nodes + first, -1)
        body = np.full(count, table.arrays.bodies + flexible)
        return nodes, np.asarray(skin.weights), body, np.zeros((count, 3)), np.zeros((count, 3)), radius
    R = matrix(table.arrays.orientation[shape])
    local = o.points @ R.T + table.arrays.position[shape]
    nodes, weights = np.full((count, 4), -1, dtype=np.int64), np.zeros((count, 4))
    return nodes, weights, np.full(count, table.arrays.body[shape]), local, o.outward @ R.T, radius


def edges_of(triangles: Indices) -> tuple[Indices, Indices, Indices, Indices]:
    """Edges (edges, 2), their two triangles and the corners opposite to them, and the three edges of each triangle."""
    if not len(triangles):
        none = np.zeros((0, 2), dtype=np.int64)
        return none, none.copy(), none.copy(), np.zeros((0, 3), dtype=np.int64)
    ends = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, place = np.unique(ends, axis=0, return_inverse=True)
    place = place.reshape(-1)
    beside = np.full((len(edges), 2), -1, dtype=np.int64)
    opposite = np.full((len(edges), 2), -1, dtype=np.int64)
    seen = np.zeros(len(edges), dtype=np.int64)
    for k, edge in enumerate(place.tolist()):
        if seen[edge] < 2:
            beside[edge, seen[edge]] = k // 3
            opposite[edge, seen[edge]] = triangles[k // 3, (k % 3 + 2) % 3]
            seen[edge] += 1
    return edges, beside, opposite, place.reshape(-1, 3).astype(np.int64)


def _neighbours(pairs: Indices, points: int) -> tuple[Indices, Indices]:
    both = np.vstack((pairs, pairs[:, ::-1]))
    order = np.lexsort((both[:, 1], both[:, 0]))
    start = np.concatenate(([0], np.cumsum(np.bincount(both[:, 0], minlength=points))))
    return start.astype(np.int64), np.ascontiguousarray(both[order, 1])


def _depths(outlines: list[Outline], edges: Indices, starts: Any) -> Array:
    """The depth of each sheet; of flexible ones no more than a share of the edges at the point."""
    depth = np.concatenate([np.full(len(o.points), o.depth) for o in outlines])
    places = np.concatenate([o.points for o in outlines])
    length = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    soft = np.array([o.solid for o in outlines])[np.searchsorted(starts, edges[:, 0], side="right") - 1]
    for side in range(2):
        np.minimum.at(depth, edges[soft, side], DEPTH * length[soft])
    return depth
