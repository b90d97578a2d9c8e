"""Small heavy balls on long arms: the joint, not the ball's own inertia, says how it turns."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.kernels.bodies.geometric_stiffness import turning_mobility

GRAVITY = 9.81


@pytest.mark.parametrize("joints", [1, 2])
@pytest.mark.parametrize("inertia", [1e-5, 4e-5, 3e-4])
def test_compact_pendulums_keep_their_energy(inertia: float, joints: int) -> None:
    """Of what falls, a joint's curved path gives back all but the error of second order of the step."""
    model, upper = sg.Model(gravity=(0, 0, -GRAVITY)), None
    for k in range(joints):
        ball = model.add_body(sg.Sphere(0.01), mass=1.0, inertia=(inertia,) * 3, position=(k + 1.0, 0, 0))
        model.add_revolute(upper, ball, position=(float(k), 0, 0), axis=(0, 1, 0))
        upper = ball
    energy = [sg.Simulation(model, step=h).run(1.0).summary()["energy"] for h in (0.002, 0.004)]
    assert abs(energy[0]) < 5e-5 * GRAVITY * joints
    assert abs(energy[0]) < 0.35 * abs(energy[1])


def test_mobility_of_a_pendulum() -> None:
    """1 / (I + m L^2) about the hinge; along the arm the ball turns freely, and a free partner gives way."""
    m, inertia, length = 2.0, 1e-3, 0.7
    held = np.array([[0, 0, 1.0, 0, length, 0]])  # the point at -L x, along z
    data, indices = held[0][[2, 4]], np.array([2, 4], dtype=np.int32)
    one = turning_mobility(np.array([0, 2], dtype=np.int32), indices, data, np.array([m]), inertia * np.eye(3)[None])
    np.testing.assert_allclose(one[0], [1 / inertia, 1 / (inertia + m * length**2), 1 / inertia], rtol=1e-12)
    # Two equal balls, each with such an arm, joined at its end: the dense answer with this row alone.
    C = np.concatenate([held[0], -held[0]])
    H = np.diag(np.tile([m, m, m, inertia, inertia, inertia], 2))
    free = np.linalg.inv(H)
    dense = free - np.outer(free @ C, C @ free) / (C @ free @ C)
    at = np.flatnonzero(C).astype(np.int32)
    both = turning_mobility(
        np.array([0, 4], dtype=np.int32), at, C[at], np.full(2, m), np.tile(inertia * np.eye(3), (2, 1, 1))
    )
    np.testing.assert_allclose(both.reshape(-1), np.diag(dense)[[3, 4, 5, 9, 10, 11]], rtol=1e-10)
