"""A solid as convex pieces.

Cells are cut by planes, one after the other, until the part of the solid in each is convex (exactly, or but for a
tolerance); of the planes that are tried the one is taken that leaves the least volume between the parts and their
hulls. Each piece is the hull of a part, so it lies in its cell, and pieces do not overlap. Then pieces are merged while
their common hull does not stand out.

A plane through a reflex edge makes the solid convex there on both sides, so finitely many planes of faces do for any
polyhedron. For tessellated round parts they would be too many: these are cut until no hull stands out of the solid by
more than a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from signorini.math.sparse import Array
from signorini.model.shapes.closed_surface import ClosedSurface
from signorini.model.shapes.convex_cell import ON_PLANE, Cell, Plane, hull_or_none
from signorini.model.shapes.cut_planes import ReflexEdges, axis_planes, cell_faces, spread

MOST_EXACT_PLANES = 64
"""With more planes at reflex edges than this, a part is cut with a tolerance at once."""
FEW_PIECES = 12
"""With so few exact pieces along faces no others are looked for."""
MOST_EXACT_PIECES = 48
"""With more exact pieces than this a tolerance is tried: most likely they follow a coarse image of a round part."""
MOST_TRIED = 6
"""Planes of each kind that are tried for a cut with a tolerance."""
EXACT = 1e-9
"""Volume that does not count, relative to that of the solid."""
OF_SIZE, OF_THICKNESS = 0.01, 0.2
"""How far pieces may stand out of a solid that is not cut exactly, relative to its size and to its mean thickness."""
RESERVE = 0.9
"""Share of the tolerance that is used up: between the points that are measured hulls may stand out by a little more."""
MORE_CELLS = 3
"""How many times more cells than pieces there may be before merging."""
SAMPLES = 384
"""Points at which it is measured how far a hull stands out."""
MOST_STARTS = 800
"""Triangles from which ways to the hull start."""
DEPTHS = (1.0, 0.5, 0.25)
"""Where on the way from the surface to the hull it is measured."""
CLIMBS, CLIMBERS, UPHILL = 6, 6, 1.0
"""Steps uphill from the highest points, how many climb, and the first step relative to the height."""
AROUND = np.array([v for v in np.ndindex(3, 3, 3) if v != (1, 1, 1)]) - 1.0
AROUND /= np.linalg.norm(AROUND, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Piece:
    """The hull of one part of a solid, or of several."""

    points: Array
    """Corners of the hull [m], shape (points, 3)."""
    planes: Array
    """Of the hull: outward unit normals and negative offsets, shape (faces, 4)."""
    volume: float
    """Of the hull [m3]."""
    solid: float
    """Volume of the parts [m3]."""
    skin: Array
    """Triangles of the solid's surface in it [m], shape (triangles, 3, 3)."""
    protrusion: float
    """How far the hull stands out of the solid [m]."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """How a solid is cut."""

    surface: ClosedSurface
    edges: ReflexEdges
    tolerance: float
    """How far a piece may stand out of the solid [m]; 0: not at all."""
    most: int
    """Largest number of pieces."""
    bisect: bool = False
    """Whether exact cuts are half-way between the faces at reflex edges instead of along them."""

    def pieces(self) -> list[Piece]:
        """As few as found; more than `most`, or some that stand out too far, where that does not do."""
        whole = Cell.around(self.surface)
        done: list[Piece] = []
        rated = [(self._piece(whole), whole)]
        while rated and len(rated) + len(done) < MORE_CELLS * self.most:
            k = max(range(len(rated)), key=lambda i: rated[i][0].protrusion)
            piece, cell = rated.pop(k)
            halves = self._best_cut(cell)
            if halves is None:
                done.append(piece)
                continue
            for half in halves:
                if half.is_flat or half.volume <= EXACT * self.surface.solid.volume:
                    continue
                found = self._piece(half)
                if found.protrusion > self.tolerance:
                    rated.append((found, half))
                else:
                    done.append(found)
        return merge(self, done + [piece for piece, _ in rated])

    def _piece(self, cell: Cell) -> Piece:
        hull = cell.hull
        skin = cell.chain[cell.real]
        piece = Piece(self.apart(cell.points[hull.vertices]), hull.equations, hull.volume, cell.volume, skin, 0.0)
        return replace(piece, protrusion=self.protrusion(piece))

    def apart(self, points: Array) -> Array:
        """Points without those that differ by rounding only: an edge is cut where both of its triangles are."""
        near = cdist(points, points) < ON_PLANE * self.surface.size
        return np.asarray(points[~np.tril(near, -1).any(axis=1)])

    def protrusion(self, piece: Piece, enough: float = np.inf) -> float:
        """0 for a piece that is a part of the solid; the exact way does not ask how far others stand out."""
        if piece.volume - piece.solid <= EXACT * self.surface.solid.volume:
            return 0.0
        return protrusion(self.surface, piece, enough) if self.tolerance else np.inf

    def _best_cut(self, cell: Cell) -> tuple[Cell, Cell] | None:
        """The two halves that leave the least volume between them and their hulls; of equal ones the most alike."""
        best, least = None, (np.inf, np.inf)
        total = self.surface.solid.volume
        for plane in self._planes(cell):
            halves = cell.halves(plane)
            if halves is None:
                continue
            excess = sum(half.excess for half in halves) / total
            rating = (round(excess, 9), round(abs(halves[0].volume - halves[1].volume) / total, 6))
            if rating < least:
                best, least = halves, rating
        return best

    def _planes(self, cell: Cell) -> list[Plane]:
        size = self.surface.size
        chosen, length = self.edges.within(cell, 1e-7 * size)
        turn = np.linalg.norm(np.cross(self.edges.first[chosen], self.edges.second[chosen]), axis=1)
        faces = self.edges.face_planes(chosen, length * turn, size)
        bisectors = self.edges.bisectors(chosen, length * turn, size)
        if not self.tolerance:
            # Without reflex edges the part is several convex ones, which planes of their faces keep apart.
            return (bisectors if self.bisect else faces) or cell_faces(cell)
        extent = float(np.ptp(cell.points, axis=0).max())
        tried = [spread(planes, MOST_TRIED, extent) for planes in (bisectors, faces)]
        return tried[0] + tried[1] + axis_planes(cell)


def protrusion(surface: ClosedSurface, piece: Piece, enough: float = np.inf) -> float:
    """How far a hull stands out of the solid [m]: the largest distance of its points from the solid that is found.

    A point outside the solid is above the point of the surface that is nearest. So points on the way from the surface,
    along its normals, to the hull are looked at, those where that way is longest first, and points of the hull's faces.
    The search ends once more than `enough` is found.
    """
    share = SAMPLES // (len(DEPTHS) + 1)
    faces = on_faces(piece, share)
    above = surface.height(faces)
    if above.max() > enough:
        return float(above.max())
    starts, normals = on_skin(piece.skin)
    towards, room = normals @ piece.planes[:, :3].T, -(starts @ piece.planes[:, :3].T + piece.planes[:, 3])
    with np.errstate(divide="ignore", invalid="ignore"):
        way = np.where(towards > 1e-9, room / towards, np.inf).min(axis=1)
    way = np.where(np.isfinite(way), np.maximum(way, 0.0), 0.0)
    far = np.argsort(-way, kind="stable")[:share]
    points = np.vstack([starts[far] + depth * way[far, None] * normals[far] for depth in DEPTHS])
    return farthest(surface, piece, np.vstack((faces, points)), np.concatenate((above, surface.height(points))))


def farthest(surface: ClosedSurface, piece: Piece, points: Array, above: Array) -> float:
    """The largest height above the surface [m] in a hull, from the highest points known uphill by smaller steps."""
    step = UPHILL * max(0.0, float(above.max()))
    slack = 1e-9 * surface.size
    for _ in range(CLIMBS):
        best = np.argsort(-above, kind="stable")[:CLIMBERS]
        near = (points[best][:, None] + step * AROUND).reshape(-1, 3)
        near = near[(near @ piece.planes[:, :3].T + piece.planes[:, 3]).max(axis=1) <= slack]
        if len(near):
            points, above = np.vstack((points[best], near)), np.concatenate((above[best], surface.height(near)))
        step *= 0.5
    return max(0.0, float(above.max()))


def on_skin(t: Array) -> tuple[Array, Array]:
    """Points of triangles and the normals there; four of each triangle, or one, or one of some."""
    n = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    length = np.linalg.norm(n, axis=1)
    t, n = t[length > 0], n[length > 0] / length[length > 0][:, None]
    stride = 1 + len(t) // MOST_STARTS
    t, n = t[::stride], n[::stride]
    spots = SPOTS if len(t) < SAMPLES else SPOTS[:1]
    return np.concatenate([np.einsum("tki,k->ti", t, weights) for weights in spots]), np.tile(n, (len(spots), 1))


SPOTS = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / np.array([[3.0], [6.0], [6.0], [6.0]])
"""Points of a triangle: weights of its corners."""


def on_faces(piece: Piece, most: int) -> Array:
    """Points of the largest faces of a hull."""
    hull = hull_or_none(piece.points)
    t = piece.points[hull.simplices]
    area = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
    large = np.argsort(-area, kind="stable")[: most // len(SPOTS)]
    return np.concatenate([np.einsum("tki,k->ti", t[large], weights) for weights in SPOTS])


def merge(cuts: Cuts, pieces: list[Piece]) -> list[Piece]:
    """Pieces put together while their common hull stands out no more than may be, those that lose the least first."""
    total = cuts.surface.solid.volume
    bound = EXACT * total if not cuts.tolerance else np.inf
    live = dict(enumerate(pieces))
    waiting: list[tuple[float, int, int]] = []

    def rate(i: int, j: int) -> None:
        joint = _joint_volume(live[i], live[j], cuts.tolerance)
        lost = joint - live[i].volume - live[j].volume
        if lost <= bound and lost < max(live[i].volume, live[j].volume):
            waiting.append((round(lost / total, 9), i, j))

    for i in live:
        for j in range(i):
            rate(j, i)
    while waiting:
        waiting.sort(reverse=True)
        _, i, j = waiting.pop()
        if i not in live or j not in live:
            continue
        joint = _joined(cuts, live[i], live[j])
        if joint.protrusion > cuts.tolerance:
            continue
        new = max(live) + 1
        live = {k: piece for k, piece in live.items() if k not in (i, j)} | {new: joint}
        for k in list(live)[:-1]:
            rate(k, new)
    return list(live.values())


def _joint_volume(a: Piece, b: Piece, tolerance: float) -> float:
    """Of the common hull, infinite for pieces that do not touch."""
    apart = np.maximum(a.points.min(axis=0) - b.points.max(axis=0), b.points.min(axis=0) - a.points.max(axis=0))
    if apart.max() > tolerance + 1e-9 * np.abs(a.points).max():
        return np.inf
    hull = hull_or_none(np.vstack((a.points, b.points)))
    return np.inf if hull is None else float(hull.volume)


def _joined(cuts: Cuts, a: Piece, b: Piece) -> Piece:
    points = np.vstack((a.points, b.points))
    hull = hull_or_none(points)
    skin = np.concatenate((a.skin, b.skin))
    piece = Piece(cuts.apart(points[hull.vertices]), hull.equations, hull.volume, a.solid + b.solid, skin, 0.0)
    return replace(piece, protrusion=cuts.protrusion(piece, enough=cuts.tolerance))


def default_tolerance(surface: ClosedSurface) -> float:
    """Default tolerance of pieces outside the mesh [m]."""
    return min(OF_SIZE * surface.size, OF_THICKNESS * surface.thickness)


def decomposed(surface: ClosedSurface, tolerance: float | None, most: int) -> list[Piece]:
    """Pieces of a solid: exact ones where few do, unless a tolerance [m] is given.

    Others stand out by up to the tolerance, or else by up to the default; by more, or they are more than `most`, where
    that cannot be.
    """
    edges = ReflexEdges.of(surface)
    loose = Cuts(surface, edges, RESERVE * (tolerance or default_tolerance(surface)), most)
    exact = exact_pieces(loose)
    if exact and tolerance is None and len(exact) <= min(most, MOST_EXACT_PIECES):
        return exact
    found = [merge(loose, exact)] if exact else []
    found.append(loose.pieces())
    return min(found, key=lambda pieces: (max(p.protrusion for p in pieces) > loose.tolerance, len(pieces)))


def exact_pieces(loose: Cuts) -> list[Piece]:
    """Pieces that do not stand out at all, none where many planes would be needed.

    Along faces where that gives few pieces, as in profiles; else half-way between them too, as in rings.
    """
    everywhere = np.arange(len(loose.edges.start))
    best: list[Piece] = []
    for bisect in (False, True):
        if 0 < len(best) <= FEW_PIECES:
            break
        planes = loose.edges.bisectors if bisect else loose.edges.face_planes
        if len(planes(everywhere, np.ones(len(everywhere)), loose.surface.size)) > MOST_EXACT_PLANES:
            continue
        pieces = replace(loose, tolerance=0.0, bisect=bisect).pieces()
        if all(piece.protrusion == 0.0 for piece in pieces) and not 0 < len(best) <= len(pieces):
            best = pieces
    return best
