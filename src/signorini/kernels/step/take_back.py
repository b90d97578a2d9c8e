"""Penetrations at the end of a compiled step are taken back; the mathematics is that of `stepping.correction`.

The least displacement that shuts joints and takes contacts and limits to their floors is looked for in the plane of the
joints: their rows at the end of the step are factored as those of its beginning are (`joints`), and an active set on
what contacts and limits see of one another remains.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.poses import advance_part
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, row_times
from signorini.kernels.stack import zeros
from signorini.kernels.step.contacts import delassus
from signorini.kernels.step.curve import PROGRESS, largest_error
from signorini.kernels.step.detect import detect_in
from signorini.kernels.step.joints import confine, factor_joints
from signorini.kernels.step.packed import AT, CONTACTS, I1, STATE, F, I
from signorini.kernels.step.rows import contact_matrix, coordinate_rows, joint_matrix
from signorini.kernels.step.tables import BodyTable, CoordinateTable, Curve, Inertia, RowTable, StepRules
from signorini.kernels.step.whitening import solve_upper, whiten_row

FINE, LATE, DISPLACED = -1, -2, -3
"""How a look at the end ends: nothing to do; left to Python; penetrations were taken back. Others name a kernel that
has to be loaded."""
MOST_ROUNDS = 8
FARTHEST = 0.5
"""A body is turned by this in one round, at most [rad]."""
SOFT = 1e-6
"""Compliance of inequalities over the diagonal of their matrix."""
MOST_CHANGES = 12
"""Of the active set; then the last one stands."""
MET = 1e-9
"""Share of the largest demand by which an inequality may be missed."""
MOST_ROWS = 200
"""Contacts and limits; more are left to Python."""


@kernel
def is_passed(rows, curve, i):
    """Whether a limit is passed by more than its path bends and `deep`."""
    row = rows.joints + i
    return curve.values.error[row] < -curve.rules.deep - abs(curve.rows[row])


@kernel
def _floors(rows, curve, identity, found, names, recovery, floor, travel):
    """Least gaps and travels that are asked for; whether any penetration is deep."""
    any_deep, at, deep = False, 0, curve.rules.deep
    for k in range(len(names)):
        while at < len(identity) and identity[at] < names[k]:
            at += 1
        bend = abs(curve.gaps[at]) if at < len(identity) and identity[at] == names[k] else 0.0
        far = found.gap[k] < -deep - bend
        floor[k] = min(found.gap[k] + (recovery if far else 0.0), 0.0)
        any_deep = any_deep or far
    for i in range(rows.limits):
        far, error = is_passed(rows, curve, i), curve.values.error[rows.joints + i]
        travel[i] = min(error + (recovery if far else 0.0), 0.0)
        any_deep = any_deep or far
    return any_deep


@kernel
def _demands(found, names, known, floor, out):
    """What gaps lack; those of contacts that were not known are not to become deeper. The largest, at least 0."""
    at, worst = 0, 0.0
    for k in range(len(names)):
        while at < len(known) and known[at] < names[k]:
            at += 1
        same = at < len(known) and known[at] == names[k]
        out[k] = (floor[at] if same else min(found.gap[k], 0.0)) - found.gap[k]
        worst = max(worst, out[k])
    return worst


@kernel
def _multipliers(N, diagonal, active, r, mu):
    """mu of the active rows, `(N + soft) mu = r`, 0 of others; False without a factor."""
    rows = np.flatnonzero(active)
    count = len(rows)
    A, x = np.empty((count, count)), np.empty(count)
    for i in range(count):
        scale = 1.0 / math.sqrt(diagonal[rows[i]])
        x[i] = scale * r[rows[i]]
        for j in range(count):
            A[i, j] = scale * N[rows[i], rows[j]] / math.sqrt(diagonal[rows[j]])
        A[i, i] += SOFT
    if not cholesky(A):
        return False
    cholesky_solve(A, x)
    mu[:] = 0.0
    for i in range(count):
        mu[rows[i]] = x[i] / math.sqrt(diagonal[rows[i]])
    return True


@kernel
def _active_set(N, diagonal, wanted, r, slack, mu):
    """mu >= 0 with `N mu >= r`, each of which is 0 where the other is not; False where the matrix has no factor."""
    active, wrong = wanted > 0.0, np.zeros(len(r), np.bool_)
    for _ in range(MOST_CHANGES):
        if not _multipliers(N, diagonal, active, r, mu):
            return False
        any_wrong = False
        for i in range(len(r)):
            wrong[i] = active[i] and mu[i] < 0.0
            any_wrong = any_wrong or wrong[i]
        for i in range(0 if any_wrong else len(r)):
            wrong[i] = not active[i] and row_times(N, i, mu, 0, len(r)) < r[i] - slack
            any_wrong = any_wrong or wrong[i]
        if not any_wrong:
            break
        for i in range(len(r)):
            active[i] = active[i] != wrong[i]
    for i in range(len(r)):
        mu[i] = max(mu[i], 0.0)
    return True


@kernel
def _least(bodies, rows, factor, values, end, found, near, wanted, dq):
    """The least displacement that shuts joints and meets what contacts and `near` limits want; False without one."""
    n, count, m = len(dq), len(found.gap), len(wanted)
    asked, worst = np.empty(rows.joints), 0.0
    for i in range(rows.joints):
        asked[i] = -values.error[i]
        worst = max(worst, abs(asked[i]))
    joints = factor_joints(bodies, factor, rows, joint_matrix(rows, values), asked)
    D = contact_matrix(bodies, end, found, rows, values, near, np.zeros(3 * count))
    W, span = np.empty((m, n)), np.empty((m, 2), np.int64)
    for i in range(m):
        row = 3 * i if i < count else 2 * count + i
        span[i, 0], span[i, 1] = whiten_row(bodies, factor, D, row, W[i])
        worst = max(worst, abs(wanted[i]))
    diagonal, mu, r = np.empty(m), np.zeros(m), np.empty(m)
    N = delassus(joints, W, span, diagonal)
    dq[:] = 0.0
    confine(joints, dq, zeros(rows.joints))
    for i in range(m):
        r[i] = wanted[i] - row_times(W, i, dq, span[i, 0], span[i, 1])
    if not _active_set(N, diagonal, wanted, r, MET * worst, mu):
        return False
    dq[:] = 0.0
    for i in range(m):
        for j in range(span[i, 0], span[i, 1]):
            dq[j] += mu[i] * W[i, j]
    confine(joints, dq, zeros(rows.joints))
    solve_upper(bodies, factor, dq)
    return True


@kernel
def _displace(bodies, dq, end):
    """Move the bodies of a state, shortened where one turns by more than rows that are linear in it can tell."""
    count, farthest = len(bodies.movable), FARTHEST
    for k in range(count):
        turned = 0.0
        for j in range(3):
            turned += dq[6 * k + 3 + j] ** 2
        farthest = max(farthest, math.sqrt(turned))
    for j in range(len(dq)):
        dq[j] *= FARTHEST / farthest
    # The velocities that go with the displacement are not wanted.
    unused = np.empty_like(end.position)
    advance_part(0, 1, bodies.movable, dq.reshape(-1, 6), 1.0, end.position, end.orientation, unused, unused)


@kernel
def _put_poses(poses, out):
    """Copy (positions, orientations)."""
    for i in range(len(out[0])):
        for j in range(3):
            out[0][i, j] = poses[0][i, j]
        for j in range(4):
            out[1][i, j] = poses[1][i, j]


@kernel
def _wanted(rows, values, travel, shallow, demands, near):
    """What contacts and the limits that are `near` lack, which are marked; and the most that a limit lacks."""
    worst, count = 0.0, len(demands)
    for i in range(rows.limits):
        stop = travel[i] - values.error[rows.joints + i]
        near[i], worst = stop > -shallow, max(worst, stop)
        count += near[i]
    out, at = np.empty(count), len(demands)
    for k in range(at):
        out[k] = demands[k]
    for i in range(rows.limits):
        if near[i]:
            out[at] = travel[i] - values.error[rows.joints + i]
            at += 1
    return out, worst


@kernel
def take_back(words, entries, identity, found, names, opened, end):
    """Displace the `end` of a step, whose contacts are given, where penetrations are deep; FINE, LATE or DISPLACED.

    `identity` are those of the contacts of the step, `opened` is the largest error of a joint.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve, step = table(words, AT.curve, Curve), table(words, AT.rules, StepRules)
    coordinates, factor = table(words, AT.coordinates, CoordinateTable), table(words, AT.inertia, Inertia).factor
    rules, known, floor, travel = curve.rules, names, np.empty(len(names)), np.empty(rows.limits)
    if not _floors(rows, curve, identity, found, names, step.h * step.recovery, floor, travel):
        return FINE
    last, shut, best = math.inf, max(rules.shut, opened), 0
    poses = (end.position, end.orientation)
    first, least = (poses[0].copy(), poses[1].copy()), (poses[0].copy(), poses[1].copy())
    dq, near = np.empty(6 * len(bodies.mass)), np.zeros(rows.limits + rows.frictions, np.bool_)
    for k in range(MOST_ROUNDS):
        demands = np.empty(len(names))
        deep = _demands(found, names, known, floor, demands)
        wanted, passed = _wanted(rows, curve.values, travel, rules.shallow, demands, near)
        deep = max(deep, passed)
        worst = max(deep, opened)
        if opened <= shut and worst < last:
            _put_poses(poses, least)
            best = k
        if (deep <= rules.shallow and opened <= rules.shut) or not worst < PROGRESS * last:
            break
        last = worst
        if len(wanted) > MOST_ROWS or not _least(bodies, rows, factor, curve.values, end, found, near, wanted, dq):
            _put_poses(first, poses)
            return LATE
        _displace(bodies, dq, end)
        coordinate_rows(bodies, coordinates, rows, end, curve.values)
        opened = largest_error(rows, curve.values)
        found, names, missing = detect_in(words, entries, end, step.h)
        if missing >= 0:
            return missing
    _put_poses(least, poses)
    return DISPLACED if best > 0 else FINE


TAKE_BACK = Convention((I1, I1, I1, CONTACTS, I1, F, STATE), I, take_back)
call_take_back = TAKE_BACK.call
