"""A whole step in one call: detect, assemble, solve, measure, advance, recheck; see `README.md`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.poses import carry_part
from signorini.kernels.by_address import Convention, seconds_now
from signorini.kernels.collision.table import rising_part
from signorini.kernels.compile import kernel
from signorini.kernels.interior.dense_step import StepRules as PathRules
from signorini.kernels.interior.exact_workspace import ExactRules
from signorini.kernels.interior.starts import WarmRules
from signorini.kernels.step import take_back
from signorini.kernels.step.ahead import call_ahead, call_put_right, halfway, put_driven, with_last_step
from signorini.kernels.step.calls import (
    call_add_springs,
    call_finish,
    call_prepare,
    call_solve,
    call_solve_bodies,
    call_stored,
)
from signorini.kernels.step.contact_lists import given_contacts
from signorini.kernels.step.detect import call_detect
from signorini.kernels.step.finish import energies_of
from signorini.kernels.step.look import call_look
from signorini.kernels.step.packed import (
    AHEAD_ENTRY,
    AT,
    CLOCK_ENTRY,
    CURVE_AT,
    DETECT_ENTRY,
    F1,
    FINISH_ENTRY,
    I1,
    LOOK_ENTRY,
    PREPARE_ENTRY,
    PUT_RIGHT_ENTRY,
    RECORD,
    SOLVE_BODIES_ENTRY,
    SOLVE_ENTRY,
    SPRINGS_ENTRY,
    STORED_ENTRY,
    Bounds,
)  # fmt: skip
from signorini.kernels.step.prepare import is_pile
from signorini.kernels.step.record import (
    CONTACTS,
    HEAD,
    ITERATIONS,
    LATE,
    MISSING,
    STATUS,
    STORED,
    WORK_AT,
    put,
    put_answer,
    put_heads,
    put_problem,
    put_times,
    room_for,
    state_of,
)  # fmt: skip
from signorini.kernels.step.tables import (
    BodyTable,
    CurveRules,
    Inertia,
    RowTable,
    SpringTable,
    State,
    StepRules,
)  # fmt: skip
from signorini.kernels.step.take_back import DISPLACED, FINE
from signorini.kernels.step.work import FORCES

TAKEN, LOOK_AGAIN, TOO_MANY, UNSOUND, MISSED, ROUND, LOAD, SWINGS = range(8)
"""How a call ends: the step was taken; it was, but may have brought about new contacts; too many rows; H is not
positive definite; the error is above the tolerance; there are round faces; a kernel has to be loaded; light links
between heavy bodies swing too fast for the step."""
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
def guess(words, numbers, integers, identity, impulse):
    """Impulses of the last step in the places of the present rows; whether there are any."""
    rows, bodies = table(words, AT.rows, RowTable), table(words, AT.bodies, BodyTable)
    near = array_at(words, AT.near, "b1")
    c, at = len(identity), HEAD + 13 * len(bodies.place)
    if c:
        rises, found = np.empty(1, np.bool_), np.empty(1, np.int64)
        rising_part(0, 1, identity, rises)
        if not rises[0]:
            return False
        old = integers[CONTACTS]
        first = at + rows.limits + rows.frictions + 6 * len(bodies.mass) + rows.joints
        before = numbers[first : first + 3 * old].reshape(old, 3)
        carried = impulse[: 3 * c].reshape(c, 3)
        carry_part(0, 1, integers[HEAD : HEAD + old], before, identity, np.empty(0, np.int64), carried, found)
        if found[0] == 0:
            return False
    own = 3 * c
    for i in range(rows.limits + rows.frictions if len(impulse) > own else 0):
        if near[i]:
            impulse[own] = numbers[at + i]
            own += 1
    return True


@kernel
def add_forces(words, entries, options, state):
    """Momentum and H of springs where the caller has not filled them in; False where they are not finite."""
    inertia = table(words, AT.inertia, Inertia)
    if not (options[AGAIN] or options[MOMENTUM_GIVEN]):
        inertia.momentum[:] = 0.0
    if options[AGAIN] or options[STIFF_GIVEN] or entries[SPRINGS_ENTRY] == 0:
        return True
    place, h = table(words, AT.bodies, BodyTable).place, table(words, AT.rules, StepRules).h
    arguments = (table(words, AT.springs, SpringTable), place, state, h, inertia.stiff, inertia.momentum)
    return call_add_springs(entries[SPRINGS_ENTRY], arguments)


@kernel
def solve(words, entry, p, guessed, impulse):
    """Impulses of the contacts, limits and brakes; how many factorisations they took."""
    steering = (
        p.size, p.spread, guessed, impulse, table(words, AT.exact, ExactRules), table(words, AT.path, PathRules),
        table(words, AT.warm, WarmRules), array_at(words, AT.shares, "f1"),
    )  # fmt: skip
    if len(p.white):
        problem = (len(p.free) // 6, p.D, p.white, p.start, p.mu, p.diagonal, p.r, p.root)
        _, _, steps = call_solve_bodies(entry, (*problem, *steering))
    else:
        _, _, steps = call_solve(entry, (p.start, p.mu, p.ends, p.N, p.r, p.root, *steering))
    return steps


@kernel
def finished_step(words, entries, options, numbers, contacts, identity, prepared, impulse, steps):
    """The record of the step that the impulses of contacts lead to, without its times."""
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    inertia, bounds = table(words, AT.inertia, Inertia), table(words, AT.bounds, Bounds)
    near, count = array_at(words, AT.near, "b1"), len(bodies.place)
    out, integers = room_for(count, rows, prepared, contacts, inertia.stiff, options[WHOLE])
    put(out, HEAD, numbers[HEAD : HEAD + 13 * count])
    state, end = state_of(numbers, count), state_of(out, count)
    if options[DRIVEN]:
        put_driven(bodies, table(words, CURVE_AT.state, State), end)
    f = call_finish(entries[FINISH_ENTRY], (words, entries, state, prepared, len(identity), impulse, end))
    if not f.error <= bounds.tolerance:
        return failed(MISSED, 0)
    at, to = put_answer(out, integers, count, rows, near, contacts, identity, impulse, f)
    if options[WHOLE]:
        put_problem(out, integers, at, to, prepared, inertia)
    complete = options[LOOKS] != 0 and not f.passes
    if complete and entries[LOOK_ENTRY]:
        arguments = (words, entries, identity, state, end, f.v, f.change, f.approach)
        complete = call_look(entries[LOOK_ENTRY], arguments)
    how, weight = FINE, f.weight
    if entries[PUT_RIGHT_ENTRY]:
        arguments = (words, entries, options[FINDS] != 0, contacts, identity, state, end, f)
        how = call_put_right(entries[PUT_RIGHT_ENTRY], arguments)
    if how >= 0:
        return failed(LOAD, how)
    if how == DISPLACED:
        _, weight = energies_of(words, end)
    energy, wound = 0.0, 0.0
    if entries[STORED_ENTRY]:
        h, middle = table(words, AT.rules, StepRules).h, table(words, CURVE_AT.rules, CurveRules).middle
        measured = halfway(bodies, h, end) if middle else end
        energy, wound = call_stored(entries[STORED_ENTRY], (table(words, AT.springs, SpringTable), measured))
    put_heads(out, integers, count, prepared, contacts, f, weight, energy)
    # What springs store is not lost.
    out[WORK_AT + FORCES] += energy - numbers[STORED]
    integers[STATUS], integers[ITERATIONS] = TAKEN if complete else LOOK_AGAIN, steps
    integers[MISSING], integers[LATE] = wound > bounds.most_twist, how == take_back.LATE
    return out, integers


@kernel
def found_contacts(words, entries, options, state, numbers, integers):
    """Contacts at the start of a step, their identities, whether any is part of a round face, the missing entry."""
    if options[GIVEN] or entries[DETECT_ENTRY] == 0:
        contacts, identity = given_contacts(numbers, integers)
        return contacts, identity, False, -1
    moves = (state.position, state.orientation, state.velocity, state.spin)
    return call_detect(entries[DETECT_ENTRY], (words, entries, *moves, table(words, AT.rules, StepRules).h))


@kernel
def found_ahead(words, entries, options, state, numbers, integers):
    """Contacts where the first velocities lead, their identities, the missing entry; the given ones unless it looks."""
    finds, moved = options[FINDS] != 0, options[AGAIN] == 0 and options[DRIVEN] == 0
    if finds and entries[AHEAD_ENTRY]:
        return call_ahead(entries[AHEAD_ENTRY], (words, entries, finds, moved, state))
    if entries[AHEAD_ENTRY]:
        call_ahead(entries[AHEAD_ENTRY], (words, entries, finds, moved, state))
    contacts, identity = given_contacts(numbers, integers)
    return contacts, identity, -1


@kernel
def take(words, entries, options, numbers, integers, given_numbers, given_integers, later_numbers, later_integers):
    """The record of the step after the one of a record; see `record`, `StepTables` and the options above."""
    clock, rows = entries[CLOCK_ENTRY], table(words, AT.rows, RowTable)
    most, began = table(words, AT.bounds, Bounds).rows, seconds_now(clock)
    state = state_of(numbers, len(table(words, AT.bodies, BodyTable).place))
    contacts, identity, any_round, missing = found_contacts(
        words, entries, options, state, given_numbers, given_integers
    )  # fmt: skip
    if missing >= 0 or any_round:
        return failed(LOAD if missing >= 0 else ROUND, missing)
    detected = seconds_now(clock)
    if 3 * len(identity) + rows.frictions > most:
        return failed(TOO_MANY, 0)
    solver = SOLVE_BODIES_ENTRY if is_pile(words, len(identity)) else SOLVE_ENTRY
    if len(identity) + rows.limits + rows.frictions and entries[solver] == 0:
        return failed(LOAD, solver)
    there, known, missing = found_ahead(words, entries, options, state, later_numbers, later_integers)
    if missing >= 0:
        return failed(LOAD, missing)
    if not add_forces(words, entries, options, state):
        return failed(UNSOUND, 0)
    later = with_last_step(words, options[REMEMBERS] != 0, numbers, integers, identity, there, known)
    p = call_prepare(entries[PREPARE_ENTRY], (words, entries, state, contacts, options[AGAIN] == 0, later))
    if not p.sound or len(p.b_lambda) > most:
        return failed(TOO_MANY if p.sound else UNSOUND, 0)
    if rows.joints and array_at(words, CURVE_AT.stiff, "b1")[1]:
        return failed(SWINGS, 0)
    assembled, impulse, steps = seconds_now(clock), np.zeros(len(p.b_lambda)), 0
    if len(impulse):
        guessed = options[REMEMBERS] != 0 and guess(words, numbers, integers, identity, impulse)
        if not guessed:
            impulse[:] = 0.0
        steps = solve(words, entries[solver], p, guessed, impulse)
    solved = seconds_now(clock)
    found = finished_step(words, entries, options, numbers, contacts, identity, p, impulse, steps)
    put_times(found[0], detected - began, assembled - detected, solved - assembled, seconds_now(clock) - solved)
    return found


TAKE = Convention((I1, I1, I1, F1, I1, F1, I1, F1, I1), RECORD, take)
call_take = TAKE.call
