"""Impulses that give rows a rate, `(C H^-1 C' + soft) y = r`, and the motion with joints and without contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr
from signorini.problem.mass_matrix import MassMatrix

DENSE_ROWS = 300
"""Up to this many rows the matrix is dense."""
REDUNDANT = 1e-10
"""Compliance of joints over the diagonal of S, so that redundant and contradictory joints leave a regular matrix."""


def balanced(S: Any, soft: Array, size: Array, r: Array) -> Array:
    """`(S + soft)^-1 r` with the diagonal matrix of `soft`, where `size` is the diagonal of S.

    Rows are scaled to a diagonal of ones, so that units do not count.
    """
    scale = 1.0 / np.sqrt(np.maximum(size, np.finfo(np.float64).tiny))
    if len(r) > DENSE_ROWS:
        matrix = sp.csc_array(sp.diags_array(scale) @ (S + sp.diags_array(soft)) @ sp.diags_array(scale))
        return np.asarray(scale * spla.splu(matrix).solve(scale * r))
    whole = np.asarray(S.todense()) if len(r) and not isinstance(S, np.ndarray) else S
    matrix = scale[:, None] * (whole + np.diag(soft)) * scale
    return np.asarray(scale * la.solve(matrix, scale * r, check_finite=False))


def joined_velocity(mass: MassMatrix, C: Csr, b: Array, free: Array) -> Array:
    """`argmin 1/2 (v - v_free)' H (v - v_free)` subject to `C v = b`, least squares where joints contradict each other.

    With the impulses y of the joints `v = v_free + H^-1 C' y` and `C H^-1 C' y = b - C v_free`.
    """
    S = mass.congruence(C)
    diagonal = np.asarray(S.diagonal())
    size = np.where(diagonal > 0, diagonal, 1.0)  # rows without bodies: their impulses act on nothing
    impulse = balanced(S, REDUNDANT * size, size, b - C @ free)
    return np.asarray(free + mass.solve(np.asarray(C.T @ impulse)))
