"""A step as two flat arrays: what Python makes its objects from when they are looked at, and where the next one starts.

Numbers: `HEAD` of them, then, with B bodies, n unknown velocities, m joint rows, L limits, F brakes, c contacts, r rows
of unilateral impulses in k blocks:

    position 3B, orientation 4B, velocity 3B, spin 3B, limit impulses L, brake impulses F, v n, gamma m, impulses r,
    point_a 3c, point_b 3c, normal 3c, gap c, friction c,
    momentum n, b_gamma m, b_lambda r, mu k, ends 2k, C.data, D.data, stiff n^2 (0 without springs),
    push 3c (where supports pushed until a blow: impulses in the momentum)

Integers: `HEAD` of them, then identity c, body_a c, body_b c, near L + F, start k + 1, D.indptr r + 1, D.indices.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.compile import kernel
from signorini.kernels.step.packed import AT
from signorini.kernels.step.tables import BodyTable, RowTable, State

HEAD = 24
KINETIC, WEIGHT, STORED, ERROR, CHANGE, APPROACH, FASTEST_SPIN, DEEPEST = range(8)
"""Numbers: energies [J], error of the answer, `Finished.change` and `approach`, largest entry of a spin [rad/s],
deepest penetration [m]; then the seconds of four stages."""
STAGES_AT = 8
DETECTED, ASSEMBLED, SOLVED, ADVANCED = range(STAGES_AT, STAGES_AT + 4)
WORK_AT = STAGES_AT + 4
"""Then the work on the bodies in the step [J], `work.KINDS` numbers."""
STATUS, MISSING, ITERATIONS, CONTACTS, ROWS, BLOCKS, ENTRIES, PASSES, LATE, STRUCK = range(10)
"""Integers: how it ended, the entry that is missing, sizes c, r, k and those of D, whether a limit was
passed, whether the end of the step is to be corrected, whether supports pushed until a blow (see `blows`)."""


@kernel
def state_of(numbers, bodies):
    """The state at the front of a record."""
    at, B = HEAD, bodies
    return State(
        numbers[at : at + 3 * B].reshape(B, 3), numbers[at + 3 * B : at + 7 * B].reshape(B, 4),
        numbers[at + 7 * B : at + 10 * B].reshape(B, 3), numbers[at + 10 * B : at + 13 * B].reshape(B, 3),
    )  # fmt: skip


@kernel
def places_of(words, named):
    """Where velocities of the answer, the impulses and the points of contacts begin in a record."""
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    first = HEAD + 13 * len(bodies.place) + rows.limits + rows.frictions
    impulses = first + 6 * len(bodies.mass) + rows.joints
    return first, impulses, impulses + named[ROWS]


@kernel
def put(out, at, values):
    """Write an array at a place; the next place."""
    for k in range(len(values)):
        out[at + k] = values[k]
    return at + len(values)


@kernel
def room_for(bodies, rows, prepared, contacts, stiff, whole):
    """Empty arrays for a step; with `whole`, also for its problem."""
    n, m, c = len(prepared.free), rows.joints, len(contacts.gap)
    r, k = len(prepared.b_lambda), len(prepared.mu)
    others = rows.limits + rows.frictions
    numbers, integers = HEAD + 13 * bodies + others + n + m + r + 11 * c, HEAD + 3 * c + others
    if whole:
        numbers += n + m + r + 3 * k + len(prepared.C.data) + len(prepared.D.data) + stiff.size
        integers += k + 1 + r + 1 + len(prepared.D.indices)
    return np.empty(numbers), np.empty(integers, np.int64)


@kernel
def put_answer(numbers, integers, bodies, rows, near, contacts, identity, impulse, finished):
    """Write what every step leaves; the next places."""
    c, at = len(contacts.gap), HEAD + 13 * bodies
    own = 3 * c
    for i in range(rows.limits):
        numbers[at + i] = impulse[own] if near[i] else 0.0
        own += near[i]
    at = put(numbers, at + rows.limits, impulse[own:])
    at = put(numbers, put(numbers, put(numbers, at, finished.v), finished.gamma), impulse)
    for vectors in (contacts.point_a, contacts.point_b, contacts.normal):
        at = put(numbers, at, vectors.reshape(-1))
    at = put(numbers, put(numbers, at, contacts.gap), contacts.friction)
    to = put(integers, put(integers, put(integers, HEAD, identity), contacts.body_a), contacts.body_b)
    return at, put(integers, to, near)


@kernel
def put_problem(numbers, integers, at, to, prepared, inertia):
    """Write the problem of a step."""
    at = put(numbers, put(numbers, at, inertia.momentum), prepared.b_gamma)
    at = put(numbers, put(numbers, at, prepared.b_lambda), prepared.mu)
    at = put(numbers, put(numbers, at, prepared.ends.reshape(-1)), prepared.C.data)
    at = put(numbers, put(numbers, at, prepared.D.data), inertia.stiff.reshape(-1))
    put(integers, put(integers, put(integers, to, prepared.start), prepared.D.indptr), prepared.D.indices)


@kernel
def put_heads(numbers, integers, bodies, prepared, contacts, finished, weight, stored):
    """Write the numbers in front."""
    numbers[KINETIC], numbers[WEIGHT], numbers[STORED] = finished.kinetic, weight, stored
    numbers[ERROR], numbers[CHANGE], numbers[APPROACH] = finished.error, finished.change, finished.approach
    fastest, deepest = 0.0, 0.0
    for k in range(HEAD + 10 * bodies, HEAD + 13 * bodies):
        fastest = max(fastest, abs(numbers[k]))
    for gap in contacts.gap:
        deepest = max(deepest, -gap)
    numbers[FASTEST_SPIN], numbers[DEEPEST] = fastest, deepest
    for k in range(len(finished.work)):
        numbers[WORK_AT + k] = finished.work[k]
    integers[CONTACTS], integers[ROWS] = len(contacts.gap), len(prepared.b_lambda)
    integers[BLOCKS], integers[ENTRIES], integers[PASSES] = len(prepared.mu), len(prepared.D.data), finished.passes
    integers[STRUCK] = 0


@kernel
def put_times(numbers, detect, assemble, solve, advance):
    """Write the seconds of the stages."""
    numbers[DETECTED], numbers[ASSEMBLED], numbers[SOLVED], numbers[ADVANCED] = detect, assemble, solve, advance
