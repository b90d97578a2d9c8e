"""Prescribed normal impulses, with the friction that goes with them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, assembled, canonical
from signorini.problem.contact_problem import ContactProblem

PIN = 100.0
"""How much stiffer the pinned row is than the contact; its remaining slip is corrected by the lift."""


def pinned(problem: ContactProblem, blocks: Indices, push: Array, lift: Array) -> ContactProblem:
    """The problem with the normal impulses of some contacts given.

    An impulse p of contact i acts through `c' = c - D_n' p`, and its normal row becomes `y_n = E lambda_n - b`, `b = E
    p - mu |y_t|`, which does not depend on velocities: it enforces `lambda_n = p`, so that friction is bounded by `mu
    p`.

    Parameters
    ----------
    blocks
        Which contacts.
    push
        p of each of them [N s].
    lift
        mu |y_t| of each of them, as far as it is known [m/s].
    """
    rows = problem.cones.start[blocks]
    impulse = np.zeros(problem.contact_rows)
    impulse[rows] = push
    tangent = np.minimum(rows + 1, problem.cones.start[blocks + 1] - 1)
    stiff = 0.5 * PIN * (problem.N_diagonal[rows] + problem.N_diagonal[tangent])
    stiff = np.where(stiff > 0, stiff, PIN)
    b = np.array(problem.b_lambda)
    b[rows] = stiff * push - lift
    return problem.changed(
        c=problem.c - problem.rows.push(impulse),
        D=_without_rows(problem.D, rows),
        b_lambda=b,
        E=with_diagonal(problem.E, rows, stiff),
    )


def with_diagonal(E: Csr, rows: Indices, values: Array) -> Csr:
    """E with other entries on its diagonal; nothing else is stored in these rows."""
    diagonal = E.diagonal()
    diagonal[rows] = values
    kept = np.flatnonzero(diagonal)
    outside = E - sp.diags_array(E.diagonal()) if E.nnz else E
    return canonical(outside + sp.csr_array((diagonal[kept], (kept, kept)), shape=E.shape))


def _without_rows(D: Csr, rows: Indices) -> Csr:
    """D with some rows set to zero."""
    data = np.array(D.data)
    for row in rows:
        data[D.indptr[row] : D.indptr[row + 1]] = 0.0
    return assembled(data, D.indices, D.indptr, (int(D.shape[0]), int(D.shape[1])))
