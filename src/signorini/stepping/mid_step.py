"""The middle of a step, where its velocities belong: there the energy of free motion and oscillation is conserved."""

from __future__ import annotations

import numpy as np

from signorini.assembly.assemble import Assembler
from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import mechanical_energy, weight_energies
from signorini.kernels.bodies import poses
from signorini.kernels.threads.team import team
from signorini.model.state import State


def energy(assembler: Assembler, end: State, h: float) -> tuple[float, float]:
    """Kinetic energy, and that of weight and springs half a step before the end of a step of h [s] [J]."""
    model, masses = assembler.model, assembler.masses
    if model.stiff_forces:
        return mechanical_energy(model, masses, None, halfway(end, masses, h))
    kinetic, potential, power = weight_energies(model, masses, end)
    return kinetic, potential + 0.5 * h * power


def halfway(end: State, masses: Masses, h: float) -> State:
    """Half a step before the end of a step of h [s], on the way of its velocities."""
    new, movable = end.copy(), masses.movable
    velocity = np.hstack((end.velocity[movable], end.angular_velocity[movable]))
    moved = (new.position, new.orientation, new.velocity, new.angular_velocity)
    poses.advance(team(len(movable)), movable, velocity, -0.5 * h, *moved)
    return new
