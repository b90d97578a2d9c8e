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
from signorini.kernels.step.detect import call_detect, none_found
from signorini.kernels.step.packed import AT, CONTACTS, CURVE_AT, DETECT_ENTRY, FINISHED, I1, STATE, B, I, Scene
from signorini.kernels.step.record import CONTACTS as OLD_CONTACTS
from signorini.kernels.step.record import HEAD
from signorini.kernels.step.tables import BodyTable, Curve, Later, RowTable, State, StepRules

NO_CHANGE = np.zeros(0)


@kernel
def _detect(words, entries, state, h):
    """Contacts of a state, their identities, and the missing entry or -1."""
    if entries[DETECT_ENTRY] == 0:
        contacts, identity = none_found()
        return contacts, identity, -1
    moves = (state.position, state.orientation, state.velocity, state.spin)
    contacts, identity, _, missing = call_detect(entries[DETECT_ENTRY], (words, entries, *moves, h))
    return contacts, identity, missing


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
    return _detect(words, entries, curve.state, h)


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
def is_late(words, entries, finds, contacts, state, end, finished):
    """Whether the end of a step is to be corrected: joints open, limits passed, deep penetrations.

    Keeps what the velocities changed by for the next step.
    """
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    curve = table(words, AT.curve, Curve)
    rules, h, margin = curve.rules, table(words, AT.rules, StepRules).h, table(words, AT.scene, Scene).margin
    keep_change(bodies, state, finished.v, 2.0 * h * finished.change > margin, curve)
    if finished.open > rules.shut:
        return True
    for row in range(rows.joints, rows.joints + rows.limits):
        if curve.values.error[row] < -rules.deep - abs(curve.rows[row]):
            return True
    place, reach = bodies.place, curve.reach
    if _deepest(contacts) <= rules.deep and not (
        turns(place, reach, end.spin, NO_CHANGE, h, rules.noise)
        or turns(place, reach, state.spin, curve.change, h, rules.noise)
    ):
        return False
    if not finds:
        return True
    found, _, missing = _detect(words, entries, end, h)
    return missing >= 0 or _deepest(found) > rules.deep


AHEAD = Convention((I1, I1, B, B, STATE), types.Tuple((CONTACTS, I1, I)), contacts_ahead)
LATE = Convention((I1, I1, B, CONTACTS, STATE, STATE, FINISHED), B, is_late)
call_ahead, call_late = AHEAD.call, LATE.call
