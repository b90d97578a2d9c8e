"""From a mesh to the convex pieces of its parts, and how far they stand out of the solid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.closed_surface import ClosedSurface
from signorini.model.shapes.convex_cell import hull_or_none
from signorini.model.shapes.convex_decomposition import RESERVE, Piece, decomposed, default_tolerance, protrusion
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.polyhedron import edge_components, is_closed, merged, solid_properties
from signorini.problem.errors import ModelError

CONVEX = 1.0 - 1e-6
"""A closed part is convex if it fills at least this share of its hull."""
OVERLAP = 1e-6
"""Volume by which a part may exceed its piece, or be lost in thin slices, relative to that of the solid."""
ELSE = "pass a list of ConvexHull pieces instead, or TriangleMesh(..., convexify=True) to use its hull"


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A solid as convex pieces."""

    pieces: tuple[ConvexHull, ...]
    volume_excess: float
    """Volumes of the pieces, overlaps counted twice, less that of the solid [m3]; nan with open parts."""
    protrusion: float
    """Largest distance of a point of the pieces from the solid that was found [m]; nan with open parts."""


def decomposition_of(
    vertices: Array, triangles: Indices, convexify: bool, tolerance: float | None, most: int
) -> Decomposition:
    """Of all parts of a mesh."""
    found: list[Piece] = []
    for number, part in enumerate(parts_of(vertices, triangles)):
        surface = ClosedSurface.of(vertices, triangles[part])
        closed = is_closed(merged(vertices, triangles[part]))
        if not (closed or convexify):
            raise ModelError(f"part {number} of a TriangleMesh that moves is open: close it, {ELSE}")
        whole = whole_piece(surface, closed)
        share = whole.solid / whole.volume
        if closed and not share > 0:
            raise ModelError(
                f"part {number} of a TriangleMesh that moves is inside out and in no other part: turn its triangles, "
                "triangles[part] = triangles[part, ::-1]"
            )
        found += [whole] if convexify or share >= CONVEX else cut_part(number, share, surface, tolerance, most)
    return Decomposition(
        tuple(ConvexHull(piece.points) for piece in found),
        float(sum(piece.volume - piece.solid for piece in found)),
        float(np.max([piece.protrusion for piece in found])),
    )


def whole_piece(surface: ClosedSurface, closed: bool) -> Piece:
    """The hull of a whole part."""
    hull = hull_or_none(surface.corners.reshape(-1, 3))
    if hull is None:
        raise ModelError("a part of a TriangleMesh that moves lies in one plane, expected a solid")
    points = surface.corners.reshape(-1, 3)[hull.vertices]
    solid = surface.solid.volume if closed else np.nan
    piece = Piece(points, hull.equations, float(hull.volume), solid, surface.corners, 0.0)
    return replace(piece, protrusion=protrusion(surface, piece) if closed else np.nan)


def cut_part(number: int, share: float, surface: ClosedSurface, tolerance: float | None, most: int) -> Iterable[Piece]:
    """The convex pieces of a part that fills only a share of its hull."""
    pieces = decomposed(surface, tolerance, most)
    total = surface.solid.volume
    lost = abs(sum(piece.solid for piece in pieces) - total)
    if lost > OVERLAP * total or any(piece.solid - piece.volume > OVERLAP * total for piece in pieces):
        raise ModelError(f"the surface of part {number} of a TriangleMesh that moves runs through itself: {ELSE}")
    allowed = tolerance or default_tolerance(surface)
    worst = max(piece.protrusion for piece in pieces)
    if worst > allowed or len(pieces) > most:
        reached = f"concavity={_rounded_up(max(worst / RESERVE, allowed)):g}, max_pieces={len(pieces)}"
        raise ModelError(
            f"part {number} of a TriangleMesh that moves fills {100 * share:.3g} % of its convex hull; {len(pieces)} "
            f"convex pieces stand out of it by up to {worst:.3g} m, expected at most {most} pieces and {allowed:.3g} "
            f"m: pass TriangleMesh(..., {reached}), more pieces to come nearer, or {ELSE[5:]}"
        )
    return pieces


def _rounded_up(value: float) -> float:
    """To two digits."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 1.0)
    return float(np.ceil(value / unit) * unit)


def parts_of(vertices: Array, triangles: Indices) -> list[Indices]:
    """Places of the triangles of each part that hangs together by edges, with those of its cavities."""
    parts = edge_components(triangles)
    if not all(is_closed(triangles[part]) for part in parts):
        # Loose triangles, each with vertices of its own: tied by the places of the vertices.
        parts = edge_components(merged(vertices, triangles))
    closed = [is_closed(merged(vertices, triangles[part])) for part in parts]
    if not all(closed) and is_closed(merged(vertices, triangles)):
        # Solids that touch along edges all around them cannot be separated, so they are one.
        parts = [part for part, is_whole in zip(parts, closed, strict=True) if is_whole] + [
            np.sort(np.concatenate([part for part, is_whole in zip(parts, closed, strict=True) if not is_whole]))
        ]
        closed = [True] * len(parts)
    if len(parts) == 1:
        return parts
    volume = [solid_properties(vertices, triangles[p]).volume if c else 0.0 for p, c in zip(parts, closed, strict=True)]
    outer = [k for k in range(len(parts)) if volume[k] > 0 or not closed[k]]
    solids = {k: ClosedSurface.of(vertices, triangles[parts[k]]) for k in outer if closed[k]}
    result = {k: [parts[k]] for k in outer}
    for k in sorted(set(range(len(parts))) - set(outer)):
        point = vertices[triangles[parts[k]].ravel()[:1]]
        around = [j for j, solid in solids.items() if volume[j] > -volume[k] and solid.holds(point)[0]]
        result.setdefault(min(around, key=lambda j: volume[j]) if around else k, []).append(parts[k])
    return [np.concatenate(group) for group in result.values()]
