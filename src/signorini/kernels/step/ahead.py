"""What a whole step knows of paths that bend: contacts where its first velocities lead, and a look at its end."""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.momentum import turns
from signorini.kernels.bodies.poses import turn
from signorini.kernels.compile import kernel
from signorini.kernels.step.curve import Later, keep_change, look_ahead
from signorini.kernels.step.detect import detect
from signorini.kernels.step.record import CONTACTS, HEAD
from signorini.kernels.step.tables import Contacts, State

NO_CHANGE = np.zeros(0)


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
def contacts_ahead(tables, entries, how, state, numbers, integers):
    """Contacts where the first velocities lead, if paths bend, their identities, and the missing entry or -1.

    `how` says whether contacts are found here, else they are given in numbers and integers, and whether bodies that are
    not movable are where they were.
    """
    t, curve, h = tables, tables.curve, tables.rules.h
    contacts, identity = given_contacts(numbers, integers)
    if not curve.rules.curved:
        return contacts, identity, -1
    for i in range(len(t.bodies.place) if how[1] else 0):
        if t.bodies.place[i] < 0:
            curve.state.position[i], curve.state.orientation[i] = state.position[i], state.orientation[i]
            curve.state.velocity[i], curve.state.spin[i] = state.velocity[i], state.spin[i]
    if not how[0] or not turns(t.bodies.place, curve.reach, state.spin, curve.change, h, curve.rules.noise):
        return contacts, identity, -1
    look_ahead(t.bodies, state, h, curve)
    contacts, identity, _, missing = detect(t.scene, entries, curve.state, h)
    return contacts, identity, missing


@kernel
def with_last_step(tables, remembers, numbers, integers, identity, there):
    """The contacts ahead, and the impulses of the last step, which tell how stiff bodies are held."""
    rows, old = tables.rows, integers[CONTACTS] if remembers else 0
    first = HEAD + 13 * len(tables.bodies.place) + rows.limits + rows.frictions + 6 * len(tables.bodies.mass)
    for i in range(rows.joints):
        tables.curve.impulse[i] = numbers[first + i] if remembers else 0.0
    at = first + rows.joints
    return Later(identity, there[0], there[1], integers[HEAD : HEAD + old], numbers[at : at + 3 * old].reshape(old, 3))


@kernel
def put_driven(bodies, there, end):
    """Put bodies that are not movable where they are at the end of the step."""
    for i in range(len(bodies.place)):
        if bodies.place[i] < 0:
            end.position[i], end.orientation[i] = there.position[i], there.orientation[i]


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
def is_late(tables, entries, finds, contacts, state, end, finished):
    """Whether the end of a step is to be corrected: joints open, limits passed, deep penetrations.

    Keeps what the velocities changed by for the next step.
    """
    t, curve, h = tables, tables.curve, tables.rules.h
    rules, rows = curve.rules, tables.rows
    if not rules.curved:
        return False
    keep_change(t.bodies, state, finished.v, 2.0 * h * finished.change > t.scene.margin, curve)
    if finished.open > rules.shut:
        return True
    for row in range(rows.joints, rows.joints + rows.limits):
        if curve.values.error[row] < -rules.deep - abs(curve.rows[row]):
            return True
    place, reach = t.bodies.place, curve.reach
    if _deepest(contacts) <= rules.deep and not (
        turns(place, reach, end.spin, NO_CHANGE, h, rules.noise)
        or turns(place, reach, state.spin, curve.change, h, rules.noise)
    ):
        return False
    if not finds:
        return True
    found, _, _, missing = detect(t.scene, entries, end, h)
    return missing >= 0 or _deepest(found) > rules.deep
