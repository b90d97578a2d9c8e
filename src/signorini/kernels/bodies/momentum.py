"""Momenta, energies and checks of rigid bodies, one pass over the bodies each."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Bodies of a part."""


@kernel
def momenta_part(part, parts, movable, mass, inertia, velocity, spin, fall, out):
    """`momenta` of one part of the bodies."""
    for k in range(first_of(part, parts, len(movable)), first_of(part + 1, parts, len(movable))):
        i = movable[k]
        for j in range(3):
            out[k, j] = mass[k] * (velocity[i, j] + fall[j])
            out[k, 3 + j] = (
                inertia[k, j, 0] * spin[k, 0] + inertia[k, j, 1] * spin[k, 1] + inertia[k, j, 2] * spin[k, 2]
            )


momenta_by_team = shared(momenta_part)


@kernel
def momenta(team, movable, mass, inertia, velocity, spin, fall, out):
    """out = (m (v + fall), I w) of the movable bodies, 6 each; spin has one row per movable body, velocity per body."""
    parts = parts_of(len(movable), LEAST)
    momenta_by_team(team, parts, (parts, movable, mass, inertia, velocity, spin, fall, out))


@kernel
def energies_part(part, parts, movable, mass, inertia, gravity, position, velocity, spin, sums):
    """`energies` of one part of the bodies."""
    kinetic, potential, falling = 0.0, 0.0, 0.0
    for k in range(first_of(part, parts, len(movable)), first_of(part + 1, parts, len(movable))):
        i = movable[k]
        square, turning, height, fall = 0.0, 0.0, 0.0, 0.0
        for j in range(3):
            square += velocity[i, j] * velocity[i, j]
            height += gravity[j] * position[i, j]
            fall += gravity[j] * velocity[i, j]
            for q in range(3):
                turning += spin[i, j] * inertia[k, j, q] * spin[i, q]
        kinetic += 0.5 * (mass[k] * square + turning)
        potential -= mass[k] * height
        falling += mass[k] * fall
    sums[part, 0], sums[part, 1], sums[part, 2] = kinetic, potential, falling


energies_by_team = shared(energies_part)


@kernel
def energies(team, movable, mass, inertia, gravity, position, velocity, spin):
    """Kinetic energy of the movable bodies, their potential energy in the field of gravity, 0 at the origin, and how
    fast that falls.

    mass and inertia have one row per movable body, the others one per body.
    """
    parts = parts_of(len(movable), LEAST)
    sums, kinetic, potential, falling = np.empty((parts, 3)), 0.0, 0.0, 0.0
    energies_by_team(team, parts, (parts, movable, mass, inertia, gravity, position, velocity, spin, sums))
    for part in range(parts):
        kinetic, potential = kinetic + sums[part, 0], potential + sums[part, 1]
        falling += sums[part, 2]
    return kinetic, potential, falling


@shared
@kernel
def gather_part(part, parts, movable, velocity, spin, out):
    """`gather` of one part of the bodies."""
    for k in range(first_of(part, parts, len(movable)), first_of(part + 1, parts, len(movable))):
        i = movable[k]
        for j in range(3):
            out[k, j], out[k, 3 + j] = velocity[i, j], spin[i, j]


@kernel
def gather(team, movable, velocity, spin, out):
    """Velocities and spins of the movable bodies, 6 each."""
    parts = parts_of(len(movable), LEAST)
    gather_part(team, parts, (parts, movable, velocity, spin, out))


@shared
@kernel
def average_part(part, parts, one, other, out):
    """`average` of one part of the numbers."""
    for k in range(first_of(part, parts, len(out)), first_of(part + 1, parts, len(out))):
        out[k] = 0.5 * (one[k] + other[k])


@kernel
def average(team, one, other, out):
    """The mean of two vectors."""
    parts = parts_of(len(out), 6 * LEAST)
    average_part(team, parts, (parts, one, other, out))


@shared
@kernel
def unsound_part(part, parts, position, orientation, velocity, spin, wrong):
    """`first_unsound` of one part of the bodies."""
    wrong[part] = -1
    for i in range(first_of(part, parts, len(position)), first_of(part + 1, parts, len(position))):
        total = orientation[i, 0] + orientation[i, 1] + orientation[i, 2] + orientation[i, 3]
        for j in range(3):
            total += position[i, j] + velocity[i, j] + spin[i, j]
        if not math.isfinite(total):
            wrong[part] = i
            return


@kernel
def first_unsound(team, position, orientation, velocity, spin):
    """The first body with a number that is not finite, -1 without any."""
    parts = parts_of(len(position), LEAST)
    wrong = np.empty(parts, np.int64)
    unsound_part(team, parts, (parts, position, orientation, velocity, spin, wrong))
    for part in range(parts):
        if wrong[part] >= 0:
            return wrong[part]
    return -1


@kernel
def change_part(part, parts, movable, reach, old_velocity, old_spin, new, largest):
    """`largest_change` of one part of the bodies."""
    found = 0.0
    for k in range(first_of(part, parts, len(movable)), first_of(part + 1, parts, len(movable))):
        i = movable[k]
        change, turn = 0.0, 0.0
        for j in range(3):
            change += (new[k, j] - old_velocity[i, j]) ** 2
            turn += (new[k, 3 + j] - old_spin[i, j]) ** 2
        found = max(found, math.sqrt(change) + reach[k] * math.sqrt(turn))
    largest[part] = found


change_by_team = shared(change_part)


@kernel
def largest_change(team, movable, reach, old_velocity, old_spin, new):
    """Largest change of speed of any point of a body [m/s]; new has 6 velocities per movable body."""
    parts = parts_of(len(movable), LEAST)
    largest = np.empty(parts)
    change_by_team(team, parts, (parts, movable, reach, old_velocity, old_spin, new, largest))
    return largest.max()


@kernel
def turns(place, reach, spin, change, h, least):
    """Whether a body turns so far in a step of h that the path of one of its points bends by more than `least` [m].

    reach (bodies,) is how far points are from the centre [m], 0 where turning moves no surface; change holds what is
    expected to be added to the velocities of the movable bodies, 6 each, or nothing.
    """
    for i in range(len(place)):
        square, k = 0.0, place[i]
        for j in range(3):
            more = change[6 * k + 3 + j] if k >= 0 and len(change) else 0.0
            square += (spin[i, j] + more) ** 2
        if square > 0.0 and 0.5 * reach[i] * h * h * square > least:
            return True
    return False
