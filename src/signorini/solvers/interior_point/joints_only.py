"""Small mechanisms without contacts: one singular value decomposition is the answer.

With `H^-1 = G G'`, `A = C G` (rows scaled to length 1) and `v = G w`, the problem is `w - w_free = A' x`, `A w = b`.
From `A = U S V'`, without the singular values that are round-off:

    x = U S^-2 U' (b - A w_free),

refined for what round-off leaves of the joints. x is the smallest multiplier of redundant joints. What of
`b - A w_free` lies outside U is a contradiction.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status

MOST_VELOCITIES = 60
"""Beyond, sparse factorisations are faster."""
RANK = 1e-11
"""Singular values below this share of the largest one are round-off."""
REFINEMENTS = 4
CONTRADICTION = 1e-9
"""Share of the targets of the joints that may lie outside the range of A."""


def is_joints_only(problem: ContactProblem) -> bool:
    """Whether the problem is a small one with joints and without contacts."""
    few = 0 < problem.velocities <= MOST_VELOCITIES and 0 < problem.joint_rows <= 2 * MOST_VELOCITIES
    return few and problem.contact_rows == 0 and problem.mass.factor is not None


def solve_joints(problem: ContactProblem) -> tuple[Array, Array, Status]:
    """Velocities, joint impulses and the status."""
    G, rows = problem.mass.factor, problem.mass.whiten(problem.C)
    assert G is not None
    assert rows is not None
    A = rows.toarray()
    norm = np.sqrt((A * A).sum(axis=1))
    scale = 1.0 / np.where(norm > 0, norm, 1.0)
    A *= scale[:, None]
    free = -np.asarray(G.T @ problem.c)
    asked = scale * problem.b_gamma - A @ free
    # Not by divide and conquer, numpy's way: its bits depend on the number of threads of BLAS.
    U, s, _ = scipy.linalg.svd(A, full_matrices=False, check_finite=False, lapack_driver="gesvd")
    kept = s > RANK * s[0]
    U, s, x = U[:, kept], s[kept], np.zeros(len(asked))
    # w is made from x, so that what light bodies do agrees with the impulses of heavy ones to round-off.
    w, left, outside = free, asked, asked
    for _ in range(REFINEMENTS):
        share = U.T @ left
        outside = left - U @ share
        x += U @ (share / s**2)
        w = free + A.T @ x
        left = scale * problem.b_gamma - A @ w
    size = np.abs(scale * problem.b_gamma) + np.abs(A) @ np.abs(free)
    feasible = float(np.abs(outside).max()) <= CONTRADICTION * float(size.max(initial=0.0))
    return np.asarray(G @ w), scale * x, Status.SOLVED if feasible else Status.INFEASIBLE
