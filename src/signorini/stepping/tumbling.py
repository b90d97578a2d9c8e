"""Bodies that are met while they turn far in a step.

The end of a step to second order turns bodies with different moments of inertia freely: what they turn by is not h
times the solved angular velocity, and differs from it by about the square of the turn. Contacts along the way (see
`stepping.swept_contacts`) have rows and gaps that are linear in the turn by the solved velocity. For bodies that turn
far the two disagree by centimetres, which would be pushed out as speed. Such bodies are therefore turned by the solved
velocity in the step in which they are met, with their gyroscopic torque in the momentum before it, as in steps to first
order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.kernels.step.renew import FAR
from signorini.math.sparse import Array, Indices
from signorini.model.state import State


def turns_far(masses: Masses, start: State, velocity: Array, h: float) -> NDArray[np.bool_]:
    """Which bodies turn far in a step before or after it changes their velocities, shape (bodies,).

    `velocity` is the mean one of the step.
    """
    fastest = np.linalg.norm(start.angular_velocity, axis=1)
    after = velocity[: 6 * len(masses.movable)].reshape(-1, 6)[:, 3:]
    fastest[masses.movable] = np.maximum(fastest[masses.movable], np.linalg.norm(after, axis=1))
    return np.asarray(h * fastest > FAR)


def tumbling(masses: Masses, far: NDArray[np.bool_], swept: Contacts) -> Indices:
    """Places among the movable bodies of those with contacts along the way, and gyroscopic torque, that turn far."""
    met = np.unique(np.concatenate((swept.body_a, swept.body_b)))
    return np.intersect1d(masses.place[met[far[met]]], masses.wobbling)
