"""Momenta, energies and sanity of rigid bodies, one pass over the bodies each."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel


@kernel
def momenta(movable, mass, inertia, velocity, spin, fall, out):
    """out = (m (v + fall), I w) of the movable bodies, 6 each; spin has one row per movable body, velocity per body."""
    for k in range(len(movable)):
        i = movable[k]
        for j in range(3):
            out[k, j] = mass[k] * (velocity[i, j] + fall[j])
            out[k, 3 + j] = (
                inertia[k, j, 0] * spin[k, 0] + inertia[k, j, 1] * spin[k, 1] + inertia[k, j, 2] * spin[k, 2]
            )


@kernel
def energies(movable, mass, inertia, gravity, position, velocity, spin):
    """Kinetic energy of the movable bodies, and their potential energy in the field of gravity, 0 at the origin.

    mass and inertia have one row per movable body, the others one per body.
    """
    kinetic, potential = 0.0, 0.0
    for k in range(len(movable)):
        i = movable[k]
        square, turning, height = 0.0, 0.0, 0.0
        for j in range(3):
            square += velocity[i, j] * velocity[i, j]
            height += gravity[j] * position[i, j]
            for q in range(3):
                turning += spin[i, j] * inertia[k, j, q] * spin[i, q]
        kinetic += 0.5 * (mass[k] * square + turning)
        potential -= mass[k] * height
    return kinetic, potential


@kernel
def first_unsound(position, orientation, velocity, spin):
    """The first body with a number that is not finite, -1 without any."""
    for i in range(len(position)):
        total = orientation[i, 0] + orientation[i, 1] + orientation[i, 2] + orientation[i, 3]
        for j in range(3):
            total += position[i, j] + velocity[i, j] + spin[i, j]
        if not math.isfinite(total):
            return i
    return -1


@kernel
def largest_change(movable, reach, old_velocity, old_spin, new):
    """Largest change of speed of any point of a body [m/s]; new has 6 velocities per movable body."""
    found = 0.0
    for k in range(len(movable)):
        i = movable[k]
        change, turn = 0.0, 0.0
        for j in range(3):
            change += (new[k, j] - old_velocity[i, j]) ** 2
            turn += (new[k, 3 + j] - old_spin[i, j]) ** 2
        found = max(found, math.sqrt(change) + reach[k] * math.sqrt(turn))
    return found


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
