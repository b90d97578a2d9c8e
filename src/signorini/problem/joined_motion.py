"""Impulses that give rows a rate, `(C H^-1 C' + soft) y = r`, and the motion with joints and without contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr, entry_rows
from signorini.problem.mass_matrix import MassMatrix

DENSE_ROWS = 100
"""Up to this many rows a dense factorisation is faster than a sparse one."""
REDUNDANT = 1e-10
"""Compliance of joints over the diagonal of S, so that redundant and contradictory joints leave a regular matrix."""
LEAST = 1e-12
"""Accuracy of least squares of many rows, relative."""
MOST_ROUNDS = 10
"""Of its iterations, in multiples of the rows."""


def balanced(S: Any, soft: Array, size: Array, r: Array) -> Array:
    """`(S + soft)^-1 r` with the diagonal matrix of `soft`, where `size` is the diagonal of S.

    Rows are scaled to a diagonal of ones, so that units do not count. Of a singular matrix, as mean rows of a step in
    which bodies turned far can make it, the solution of least squares and least size.
    """
    scale = 1.0 / np.sqrt(np.maximum(size, np.finfo(np.float64).tiny))
    if len(r) > DENSE_ROWS and not isinstance(S, np.ndarray):
        transposed = _scaled_transpose(S, soft, scale)
        try:
            factors: Any = spla.splu(transposed, permc_spec="MMD_AT_PLUS_A")
        except RuntimeError:
            most = MOST_ROUNDS * len(r)
            found = spla.lsmr(transposed.T, scale * r, atol=LEAST, btol=LEAST, conlim=0.0, maxiter=most)
            return np.asarray(scale * found[0])
        return np.asarray(scale * factors.solve(scale * r, trans="T"))
    whole = np.asarray(S.todense()) if len(r) and not isinstance(S, np.ndarray) else S
    matrix = scale[:, None] * (whole + np.diag(soft)) * scale
    try:
        return np.asarray(scale * la.solve(matrix, scale * r, check_finite=False))
    except la.LinAlgError:
        return np.asarray(scale * la.lstsq(matrix, scale * r)[0])


def _scaled_transpose(S: Any, soft: Array, scale: Array) -> sp.csc_array:
    """`(scale (S + soft) scale)'` with diagonal matrices of `soft` and `scale`, whose columns are the rows of S."""
    rows = sp.csr_array(S)
    row, data = entry_rows(rows), rows.data.copy()
    diagonal = np.flatnonzero(row == rows.indices)
    if len(diagonal) == len(soft):
        data[diagonal] += soft
    else:
        rows = sp.csr_array(rows + sp.diags_array(soft))
        row, data = entry_rows(rows), rows.data
    return sp.csc_array((scale[row] * data * scale[rows.indices], rows.indices, rows.indptr), shape=rows.shape)


def joined_velocity(mass: MassMatrix, C: Csr, b: Array, free: Array) -> Array:
    """`argmin 1/2 (v - v_free)' H (v - v_free)` subject to `C v = b`, least squares where joints contradict each other.

    With the impulses y of the joints `v = v_free + H^-1 C' y` and `C H^-1 C' y = b - C v_free`.
    """
    S = mass.congruence(C)
    diagonal = np.asarray(S.diagonal())
    size = np.where(diagonal > 0, diagonal, 1.0)  # rows without bodies: their impulses act on nothing
    impulse = balanced(S, REDUNDANT * size, size, b - C @ free)
    return np.asarray(free + mass.solve(np.asarray(C.T @ impulse)))
