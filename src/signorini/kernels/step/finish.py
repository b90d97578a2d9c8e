"""From the impulses of contacts to the end of a step: joints, velocities, error of the answer, poses, energies."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.momentum import change_part, energies_part
from signorini.kernels.bodies.poses import advance_part
from signorini.kernels.certificate.whole import certificate_error
from signorini.kernels.compile import kernel
from signorini.kernels.stack import integers, matrix, vector, zeros
from signorini.kernels.step.curve import call_shut, tumblers
from signorini.kernels.step.joints import confine, smallest_impulses
from signorini.kernels.step.packed import AT, CURVE_AT, SHUT_ENTRY, Bounds
from signorini.kernels.step.record import put
from signorini.kernels.step.rows import row_speed
from signorini.kernels.step.tables import (
    BodyTable,
    CurveRules,
    Finished,
    Inertia,
    RowTable,
    RowValues,
    SpringTable,
    StepRules,
)  # fmt: skip
from signorini.kernels.step.whitening import mass_matrix, solve_mass, solve_upper
from signorini.kernels.step.work import works


@kernel
def _notice(A, b, motion, v, share, lost, noticed):
    """Mark velocities of rows of A that losses change by more than `share` of what the row sees of the motion."""
    for i in range(len(b)):
        change, seen = 0.0, abs(b[i])
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k]
            seen += abs(A.data[k]) * motion[j]
            if lost[j]:
                change += A.data[k] * v[j]
        if abs(change) > share * seen:
            for k in range(A.indptr[i], A.indptr[i + 1]):
                noticed[A.indices[k]] = True


@kernel
def _motion(bodies, inertia, free, v):
    """`|v_free| + |v|` and what the energy of v_free could make of each velocity; see `stepping.standstill`."""
    energy, out = 0.0, np.empty(len(v))
    for j in range(len(v)):
        energy += inertia.momentum[j] * free[j]
    for j in range(len(v)):
        body, axis = j // 6, j % 6
        weight = bodies.mass[body] if axis < 3 else bodies.inertia[body, axis - 3, axis - 3]
        weight += inertia.stiff[j, j] if len(inertia.stiff) else 0.0
        out[j] = abs(free[j]) + abs(v[j]) + math.sqrt(max(energy, 0.0) / weight)
    return out


@kernel
def without_round_off(bodies, inertia, prepared, gamma, lam, free, v, share):
    """v, 0 where it is below `share` of the terms that it is the sum of and no row notices; `stepping.standstill`."""
    C, D, push = prepared.C, prepared.D, np.zeros(len(v))
    for i in range(len(gamma)):
        for k in range(C.indptr[i], C.indptr[i + 1]):
            push[C.indices[k]] += abs(C.data[k] * gamma[i])
    for i in range(len(lam)):
        for k in range(D.indptr[i], D.indptr[i + 1]):
            push[D.indices[k]] += abs(D.data[k] * lam[i])
    solve_mass(bodies, inertia.factor, push)
    lost = np.zeros(len(v), np.bool_)
    for j in range(len(v)):
        lost[j] = v[j] != 0.0 and abs(v[j]) <= share * (abs(push[j]) + abs(free[j]))
    again, out, motion = True, v.copy(), _motion(bodies, inertia, free, v)
    while again:
        again, noticed = False, np.zeros(len(v), np.bool_)
        _notice(C, prepared.b_gamma, motion, v, share, lost, noticed)
        _notice(D, prepared.b_lambda, motion, v, share, lost, noticed)
        for j in range(len(v)):
            again = again or (lost[j] and noticed[j])
            lost[j] = lost[j] and not noticed[j]
    for j in range(len(v)):
        if lost[j]:
            out[j] = 0.0
    return out


@kernel
def _answer(bodies, factor, prepared, lam, w, x):
    """Velocities w and joint impulses x, 0 at first, that go with the impulses of contacts."""
    put(w, 0, prepared.free)
    if len(prepared.white):
        D = prepared.D
        for i in range(len(lam)):
            for k in range(D.indptr[i], D.indptr[i + 1]):
                w[D.indices[k]] += lam[i] * prepared.white[k]
        solve_upper(bodies, factor, w)
        return
    for i in range(len(lam)):
        if lam[i] != 0.0:
            for j in range(prepared.span[i, 0], prepared.span[i, 1]):
                w[j] += lam[i] * prepared.W[i, j]
    confine(prepared.joints, w, x)
    smallest_impulses(prepared.joints, w, x)
    solve_upper(bodies, factor, w)


@kernel
def _error(bodies, inertia, H, prepared, v, lam, gamma, free, rules):
    """`Certificate.error` of the answer."""
    C, D, n, blocks = prepared.C, prepared.D, len(v), len(prepared.mu)
    pushed, caused, c = zeros(n), vector(n), vector(n)
    for j in range(n):
        caused[j], c[j] = inertia.momentum[j], -inertia.momentum[j]
    for i in range(len(lam)):
        for k in range(D.indptr[i], D.indptr[i + 1]):
            pushed[D.indices[k]] += D.data[k] * lam[i]
    for j in range(n):
        caused[j] += pushed[j]
    for i in range(len(gamma)):
        for k in range(C.indptr[i], C.indptr[i + 1]):
            caused[C.indices[k]] += C.data[k] * gamma[i]
    solve_mass(bodies, inertia.factor, pushed)
    solve_mass(bodies, inertia.factor, caused)
    none, low, high, is_plain = vector(blocks), vector(blocks), vector(blocks), True
    for i in range(blocks):
        none[i], low[i], high[i] = np.nan, prepared.ends[i, 0], prepared.ends[i, 1]
        is_plain = is_plain and low[i] == 0.0 and high[i] == np.inf
    sets = (prepared.start, prepared.mu, low, high, none, none)
    return certificate_error(
        H, c, C, prepared.b_gamma, D, prepared.b_lambda, sets, is_plain, prepared.diagonal, free,
        caused, pushed, (v, lam, gamma), rules,
    )  # fmt: skip


@kernel
def energies_of(words, end):
    """Kinetic energy at the end of a step, and that of weight there or in its middle, where velocities belong [J]."""
    bodies, energy = table(words, AT.bodies, BodyTable), matrix(1, 3)
    masses = (bodies.movable, bodies.mass, bodies.inertia, bodies.gravity)
    energies_part(0, 1, *masses, end.position, end.velocity, end.spin, energy)
    if not table(words, CURVE_AT.rules, CurveRules).middle:
        return energy[0, 0], energy[0, 1]
    return energy[0, 0], energy[0, 1] + 0.5 * table(words, AT.rules, StepRules).h * energy[0, 2]


@kernel
def finish(words, entries, state, prepared, contacts, lam, end):
    """The step that the impulses of contacts lead to; `end` holds the state and becomes that after the step.

    `contacts` is how many of the blocks are contacts.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    values, inertia = table(words, AT.values, RowValues), table(words, AT.inertia, Inertia)
    h, judging = table(words, AT.rules, StepRules).h, table(words, AT.bounds, Bounds).judging
    near, curved = array_at(words, AT.near, "b1"), entries[SHUT_ENTRY] != 0
    v, x = np.empty(len(prepared.free)), zeros(len(prepared.b_gamma))
    _answer(bodies, inertia.factor, prepared, lam, v, x)
    gamma, free = np.empty(len(x)), vector(len(v))
    for i in range(len(x)):
        gamma[rows.order[i]] = prepared.joints.scale[i] * x[i]
    put(free, 0, inertia.momentum)
    solve_mass(bodies, inertia.factor, free)
    error = _error(bodies, inertia, mass_matrix(bodies, inertia.stiff), prepared, v, lam, gamma, free, judging)
    passes = False
    for i in range(rows.limits):
        if not near[i]:
            row = rows.joints + i
            passes = passes or values.error[row] + h * row_speed(rows, values, row, v) < -judging[5]
    approach = 0.0
    for i in range(contacts):
        slip = -prepared.b_lambda[3 * i]
        for k in range(prepared.D.indptr[3 * i], prepared.D.indptr[3 * i + 1]):
            slip += prepared.D.data[k] * v[prepared.D.indices[k]]
        approach = max(approach, -slip)
    moves = v.copy() if curved else v
    if rows.frictions:
        moves = without_round_off(bodies, inertia, prepared, gamma, lam, free, v, judging[4])
    change, opened = vector(1), 0.0
    change_part(0, 1, bodies.movable, bodies.reach, state.velocity, state.spin, v.reshape(-1, 6), change)
    if curved:
        opened = call_shut(entries[SHUT_ENTRY], (words, state, prepared.joints, moves, end))
    else:
        new = moves.reshape(-1, 6)
        advance_part(0, 1, bodies.movable, new, h, end.position, end.orientation, end.velocity, end.spin)
    kinetic, weight = energies_of(words, end)
    springs = table(words, AT.springs, SpringTable)
    which = integers(len(bodies.wobbling))
    count = tumblers(bodies.wobbling, array_at(words, CURVE_AT.tumbling, "b1"), True, which) if curved else 0
    turning = which[:count] if curved else bodies.wobbling
    work = works(bodies, rows, springs, state, h, turning, prepared, near, contacts, lam, gamma, v)
    return Finished(v, moves, gamma, error, change[0], approach, passes, kinetic, weight, opened, work)
