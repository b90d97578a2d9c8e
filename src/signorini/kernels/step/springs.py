"""Linear springs and dampers along coordinates: `f = f0 - (K (s - s0) + R ds/dt)`, implicit in the step.

The mathematics of the linearised step is that of `assembly.stiff_forces`: `H = M + h R + a h^2 K`, K and R symmetric
and without negative eigenvalues.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies.coordinates import evaluate
from signorini.kernels.bodies.curvature import force_term
from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import cholesky, dot

TWO_TURNS = 4.0 * math.pi
SLOW, FAST = 0.25, 1.0
"""Squares of frequency times step: springs up to the first keep their energy, those from the second on are damped as by
implicit Euler."""
ROUND_OFF = 1e-14
"""Negative eigenvalues above minus this share of the trace are round-off."""


@kernel
def _stretch(table, state, s, jacobian):
    """s - s0, and derivatives of s."""
    kind, axis, body, point, turn = table.coordinates
    evaluate(kind, axis, body, point, turn, state.position, state.orientation, s, jacobian)
    for k in range(len(s)):
        s[k] -= table.rest[k]
        if table.period[k] > 0.0:
            s[k] -= table.period[k] * np.round(s[k] / table.period[k])


@kernel
def stored(table, state):
    """1/2 (s - s0)'K(s - s0) of all springs [J], and the largest winding of an angle [rad]."""
    s, jacobian = np.empty(len(table.rest)), np.empty((len(table.rest), 12))
    _stretch(table, state, s, jacobian)
    energy, wound = 0.0, 0.0
    for i in range(table.storing):
        first, last = table.start[i], table.start[i + 1]
        K = table.stiffness[table.square[i] : table.square[i + 1]].reshape(last - first, last - first)
        for k in range(last - first):
            energy += 0.5 * s[first + k] * dot(K[k], s[first:last], 0, last - first)
    for k in range(table.start[table.storing]):
        wound = max(wound, abs(s[k])) if table.period[k] > 0.0 else wound
    return energy, wound


@kernel
def _efforts(push, K, s, R, J, v):
    """push - (K s + R J v)."""
    out, rate = push.copy(), np.empty(len(s))
    for i in range(len(s)):
        rate[i] = dot(J[i], v, 0, 12)
    for i in range(len(s)):
        out[i] -= dot(K[i], s, 0, len(s)) + dot(R[i], rate, 0, len(s))
    return out


@kernel
def _definite(A):
    """The symmetric part of A without negative eigenvalues."""
    n, trace = len(A), 0.0
    S, test = np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        for j in range(n):
            S[i, j] = 0.5 * (A[i, j] + A[j, i])
        trace += abs(S[i, i])
    for i in range(n):
        for j in range(n):
            test[i, j] = S[i, j] + (ROUND_OFF * trace + 1e-300 if i == j else 0.0)
    if cholesky(test):
        return S
    values, vectors = np.linalg.eigh(S)
    for k in range(n):
        values[k] = max(values[k], 0.0)
    return (vectors * values) @ vectors.T.copy()


@kernel
def _add_motor(g, column, v, law, h, stiff, momentum, effort_of):
    """A motor along one coordinate with derivatives g: dF/dq = -k g g', dF/dv = -r g g'; `stiff` may be empty if both
    are 0. `effort_of` is its row of `SpringTable.efforts`."""
    s, k, r, push = law
    rate, led = 0.0, 0.0
    for a in range(12):
        if column[a] >= 0:
            rate += g[a] * v[a]
        else:
            led += g[a] * v[a]
    # r times the whole rate is part of the effort, and r times its free part is taken back: it is implicit.
    effort = push - k * s - r * (rate + led) + r * rate - h * k * led
    effort_of[0], effort_of[1] = effort, h * r + h * h * k
    for a in range(12):
        effort_of[2 + a] = g[a]
    for a in range(12):
        if column[a] >= 0 and g[a] != 0.0:
            momentum[column[a]] += h * effort * g[a]
            for b in range(12 if k != 0.0 or r != 0.0 else 0):
                if column[b] >= 0:
                    stiff[column[a], column[b]] += (h * r + h * h * k) * g[a] * g[b]


@kernel
def force_place(square):
    """a and b of the place `q0 + h (a v1 - b v0)` at which a spring is taken; see `assembly.stiff_forces`.

    `square` is (omega h)^2 of the spring. The sum of a and b is never less than 1/2: stable at any step.
    """
    late = min(max((square - SLOW) / (FAST - SLOW), 0.0), 1.0)
    return 0.25 + 0.75 * late, 0.25 - 0.25 * late


@kernel
def _place_of(K, column, free, lightness, h):
    """`force_place` of one spring; at the end of the step without `lightness`."""
    if len(lightness) == 0:
        return 1.0, 0.0
    square = 0.0
    for a in range(len(K)):
        square += h * h * K[a, a] * lightness[column[free[a]]]
    return force_place(square)


@kernel
def add_springs(table, place, state, h, stiff, momentum):
    """stiff = h R + a h^2 K, momentum += h F + h R v0 + b h^2 K v0, over the unknowns; False if not finite."""
    s, jacobian = np.empty(len(table.rest)), np.empty((len(table.rest), 12))
    _stretch(table, state, s, jacobian)
    stiff[:] = 0.0
    force, dq, dv = np.empty(12), np.empty((12, 12)), np.empty((12, 12))
    v, column = np.zeros(12), np.empty(12, np.int64)
    body, arrays = table.coordinates[2], (state.position, state.orientation, state.velocity, state.spin)
    for i in range(len(table.start) - 1):
        first, last = table.start[i], table.start[i + 1]
        m = last - first
        for side in range(2):
            b = body[first, side]
            where = place[b] if b >= 0 else -1
            for k in range(6):
                column[6 * side + k] = 6 * where + k if where >= 0 else -1
                v[6 * side + k] = 0.0 if b < 0 else state.velocity[b, k] if k < 3 else state.spin[b, k - 3]
        if i >= table.storing:
            k, r = table.stiffness[table.square[i]], table.damping[table.square[i]]
            _add_motor(
                jacobian[first], column, v, (s[first], k, r, table.push[first]), h, stiff, momentum,
                table.efforts[i - table.storing],
            )  # fmt: skip
            continue
        K = table.stiffness[table.square[i] : table.square[i + 1]].reshape(m, m)
        R = table.damping[table.square[i] : table.square[i + 1]].reshape(m, m)
        J = jacobian[first:last]
        effort = _efforts(table.push[first:last], K, s[first:last], R, J, v)
        force_term(table.coordinates, first, last, arrays, effort, K, R, J, force, dq, dv)
        free = np.flatnonzero(column >= 0)
        n = len(free)
        part_q, part_v = np.empty((n, n)), np.empty((n, n))
        for a in range(n):
            for b in range(n):
                part_q[a, b], part_v[a, b] = -dq[free[a], free[b]], -dv[free[a], free[b]]
        part_q, part_v = _definite(part_q), _definite(part_v)
        new, old = _place_of(part_q, column, free, table.lightness, h)
        for a in range(n):
            push = force[free[a]]
            for b in range(n):
                push += (part_v[a, b] + old * h * part_q[a, b]) * v[free[b]]
                stiff[column[free[a]], column[free[b]]] += h * part_v[a, b] + new * h * h * part_q[a, b]
            for b in range(12):
                # Bodies of known velocity move on by h v in the step; that velocity holds for all of it.
                push += (new - old) * h * dq[free[a], b] * v[b] if column[b] < 0 else 0.0
            momentum[column[free[a]]] += h * push
    return math.isfinite(stiff.sum() + momentum.sum())
