"""Bodies with large rotations and new contacts in the same step.

A second-order step rotates bodies with different moments of inertia freely: their rotation is not h times the solved
angular velocity, and differs from it by about the square of the rotation. Swept contacts (see
`stepping.swept_contacts`) have rows and gaps that are linear in the rotation by the solved velocity. For large
rotations the two disagree by centimetres, which would be pushed out as speed. Such bodies are therefore rotated by the
solved velocity in the step of their new contacts, with their gyroscopic torque in the momentum before it, as in
first-order steps.
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
    """Which bodies have large rotations by their velocities before or after the step, shape (bodies,).

    `velocity` is the mean one of the step.
    """
    fastest = np.linalg.norm(start.angular_velocity, axis=1)
    after = velocity[: 6 * len(masses.movable)].reshape(-1, 6)[:, 3:]
    fastest[masses.movable] = np.maximum(fastest[masses.movable], np.linalg.norm(after, axis=1))
    return np.asarray(h * fastest > FAR)


def tumbling(masses: Masses, far: NDArray[np.bool_], swept: Contacts) -> Indices:
    """Places among the movable bodies of those with large rotations, swept contacts and gyroscopic torque."""
    met = np.unique(np.concatenate((swept.body_a, swept.body_b)))
    return np.intersect1d(masses.place[met[far[met]]], masses.wobbling)
