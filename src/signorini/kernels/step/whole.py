"""A whole step in one call: detect, assemble, solve, judge, advance, look again; see `README.md`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.momentum import turns
from signorini.kernels.bodies.poses import carry_over, is_rising
from signorini.kernels.by_address import seconds_now
from signorini.kernels.compile import kernel
from signorini.kernels.step.calls import (
    CLOCK_ENTRY,
    FINISH_ENTRY,
    PREPARE_ENTRY,
    SOLVE_ENTRY,
    SPRINGS_ENTRY,
    STORED_ENTRY,
    StepTables,
    call_add_springs,
    call_finish,
    call_prepare,
    call_solve,
    call_stored,
)  # fmt: skip
from signorini.kernels.step.curve import Later, keep_change, look_ahead
from signorini.kernels.step.detect import detect, place_shapes
from signorini.kernels.step.recheck import may_cross, may_meet, moving
from signorini.kernels.step.record import (
    CONTACTS,
    HEAD,
    ITERATIONS,
    LATE,
    MISSING,
    STATUS,
    put_answer,
    put_heads,
    put_problem,
    room_for,
    state_of,
)  # fmt: skip
from signorini.kernels.step.tables import Contacts

TAKEN, LOOK_AGAIN, TOO_MANY, UNSOUND, MISSED, ROUND, LOAD = range(7)
"""How a call ends: the step was taken; it was, but may have brought about new contacts; too many rows; H is not
positive definite; the error is above the tolerance; there are round faces; a kernel has to be loaded."""
GIVEN, AGAIN, REMEMBERS, MOMENTUM_GIVEN, STIFF_GIVEN, WHOLE, LOOKS, FINDS, DRIVEN = range(9)
"""Options: contacts are given; the step is solved again, with rows, limits and forces as they are; there is a step
before; applied forces are in the momentum; springs are in H; the record holds the problem; new contacts are looked for
here; contacts are found here; there are driven bodies, whose poses at the end of the step are given."""
OPTIONS = 9


@kernel
def given_contacts(numbers, integers):
    """Contacts and identities that the caller has put into arrays, in the order of `record`."""
    c, f, i = len(integers) // 3, numbers, integers
    contacts = Contacts(
        i[c : 2 * c], i[2 * c :], f[: 3 * c].reshape(c, 3), f[3 * c : 6 * c].reshape(c, 3),
        f[6 * c : 9 * c].reshape(c, 3), f[9 * c : 10 * c], f[10 * c :],
    )  # fmt: skip
    return contacts, i[:c]


@kernel
def failed(status, missing):
    """A record of a step that was not taken."""
    integers = np.zeros(HEAD, np.int64)
    integers[STATUS], integers[MISSING] = status, missing
    return np.zeros(HEAD), integers


@kernel
def guess(tables, remembers, numbers, integers, identity, impulse):
    """Impulses of the last step in the places of the present rows; whether there are any."""
    rows, c = tables.rows, len(identity)
    if not remembers:
        return False
    at = HEAD + 13 * len(tables.bodies.place)
    if c:
        if not is_rising(identity):
            return False
        old = integers[CONTACTS]
        first = at + rows.limits + rows.frictions + 6 * len(tables.bodies.mass) + rows.joints
        before = numbers[first : first + 3 * old].reshape(old, 3)
        carried = impulse[: 3 * c].reshape(c, 3)
        if carry_over(integers[HEAD : HEAD + old], before, identity, np.empty(0, np.int64), carried) == 0:
            return False
    own = 3 * c
    for i in range(rows.limits + rows.frictions if len(impulse) > own else 0):
        if tables.near[i]:
            impulse[own] = numbers[at + i]
            own += 1
    return True


@kernel
def add_forces(tables, entries, options, state):
    """Momentum and H of springs where the caller has not filled them in; False where they are not finite."""
    if options[AGAIN]:
        return True
    if not options[MOMENTUM_GIVEN]:
        tables.inertia.momentum[:] = 0.0
    if options[STIFF_GIVEN] or len(tables.inertia.stiff) == 0:
        return True
    inertia = tables.inertia
    arguments = (tables.springs, tables.bodies.place, state, tables.rules.h, inertia.stiff, inertia.momentum)
    return call_add_springs(entries[SPRINGS_ENTRY], arguments)


@kernel
def solve(tables, entries, options, before, prepared, identity):
    """Impulses of the contacts, limits and brakes, and how many factorisations they took."""
    impulse = np.zeros(len(prepared.b_lambda))
    if len(impulse) == 0:
        return impulse, 0
    guessed = guess(tables, options[REMEMBERS], before[0], before[1], identity, impulse)
    if not guessed:
        impulse[:] = 0.0
    p = prepared
    arguments = (
        p.start, p.mu, p.ends, p.N, p.r, p.root, p.size, p.spread, guessed, impulse, tables.exact, tables.path,
        tables.warm, tables.shares,
    )  # fmt: skip
    _, _, steps = call_solve(entries[SOLVE_ENTRY], arguments)
    return impulse, steps


@kernel
def contacts_ahead(tables, entries, options, state, numbers, integers):
    """Contacts where the first velocities lead, if paths bend, and the missing entry, -1 if none is."""
    t, curve, h = tables, tables.curve, tables.rules.h
    contacts, identity = given_contacts(numbers, integers)
    if not curve.rules.curved:
        return contacts, identity, -1
    count = len(t.bodies.place)
    for i in range(0 if options[AGAIN] or options[DRIVEN] else count):
        if t.bodies.place[i] < 0:
            curve.state.position[i], curve.state.orientation[i] = state.position[i], state.orientation[i]
            curve.state.velocity[i], curve.state.spin[i] = state.velocity[i], state.spin[i]
    if not options[FINDS] or not turns(t.bodies.place, curve.reach, state.spin, curve.change, h, curve.rules.noise):
        return contacts, identity, -1
    look_ahead(t.bodies, state, h, curve)
    contacts, identity, _, missing = detect(t.scene, entries, curve.state, h)
    return contacts, identity, missing


@kernel
def loads(tables, options, numbers, integers, identity, ahead):
    """What the last step and the contacts ahead tell about the bends of this one."""
    rows, old = tables.rows, integers[CONTACTS] if options[REMEMBERS] else 0
    first = HEAD + 13 * len(tables.bodies.place) + rows.limits + rows.frictions + 6 * len(tables.bodies.mass)
    for i in range(rows.joints):
        tables.curve.impulse[i] = numbers[first + i] if options[REMEMBERS] else 0.0
    at = first + rows.joints
    impulse = numbers[at : at + 3 * old].reshape(old, 3)
    return Later(identity, ahead[0], ahead[1], integers[HEAD : HEAD + old], impulse)


@kernel
def is_late(tables, entries, options, contacts, state, end, finished):
    """Whether the end of a step is to be corrected: joints open, limits passed, deep penetrations."""
    t, curve, h = tables, tables.curve, tables.rules.h
    rules, rows = curve.rules, tables.rows
    if not rules.curved:
        return False
    if finished.open > rules.shut:
        return True
    for row in range(rows.joints, rows.joints + rows.limits):
        if curve.values.error[row] < -rules.shallow - abs(curve.rows[row]):
            return True
    deepest = 0.0
    for gap in contacts.gap:
        deepest = max(deepest, -gap)
    place, reach = t.bodies.place, curve.reach
    if deepest <= rules.shallow and not (
        turns(place, reach, end.spin, NO_CHANGE, h, rules.noise)
        or turns(place, reach, state.spin, curve.change, h, rules.noise)
    ):
        return False
    if not options[FINDS]:
        return True
    found, _, _, missing = detect(t.scene, entries, end, h)
    deepest = 0.0
    for gap in found.gap:
        deepest = max(deepest, -gap)
    return missing >= 0 or deepest > rules.shallow


NO_CHANGE = np.zeros(0)


@kernel
def looks_complete(tables, entries, identity, state, end, finished):
    """Whether it is certain that the answer brings about no contacts that the problem did not have."""
    scene, h = tables.scene, tables.rules.h
    if finished.passes:
        return False
    if len(scene.candidates.first) == 0 and len(scene.planes) == 0:
        return True
    started = moving(tables.bodies, state, finished.v)
    place_shapes(scene, started)
    if 2.0 * h * finished.change > scene.margin and may_meet(scene, identity, h, finished.approach, tables.look):
        return False
    return not may_cross(scene, entries, started, end, h, tables.look)


@kernel
def put_driven(bodies, there, end):
    """Put bodies that are not movable where they are at the end of the step."""
    for i in range(len(bodies.place)):
        if bodies.place[i] < 0:
            end.position[i], end.orientation[i] = there.position[i], there.orientation[i]


@kernel
def take(words, entries, options, numbers, integers, given_numbers, given_integers, later_numbers, later_integers):
    """The record of the step after the one of a record; see `record`, `StepTables` and the options above."""
    tables, clock = table(words, 0, StepTables), entries[CLOCK_ENTRY]
    began, count = seconds_now(clock), len(tables.bodies.place)
    state = state_of(numbers, count)
    if options[GIVEN]:
        contacts, identity = given_contacts(given_numbers, given_integers)
    else:
        contacts, identity, any_round, missing = detect(tables.scene, entries, state, tables.rules.h)
        if missing >= 0 or any_round:
            return failed(LOAD if missing >= 0 else ROUND, missing)
    detected = seconds_now(clock)
    if 3 * len(identity) + tables.rows.frictions > tables.bounds.rows:
        return failed(TOO_MANY, 0)
    if len(identity) + len(tables.near) and entries[SOLVE_ENTRY] == 0:
        return failed(LOAD, SOLVE_ENTRY)
    if not add_forces(tables, entries, options, state):
        return failed(UNSOUND, 0)
    t = tables
    there, there_identity, missing = contacts_ahead(t, entries, options, state, later_numbers, later_integers)
    if missing >= 0:
        return failed(LOAD, missing)
    later = loads(t, options, numbers, integers, identity, (there, there_identity))
    arguments = (
        t.bodies, t.coordinates, t.rows, t.values, state, t.inertia, contacts, t.rules, options[AGAIN] == 0, t.near,
        t.curve, later,
    )  # fmt: skip
    prepared = call_prepare(entries[PREPARE_ENTRY], arguments)
    if not prepared.sound or len(prepared.b_lambda) > tables.bounds.rows:
        return failed(TOO_MANY if prepared.sound else UNSOUND, 0)
    assembled = seconds_now(clock)
    impulse, steps = solve(tables, entries, options, (numbers, integers), prepared, identity)
    solved = seconds_now(clock)
    out, whole = room_for(count, t.rows, prepared, contacts, t.inertia.stiff, options[WHOLE])
    out[HEAD : HEAD + 13 * count] = numbers[HEAD : HEAD + 13 * count]
    end = state_of(out, count)
    if options[DRIVEN]:
        put_driven(t.bodies, t.curve.state, end)
    finished = call_finish(entries[FINISH_ENTRY], (
        t.bodies, t.coordinates, t.rows, t.values, state, t.inertia, prepared, len(identity), impulse, t.rules.h,
        t.near, t.bounds.judging, t.curve, end,
    ))  # fmt: skip
    if not finished.error <= tables.bounds.tolerance:
        return failed(MISSED, 0)
    at, to = put_answer(out, whole, count, t.rows, t.near, contacts, identity, impulse, finished)
    if options[WHOLE]:
        put_problem(out, whole, at, to, prepared, t.inertia)
    energy, wound = 0.0, 0.0
    if len(t.springs.rest):
        energy, wound = call_stored(entries[STORED_ENTRY], (t.springs, end))
    complete = options[LOOKS] and looks_complete(tables, entries, identity, state, end, finished)
    if t.curve.rules.curved:
        keep_change(t.bodies, state, finished.v, 2.0 * t.rules.h * finished.change > t.scene.margin, t.curve)
    whole[LATE] = is_late(t, entries, options, contacts, state, end, finished)
    seconds = (detected - began, assembled - detected, solved - assembled, seconds_now(clock) - solved)
    put_heads(out, whole, count, prepared, contacts, finished, energy, seconds)
    whole[STATUS], whole[MISSING], whole[ITERATIONS] = (
        TAKEN if complete else LOOK_AGAIN,
        wound > t.bounds.most_twist,
        steps,
    )
    return out, whole
