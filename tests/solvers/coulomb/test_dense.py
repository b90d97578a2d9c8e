"""The compiled loop of small problems under the exact law, and the joints taken out of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import signorini as sg
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.scenes import SCENES
from signorini.solvers.coulomb.dense import is_dense, solve_dense
from signorini.solvers.coulomb.joint_plane import JointPlane, OrthonormalPlane, SparsePlane


def problems_of(scene: str, steps: int) -> list[ContactProblem]:
    """Those of a run, with contacts."""
    found = SCENES[scene]
    sim = sg.Simulation(found.builder(), step=found.step, law="coulomb")
    every = [sim.advance().problem for _ in range(steps)]
    return [problem for problem in every if problem.contacts]


def sliding(friction: float) -> ContactProblem:
    """A block of 2 kg that slides at 3 m/s and is pressed down at 1 m/s."""
    return ContactProblem(
        H=2.0 * np.eye(3), c=-2.0 * np.array([3.0, 0.0, -1.0]), D=[[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        cones=sg.Cones.coulomb(friction),
    )  # fmt: skip


def test_a_sliding_block_does_not_lift() -> None:
    """u_n = 0 and the friction impulse mu lambda_n against the slip: v_x = 3 - mu."""
    answer, error, _ = solve_dense(sliding(0.4), None, 1e-10, 100, 1e-8)
    assert error < 1e-10
    np.testing.assert_allclose(answer.contact_impulse, [2.0, -0.8, 0.0], atol=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e6])
def test_units_of_mass_do_not_matter(unit: float) -> None:
    """Powers of two would change no bit; powers of ten change round-off alone."""
    plain = sliding(0.3)
    scaled = ContactProblem(H=unit * plain.H, c=unit * plain.c, D=plain.D, cones=plain.cones)
    here, there = (sg.Coulomb(tolerance=1e-8).solve(problem) for problem in (plain, scaled))
    assert there.status.ok
    assert there.iterations == here.iterations
    np.testing.assert_allclose(there.contact_impulse, unit * here.contact_impulse, rtol=1e-9, atol=1e-12 * unit)


@pytest.mark.parametrize("kind", [OrthonormalPlane, SparsePlane])
@pytest.mark.parametrize("scene", ["gripper", "walker"])
def test_joints_taken_out_meet_the_whole_problem(kind: type, scene: str) -> None:
    problem = problems_of(scene, 12)[-1]
    assert is_dense(problem)
    plane: JointPlane = kind(problem)
    part = plane.contacts()
    impulse = problem.cones.project(np.random.default_rng(0).normal(size=problem.contact_rows))
    answer = plane.iterate(impulse)
    assert answer.velocity is not None
    found = measure(problem, answer.velocity, impulse, answer.joint_impulse)
    assert found.stationarity_relative < 1e-9
    assert found.joint_error_relative < 1e-9
    slip = problem.slip_of(answer.velocity, impulse)
    size = np.abs(part.N @ impulse).max() + np.abs(part.r).max()
    np.testing.assert_allclose(part.N @ impulse + part.r, slip, atol=1e-9 * size)


def test_contradictory_joints_get_the_least_impulses() -> None:
    """Every joint stands twice, and the second asks for 1e-3 m/s more: half of that is missed by either."""
    problem = problems_of("gripper", 12)[-1]
    k = problem.joint_rows
    asked = np.concatenate((problem.b_gamma, problem.b_gamma + 1e-3))
    twice = ContactProblem(
        H=problem.H, c=problem.c, D=problem.D, C=sp.vstack((problem.C, problem.C), format="csr"), b_gamma=asked,
        b_lambda=problem.b_lambda, cones=problem.cones,
    )  # fmt: skip
    impulse = problem.cones.project(np.random.default_rng(0).normal(size=problem.contact_rows))
    shifted = problem.changed(b_gamma=problem.b_gamma + 5e-4)
    expected, found = SparsePlane(shifted).iterate(impulse), SparsePlane(twice).iterate(impulse)
    assert expected.velocity is not None
    assert found.velocity is not None
    size = np.abs(expected.joint_impulse).max()
    np.testing.assert_allclose(found.velocity, expected.velocity, atol=1e-8 * np.abs(expected.velocity).max())
    np.testing.assert_allclose(
        found.joint_impulse[:k] + found.joint_impulse[k:], expected.joint_impulse, atol=1e-7 * size
    )
    np.testing.assert_allclose(found.joint_impulse[:k], found.joint_impulse[k:], atol=1e-7 * size)


@pytest.mark.parametrize("scene", ["gripper", "walker", "card-house"])
def test_every_step_of_a_scene_is_solved(scene: str) -> None:
    """The gripper stalled in two of three steps when joint errors were measured in units of the solver."""
    for problem in problems_of(scene, 30):
        solution = sg.Coulomb(tolerance=1e-8).solve(problem)
        assert solution.status.ok
        assert solution.certificate.law == "coulomb"
