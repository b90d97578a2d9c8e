"""Steps of many worlds in one call, each from a row of its own; threads share the worlds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from signorini.kernels.arena import declare, table
from signorini.kernels.bodies.contact_jacobian import world_vectors
from signorini.kernels.bodies.servos import ServoTable
from signorini.kernels.compile import kernel
from signorini.kernels.step.many import take_next
from signorini.kernels.step.packed import AT
from signorini.kernels.step.record import (
    CONTACTS,
    FASTEST_SPIN,
    HEAD,
    KINETIC,
    LATE,
    MISSING,
    ROWS,
    STATUS,
    STORED,
    STRUCK,
    WEIGHT,
    put,
    state_of,
)  # fmt: skip
from signorini.kernels.step.tables import BodyTable, Curve, RowTable, StepRules
from signorini.kernels.step.whole import REMEMBERS, SWINGS, TAKEN, WHOLE
from signorini.kernels.threads.parts import first_of, parts_of, shared


class World(NamedTuple):
    """What the call that takes one step gets."""

    words: np.ndarray
    entries: np.ndarray
    options: np.ndarray


declare(World, "i1", "i1", "i1")
WIDTH = 6
"""Integers of a packed world: an address and a length for each array."""


class Rows(NamedTuple):
    """All worlds, a row each."""

    numbers: np.ndarray
    """Record of the last step (see `record`) and room behind it, shape (worlds, room)."""
    integers: np.ndarray
    lengths: np.ndarray
    """Of the two parts of the record, shape (worlds, 2)."""
    number: np.ndarray
    """Of the last step."""
    time: np.ndarray
    """Now, and at the beginning of the last step [s], shape (2, worlds)."""
    left: np.ndarray
    """Steps to take."""
    why: np.ndarray
    """How the call ended for a world: `TAKEN`, or why a step is left to Python; see `whole` and below."""
    detail: np.ndarray
    """The entry to load, or how long a record is that has no room, shape (worlds, 2)."""
    watch: np.ndarray
    """What is known of the energies so far, shape (worlds, WATCHED)."""
    force: np.ndarray
    """Of contacts on each body in the last step [N], shape (worlds, bodies, 3)."""


class Controls(NamedTuple):
    """What is set before the steps."""

    timed: np.ndarray
    """See `many.take_next`."""
    schedule: np.ndarray
    """(target, rate, force) of the rows `timed` at the beginning and the end of each step, or of all of them, shape
    (worlds, 2, steps or 1, timed, 3)."""
    servos: np.ndarray
    """Target, speed and effort of each servo, shape (worlds, servos, 3)."""


END_LATE, WOUND, NO_ROOM, NEWS = SWINGS + 1, SWINGS + 2, SWINGS + 3, SWINGS + 4
"""Why a world stops: the end of a step is to be corrected; a spring is wound too far; the row is too short for the
record; a step was taken that the watch of the run has to look at."""
(
    MOST_KINETIC, LEAST_POTENTIAL, MOST_POTENTIAL, LEAST_ENERGY, KINETIC_SEEN, LEAST_SEEN, MOST_SEEN, LITTLE,
    GROWTH, RESOLVED, MOST_TURN,
) = range(11)  # fmt: skip
WATCHED = 11
"""Numbers of `simulation.step_watch` [J]: extremes of all steps; of those that the energy is compared in; what growth
is too little to speak of, inf where nobody asks; shares of what moves and of the potential that growth is judged by;
the turn of a body in a step that is told [rad]."""
LEAST_READ = 16
"""Worlds of a part of the loop that reads them."""


@kernel
def _is_news(watch, found, bodies, h):
    """Count the energies of a step; whether they have grown, or a body has turned too far, as the watch says."""
    kinetic, potential = found[KINETIC], found[WEIGHT] + found[STORED]
    watch[MOST_KINETIC] = max(watch[MOST_KINETIC], kinetic)
    watch[LEAST_POTENTIAL] = min(watch[LEAST_POTENTIAL], potential)
    watch[MOST_POTENTIAL] = max(watch[MOST_POTENTIAL], potential)
    turns = False
    if found[FASTEST_SPIN] * h > 0.5 * watch[MOST_TURN]:
        for spin in state_of(found, bodies).spin:
            turn = h * math.sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2])
            turns = turns or turn > watch[MOST_TURN]
    if watch[LITTLE] == math.inf:
        return turns
    growth = kinetic + potential - watch[LEAST_ENERGY]
    watch[LEAST_ENERGY] = min(watch[LEAST_ENERGY], kinetic + potential)
    watch[KINETIC_SEEN] = max(watch[KINETIC_SEEN], kinetic)
    watch[LEAST_SEEN], watch[MOST_SEEN] = min(watch[LEAST_SEEN], potential), max(watch[MOST_SEEN], potential)
    low, high = watch[LEAST_SEEN], watch[MOST_SEEN]
    moving, size = watch[KINETIC_SEEN] + high - low, watch[RESOLVED] * max(abs(low), abs(high))
    return turns or (growth > watch[LITTLE] and growth > max(watch[GROWTH] * moving, size))


@kernel
def _reason(integers):
    """Why a step is left to Python."""
    if integers[STATUS] != TAKEN:
        return integers[STATUS]
    return END_LATE if integers[LATE] else WOUND


@kernel
def _put_forces(words, numbers, integers, h, out):
    """Sums of the contact forces on each body in a step."""
    bodies, rows = table(words, AT.bodies, BodyTable), table(words, AT.rows, RowTable)
    c, velocities = integers[CONTACTS], 6 * len(bodies.mass)
    out[:] = 0.0
    if c == 0:
        return
    first = HEAD + 13 * len(bodies.place) + rows.limits + rows.frictions + velocities + rows.joints
    normals = first + integers[ROWS] + 6 * c
    force = np.empty((c, 3))
    impulse = numbers[first : first + 3 * c].reshape(c, 3)
    if integers[STRUCK]:
        impulse = impulse + numbers[len(numbers) - 3 * c :].reshape(c, 3)
    world_vectors(numbers[normals : normals + 3 * c].reshape(c, 3), impulse, force)
    for i in range(c):
        for j in range(3):
            force[i, j] /= h
            out[integers[HEAD + c + i], j] += force[i, j]
    for i in range(c):
        for j in range(3):
            out[integers[HEAD + 2 * c + i], j] -= force[i, j]


@kernel
def _set_servos(words, values):
    """Put what servos follow into their table."""
    servos = table(words, AT.servos, ServoTable)
    for j in range(len(servos.target)):
        servos.target[j], servos.speed[j], servos.effort[j] = values[j, 0], values[j, 1], values[j, 2]


@kernel
def _take_world(part, address, chosen, packed, asked, remembers, controls, rows):
    """Steps of one world, until none is left, or one that needs Python; its row holds the last one."""
    k = chosen[part]
    world = table(packed, k * WIDTH, World)
    words, options, schedule, watch = world.words, world.options, controls.schedule[k], rows.watch[k]
    curve, own = table(words, AT.curve, Curve), (words, world.entries, options)
    h, bodies = table(words, AT.rules, StepRules).h, len(table(words, AT.bodies, BodyTable).place)
    numbers, integers = rows.numbers[k][: rows.lengths[k, 0]], rows.integers[k][: rows.lengths[k, 1]]
    _set_servos(words, controls.servos[k])
    count, done, why = rows.left[k], 0, TAKEN
    while done < count and why == TAKEN:
        at = min(asked[k] - count + done, schedule.shape[1] - 1)
        options[WHOLE] = done == count - 1
        found, named, taken = take_next(
            address, own, numbers, integers, controls.timed, schedule[0, at], schedule[1, at]
        )  # fmt: skip
        if not taken:
            why, rows.detail[k, 0] = _reason(named), named[MISSING]
        elif len(found) > rows.numbers.shape[1] or len(named) > rows.integers.shape[1]:
            why, rows.detail[k, 0], rows.detail[k, 1] = NO_ROOM, len(found), len(named)
        else:
            numbers, integers, done = found, named, done + 1
            options[REMEMBERS] = remembers
            if curve.rules.curved:
                put(curve.change, 0, curve.next)
            if _is_news(watch, found, bodies, h):
                why = NEWS
    options[WHOLE] = 1
    rows.why[k] = why
    if done == 0:
        return
    put(rows.numbers[k], 0, numbers)
    put(rows.integers[k], 0, integers)
    rows.lengths[k, 0], rows.lengths[k, 1] = len(numbers), len(integers)
    rows.left[k] -= done
    rows.number[k] += done
    rows.time[1, k] = rows.time[0, k] if done == 1 else (rows.number[k] - 1) * h
    rows.time[0, k] = rows.number[k] * h
    _put_forces(words, numbers, integers, h, rows.force[k])


_take_each = shared(_take_world)


@kernel
def take_worlds(team, address, chosen, packed, asked, remembers, controls, rows):
    """Take the steps that are left to the worlds `chosen`, of those that were asked of each.

    `packed` has a `World` for each; `remembers` says whether steps start from the impulses of the one before.
    """
    _take_each(team, len(chosen), (address, chosen, packed, asked, remembers, controls, rows))


@kernel
def _read_part(part, parts, numbers, force, out):
    """`read_worlds` of one part of the worlds."""
    count = len(force)
    position, orientation, velocity, spin, pushed = out
    for k in range(first_of(part, parts, count), first_of(part + 1, parts, count)):
        state = state_of(numbers[k], force.shape[1])
        position[k], orientation[k] = state.position, state.orientation
        velocity[k], spin[k], pushed[k] = state.velocity, state.spin, force[k]


_read_each = shared(_read_part)


@kernel
def read_worlds(team, rows):
    """Positions, orientations, velocities, angular velocities of the bodies of all worlds, forces of contacts."""
    worlds, bodies, _ = rows.force.shape
    three, parts = (worlds, bodies, 3), parts_of(worlds, LEAST_READ)
    out = (np.empty(three), np.empty((worlds, bodies, 4)), np.empty(three), np.empty(three), np.empty(three))
    _read_each(team, parts, (parts, rows.numbers, rows.force, out))
    return out
