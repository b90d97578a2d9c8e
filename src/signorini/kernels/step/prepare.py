"""From a state and its contacts to a small problem without joints: everything before the solve, in one call."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.contact_jacobian import offsets_part
from signorini.kernels.bodies.gyroscopic import rotate_freely
from signorini.kernels.bodies.momentum import momenta_part
from signorini.kernels.compile import kernel
from signorini.kernels.stack import matrix, vector, zeros
from signorini.kernels.step.contacts import delassus, slips, sparse_slips, white_entries, white_rows
from signorini.kernels.step.curve import agree, call_bend, call_bend_rows
from signorini.kernels.step.joints import confine, factor_joints
from signorini.kernels.step.packed import AT, BEND_ENTRY, BEND_ROWS_ENTRY, CURVE_AT, Bounds
from signorini.kernels.step.record import put
from signorini.kernels.step.rows import contact_matrix, coordinate_rows, joint_matrix, speed_bound
from signorini.kernels.step.tables import BodyTable, CoordinateTable, Inertia, Prepared, RowTable, RowValues, StepRules
from signorini.kernels.step.whitening import factor_mass, solve_transposed, solve_upper


@kernel
def momentum(bodies, state, h, turning, out):
    """out += M v + h f of weight, and of gyroscopic torque if the bodies are `turning` in it."""
    count = len(bodies.movable)
    spin, own, fall = matrix(count, 3), matrix(count, 6), vector(3)
    for j in range(3):
        fall[j] = h * bodies.gravity[j]
    for k in range(count):
        for j in range(3):
            spin[k, j] = state.spin[bodies.movable[k], j]
    if turning:
        rotate_freely(bodies.wobbling, bodies.inertia, h, spin)
    momenta_part(0, 1, bodies.movable, bodies.mass, bodies.inertia, state.velocity, spin, fall, own)
    for k in range(count):
        for j in range(6):
            out[6 * k + j] += own[k, j]


@kernel
def near_limits(bodies, rows, values, state, rules, near):
    """Mark the limits within reach of the present velocities and of gravity; dry friction always acts."""
    fastest = vector(6 * len(bodies.movable))
    for k in range(len(bodies.movable)):
        i = bodies.movable[k]
        for j in range(3):
            fastest[6 * k + j] = abs(state.velocity[i, j]) + abs(rules.h * bodies.gravity[j])
            fastest[6 * k + 3 + j] = abs(state.spin[i, j])
    for i in range(rows.limits + rows.frictions):
        row = rows.joints + i
        bound = rules.reach * rules.h * speed_bound(rows, values, row, fastest) if i < rows.limits else 0.0
        near[i] = i >= rows.limits or values.error[row] <= bound


@kernel
def _asked(contacts, rows, values, near, rules, curved):
    """b_lambda, blocks, friction and ends of all unilateral rows; contacts whose paths are `curved` are left at 0."""
    count, others = len(contacts.gap), 0
    for i in range(len(near)):
        others += near[i]
    b, start = np.zeros(3 * count + others), np.empty(count + others + 1, np.int64)
    mu, ends = np.zeros(count + others), np.zeros((count + others, 2))
    if not curved:
        offsets_part(0, 1, contacts.gap, rules.h, rules.recovery, b[: 3 * count].reshape(-1, 3))
    for i in range(count):
        start[i], mu[i], ends[i, 1] = 3 * i, contacts.friction[i], math.inf
    at = count
    for i in range(len(near)):
        if not near[i]:
            continue
        row = rows.joints + i
        start[at] = 3 * count + at - count
        own = -values.rate[row] - values.known[row]
        if i < rows.limits:
            error = values.error[row] if abs(values.error[row]) > rules.round_off else 0.0
            b[start[at]], ends[at, 1] = min(-error / rules.h, rules.recovery) + own, math.inf
        else:
            b[start[at]] = own
            ends[at, 0], ends[at, 1] = -rules.h * values.force[row], rules.h * values.force[row]
        at += 1
    start[at] = len(b)
    return b, start, mu, ends


@kernel
def _put_roots(start, ends, diagonal, root):
    """Root of energy per impulse of each row: one for all contacts and limits, one for each interval."""
    total, count = 0.0, 0
    for i in range(len(start) - 1):
        if ends[i, 0] == 0.0 and ends[i, 1] == math.inf:
            for k in range(start[i], start[i + 1]):
                total += diagonal[k]
                count += 1
    shared = math.sqrt(total / count) if total > 0.0 else 1.0
    for i in range(len(start) - 1):
        plain = ends[i, 0] == 0.0 and ends[i, 1] == math.inf
        for k in range(start[i], start[i + 1]):
            own = math.sqrt(diagonal[k]) if diagonal[k] > 0.0 else 1.0
            root[k] = shared if plain else own


@kernel
def _free_size(bodies, factor, D, free, b, root, share):
    """Norm of the free slips in roots of energy, at least `share` of that of their terms; and how far it was raised."""
    v = vector(len(free))
    put(v, 0, free)
    solve_upper(bodies, factor, v)
    square, terms = 0.0, 0.0
    for i in range(len(b)):
        slip, size = -b[i], abs(b[i])
        for k in range(D.indptr[i], D.indptr[i + 1]):
            term = D.data[k] * v[D.indices[k]]
            slip += term
            size += abs(term)
        square += (slip / root[i]) ** 2
        terms += (size / root[i]) ** 2
    own = math.sqrt(square)
    size = max(own, share * math.sqrt(terms))
    return (size if size > 0.0 else 1.0), (size / own if own > 0.0 else 1.0)


@kernel
def is_pile(words, contacts):
    """Whether a step has so many contacts that N is not formed; models with joints, limits or springs have none."""
    rows, inertia = table(words, AT.rows, RowTable), table(words, AT.inertia, Inertia)
    bound = rows.joints + rows.limits + rows.frictions + len(inertia.factor)
    return bound == 0 and 3 * contacts > table(words, AT.bounds, Bounds).dense


@kernel
def prepare(words, entries, state, contacts, choose, later):
    """The problem of a step; with `choose`, the limits that are near are chosen first.

    Values of rows that are no coordinates, targets and rates of functions, and in the inertia what springs and applied
    forces add, are filled in by the caller; where paths bend, those at the end of the step, too.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    values, inertia = table(words, AT.values, RowValues), table(words, AT.inertia, Inertia)
    rules, near, curved = table(words, AT.rules, StepRules), array_at(words, AT.near, "b1"), entries[BEND_ENTRY] != 0
    if choose:
        coordinate_rows(bodies, table(words, AT.coordinates, CoordinateTable), rows, state, values)
        near_limits(bodies, rows, values, state, rules, near)
        momentum(bodies, state, rules.h, not curved, inertia.momentum)
        if curved and rows.joints + rows.limits > 0:
            call_bend_rows(entries[BEND_ROWS_ENTRY], (words, state))
    sound = factor_mass(bodies, inertia)
    C = joint_matrix(rows, values)
    b, start, mu, ends = _asked(contacts, rows, values, near, rules, curved)
    D = contact_matrix(bodies, state, contacts, rows, values, near, b)
    if curved:
        call_bend(entries[BEND_ENTRY], (words, C, D, contacts, state, later, b))
    b_gamma, bend = np.empty(rows.joints), array_at(words, CURVE_AT.rows, "f1")
    for i in range(rows.joints):
        b_gamma[i] = -(values.error[i] + bend[i]) / rules.h - values.rate[i] - values.known[i]
    free = inertia.momentum.copy()
    solve_transposed(bodies, inertia.factor, 0, free)
    joints = factor_joints(bodies, inertia.factor, rows, C, b_gamma)
    if curved and len(joints.Z):
        agree(rows, joints, rules.h, bend, b_gamma)
    diagonal, none = np.empty(len(b)), np.empty((0, 0))
    if is_pile(words, len(contacts.gap)):
        white, W, span, N = white_entries(bodies, D, diagonal), none, np.empty((0, 2), np.int64), none
        r = sparse_slips(D, white, free, b)
    else:
        W, span = white_rows(bodies, inertia.factor, D)
        white, N = np.empty(0), delassus(joints, W, span, diagonal)
        held, x = free.copy(), zeros(rows.joints)
        if len(b):
            confine(joints, held, x)
        r = slips(W, span, held, b)
    root = np.ones(len(diagonal))
    _put_roots(start, ends, diagonal, root)
    size, spread = _free_size(bodies, inertia.factor, D, free, b, root, rules.slip_round_off)
    return Prepared(
        C, b_gamma, D, b, start, mu, ends, joints, free, W, span, white, diagonal, N, r, root, size,
        1.0 if rows.joints else spread, sound,
    )  # fmt: skip
