"""A dense N in the linear systems of the exact law; see `exact_matrix.py`.

Where E is 0 and N singular (redundant contacts), `delta` regularises the factors and refinement removes it.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.dense_step import copy_into, largest, start_inside, turn_dense
from signorini.kernels.interior.exact_matrix import Operations, answers
from signorini.kernels.interior.idle_contacts import stays_idle
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.interior.scaling import turn
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, symmetric_multiply
from signorini.kernels.linalg.dense_lu import lu, lu_solve


@kernel
def _turn_all(start, N, w):
    """Q'NQ in w.turned, h in the turned basis in w.along. N may have an antisymmetric part."""
    turn_dense(start, w.frames, w.reflector, N, w.turned)
    turn(start, w.frames, w.reflector, w.along, w.along)


@kernel
def _add_slips(first, last, share, along, out, slips):
    """The share of `h'` times the rows of a contact, added to its first two, which hold the normal."""
    n, two = np.uint64(len(slips)), first + np.uint64(2)
    for j in range(n):
        slips[j] = 0.0
    for k in range(first, last):
        for j in range(n):
            slips[j] += along[k] * out[k, j]
    for k in range(first, two):
        for j in range(n):
            out[k, j] += share * slips[j]


@kernel
def _factor(start, N, share, delta, w):
    """LU of `rest + tau (1 + e h')(Q'NQ + delta)`; leaves Q'NQ in w.turned and h in the turned basis in w.along."""
    _turn_all(start, N, w)
    n, along, turned, out = np.uint64(len(w.x)), w.along, w.turned, w.factors
    for i in range(len(start) - 1):
        first, last = np.uint64(start[i]), np.uint64(start[i + 1])
        for k in range(first, last):
            for j in range(n):
                out[k, j] = turned[k, j]
            out[k, k] += delta
        if last - first > np.uint64(1) and share > 0.0:
            _add_slips(first, last, ROOT_HALF * share, along, out, w.left)
        for k in range(first, last):
            for j in range(n):
                out[k, j] *= w.tau[k]
            out[k, k] += w.rest[k]
    return lu(w.factors, w.pivots)


@kernel
def _residual(start, share, right, dx, w, out):
    """out = right - rest dx - tau (1 + e h') Q'NQ dx."""
    symmetric_multiply(w.turned, dx, out)
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        slip = 0.0
        if last - first > 1:
            for k in range(first, last):
                slip += w.along[k] * out[k]
            slip *= ROOT_HALF * share
        for k in range(first, last):
            out[k] = right[k] - w.rest[k] * dx[k] - w.tau[k] * (out[k] + (slip if k < first + 2 else 0.0))


@kernel
def _solve(start, N, share, rules, steps, w, right, dx):
    """See `exact_matrix.solve_rows`."""
    copy_into(right, dx)
    lu_solve(w.factors, w.pivots, dx)
    accurate = rules.accuracy * largest(right)
    last = math.inf
    for _ in range(steps.refinements):
        _residual(start, share, right, dx, w, w.left)
        size = largest(w.left)
        if size <= accurate or not size < steps.worth_while * last:
            break
        last = size
        lu_solve(w.factors, w.pivots, w.left)
        for k in range(len(dx)):
            dx[k] += w.left[k]


@kernel
def _cold(start, N, r, rules, warm, w):
    """The point that minimises `1/2 x'(N + 1) x + r'x`, N without its antisymmetric part, and its slips, both pushed
    inside by their own size."""
    n = len(r)
    for i in range(n):
        for j in range(n):
            w.turned[i, j] = 0.5 * (N[i, j] + N[j, i])
        w.turned[i, i] += 1.0
        w.x[i] = -r[i]
    if not cholesky(w.turned):
        return False
    cholesky_solve(w.turned, w.x)
    size = max(largest(w.x), warm.smallest_scale)
    for i in range(n):
        w.y[i] = -w.x[i]
    start_inside(start, w.x, w.y, size, w.trace)
    return True


answers(np.ndarray, Operations(symmetric_multiply, _factor, _solve, _cold, stays_idle))
