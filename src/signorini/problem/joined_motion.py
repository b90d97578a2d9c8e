"""The motion with joints and without contacts: what joints pass on to contacts of the motion without either."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import minres

from signorini.math.sparse import Array, Csr
from signorini.problem.mass_matrix import MassMatrix

DENSE_ROWS = 200
ACCURACY, MOST_ITERATIONS = 1e-4, 300
"""Of the iteration with more rows of joints. The motion is a scale for errors: few digits do."""
REDUNDANT = 1e-10
"""Added to a diagonal of ones, so that redundant and contradictory joints leave a matrix of full rank."""


def joined_velocity(mass: MassMatrix, C: Csr, b: Array, free: Array) -> Array:
    """`argmin 1/2 (v - v_free)' H (v - v_free)` subject to `C v = b`, least squares where joints contradict each other.

    With the impulses y of the joints `v = v_free + H^-1 C' y` and `C H^-1 C' y = b - C v_free`; rows are scaled to
    a diagonal of ones, so that units do not count.
    """
    S = mass.congruence(C)
    diagonal = np.asarray(S.diagonal())
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    right = scale * (b - C @ free)
    if len(b) <= DENSE_ROWS:
        impulse = np.linalg.solve(S.toarray() * np.outer(scale, scale) + REDUNDANT * np.eye(len(b)), right)
    else:
        scaled: Any = diags_array(scale) @ S @ diags_array(scale)
        impulse = minres(scaled, right, rtol=ACCURACY, maxiter=MOST_ITERATIONS)[0]
    return np.asarray(free + mass.solve(np.asarray(C.T @ (scale * impulse))))
