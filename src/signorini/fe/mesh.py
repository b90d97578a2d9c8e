"""Nodes and cells of a solid, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.fe.elements import ELEMENTS, Element
from signorini.fe.elements.element import volumes
from signorini.fe.elements.tetrahedron10 import EDGES
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.checks import numbers, points
from signorini.problem.errors import ModelError

FLAT = 1e-10
"""Least volume of a cell, relative to the cube of its longest edge."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Tetrahedra or hexahedra between nodes; the nodes of a cell are ordered as in meshio and VTK.

    Raises `ModelError` for cells that are inverted, flat or repeated, faces of three cells, and nodes without a cell.

    >>> Mesh.box((1.0, 0.2, 0.1), (20, 4, 2))
    """

    points: Array
    """[m], shape (nodes, 3)."""
    cells: Indices
    """Nodes of each cell, shape (cells, 4), (cells, 8) or (cells, 10)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", points(self.points, "points of the mesh"))
        object.__setattr__(self, "cells", _cells(self.cells))
        _check_nodes(self.points, self.cells)
        _check_volumes(self.points, self.cells, self.element)
        _check_neighbours(self.cells, self.element)

    @classmethod
    def box(cls, size: ArrayLike, divisions: ArrayLike, kind: str = "tetra") -> Mesh:
        """A box of `size` [m] about the origin, cut into `divisions` (x, y, z) bricks of six `tetra` or one
        `hexahedron` each."""
        from signorini.fe.meshes.box import box

        return cls(*box(size, divisions, kind))

    @classmethod
    def cylinder(cls, radius: float, length: float, around: int = 16, along: int = 8, kind: str = "tetra") -> Mesh:
        """A cylinder about the z axis, middle at the origin, of `around` (a multiple of 4) cells at its rim."""
        from signorini.fe.meshes.cylinder import cylinder

        return cls(*cylinder(radius, length, around, along, kind))

    @classmethod
    def ball(cls, radius: float, across: int = 4, kind: str = "tetra") -> Mesh:
        """A ball about the origin: `across` cells along each edge of the cube inside it, as many layers around it."""
        from signorini.fe.meshes.ball import ball

        return cls(*ball(radius, across, kind))

    @property
    def element(self) -> Element:
        """The element of its cells."""
        return ELEMENTS[self.cells.shape[1]]

    @cached_property
    def volume(self) -> float:
        """[m3]."""
        return float(volumes(self.points, self.cells, self.element.gradients, self.element.weights).sum())

    @cached_property
    def surface(self) -> Indices:
        """Triangles of the faces that belong to one cell alone, counter-clockwise seen from outside."""
        cell, face = outer_faces(self.cells, self.element)
        return self.cells[cell[:, None, None], self.element.pieces[face]].reshape(-1, 3)

    def nodes_where(self, condition: Callable[[Array], Any]) -> Indices:
        """Nodes whose points fulfil a condition, such as `mesh.nodes_where(lambda x: x[:, 2] < 1e-9)`."""
        chosen = np.asarray(condition(self.points))
        if chosen.dtype != np.bool_ or chosen.shape != (len(self.points),):
            raise ModelError(
                f"the condition gave {chosen.dtype} of shape {chosen.shape}, expected {len(self.points)} truth values, "
                "as from lambda x: x[:, 0] < 0.1"
            )
        return np.flatnonzero(chosen)

    def quadratic(self, project: Callable[[Array], Any] | None = None) -> Mesh:
        """The same tetrahedra with ten nodes: more accurate, above all in bending.

        The new nodes are in the middles of the edges, on chords of a round surface. With `project`, points of shape
        (k, 3) [m] -> where they belong, those on the surface of the mesh are put there: the cells become curved.
        """
        if self.cells.shape[1] != 4:
            raise ModelError(f"a mesh of {self.element.name} has no quadratic form here, expected tetra")
        ends = np.sort(self.cells[:, EDGES].reshape(-1, 2), axis=1)
        edges, place = np.unique(ends, axis=0, return_inverse=True)
        middles = 0.5 * (self.points[edges[:, 0]] + self.points[edges[:, 1]])
        if project is not None:
            outside = _edges_among(edges, self.surface)
            middles[outside] = _projected(middles[outside], project)
        cells = np.hstack((self.cells, len(self.points) + place.reshape(-1, len(EDGES))))
        return Mesh(np.vstack((self.points, middles)), cells)

    def __repr__(self) -> str:
        return f"Mesh({len(self.points)} nodes, {len(self.cells)} cells of kind {self.element.name})"


def _edges_among(edges: Indices, triangles: Indices) -> NDArray[np.bool_]:
    """Which edges, sorted pairs of nodes, are edges of triangles."""
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    count = int(edges.max()) + 1
    return np.isin(edges[:, 0] * count + edges[:, 1], sides[:, 0] * count + sides[:, 1])


