"""The tetrahedron of four nodes: constant strain, one quadrature point."""

from __future__ import annotations

import numpy as np

from signorini.fe.elements.element import Element
from signorini.math.sparse import Array

VOLUME = 1.0 / 6.0
NEAR, FAR = (5.0 - np.sqrt(5.0)) / 20.0, (5.0 + 3.0 * np.sqrt(5.0)) / 20.0
"""Coordinates of the rule of four points, exact for squares."""
FOUR_POINTS = NEAR + (FAR - NEAR) * np.vstack((np.zeros(3), np.eye(3)))


def shapes(xi: Array) -> Array:
    """N_a at points xi (points, 3): shape (points, 4)."""
    return np.column_stack((1.0 - xi.sum(axis=1), xi))


GRADIENTS = np.vstack((-np.ones(3), np.eye(3)))
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])

TETRAHEDRON = Element(
    name="tetra",
    weights=np.array([VOLUME]),
    gradients=GRADIENTS[None],
    mass_weights=np.full(4, 0.25 * VOLUME),
    mass_shapes=shapes(FOUR_POINTS),
    mass_gradients=np.repeat(GRADIENTS[None], 4, axis=0),
    faces=FACES,
    pieces=FACES[:, None, :],
)
