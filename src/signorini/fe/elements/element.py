"""What a solid finite element is: shape functions, a quadrature rule, and the faces of its surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices


@dataclass(frozen=True, eq=False)
class Element:
    """A reference element, evaluated at its quadrature points."""

    name: str
    """As in meshio and VTK: `tetra`, `hexahedron`, `tetra10`."""
    weights: Array
    """Of the quadrature of energy and forces, in reference volume, shape (points,)."""
    gradients: Array
    """d N_a / d xi at these points, shape (points, nodes, 3)."""
    mass_weights: Array
    """Of the quadrature of the mass, which is exact on all elements with straight edges, shape (more points,)."""
    mass_shapes: Array
    """N_a at those points, shape (more points, nodes)."""
    mass_gradients: Array
    """d N_a / d xi at those points, shape (more points, nodes, 3)."""
    faces: Indices
    """Corners of the faces, counter-clockwise seen from outside, shape (faces, 3 or 4)."""
    pieces: Indices
    """Triangles that cover each face, in nodes of the element, shape (faces, triangles, 3)."""

    @property
    def nodes(self) -> int:
        """Nodes of one element."""
        return int(self.gradients.shape[1])


def mapped(points: Array, cells: Indices, gradients: Array, weights: Array) -> tuple[Array, Array]:
    """Gradients in space (elements, points, nodes, 3) [1/m] and weights (elements, points) [m3] of real elements."""
    J = np.einsum("eai,paj->epij", points[cells], gradients)
    return np.einsum("paj,epjk->epak", gradients, np.linalg.inv(J)), np.linalg.det(J) * weights


def volumes(points: Array, cells: Indices, gradients: Array, weights: Array) -> Array:
    """Volume that belongs to each quadrature point [m3], negative where an element is inverted."""
    return np.asarray(np.linalg.det(np.einsum("eai,paj->epij", points[cells], gradients)) * weights)
