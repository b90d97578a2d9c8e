"""Elimination of joints from a small problem: whitened velocities are restricted to the subspace in which all joints
hold.

With orthonormal rows Q of the joints' A (`orthogonal_rows.py`: `A_j = sum_k R[k, j] Q_k`), the velocities that meet
`A w = b` are `Q't + (1 - Q'Q) w` with `R't = b`. Redundant rows have no Q; their impulses are 0.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot
from signorini.kernels.linalg.orthogonal_rows import backward, forward, orthonormalise


@kernel
def _project(Q, kept, rank, row):
    """row := (1 - Q'Q) row, twice, for what round-off has left."""
    for _ in range(2):
        for k in range(rank):
            q = Q[kept[k]]
            part = dot(q, row, 0, len(row))
            for i in range(len(row)):
                row[i] -= part * q[i]


@kernel
def confine(A, b, free, D, dependent, R, kept, t, plane, rows):
    """Orthonormal rows in place of A; the nearest velocities to `free` that meet the joints, and D confined to them.

    `rows` = D (1 - Q'Q) and `plane` = Q't + (1 - Q'Q) free; returns how many joint rows are independent.
    """
    order = np.arange(len(A))
    rank = orthonormalise(A, order, dependent, R, kept)
    forward(R, kept, rank, b, t)
    for i in range(len(free)):
        plane[i] = free[i]
    _project(A, kept, rank, plane)
    for k in range(rank):
        q = A[kept[k]]
        for i in range(len(plane)):
            plane[i] += t[k] * q[i]
    for j in range(len(D)):
        for i in range(D.shape[1]):
            rows[j, i] = D[j, i]
        _project(A, kept, rank, rows[j])
    return rank


@kernel
def joint_impulses(A, R, kept, rank, t, pushed, out):
    """Impulses of the joints, for the velocities `pushed` that forces and contacts alone would cause."""
    right = np.empty(rank)
    for k in range(rank):
        right[k] = t[k] - dot(A[kept[k]], pushed, 0, len(pushed))
    backward(R, kept, rank, right, out)
