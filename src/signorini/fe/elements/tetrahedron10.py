"""The tetrahedron of ten nodes: quadratic, four quadrature points; bends without locking."""

from __future__ import annotations

import numpy as np
from scipy.special import roots_jacobi

from signorini.fe.elements.element import Element
from signorini.fe.elements.tetrahedron import FACES, FOUR_POINTS, GRADIENTS, VOLUME
from signorini.fe.elements.tetrahedron import shapes as linear
from signorini.math.sparse import Array

EDGES = np.array([[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]])
"""Ends of the edges whose middles are nodes 4 to 9."""
MIDDLE = {frozenset(ends): 4 + k for k, ends in enumerate(EDGES.tolist())}


def shapes(xi: Array) -> Array:
    """N_a at points xi (points, 3): shape (points, 10)."""
    L = linear(xi)
    return np.hstack((L * (2.0 * L - 1.0), 4.0 * L[:, EDGES[:, 0]] * L[:, EDGES[:, 1]]))


def shape_gradients(xi: Array) -> Array:
    """d N_a / d xi at points xi: shape (points, 10, 3)."""
    L = linear(xi)[..., None]
    corners = (4.0 * L - 1.0) * GRADIENTS
    i, j = EDGES.T
    return np.concatenate((corners, 4.0 * (L[:, i] * GRADIENTS[j] + L[:, j] * GRADIENTS[i])), axis=1)


def collapsed_rule(count: int) -> tuple[Array, Array]:
    """Points and weights of the tetrahedron from a cube of `count`^3 points; exact to degree `2 count - 1`."""
    (a, u), (b, v), (c, w) = (roots_jacobi(count, power, 0.0) for power in (0.0, 1.0, 2.0))
    A, B, C = (0.5 * (1.0 + grid.reshape(-1)) for grid in np.meshgrid(a, b, c, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", u, v, w).reshape(-1) / 64.0
    return np.column_stack((A * (1.0 - B) * (1.0 - C), B * (1.0 - C), C)), weights


def _pieces() -> Array:
    """Four triangles on each face, through the middles of its edges."""
    result = []
    for a, b, c in FACES.tolist():
        ab, bc, ca = (MIDDLE[frozenset(pair)] for pair in ((a, b), (b, c), (c, a)))
        result.append([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])
    return np.array(result)


_POINTS, _WEIGHTS = collapsed_rule(3)
TETRAHEDRON10 = Element(
    name="tetra10",
    weights=np.full(4, 0.25 * VOLUME),
    gradients=shape_gradients(FOUR_POINTS),
    mass_weights=_WEIGHTS,
    mass_shapes=shapes(_POINTS),
    mass_gradients=shape_gradients(_POINTS),
    faces=FACES,
    pieces=_pieces().astype(np.int64),
)
