"""The velocities after the blows of a step, whose answer gave its positions; see `stepping.impacts.inelastic`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies import blows
from signorini.kernels.bodies.blows import BlowRules, Touch
from signorini.kernels.bodies.contact_jacobian import point_slip
from signorini.kernels.by_address import Convention
from signorini.kernels.collision.identity import SWEPT
from signorini.kernels.compile import kernel
from signorini.kernels.step.ahead import halfway
from signorini.kernels.step.calls import call_stored
from signorini.kernels.step.contact_lists import Listed, as_given, chosen, contacts_of_record
from signorini.kernels.step.detect import detect_in
from signorini.kernels.step.finish import energies_of
from signorini.kernels.step.packed import AT, CURVE_AT, F1, I1, RECORD, STORED_ENTRY, I
from signorini.kernels.step.recheck import moving
from signorini.kernels.step.record import (
    CONTACTS,
    DEEPEST,
    ITERATIONS,
    KINETIC,
    LATE,
    MISSING,
    PASSES,
    STATUS,
    STORED,
    STRUCK,
    WEIGHT,
    WORK_AT,
    places_of,
    put,
    state_of,
)  # fmt: skip
from signorini.kernels.step.tables import (
    BodyTable,
    Contacts,
    CurveRules,
    Inertia,
    RowTable,
    SpringTable,
    State,
    StepRules,
)
from signorini.kernels.step.whole import AGAIN, GIVEN, LOAD, LOOK_AGAIN, LOOKS, TAKEN, call_take, failed
from signorini.kernels.step.work import CONTACTS as NORMALS
from signorini.kernels.step.work import FORCES, FRICTION


@kernel
def touching(contacts):
    """As `kernels.bodies.blows` wants them."""
    c = contacts
    return Touch((c.body_a, c.body_b), (c.point_a, c.point_b), c.normal, c.gap)


@kernel
def _arrays(state):
    return state.position, state.orientation, state.velocity, state.spin


@kernel
def _mark(words, numbers, found, named, struck, left):
    """Mark contacts that struck in a step and supports that may have been left; whether it has to be solved again, and
    whether normals may have turned."""
    bodies, rules = table(words, AT.bodies, BodyTable), table(words, AT.blows, BlowRules)
    h, count = table(words, AT.rules, StepRules).h, named[CONTACTS]
    velocities, impulses, points = places_of(words, named)
    state, listed = state_of(numbers, len(bodies.place)), contacts_of_record(found, named, points, count)
    after = moving(bodies, state, found[velocities : velocities + 6 * len(bodies.mass)])
    able, normals = np.empty(count, np.bool_), np.empty(count)
    for i in range(count):
        able[i], normals[i] = (listed.identity[i] & SWEPT) == 0, found[impulses + 3 * i]
    fastest, sideways = blows.mark(
        bodies.place, bodies.gravity, touching(listed.contacts), array_at(words, CURVE_AT.gaps, "f1"),
        _arrays(state), _arrays(after), normals, able, h, rules, struck, left,
    )  # fmt: skip
    return fastest > 0.0 and (sideways or left.any()), sideways


@kernel
def has_blows(words, numbers, found, named):
    """Whether the velocities of a step have to be solved for again after blows in it."""
    count = named[CONTACTS]
    if count == 0 or not table(words, CURVE_AT.rules, CurveRules).curved:
        return False
    struck, left = np.empty(count, np.bool_), np.empty(count, np.bool_)
    again, _ = _mark(words, numbers, found, named, struck, left)
    return again


@kernel
def _links(rows):
    """Places of movable bodies that joints tie together, in pairs."""
    blocks = rows.start[rows.joints]
    one, other, count = np.empty(blocks, np.int64), np.empty(blocks, np.int64), 0
    for row in range(rows.joints):
        for k in range(rows.start[row] + 1, rows.start[row + 1]):
            one[count], other[count] = rows.body[k - 1], rows.body[k]
            count += 1
    return one[:count], other[:count]


@kernel
def _taken(address, words, entries, options, numbers, integers, listed):
    """The step solved again with other contacts; new ones are not looked for."""
    given, nothing, none = as_given(listed), np.empty(0), np.empty(0, np.int64)
    looks = options[LOOKS]
    options[AGAIN], options[GIVEN], options[LOOKS] = 1, 1, 0
    found, named = call_take(address, (words, entries, options, numbers, integers, given[0], given[1], nothing, none))
    options[AGAIN], options[GIVEN], options[LOOKS] = 0, 0, looks
    return found, named


@kernel
def _put_carried(words, found, named, struck, carried):
    """carried = impulses of the contacts of a step without those that struck."""
    _, at, _ = places_of(words, named)
    for i in range(len(struck)):
        for j in range(3):
            carried[i, j] = 0.0 if struck[i] else found[at + j]
        at += 0 if struck[i] else 3


@kernel
def _turned(words, entries, state, listed, struck, share, levers):
    """The contacts with the normals and levers of the instants of blows, see `blows.turn_contacts`; whether any turned;
    the missing entry or -1."""
    bodies, h, c = table(words, AT.bodies, BodyTable), table(words, AT.rules, StepRules).h, listed.contacts
    there = State(state.position.copy(), state.orientation.copy(), state.velocity, state.spin)
    blows.put_instants(bodies.place, share, h, _arrays(state), _arrays(there))
    seen, names, missing = detect_in(words, entries, there, h)
    new = Contacts(c.body_a, c.body_b, c.point_a.copy(), c.point_b.copy(), c.normal.copy(), c.gap.copy(), c.friction)
    turned = missing < 0 and blows.turn_contacts(
        bodies.place, touching(c), listed.identity, struck, share, levers, touching(seen), names, _arrays(state),
        _arrays(there), touching(new),
    )  # fmt: skip
    return Listed(new, listed.identity), turned, missing


@kernel
def _put_work(bodies, state, after, contacts, push, found):
    """The work of impulses that are in the momentum is that of contacts."""
    poses, touch = (state.position, state.orientation), touching(contacts)
    speeds = 0.5 * (state.velocity + after.velocity), 0.5 * (state.spin + after.spin)
    for i in range(len(push)):
        if push[i, 0] != 0.0:
            sides = touch.bodies[0][i], touch.bodies[1][i]
            u, one, two = point_slip(sides, touch.points, touch.normal, poses, speeds, i)
            along, across = u * push[i, 0], one * push[i, 1] + two * push[i, 2]
            found[WORK_AT + NORMALS] += along
            found[WORK_AT + FRICTION] += across
            found[WORK_AT + FORCES] -= along + across


@kernel
def _joined(words, entries, first, first_named, found, named, push):
    """The record of a step with the positions of one record and the velocities of another."""
    bodies, c = table(words, AT.bodies, BodyTable), named[CONTACTS]
    count = len(bodies.place)
    out = np.empty(len(found) + 3 * c)
    put(out, put(out, 0, found), push.reshape(-1))
    end, whence = state_of(out, count), state_of(first, count)
    for i in range(count):
        for j in range(3):
            end.position[i, j] = whence.position[i, j]
        for j in range(4):
            end.orientation[i, j] = whence.orientation[i, j]
    _, _, points = places_of(words, named)
    put(out, points, first[points : points + 11 * c])
    out[KINETIC], out[WEIGHT] = energies_of(words, end)
    out[DEEPEST], energy = first[DEEPEST], 0.0
    if entries[STORED_ENTRY]:
        h, middle = table(words, AT.rules, StepRules).h, table(words, CURVE_AT.rules, CurveRules).middle
        measured = halfway(bodies, h, end) if middle else end
        energy, _ = call_stored(entries[STORED_ENTRY], (table(words, AT.springs, SpringTable), measured))
    out[WORK_AT + FORCES] += energy - out[STORED]
    out[STORED] = energy
    named[STATUS], named[LATE], named[STRUCK] = TAKEN, first_named[LATE], 1
    named[MISSING], named[PASSES] = first_named[MISSING], first_named[PASSES]
    return out, named


@kernel
def _reached(words, state, way, contacts, struck, tied):
    """Share of the step until the first blow that reaches each movable body, on the way to the velocities of `way`."""
    bodies, h = table(words, AT.bodies, BodyTable), table(words, AT.rules, StepRules).h
    shares, share = np.empty(len(struck)), np.empty(len(bodies.mass))
    blows.put_shares(contacts, struck, _arrays(state), _arrays(way), h, shares)
    one, other = _links(table(words, AT.rows, RowTable))
    blows.reach(bodies.place, contacts, tied, shares, one, other, share)
    return share


@kernel
def _stopped(address, words, entries, options, numbers, integers, posed, struck, push):
    """The step solved again with contacts that struck at a stop, and with impulses that push from the start."""
    bodies, state = table(words, AT.bodies, BodyTable), state_of(numbers, len(table(words, AT.bodies, BodyTable).place))
    stopped, momentum = array_at(words, CURVE_AT.stopped, "b1"), table(words, AT.inertia, Inertia).momentum
    before, gaps, c = momentum.copy(), posed.contacts.gap.copy(), posed.contacts
    for i in range(len(struck)):
        stopped[i], gaps[i] = struck[i], 0.0 if struck[i] else gaps[i]
    still = Contacts(c.body_a, c.body_b, c.point_a, c.point_b, c.normal, gaps, c.friction)
    blows.add_push(bodies.place, touching(c), _arrays(state), push, momentum)
    found, named = _taken(address, words, entries, options, numbers, integers, Listed(still, posed.identity))
    stopped[:] = False
    put(momentum, 0, before)
    array_at(words, CURVE_AT.next, "f1")[:] = 0.0
    return found, named


@kernel
def _answer_of(words, state, found, named):
    """The state with the velocities of the answer of a record."""
    bodies = table(words, AT.bodies, BodyTable)
    first, _, _ = places_of(words, named)
    return moving(bodies, state, found[first : first + 6 * len(bodies.mass)])


@kernel
def after_blows(address, words, entries, options, numbers, integers, found, named):
    """The record of a step with the velocities after its blows; as it is where they are those."""
    bodies, count = table(words, AT.bodies, BodyTable), named[CONTACTS]
    struck, left, tied = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty(count, np.bool_)
    _, sideways = _mark(words, numbers, found, named, struck, left)
    _, impulses, points = places_of(words, named)
    state, listed = state_of(numbers, len(bodies.place)), contacts_of_record(found, named, points, count)
    touch, steps, carried, way = touching(listed.contacts), named[ITERATIONS], np.zeros((count, 3)), state
    if left.any():
        others = chosen(listed, ~struck)
        without, without_named = _taken(address, words, entries, options, numbers, integers, others)
        if without_named[STATUS] > LOOK_AGAIN:
            return without, without_named
        _put_carried(words, without, without_named, struck, carried)
        way = _answer_of(words, state, without, without_named)
        steps += without_named[ITERATIONS]
    kept, push = np.empty(count), np.zeros((count, 3))
    for i in range(count):
        kept[i] = found[impulses + 3 * i]
        tied[i] = struck[i] or left[i] or kept[i] > 0.0
    share = _reached(words, state, way, touch, struck, tied)
    pushes, turned, posed = blows.put_push(bodies.place, touch, left, share, carried, kept, push), False, listed
    if sideways or pushes:
        posed, turned, missing = _turned(words, entries, state, listed, struck, share, pushes)
        if missing >= 0:
            return failed(LOAD, missing)
    if not (pushes or turned):
        named[ITERATIONS] = steps
        return found, named
    after, after_named = _stopped(address, words, entries, options, numbers, integers, posed, struck, push)
    if after_named[STATUS] > LOOK_AGAIN:
        return after, after_named
    after_named[ITERATIONS] += steps
    _put_work(bodies, state, _answer_of(words, state, after, after_named), listed.contacts, push, after)
    return _joined(words, entries, found, named, after, after_named, push)


AFTER_BLOWS = Convention((I, I1, I1, I1, F1, I1, F1, I1), RECORD, after_blows)
call_after_blows = AFTER_BLOWS.call