def _projected(middles: Array, project: Callable[[Array], Any]) -> Array:
    there = points(project(middles.copy()), "points that project gave")
    if there.shape != middles.shape:
        raise ModelError(f"project gave points of shape {there.shape}, expected {middles.shape}: one for each it got")
    return there


def outer_faces(cells: Indices, element: Element) -> tuple[Indices, Indices]:
    """Cell and local face of every face that belongs to one cell alone."""
    faces = np.sort(cells[:, element.faces], axis=2).reshape(-1, element.faces.shape[1])
    _, place, count = np.unique(faces, axis=0, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(count[place.reshape(-1)] == 1)
    cell, face = np.divmod(alone, len(element.faces))
    return cell, face


def without_loose_nodes(points: Array, cells: Indices) -> tuple[Array, Indices]:
    """The mesh without the nodes that belong to no cell."""
    used, place = np.unique(cells, return_inverse=True)
    return points[used], place.reshape(cells.shape)


def oriented(points: Array, cells: Indices) -> Indices:
    """The cells with those of negative volume turned around."""
    element = ELEMENTS[cells.shape[1]]
    turned = cells.copy()
    order = {4: [0, 2, 1, 3], 8: [0, 3, 2, 1, 4, 7, 6, 5], 10: [0, 2, 1, 3, 6, 5, 4, 7, 9, 8]}[cells.shape[1]]
    wrong = volumes(points, cells, element.gradients, element.weights).sum(axis=1) < 0
    turned[wrong] = cells[wrong][:, order]
    return turned


def _cells(value: Any) -> NDArray[np.int64]:
    given = numbers(value, "cells of the mesh")
    if given.ndim != 2 or given.shape[1] not in ELEMENTS or not len(given):
        kinds = ", ".join(f"{count} ({element.name})" for count, element in ELEMENTS.items())
        raise ModelError(f"cells have shape {given.shape}, expected (cells, nodes) with {kinds} nodes")
    cells = given.astype(np.int64)
    if not np.array_equal(cells, given):
        raise ModelError("cells hold fractions, expected the numbers of nodes")
    cells.setflags(write=False)
    return cells


def _check_nodes(points: Array, cells: Indices) -> None:
    if cells.min() < 0 or cells.max() >= len(points):
        wrong = int(cells.min()) if cells.min() < 0 else int(cells.max())
        raise ModelError(f"a cell names node {wrong}, expected 0 to {len(points) - 1}")
    ordered = np.sort(cells, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise ModelError(f"cell {twice[0]} names a node twice: {cells[twice[0]].tolist()}")
    loose = np.flatnonzero(np.bincount(cells.reshape(-1), minlength=len(points)) == 0)
    if len(loose):
        raise ModelError(
            f"node {loose[0]} and {len(loose) - 1} more belong to no cell, so nothing holds them; drop them with "
            "Mesh(*signorini.fe.mesh.without_loose_nodes(points, cells))"
        )


def _check_volumes(points: Array, cells: Indices, element: Element) -> None:
    parts = volumes(points, cells, element.gradients, element.weights)
    least = parts.min(axis=1)
    corners = points[cells]
    size = np.ptp(corners, axis=1).max(axis=1)
    wrong = np.flatnonzero(least <= FLAT * size**3)
    if not len(wrong):
        return
    cell = int(wrong[0])
    if parts[wrong].sum() < 0 and len(wrong) == len(cells):
        raise ModelError(
            f"all {len(cells)} cells are inverted: their nodes are numbered the wrong way round; "
            "use Mesh(points, signorini.fe.mesh.oriented(points, cells))"
        )
    what = "inverted" if least[cell] < -FLAT * size[cell] ** 3 else "flat"
    raise ModelError(
        f"cell {cell} (nodes {cells[cell].tolist()}) is {what}: its volume is {parts[cell].sum():.3g} m3, expected > 0 "
        f"everywhere inside; {len(wrong)} of {len(cells)} cells are wrong: mesh the part again"
    )


def _check_neighbours(cells: Indices, element: Element) -> None:
    _, first, count = np.unique(np.sort(cells, axis=1), axis=0, return_index=True, return_counts=True)
    if count.max() > 1:
        cell = int(first[count > 1][0])
        raise ModelError(f"cell {cell} (nodes {cells[cell].tolist()}) is there {count.max()} times, expected once")
    faces = np.sort(cells[:, element.faces], axis=2).reshape(-1, element.faces.shape[1])
    shared, number = np.unique(faces, axis=0, return_counts=True)
    if number.max() > 2:
        face = shared[int(number.argmax())]
        raise ModelError(f"the face of nodes {face.tolist()} belongs to {number.max()} cells, expected 2 at most")
