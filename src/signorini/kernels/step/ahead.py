"""What a whole step knows of paths that bend: contacts where its first velocities lead, and a look at its end."""

from __future__ import annotations

import numpy as np
from numba import types

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.momentum import turns
from signorini.kernels.bodies.poses import turn
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.step.curve import keep_change, look_ahead
from signorini.kernels.step.detect import detect_in, none_found
from signorini.kernels.step.packed import AT, CONTACTS, CURVE_AT, FINISHED, I1, STATE, TAKE_BACK_ENTRY, B, I, Scene
from signorini.kernels.step.record import CONTACTS as OLD_CONTACTS
from signorini.kernels.step.record import HEAD
from signorini.kernels.step.tables import BodyTable, Curve, Later, RowTable, State, StepRules
from signorini.kernels.step.take_back import FINE, LATE, call_take_back, is_passed

NO_CHANGE = np.zeros(0)


@kernel
def put_pose(state, i, out):
    """The pose of body i of a state."""
    for j in range(3):
        out.position[i, j] = state.position[i, j]
    for j in range(4):
        out.orientation[i, j] = state.orientation[i, j]


@kernel
def contacts_ahead(words, entries, finds, moved, state):
    """Contacts where the first velocities lead, their identities, the missing entry or -1; none unless it `finds` them.

    `moved` says whether bodies that are not movable are where they were.
    """
    bodies, curve = table(words, AT.bodies, BodyTable), table(words, AT.curve, Curve)
    h = table(words, AT.rules, StepRules).h
    curve.known[0] = False
    for i in range(len(bodies.place) if moved else 0):
        if bodies.place[i] < 0:
            put_pose(state, i, curve.state)
            for j in range(3):
                curve.state.velocity[i, j], curve.state.spin[i, j] = state.velocity[i, j], state.spin[i, j]
    if not finds or not turns(bodies.place, curve.reach, state.spin, curve.change, h, curve.rules.noise):
        contacts, identity = none_found()
        return contacts, identity, -1
    look_ahead(bodies, state, h, curve)
    curve.known[0] = True
    return detect_in(words, entries, curve.state, h)


@kernel
def with_last_step(words, remembers, numbers, integers, identity, contacts, there):
    """The contacts ahead, and the impulses of the last step, which tell how stiff bodies are held."""
    rows, bodies = table(words, AT.rows, RowTable), table(words, AT.bodies, BodyTable)
    impulse, old = array_at(words, CURVE_AT.impulse, "f1"), integers[OLD_CONTACTS] if remembers else 0
    first = HEAD + 13 * len(bodies.place) + rows.limits + rows.frictions + 6 * len(bodies.mass)
    for i in range(rows.joints):
        impulse[i] = numbers[first + i] if remembers else 0.0
    at = first + rows.joints
    return Later(identity, contacts, there, integers[HEAD : HEAD + old], numbers[at : at + 3 * old].reshape(old, 3))


@kernel
def put_driven(bodies, there, end):
    """Put bodies that are not movable where they are at the end of the step."""
    for i in range(len(bodies.place)):
        if bodies.place[i] < 0:
            put_pose(there, i, end)


@kernel
def halfway(bodies, h, end):
    """The state half a step before the end of a step, on the way of its velocities; see `stepping.mid_step`."""
    new = State(end.position.copy(), end.orientation.copy(), end.velocity, end.spin)
    for i in bodies.movable:
        for j in range(3):
            new.position[i, j] -= 0.5 * h * end.velocity[i, j]
        turn(new.orientation, i, -0.25 * h * end.spin[i, 0], -0.25 * h * end.spin[i, 1], -0.25 * h * end.spin[i, 2])
    return new


@kernel
def _deepest(contacts):
    deepest = 0.0
    for gap in contacts.gap:
        deepest = max(deepest, -gap)
    return deepest


@kernel
def put_right(words, entries, finds, contacts, identity, state, end, finished):
    """A look at the end of a step: FINE, LATE or DISPLACED of `take_back`, or the entry of a kernel that is missing.

    Where limits are passed or penetrations are deep, they are taken back; a step whose joints are open is late. Keeps
    what the velocities changed by for the next step.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve = table(words, AT.curve, Curve)
    rules, h, margin = curve.rules, table(words, AT.rules, StepRules).h, table(words, AT.scene, Scene).margin
    keep_change(bodies, state, finished.v, 2.0 * h * finished.change > margin, curve)
    if finished.open > rules.shut:
        return LATE
    passed = False
    for i in range(rows.limits):
        passed = passed or is_passed(rows, curve, i)
    place, reach = bodies.place, curve.reach
    if (
        not passed
        and _deepest(contacts) <= rules.deep
        and not (
            turns(place, reach, end.spin, NO_CHANGE, h, rules.noise)
            or turns(place, reach, state.spin, curve.change, h, rules.noise)
        )
    ):
        return FINE
    if not finds:
        return LATE
    found, names, missing = detect_in(words, entries, end, h)
    if missing >= 0:
        return missing
    if not passed and _deepest(found) <= rules.deep:
        return FINE
    if entries[TAKE_BACK_ENTRY] == 0:
        return TAKE_BACK_ENTRY
    arguments = (words, entries, identity, found, names, finished.open, end)
    return call_take_back(entries[TAKE_BACK_ENTRY], arguments)


AHEAD = Convention((I1, I1, B, B, STATE), types.Tuple((CONTACTS, I1, I)), contacts_ahead)
PUT_RIGHT = Convention((I1, I1, B, CONTACTS, I1, STATE, STATE, FINISHED), I, put_right)
call_ahead, call_put_right = AHEAD.call, PUT_RIGHT.call
