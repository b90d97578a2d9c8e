"""The hexahedron of eight nodes: trilinear, 2 x 2 x 2 quadrature points."""

from __future__ import annotations

import numpy as np

from signorini.fe.elements.element import Element
from signorini.math.sparse import Array

CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)
EIGHT_POINTS = CORNERS / np.sqrt(3.0)
FACES = np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]])


def shapes(xi: Array) -> Array:
    """N_a at points xi (points, 3): shape (points, 8)."""
    return np.asarray(0.125 * np.prod(1.0 + xi[:, None, :] * CORNERS, axis=2))


def shape_gradients(xi: Array) -> Array:
    """d N_a / d xi at points xi: shape (points, 8, 3)."""
    factors = 1.0 + xi[:, None, :] * CORNERS
    others = np.stack([factors[..., (k + 1) % 3] * factors[..., (k + 2) % 3] for k in range(3)], axis=-1)
    return np.asarray(0.125 * CORNERS * others)


_AXIS, _SHARE = np.polynomial.legendre.leggauss(3)
_POINTS = np.stack(np.meshgrid(_AXIS, _AXIS, _AXIS, indexing="ij"), axis=-1).reshape(-1, 3)

HEXAHEDRON = Element(
    name="hexahedron",
    weights=np.ones(8),
    gradients=shape_gradients(EIGHT_POINTS),
    mass_weights=np.einsum("i,j,k->ijk", _SHARE, _SHARE, _SHARE).reshape(-1),
    mass_shapes=shapes(_POINTS),
    mass_gradients=shape_gradients(_POINTS),
    faces=FACES,
    pieces=np.stack((FACES[:, [0, 1, 2]], FACES[:, [0, 2, 3]]), axis=1),
)
