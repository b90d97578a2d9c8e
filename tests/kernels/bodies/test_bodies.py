"""Poses, momenta and energies of rigid bodies against formulas written out with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.bodies import contact_jacobian, gyroscopic, momentum, poses
from signorini.kernels.threads.parts import SOLO
from signorini.math import rotations

MOVABLE = np.array([0, 2])
MASS = np.array([2.0, 3.0])
INERTIA = np.array([np.diag([1.0, 2.0, 2.5]), np.diag([0.1, 0.2, 0.25])])
"""Of the movable bodies."""


def test_pose_after_a_step_is_the_exponential_of_the_spin() -> None:
    rng = np.random.default_rng(1)
    position, turned = rng.normal(size=(3, 3)), rng.normal(size=(3, 4))
    orientation = turned / np.linalg.norm(turned, axis=1)[:, None]
    velocity, spin, new = np.zeros((3, 3)), np.zeros((3, 3)), rng.normal(size=(2, 6))
    before = position.copy(), orientation.copy()
    poses.advance(SOLO, MOVABLE, new, 0.1, position, orientation, velocity, spin)
    for k, i in enumerate(MOVABLE):
        v, w = new[k, :3], new[k, 3:]
        np.testing.assert_allclose(position[i], before[0][i] + 0.1 * v, rtol=1e-14)
        expected = rotations.multiply(before[1][i], rotations.exponential(0.1 * w))
        assert abs(orientation[i] @ expected) == pytest.approx(1.0, abs=1e-14)
        np.testing.assert_array_equal(np.concatenate([velocity[i], spin[i]]), new[k])
    np.testing.assert_array_equal(position[1], before[0][1])
    np.testing.assert_array_equal(orientation[1], before[1][1])


def test_energies() -> None:
    rng = np.random.default_rng(2)
    position, velocity, spin = (rng.normal(size=(3, 3)) for _ in range(3))
    gravity = np.array([0.0, 0.0, -9.81])
    bodies = (MOVABLE, MASS, INERTIA, gravity)
    kinetic, potential, falling = momentum.energies(SOLO, *bodies, position, velocity, spin)
    assert kinetic == pytest.approx(
        sum(
            0.5 * MASS[k] * velocity[i] @ velocity[i] + 0.5 * spin[i] @ INERTIA[k] @ spin[i]
            for k, i in enumerate(MOVABLE)
        )
    )
    assert potential == pytest.approx(sum(MASS[k] * 9.81 * position[i, 2] for k, i in enumerate(MOVABLE)))
    assert falling == pytest.approx(-sum(MASS[k] * 9.81 * velocity[i, 2] for k, i in enumerate(MOVABLE)))


def test_a_number_that_is_not_finite_is_found() -> None:
    sound = [np.ones((3, 3)), np.ones((3, 4)), np.ones((3, 3)), np.ones((3, 3))]
    assert momentum.first_unsound(SOLO, *sound) == -1
    sound[2][1, 0] = np.nan
    assert momentum.first_unsound(SOLO, *sound) == 1


def test_free_rotation_keeps_energy_and_momentum() -> None:
    spin = np.array([[0.1, 8.0, 0.2]])
    inertia = INERTIA[:1]
    start, q, one = spin.copy(), np.array([[1.0, 0, 0, 0]]), np.array([0])
    for _ in range(1000):
        gyroscopic.turn_freely(one, one, inertia, 1e-3, q.copy(), q, spin)
    for weight in (inertia[0], inertia[0] @ inertia[0]):  # energy and the square of the momentum
        assert spin[0] @ weight @ spin[0] == pytest.approx(start[0] @ weight @ start[0], rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_frames_of_contacts_are_right_handed(seed: int) -> None:
    normal = np.random.default_rng(seed).normal(size=(4, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    frames = np.empty((4, 3, 3))
    contact_jacobian.frames(normal, frames)
    for frame, n in zip(frames, normal, strict=True):
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1.0)
        np.testing.assert_array_equal(frame[0], n)
