"""A whole step in one call: detect, assemble, solve, judge, advance, look again; see `README.md`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.poses import carry_part
from signorini.kernels.by_address import seconds_now
from signorini.kernels.collision.table import rising_part
from signorini.kernels.compile import kernel
from signorini.kernels.step.ahead import contacts_ahead, given_contacts, halfway, is_late, put_driven, with_last_step
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
from signorini.kernels.step.detect import detect, place_shapes
from signorini.kernels.step.recheck import may_cross, meets, moving
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
    put_times,
    room_for,
    state_of,
)  # fmt: skip

TAKEN, LOOK_AGAIN, TOO_MANY, UNSOUND, MISSED, ROUND, LOAD = range(7)
"""How a call ends: the step was taken; it was, but may have brought about new contacts; too many rows; H is not
positive definite; the error is above the tolerance; there are round faces; a kernel has to be loaded."""
GIVEN, AGAIN, REMEMBERS, MOMENTUM_GIVEN, STIFF_GIVEN, WHOLE, LOOKS, FINDS, DRIVEN = range(9)
"""Options: contacts are given; the step is solved again, with rows, limits and forces as they are; there is a step
before; applied forces are in the momentum; springs are in H; the record holds the problem; new contacts are looked for
here; contacts are found here; there are driven bodies, whose poses at the end of the step are given."""
OPTIONS = 9


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
        rises, found = np.empty(1, np.bool_), np.empty(1, np.int64)
        rising_part(0, 1, identity, rises)
        if not rises[0]:
            return False
        old = integers[CONTACTS]
        first = at + rows.limits + rows.frictions + 6 * len(tables.bodies.mass) + rows.joints
        before = numbers[first : first + 3 * old].reshape(old, 3)
        carried = impulse[: 3 * c].reshape(c, 3)
        carry_part(0, 1, integers[HEAD : HEAD + old], before, identity, np.empty(0, np.int64), carried, found)
        if found[0] == 0:
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
def looks_complete(tables, entries, identity, state, end, finished):
    """Whether it is certain that the answer brings about no contacts that the problem did not have."""
    scene, h = tables.scene, tables.rules.h
    if finished.passes:
        return False
    if len(scene.candidates.first) == 0 and len(scene.planes) == 0:
        return True
    started = moving(tables.bodies, state, finished.v)
    place_shapes(scene, started)
    may_miss = 2.0 * h * finished.change > scene.margin
    if may_miss and meets(scene, entries, identity, started, h, finished.approach, tables.look):
        return False
    return not may_cross(scene, entries, started, end, h, tables.look)


@kernel
def finished_step(tables, entries, options, numbers, state, contacts, identity, prepared, impulse, steps):
    """The record of the step that the impulses of contacts lead to, without its times."""
    t, count = tables, len(tables.bodies.place)
    out, integers = room_for(count, t.rows, prepared, contacts, t.inertia.stiff, options[WHOLE])
    out[HEAD : HEAD + 13 * count] = numbers[HEAD : HEAD + 13 * count]
    end = state_of(out, count)
    if options[DRIVEN]:
        put_driven(t.bodies, t.curve.state, end)
    arguments = (
        t.bodies, t.coordinates, t.rows, t.values, state, t.inertia, prepared, len(identity), impulse, t.rules.h,
        t.near, t.bounds.judging, t.curve, end,
    )  # fmt: skip
    finished = call_finish(entries[FINISH_ENTRY], arguments)
    if not finished.error <= t.bounds.tolerance:
        return failed(MISSED, 0)
    at, to = put_answer(out, integers, count, t.rows, t.near, contacts, identity, impulse, finished)
    if options[WHOLE]:
        put_problem(out, integers, at, to, prepared, t.inertia)
    energy, wound = 0.0, 0.0
    if len(t.springs.rest):
        measured = halfway(t.bodies, t.rules.h, end) if t.curve.rules.middle else end
        energy, wound = call_stored(entries[STORED_ENTRY], (t.springs, measured))
    complete = options[LOOKS] and looks_complete(tables, entries, identity, state, end, finished)
    put_heads(out, integers, count, prepared, contacts, finished, energy)
    integers[STATUS], integers[ITERATIONS] = TAKEN if complete else LOOK_AGAIN, steps
    integers[MISSING] = wound > t.bounds.most_twist
    integers[LATE] = is_late(t, entries, options[FINDS], contacts, state, end, finished)
    return out, integers


@kernel
def take(words, entries, options, numbers, integers, given_numbers, given_integers, later_numbers, later_integers):
    """The record of the step after the one of a record; see `record`, `StepTables` and the options above."""
    tables, clock = table(words, 0, StepTables), entries[CLOCK_ENTRY]
    began = seconds_now(clock)
    state = state_of(numbers, len(tables.bodies.place))
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
    t, fresh = tables, options[AGAIN] == 0
    moved = fresh and not options[DRIVEN]
    there = contacts_ahead(t, entries, (options[FINDS], moved), state, later_numbers, later_integers)
    if there[2] >= 0:
        return failed(LOAD, there[2])
    if not add_forces(tables, entries, options, state):
        return failed(UNSOUND, 0)
    later = with_last_step(t, options[REMEMBERS], numbers, integers, identity, there)
    arguments = (
        t.bodies, t.coordinates, t.rows, t.values, state, t.inertia, contacts, t.rules, fresh, t.near, t.curve, later
    )  # fmt: skip
    prepared = call_prepare(entries[PREPARE_ENTRY], arguments)
    if not prepared.sound or len(prepared.b_lambda) > tables.bounds.rows:
        return failed(TOO_MANY if prepared.sound else UNSOUND, 0)
    assembled = seconds_now(clock)
    impulse, steps = solve(tables, entries, options, (numbers, integers), prepared, identity)
    solved = seconds_now(clock)
    found = finished_step(
        tables, entries, options, numbers, state, contacts, identity, prepared, impulse, steps
    )  # fmt: skip
    put_times(found[0], detected - began, assembled - detected, solved - assembled, seconds_now(clock) - solved)
    return found
