"""Gaps and joints to second order in the step: what is kept, what is closed, what is taken back."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import signorini as sg
from signorini.math.rotations import about, rotate
from signorini.math.sparse import canonical
from signorini.problem.mass_matrix import mass_matrix
from signorini.stepping.least_displacement import Conditions


def pendulum(links: int) -> sg.Model:
    """Rods in a row, let go level, with axles that are not parallel."""
    model = sg.Model()
    for k in range(links):
        model.add_body(sg.Box((0.3, 0.03, 0.02)), density=1000, position=(0.3 * k + 0.15, 0, 0), name=f"rod-{k}")
        model.add_spherical(f"rod-{k - 1}" if k else None, f"rod-{k}", position=(0.3 * k, 0, 0))
    return model


def joint_error(simulation: sg.Simulation) -> float:
    errors = [joint.rows(simulation.state).error for joint in simulation.model.joints]
    return float(np.abs(np.concatenate(errors)).max())


def test_joints_are_shut_after_each_step_and_energy_does_not_drift() -> None:
    simulation = sg.Simulation(pendulum(3), step=2e-3, gaps="curved")
    energy = []
    for _ in range(400):
        energy.append(simulation.advance().energy)
        assert joint_error(simulation) < 1e-10
    lowest = 1.5 * 3 * 0.3 * 0.3 * 9.81 * 0.18  # weight of three rods of 0.18 kg, fallen to hang below one another
    assert np.abs(np.array(energy)).max() < 1e-3 * lowest
    assert abs(energy[-1]) < 1e-4 * lowest


def test_first_order_joints_stand_open() -> None:
    simulation = sg.Simulation(pendulum(3), step=2e-3, gaps="linear")
    worst = 0.0
    for _ in range(200):
        simulation.advance()
        worst = max(worst, joint_error(simulation))
    assert worst > 1e-6


def leaning_disc(lean: float = 0.4, spin: float = 15.0) -> sg.Model:
    """A disc that rolls on its rim."""
    model, rough = sg.Model(), sg.Material(friction=1.0)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rough)
    q = about((1, 0, 0), lean - 0.5 * math.pi)
    axle = rotate(q, np.array([0.0, 0.0, 1.0]))
    down = np.array([0.0, 0.0, -1.0])
    across = (down - (down @ axle) * axle) / np.linalg.norm(down - (down @ axle) * axle)
    contact = 0.1 * across + math.copysign(0.005, float(down @ axle)) * axle
    model.add_body(sg.Cylinder(0.1, 0.01), density=7800, position=(0, 0, -contact[2]), orientation=q, material=rough,
                   velocity=np.cross(spin * axle, -contact), angular_velocity=(0, 0, spin))  # fmt: skip
    return model


def test_rolling_disc_keeps_its_energy_to_second_order() -> None:
    drift = []
    for h in (4e-3, 2e-3):
        energy = sg.Simulation(leaning_disc(), step=h, gaps="curved").run(0.6).diagnostics
        total = energy["kinetic"] + energy["potential"]
        drift.append(float(np.abs(total / total[0] - 1.0).max()))
    assert drift[1] < 5e-5
    assert drift[0] / drift[1] > 3.0
    first = sg.Simulation(leaning_disc(), step=2e-3, gaps="linear").run(0.6).diagnostics
    total = first["kinetic"] + first["potential"]
    assert abs(total[-1] / total[0] - 1.0) > 10 * drift[1]


def test_overlap_at_the_start_is_taken_back_without_speed() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    for k in range(2):
        model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 0.09 + 0.18 * k), name=f"ball-{k}")
    run = sg.Simulation(model, step=2e-3, gaps="curved").run(0.02)
    assert run.position("ball-0")[-1, 2] == pytest.approx(0.1, abs=1e-6)
    assert run.position("ball-1")[-1, 2] == pytest.approx(0.3, abs=1e-6)
    assert np.abs(run.velocity()).max() < 1e-3


def test_penetration_is_taken_back_with_joints_shut() -> None:
    """A rod on a hinge has sunk into the floor: it turns out of it."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.05), density=1000, position=(0.5, 0, 0.045), name="ball")
    model.add_revolute(None, "ball", position=(0, 0, 0.045), axis=(0, 1, 0))
    simulation = sg.Simulation(model, step=2e-3, gaps="curved")
    simulation.advance()
    assert simulation.state.position[1, 2] == pytest.approx(0.05, abs=1e-6)
    assert simulation.state.position[1, 0] == pytest.approx(math.sqrt(0.25 - 0.005**2), abs=1e-8)
    assert joint_error(simulation) < 1e-11


def test_penetration_that_joints_do_not_let_out_leaves_them_shut() -> None:
    """A ball on a short crank has sunk in by more than the crank can lift it: linear rows ask for turns of radians."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.5), density=1000, position=(0, 0, 0.2), name="ball")
    model.add_revolute(None, "ball", position=(0.02, 0, 0.19), axis=(0, 1, 0))
    simulation = sg.Simulation(model, step=2e-3, gaps="curved")
    for _ in range(5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the overlap is told
            simulation.advance()
        assert joint_error(simulation) < 1e-9


def test_run_that_goes_on_is_the_same_bit_for_bit(tmp_path: object) -> None:
    whole = sg.Simulation(leaning_disc(), step=2e-3, gaps="curved").run(0.1)
    path = f"{tmp_path}/disc.h5"
    sg.Simulation(leaning_disc(), step=2e-3, gaps="curved").run(0.05, record=path)
    simulation = sg.Simulation.resume(path)
    rest = simulation.run(0.05)
    np.testing.assert_array_equal(rest.position()[-1], whole.position()[-1])
    np.testing.assert_array_equal(rest.angular_velocity()[-1], whole.angular_velocity()[-1])


def test_least_displacement_meets_conditions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        A = rng.normal(size=(7, 9))
        A[1] = A[0]  # redundant equations that agree
        mass = mass_matrix(canonical(sp.csr_array(np.diag(rng.uniform(0.5, 2.0, 9)))))
        r = np.concatenate(([0.3, 0.3], rng.normal(size=5)))
        dq = Conditions(canonical(sp.csr_array(A)), r, 2).least(mass)
        slip = A @ dq - r
        assert np.abs(slip[:2]).max() < 1e-8
        assert slip[2:].min() > -1e-4
        # Stationary: the push of the conditions, which do not pull, balances H dq.
        mu, *_ = np.linalg.lstsq(A[1:][np.abs(slip[1:]) < 1e-3].T, mass.csr @ dq, rcond=None)
        np.testing.assert_allclose(A[1:][np.abs(slip[1:]) < 1e-3].T @ mu, mass.csr @ dq, atol=1e-3)
        assert mu[1:].min(initial=0.0) > -1e-3
