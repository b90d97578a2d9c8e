"""A step solved again with the contacts that its answers bring about, until none is missing."""

from __future__ import annotations

from signorini.kernels import stack
from signorini.kernels.arena import array_at, table
from signorini.kernels.compile import kernel
from signorini.kernels.step.blows import call_after_blows, has_blows
from signorini.kernels.step.contact_lists import Listed, as_given, contacts_of_record, room_for_contacts
from signorini.kernels.step.packed import AT, BLOWS_ENTRY, CURVE_AT, RENEW_ENTRY
from signorini.kernels.step.record import (
    APPROACH,
    CHANGE,
    CONTACTS,
    ITERATIONS,
    PASSES,
    STATUS,
    places_of,
    state_of,
)  # fmt: skip
from signorini.kernels.step.renew import COMPLETE, ON_ROUND, RENEWED, call_renew
from signorini.kernels.step.tables import BodyTable
from signorini.kernels.step.whole import AGAIN, GIVEN, LOAD, LOOK_AGAIN, LOOKS, ROUND, TAKEN, call_take, failed

MOST_ROUNDS = 16
"""A chain of hits reaches one neighbour further with each round."""


@kernel
def _with_missing(address, words, entries, options, numbers, integers, found, named):
    """The record of a step that may lack contacts, solved again until none is missing."""
    bodies, iterations = table(words, AT.bodies, BodyTable), named[ITERATIONS]
    state, swept = state_of(numbers, len(bodies.place)), room_for_contacts(0)
    nothing, none = stack.vector(0), stack.integers(0)
    for _ in range(MOST_ROUNDS - 1):
        if entries[RENEW_ENTRY] == 0:
            found, named = failed(LOAD, RENEW_ENTRY)
            break
        v, _, points = places_of(words, named)
        known = contacts_of_record(found, named, points, named[CONTACTS])
        how, contacts, identity, met, met_identity = call_renew(entries[RENEW_ENTRY], (
            words, entries, known.contacts, known.identity, swept.contacts, swept.identity, state,
            found[v : v + 6 * len(bodies.mass)], found[CHANGE], found[APPROACH], named[PASSES] != 0,
        ))  # fmt: skip
        if how == COMPLETE:
            break
        if how != RENEWED:
            found, named = failed(ROUND if how == ON_ROUND else LOAD, how)
            break
        swept, given = Listed(met, met_identity), as_given(Listed(contacts, identity))
        options[AGAIN] = options[GIVEN] = 1
        arguments = (words, entries, options, numbers, integers, given[0], given[1], nothing, none)
        found, named = call_take(address, arguments)
        if named[STATUS] <= LOOK_AGAIN:
            iterations += named[ITERATIONS]
        if named[STATUS] != LOOK_AGAIN:
            break
    options[AGAIN] = options[GIVEN] = 0
    if named[STATUS] == LOOK_AGAIN:
        named[STATUS] = TAKEN
    if named[STATUS] == TAKEN:
        named[ITERATIONS] = iterations
    return found, named


@kernel
def take_complete(address, words, entries, options, numbers, integers):
    """The record of the step after that of a record, which has all contacts; see `whole.take`."""
    nothing, none = stack.vector(0), stack.integers(0)
    array_at(words, CURVE_AT.tumbling, "b1")[:] = False
    options[AGAIN] = options[GIVEN] = 0
    arguments = (words, entries, options, numbers, integers, nothing, none, nothing, none)
    found, named = call_take(address, arguments)
    if named[STATUS] == LOOK_AGAIN and options[LOOKS]:
        found, named = _with_missing(address, words, entries, options, numbers, integers, found, named)
    if named[STATUS] != TAKEN or not options[LOOKS] or not has_blows(words, numbers, found, named):
        return found, named
    if entries[BLOWS_ENTRY] == 0:
        return failed(LOAD, BLOWS_ENTRY)
    arguments = (address, words, entries, options, numbers, integers, found, named)
    return call_after_blows(entries[BLOWS_ENTRY], arguments)
