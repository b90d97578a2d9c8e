"""The second-order terms of a compiled step, and joints shut at its end.

The mathematics is that of `assembly.bend` and `stepping.correction`. Rows at the beginning of the step are compared
with those where its first velocities, changed as in the last step, lead: what gaps, limits and joints change by beyond
first order goes into the problem. What joints are still open by at the end is closed by their own impulses, with the
factor of the joints that the step has already:

    v <- v + H^-1 C' gamma,        h C H^-1 C' gamma = -Psi_end,        until Psi_end = 0.

C at the end differs from C at the beginning by what the bodies turn in the step; each round would leave about that
share of the error, and rounds are mixed by Anderson's method.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.contact_jacobian import at_rest, closed, point_slip
from signorini.kernels.bodies.geometric_stiffness import add_contact_loads, add_joint_loads, stiffest, turning_mobility
from signorini.kernels.bodies.gyroscopic import turn_freely
from signorini.kernels.bodies.poses import advance_part, carry_part
from signorini.kernels.by_address import Convention
from signorini.kernels.collision.identity import SWEPT
from signorini.kernels.compile import kernel
from signorini.kernels.linalg.anderson import Rounds, mix
from signorini.kernels.stack import integers, matrix, vector, zeros
from signorini.kernels.step.joints import add_impulses, solve_factor, take_out
from signorini.kernels.step.packed import AT, CONTACTS, F1, FACTOR, I1, LATER, SPARSE, STATE, F
from signorini.kernels.step.record import put
from signorini.kernels.step.rows import coordinate_rows, row_speed
from signorini.kernels.step.tables import BodyTable, CoordinateTable, Curve, Inertia, RowTable, RowValues, StepRules
from signorini.kernels.step.whitening import solve_upper

PROGRESS, PATIENCE, SHUT_ROUNDS = 0.5, 1, 12
"""A round that leaves more than this share of the least error makes no progress; so many of those one after another
are allowed, and so many rounds in all."""


@kernel
def look_ahead(bodies, state, h, curve):
    """Put the movable bodies where the velocities before the step, changed as in the last one, lead."""
    count = len(bodies.movable)
    v, end = matrix(count, 6), curve.state
    for k in range(count):
        i = bodies.movable[k]
        for j in range(3):
            v[k, j] = state.velocity[i, j] + curve.change[6 * k + j]
            v[k, 3 + j] = state.spin[i, j] + curve.change[6 * k + 3 + j]
    move(bodies, state, v, h, bodies.wobbling, end)


@kernel
def tumblers(wobbling, tumbling, wanted, out):
    """Those of the `wobbling` bodies that do, or do not, tumble, as `wanted`; how many there are."""
    count = 0
    for k in wobbling:
        if tumbling[k] == wanted:
            out[count] = k
            count += 1
    return count


@kernel
def move(bodies, state, v, h, freely, end):
    """Movable bodies from a state through a step with velocities v; those at the places `freely` turn freely."""
    for i in bodies.movable:
        for j in range(3):
            end.position[i, j] = state.position[i, j]
        for j in range(4):
            end.orientation[i, j] = state.orientation[i, j]
    advance_part(0, 1, bodies.movable, v, h, end.position, end.orientation, end.velocity, end.spin)
    turn_freely(freely, bodies.movable, bodies.inertia, h, state.orientation, end.orientation, end.spin)


@kernel
def bend_rows(words, state):
    """Bends of joints and limits: what they change by on the way ahead beyond first order."""
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve, h = table(words, AT.curve, Curve), table(words, AT.rules, StepRules).h
    values = table(words, AT.values, RowValues)
    if not curve.known[0]:
        look_ahead(bodies, state, h, curve)
    coordinate_rows(bodies, table(words, AT.coordinates, CoordinateTable), rows, curve.state, curve.values)
    v = vector(len(curve.change))
    put(v, 0, curve.change)
    for k in range(len(bodies.movable)):
        i = bodies.movable[k]
        for j in range(3):
            v[6 * k + j] += state.velocity[i, j]
            v[6 * k + 3 + j] += state.spin[i, j]
    for row in range(rows.joints + rows.limits):
        curve.rows[row] = curve.values.error[row] - values.error[row] - h * row_speed(rows, values, row, v)


NO_ORDER = np.zeros(0, dtype=np.int64)


@kernel
def measure_stiffness(bodies, C, contacts, state, h, curve, later):
    """Whether the impulses of the last step make bodies too stiff for bends; if so, joints and limits get none."""
    arm, loads = matrix(len(bodies.movable), 3), matrix(len(bodies.movable), 3)
    loads[:] = 0.0
    add_joint_loads(C.indptr, C.indices, C.data, curve.impulse, arm, loads)
    carried = matrix(len(contacts.gap), 3)
    carried[:] = 0.0
    if len(later.old):
        carry_part(0, 1, later.old, later.impulse, later.identity, NO_ORDER, carried, integers(1))
    sides, points = (contacts.body_a, contacts.body_b), (contacts.point_a, contacts.point_b)
    add_contact_loads(sides, points, carried, bodies.place, (state.position, state.orientation), curve.reach, loads)
    mobility = turning_mobility(C.indptr, C.indices, C.data, bodies.mass, bodies.inertia)
    most = stiffest(loads, mobility, h)
    curve.stiff[0], curve.stiff[1] = most > curve.rules.stiff, most > curve.rules.unstable
    if curve.stiff[0]:
        curve.rows[:] = 0.0


@kernel
def agree(rows, joints, h, bend, b):
    """Take out of the bends of redundant joints what no motion follows, of third order in the step; b follows."""
    x, part = vector(rows.joints), zeros(rows.joints)
    for i in range(rows.joints):
        x[i] = joints.scale[i] * bend[rows.order[i]]
    take_out(joints, x, part)
    for i in range(rows.joints):
        none = part[i] / joints.scale[i]
        bend[rows.order[i]] -= none
        b[rows.order[i]] += none / h


@kernel
def _moved(rules, bodies, state, end, body, point, later, i, k):
    """Whether the contact point of a movable body is another one at the end of the way."""
    if bodies.place[body] < 0:
        return False
    lever, way = 0.0, 0.0
    for j in range(3):
        arm = point[i, j] - state.position[body, j]
        lever += arm * arm
        way += (later[k, j] - end.position[body, j] - arm) ** 2
    return way > rules.jump * rules.jump * lever


@kernel
def _path_ahead(bodies, contacts, state, curve, later, before, i, at):
    """Whether the contact at the place `at` ahead is contact i; what its gap changes by on the way, its slips by half.

    `before` is its slip at the beginning of the way.
    """
    if not (at < len(later.there) and later.there[at] == later.identity[i]):
        return False, 0.0, 0.0, 0.0
    one, two, there, end = contacts.body_a[i], contacts.body_b[i], later.contacts, curve.state
    if _moved(curve.rules, bodies, state, end, one, contacts.point_a, there.point_a, i, at) or _moved(
        curve.rules, bodies, state, end, two, contacts.point_b, there.point_b, i, at
    ):
        return False, 0.0, 0.0, 0.0
    _, u, w = point_slip(
        (one, two), (there.point_a, there.point_b), there.normal, (end.position, end.orientation),
        (end.velocity, end.spin), at,
    )  # fmt: skip
    return True, there.gap[at] - contacts.gap[i], 0.5 * (u - before[1]), 0.5 * (w - before[2])


@kernel
def _rolling(rules, h, bend, before, across, along):
    """The bend of the slips of a contact, where it rolls and is followed."""
    square = across * across + along * along
    slides = before[1] * before[1] + before[2] * before[2] > rules.rolls * rules.rolls * square
    if bend < -rules.bent or slides or square < (rules.noise / h) ** 2:
        return 0.0, 0.0
    return across, along


@kernel
def bend_contacts(bodies, contacts, D, state, step, curve, later, b):
    """b += what contacts are asked for, their bends included; on entry b holds minus what is known of their slips.

    A contact parts no faster than it approached before the step, but for the bend of its path: more would make energy.
    One that stays keeps its gap; see `stepping.prediction`.
    """
    rules, at, h = curve.rules, 0, step.h
    before, slip, least = vector(3), vector(3), rules.shallow / h
    ahead = len(later.there) > 0 or curve.known[0]
    for i in range(len(contacts.gap)):
        for k in range(3):
            slip[k], before[k] = -b[3 * i + k], -b[3 * i + k]
            for p in range(D.indptr[3 * i + k], D.indptr[3 * i + k + 1]):
                column = D.indices[p]
                body, j = bodies.movable[column // 6], column % 6
                speed = state.velocity[body, j] if j < 3 else state.spin[body, j - 3]
                slip[k] += D.data[p] * speed
                before[k] += D.data[p] * (speed + curve.change[column])
        while at < len(later.there) and later.there[at] < later.identity[i]:
            at += 1
        found, way, across, along = _path_ahead(bodies, contacts, state, curve, later, before, i, at)
        curve.gaps[i] = 0.0
        if curve.stopped[i]:
            continue
        found, gap, swept = found and not curve.stiff[0], contacts.gap[i], (later.identity[i] & SWEPT) != 0
        gap = gap if swept else closed(gap, rules.shallow)
        full = way - h * before[0] if found else 0.0
        # Gaps that a bend opens are left open: bodies would penetrate where it turns out less.
        bend = full if full <= -rules.noise else 0.0
        across, along = _rolling(rules, h, bend, before, across, along) if found else (0.0, 0.0)
        bend = 0.0 if bend < -rules.bent else bend
        away = min(-(gap + bend) / h, step.recovery)
        if not swept:  # those along the way are exact for the last answer
            away = at_rest(away, rules.rest / h) if rules.rest > 0.0 else away
            away = min(away, max(-slip[0], 0.0) + abs(bend) / h + least)
            way = way if ahead else h * before[0]
            if (found or not (ahead or curve.stiff[0])) and max(abs(way), abs(gap)) < rules.closed:
                away, bend = min(-(gap + full) / h, step.recovery), full
        curve.gaps[i] = bend
        b[3 * i] += away
        b[3 * i + 1] -= across
        b[3 * i + 2] -= along


@kernel
def bend_limits(bodies, rows, values, state, near, step, first, curve, b):
    """b of `near` limits, from the place `first` on: `-(Phi + bend) / h`, no faster than they approached."""
    at = first
    for i in range(rows.limits):
        if not near[i]:
            continue
        row = rows.joints + i
        given = values.known[row] + values.rate[row]
        speed, error = given, values.error[row] if abs(values.error[row]) > step.round_off else 0.0
        for k in range(rows.start[row], rows.start[row + 1]):
            body = bodies.movable[rows.body[k]]
            for j in range(3):
                speed += values.blocks[k, j] * state.velocity[body, j] + values.blocks[k, 3 + j] * state.spin[body, j]
        away = min(-(error + curve.rows[row]) / step.h, step.recovery)
        b[at] = min(away, max(-speed, 0.0) + curve.rules.passed / step.h) - given
        at += 1


@kernel
def bend(words, C, D, contacts, state, later, b):
    """b of the contacts and limits of a step, their bends included."""
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve, h = table(words, AT.curve, Curve), table(words, AT.rules, StepRules).h
    values, rules = table(words, AT.values, RowValues), table(words, AT.rules, StepRules)
    near = array_at(words, AT.near, "b1")
    measure_stiffness(bodies, C, contacts, state, h, curve, later)
    bend_contacts(bodies, contacts, D, state, rules, curve, later, b)
    bend_limits(bodies, rows, values, state, near, rules, 3 * len(contacts.gap), curve, b)


@kernel
def largest_error(rows, values):
    """Of the joints [m or rad]."""
    worst = 0.0
    for i in range(rows.joints):
        worst = max(worst, abs(values.error[i]))
    return worst


@kernel
def shutting(bodies, rows, factor, joints, h, values, v, out):
    """out = v changed by impulses of the joints where they act so as to shut them, to first order in the step."""
    m = rows.joints
    x, w, part = vector(m), zeros(len(v)), zeros(m)
    for i in range(m):
        x[i] = -joints.scale[i] * values.error[rows.order[i]] / h
    take_out(joints, x, part)
    solve_factor(joints.L, joints.begin, joints.dependent, x)
    part[:] = 0.0
    take_out(joints, x, part)
    add_impulses(joints, x, w)
    solve_upper(bodies, factor, w)
    for j in range(len(v)):
        out[j] = v[j] + w[j]


@kernel
def copy_rows(source, out):
    """out = source, of three columns."""
    for i in range(len(source)):
        for j in range(3):
            out[i, j] = source[i, j]


@kernel
def shut(words, state, joints, v, end):
    """Advance `end` by v, and shut its joints; returns their error.

    Velocities become those that lead there; in a stiff step they stay as they are.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve, h = table(words, AT.curve, Curve), table(words, AT.rules, StepRules).h
    coordinates, factor = table(words, AT.coordinates, CoordinateTable), table(words, AT.inertia, Inertia).factor
    which = integers(len(bodies.wobbling))
    freely = which[: tumblers(bodies.wobbling, curve.tumbling, False, which)]
    move(bodies, state, v.reshape(-1, 6), h, freely, end)
    least, stalled, rounds, n, m = math.inf, 0, curve.rules.rounds, len(v), rows.joints
    moves, best, result = vector(n), vector(n), vector(n)
    known = Rounds(vector(m), vector(n), matrix(rounds, m), matrix(rounds, n))
    put(moves, 0, v)
    kept, turning, last = matrix(len(end.velocity), 3), matrix(len(end.velocity), 3), math.inf
    copy_rows(end.velocity, kept)
    copy_rows(end.spin, turning)
    for k in range(rounds):
        coordinate_rows(bodies, coordinates, rows, end, curve.values)
        last = largest_error(rows, curve.values)
        stalled = 0 if last < PROGRESS * least else stalled + 1
        if last < least:
            least = last
            put(best, 0, moves)
        if last <= curve.rules.shut or stalled > PATIENCE or k == rounds - 1:
            break
        shutting(bodies, rows, factor, joints, h, curve.values, moves, result)
        mix(known, k, curve.values.error[:m], result, moves)
        move(bodies, state, moves.reshape(-1, 6), h, freely, end)
    if rounds and not last <= least:
        put(moves, 0, best)
        move(bodies, state, moves.reshape(-1, 6), h, freely, end)
        coordinate_rows(bodies, coordinates, rows, end, curve.values)
    if curve.stiff[0]:
        copy_rows(kept, end.velocity)
        copy_rows(turning, end.spin)
    else:
        put(v, 0, moves)
    return least


@kernel
def keep_change(bodies, state, v, was_hit, curve):
    """What this step changed the velocities by, for the next one."""
    for k in range(len(bodies.movable)):
        i = bodies.movable[k]
        for j in range(3):
            curve.next[6 * k + j] = 0.0 if was_hit else v[6 * k + j] - state.velocity[i, j]
            curve.next[6 * k + 3 + j] = 0.0 if was_hit else v[6 * k + 3 + j] - state.spin[i, j]


BEND_ROWS = Convention((I1, STATE), types.none, bend_rows)
BEND = Convention((I1, SPARSE, SPARSE, CONTACTS, STATE, LATER, F1), types.none, bend)
SHUT = Convention((I1, STATE, FACTOR, F1, STATE), F, shut)
call_bend_rows, call_bend, call_shut = BEND_ROWS.call, BEND.call, SHUT.call
