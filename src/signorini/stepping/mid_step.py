"""The middle of a step, where its velocities belong: there the energy of what flies, swings or oscillates is kept."""

from __future__ import annotations

import numpy as np

from signorini.assembly.masses import Masses
from signorini.kernels.bodies import poses
from signorini.model.state import State


def halfway(end: State, masses: Masses, h: float) -> State:
    """Half a step before the end of a step of h [s], on the way of its velocities."""
    new, movable = end.copy(), masses.movable
    velocity = np.hstack((end.velocity[movable], end.angular_velocity[movable]))
    poses.advance(movable, velocity, -0.5 * h, new.position, new.orientation, new.velocity, new.angular_velocity)
    return new
