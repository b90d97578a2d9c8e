"""Contacts that the answer of a compiled step brings about; the mathematics is that of `stepping.new_contacts`,
`stepping.swept_contacts` and `stepping.tumbling`."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import types

from signorini.kernels.arena import array_at, table
from signorini.kernels.bodies.gyroscopic import rotate_freely
from signorini.kernels.by_address import Convention
from signorini.kernels.collision.identity import PART_BITS, pair_of
from signorini.kernels.collision.new_contacts import least_fresh_gap
from signorini.kernels.compile import kernel
from signorini.kernels.step.contact_lists import Listed, chosen, merged
from signorini.kernels.step.curve import move, tumblers
from signorini.kernels.step.detect import near_pairs, ordered, place_shapes, raw_contacts
from signorini.kernels.step.packed import AT, CONTACTS, CURVE_AT, F1, I1, STATE, B, F, I, LookRules, Scene
from signorini.kernels.step.recheck import moving
from signorini.kernels.step.swept import sweep_of, tuple_of, with_swept
from signorini.kernels.step.tables import BodyTable, CurveRules, Inertia, State, StepRules

FAR = 0.05
"""Turns in a step [rad] beyond which a body tumbles."""
COMPLETE, RENEWED, ON_ROUND = -1, -2, -3
"""How a look ends: no contact is missing; some were; some of those are on a round face. Others name a kernel that has
to be loaded."""


@kernel
def _with_new(words, entries, known, started, approach):
    """Contacts and those that bodies moving with the velocities of the answer overlap without; how the look ends."""
    scene, rules = table(words, AT.scene, Scene), table(words, AT.look, LookRules)
    h = table(words, AT.rules, StepRules).h
    place_shapes(scene, started)
    found, count, missing = raw_contacts(scene, entries, near_pairs(scene, h))
    if missing >= 0:
        return known, missing
    c, names, any_round = ordered(scene, found, count)
    fresh, sides, points = np.empty(count, np.bool_), (c.body_a, c.body_b), (c.point_a, c.point_b)
    least = least_fresh_gap(known.identity, names, sides, points, c.normal, c.gap, tuple_of(started), h, fresh)
    if not least < -max(rules.small * scene.margin, h * approach):
        return known, COMPLETE
    return merged(known, chosen(Listed(c, names), fresh)), ON_ROUND if any_round else RENEWED


@kernel
def _without_repeats(contacts, known, swept):
    """`contacts` without those of pairs that are `swept`, unless they are `known`; whether others are left."""
    marks, any_new = np.ones(len(contacts.identity), np.bool_), False
    for k in range(len(marks)):
        name, is_new, repeated = contacts.identity[k], True, False
        for i in range(len(known.identity)):
            is_new = is_new and known.identity[i] != name
        for i in range(len(swept.identity)):
            repeated = repeated or pair_of(swept.identity[i], PART_BITS) == pair_of(name, PART_BITS)
        marks[k] = not (is_new and repeated)
        any_new = any_new or (is_new and not repeated)
    return chosen(contacts, marks), any_new


@kernel
def _turn_far(bodies, state, v, h):
    """Bodies that turn far in the step before or after it changes their velocities."""
    far = np.empty(len(bodies.place), np.bool_)
    for i in range(len(far)):
        before, after, k = 0.0, 0.0, bodies.place[i]
        for j in range(3):
            before += state.spin[i, j] ** 2
            after += v[6 * k + 3 + j] ** 2 if k >= 0 else 0.0
        far[i] = h * sqrt(max(before, after)) > FAR
    return far


@kernel
def _end_of(words, state, v):
    """The end of a step with velocities v."""
    bodies, h = table(words, AT.bodies, BodyTable), table(words, AT.rules, StepRules).h
    freely = np.empty(len(bodies.wobbling), np.int64)
    curved = table(words, CURVE_AT.rules, CurveRules).curved
    count = tumblers(bodies.wobbling, array_at(words, CURVE_AT.tumbling, "b1"), False, freely) if curved else 0
    end = State(state.position.copy(), state.orientation.copy(), state.velocity.copy(), state.spin.copy())
    move(bodies, state, v.reshape(-1, 6), h, freely[:count], end)
    return end


@kernel
def _let_tumble(words, state, far, swept):
    """Turn bodies that turn far and are met on the way to first order; whether any was not before.

    Their gyroscopic torque joins the momentum.
    """
    bodies, inertia = table(words, AT.bodies, BodyTable), table(words, AT.inertia, Inertia)
    tumbling, met = array_at(words, CURVE_AT.tumbling, "b1"), np.zeros(len(bodies.movable), np.bool_)
    for k in range(len(swept.identity)):
        for i in (swept.contacts.body_a[k], swept.contacts.body_b[k]):
            if far[i] and bodies.place[i] >= 0:
                met[bodies.place[i]] = True
    which, count = np.empty(len(bodies.wobbling), np.int64), 0
    for k in bodies.wobbling:
        if met[k] and not tumbling[k]:
            which[count] = k
            count += 1
    spin = np.empty((len(bodies.movable), 3))
    for k in range(len(spin)):
        for j in range(3):
            spin[k, j] = state.spin[bodies.movable[k], j]
    rotate_freely(which[:count], bodies.inertia, table(words, AT.rules, StepRules).h, spin)
    for k in which[:count]:
        tumbling[k] = True
        for j in range(3):
            for i in range(3):
                gained = spin[k, i] - state.spin[bodies.movable[k], i]
                inertia.momentum[6 * k + 3 + j] += bodies.inertia[k, j, i] * gained
    return count > 0


@kernel
def _met(words, entries, known, swept, state, v, far):
    """`with_swept` of the sweep that velocities v make."""
    bodies, h = table(words, AT.bodies, BodyTable), table(words, AT.rules, StepRules).h
    sweep = sweep_of(moving(bodies, state, v), _end_of(words, state, v), far, h, known)
    return with_swept(words, entries, sweep, swept)


@kernel
def renew(words, entries, contacts, identity, met, met_identity, state, v, change, approach, passes):
    """Contacts of a step with those that its answer brings about, and those met on the way, and how the look ends.

    `v`, `change`, `approach` and `passes` are those of `Finished`; on entry `met` are those of the contacts that were
    found on the way, with their points where they are at the beginning of the step.
    """
    bodies, scene = table(words, AT.bodies, BodyTable), table(words, AT.scene, Scene)
    known, swept, how = Listed(contacts, identity), Listed(met, met_identity), COMPLETE
    h, curved = table(words, AT.rules, StepRules).h, table(words, CURVE_AT.rules, CurveRules).curved != 0
    more, before, far = known, swept, np.ones(len(bodies.place), np.bool_)
    if 2.0 * h * change > scene.margin:
        more, how = _with_new(words, entries, known, moving(bodies, state, v), approach)
        if how == RENEWED and len(swept.identity):
            more, any_new = _without_repeats(more, known, swept)
            how = RENEWED if any_new else COMPLETE
    if curved:
        far = _turn_far(bodies, state, v, h)
    if how == COMPLETE:
        any_met, more, swept, any_round, missing = _met(words, entries, known, swept, state, v, far)
        how = missing if missing >= 0 else ON_ROUND if any_round else RENEWED if any_met else COMPLETE
    if how == COMPLETE and passes:
        more, how = known, RENEWED
    if passes:
        near = array_at(words, AT.near, "b1")
        near[:] = True
    if how == RENEWED and curved and _let_tumble(words, state, far, swept):
        any_met, more, swept, any_round, missing = _met(words, entries, known, before, state, v, far)
        how = missing if missing >= 0 else ON_ROUND if any_round else RENEWED
    return how, more.contacts, more.identity, swept.contacts, swept.identity


RENEW = Convention(
    (I1, I1, CONTACTS, I1, CONTACTS, I1, STATE, F1, F, F, B), types.Tuple((I, CONTACTS, I1, CONTACTS, I1)), renew
)  # fmt: skip
call_renew = RENEW.call
