"""Wrenches, contact forces, snapshots, copies."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.functions import Setpoint
from signorini.integrators import HHT, NonsmoothAlpha
from signorini.problem.errors import ModelError, SimulationError


def boxes() -> sg.Model:
    """Two boxes on a floor, one on the other, and a hovering one."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=3.0, position=(0, 0, 0.1), name="low")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 0.3), name="high")
    return model


def robot() -> sg.Model:
    """A pendulum that may strike the floor, with a servo and a torque."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Box((0.5, 0.05, 0.05)), mass=1.0, position=(0.25, 0, 0.3), name="one", mask=0)
    model.add_body(sg.Capsule(0.03, 0.5), mass=1.0, position=(0.5, 0, 0.3), name="two")
    model.add_revolute(None, "one", position=(0, 0, 0.3), axis=(0, 1, 0), name="shoulder")
    model.add_revolute("one", "two", position=(0.5, 0, 0.3), axis=(0, 1, 0), name="elbow")
    model.add_servo("shoulder", stiffness=20.0, damping=1.0, limit=8.0, name="servo")
    model.add_motor("elbow", torque=Setpoint(), name="torque")
    return model


INTEGRATORS = ["dvi", NonsmoothAlpha(), HHT()]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=["dvi", "alpha", "hht"])
def test_a_wrench_acts_as_a_force_of_the_model(integrator: object) -> None:
    """A push at a corner, once and held, against `add_force` on the same body."""
    free = sg.Model(gravity=(0, 0, 0))
    free.add_body(sg.Box((0.2, 0.3, 0.4)), mass=2.0, name="box")
    pushed = sg.Model(gravity=(0, 0, 0))
    pushed.add_body(sg.Box((0.2, 0.3, 0.4)), mass=2.0, name="box")
    pushed.add_force("box", (3.0, 0.0, 1.0), torque=(0.0, 0.2, 0.0))
    sims = [sg.Simulation(model, step=0.01, integrator=integrator) for model in (free, pushed)]  # type: ignore[arg-type]
    sims[0].wrenches["box"] = (3.0, 0.0, 1.0, 0.0, 0.2, 0.0)
    for sim in sims:
        for _ in range(10):
            sim.advance()
    np.testing.assert_allclose(sims[0].state.velocities, sims[1].state.velocities, atol=1e-12)
    assert np.linalg.norm(sims[0].state.velocity) == pytest.approx(math.hypot(3, 1) / 2.0 * 0.1, rel=0.1)


def test_apply_force_counts_for_one_step_and_adds_up() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(
        sg.Box((0.2, 0.2, 0.2)), mass=2.0, inertia=(0.01, 0.01, 0.01), center_of_mass=(0.02, 0, 0), name="box"
    )
    sim = sg.Simulation(model, step=0.01)
    sim.apply_force("box", (0, 0, 4.0), point=(0.12, 0, 0))
    sim.apply_force("box", (0, 2.0, 0), torque=(0, 0.4, 0))
    sim.advance()
    np.testing.assert_allclose(sim.state.velocity[0], [0, 0.01, 0.02], atol=1e-12)
    # 4 N on an arm of 0.1 m turn against the torque of 0.4 N m.
    np.testing.assert_allclose(sim.state.angular_velocity[0], 0.0, atol=1e-12)
    sim.advance()
    np.testing.assert_allclose(sim.state.velocity[0], [0, 0.01, 0.02], atol=1e-12)
    sim.wrenches["box"] = (2, 0, 0, 0, 0, 0)
    np.testing.assert_array_equal(sim.wrenches["box"], [2, 0, 0, 0, 0, 0])
    sim.advance()
    sim.advance()
    assert sim.state.velocity[0, 0] == pytest.approx(0.02)


def test_a_wrench_does_not_touch_the_model_nor_other_simulations() -> None:
    model = boxes()
    one, two = sg.Simulation(model, step=0.005), sg.Simulation(model, step=0.005)
    one.wrenches["high"] = (0, 0, 30.0, 0, 0, 0)
    for sim in (one, two):
        for _ in range(20):
            sim.advance()
    assert not model.forces
    assert one.state.velocity[2, 2] > 0.1
    assert abs(two.state.velocity[2, 2]) < 1e-6


def test_wrenches_that_can_do_nothing_are_refused() -> None:
    sim = sg.Simulation(boxes(), step=0.005)
    with pytest.raises(ModelError, match="no effect"):
        sim.apply_force("floor", (1, 0, 0))
    with pytest.raises(ModelError, match="finite"):
        sim.wrenches["low"] = (1, 0, 0, 0, 0, math.inf)
    with pytest.raises(ModelError, match="shape"):
        sim.wrenches["low"] = (1, 0, 0)


def test_contact_forces_carry_the_weight() -> None:
    sim = sg.Simulation(boxes(), step=0.005)
    np.testing.assert_array_equal(sim.contact_force("low"), 0.0)
    sim.wrenches["high"] = (1.0, 0, 0, 0, 0, 0)
    for _ in range(20):
        sim.advance()
    np.testing.assert_allclose(sim.contact_force("high"), [-1.0, 0, 2 * 9.81], atol=1e-5)
    np.testing.assert_allclose(sim.contact_force("low"), [0, 0, 3 * 9.81], atol=1e-5)
    np.testing.assert_allclose(sim.contact_force("low", "high"), [1.0, 0, -2 * 9.81], atol=1e-5)
    np.testing.assert_allclose(sim.contact_force("high", "floor"), 0.0)
    np.testing.assert_allclose(sim.contact_force().sum(axis=0), 0.0, atol=1e-9)
    forces = sim.contact_forces
    assert len(forces.force) == 8
    assert (np.einsum("ij,ij->i", forces.force, forces.normal) > 0).all()


@pytest.mark.parametrize("integrator", INTEGRATORS[:2], ids=["dvi", "alpha"])
def test_a_restored_simulation_goes_on_bit_for_bit(integrator: object) -> None:
    sim = sg.Simulation(robot(), step=0.002, integrator=integrator)  # type: ignore[arg-type]
    sim.motors.target = [0.5, 0.3]
    for _ in range(120):
        sim.advance()
    sim.wrenches["two"] = (0, 0, -2.0, 0, 0, 0)
    sim.apply_force("two", (5.0, 0, 0))
    kept, forces = sim.snapshot(), sim.contact_force()
    frozen = pickle.dumps(kept)

    def onward() -> list[np.ndarray]:
        for _ in range(60):
            sim.motors.target = sim.motors.target + 0.01
            sim.advance()
        return [sim.state.position, sim.state.velocities, sim.contact_force(), sim.random.random(3), sim.motors.target]

    first = onward()
    assert np.abs(first[2]).max() > 0, "there was contact"
    for snapshot in (kept, pickle.loads(frozen)):
        sim.restore(snapshot)
        np.testing.assert_array_equal(sim.contact_force(), forces)
        for one, two in zip(first, onward(), strict=True):
            np.testing.assert_array_equal(one, two)


def test_reset_is_a_fresh_start() -> None:
    model = robot()
    sim = sg.Simulation(model, step=0.002, seed=3)
    sim.motors.target = [0.5, 0.3]
    first = [step.state.position for step, _ in zip(sim, range(80), strict=False)]
    chance = sim.random.random()
    sim.wrenches["two"] = (0, 0, 1, 0, 0, 0)
    sim.reset()
    assert (sim.time, sim.number) == (0.0, 0)
    np.testing.assert_array_equal(sim.motors.target, 0.0)
    np.testing.assert_array_equal(sim.contact_force(), 0.0)
    sim.motors.target = [0.5, 0.3]
    again = [step.state.position for step, _ in zip(sim, range(80), strict=False)]
    np.testing.assert_array_equal(first, again)
    assert sim.random.random() == chance
    elsewhere = model.initial_state()
    elsewhere.position[:, 0] += 1.0
    sim.reset(elsewhere)
    np.testing.assert_array_equal(sim.state.position, elsewhere.position)


@pytest.mark.parametrize("how", ["pickle", "deepcopy"])
def test_a_copy_goes_on_alike_and_apart(how: str) -> None:
    sim = sg.Simulation(robot(), step=0.002, seed=5)
    sim.motors.target = [0.5, 0.3]
    for _ in range(100):
        sim.advance()
    twin = copy.deepcopy(sim) if how == "deepcopy" else pickle.loads(pickle.dumps(sim))
    assert twin.model is not sim.model
    for one in (sim, twin):
        for _ in range(40):
            one.advance()
    np.testing.assert_array_equal(sim.state.velocities, twin.state.velocities)
    twin.motors.target = [0.0, 0.0]
    np.testing.assert_array_equal(sim.motors.target, [0.5, 0.3])
    twin.reset()
    assert twin.number == 0
    np.testing.assert_array_equal(twin.state.position, sim.model.initial_state().position)


def test_what_cannot_be_copied_says_so() -> None:
    model = robot()
    model.add_motor("elbow", torque=lambda time: 0.1 * time, name="closure")
    sim = sg.Simulation(model, step=0.002)
    for attempt in (pickle.dumps, copy.deepcopy):
        with pytest.raises(SimulationError, match="top of a module"):
            attempt(sim)
    with pytest.raises(SimulationError, match="reset"):
        sim.restore(sim.state)  # type: ignore[arg-type]


def test_records_of_simulations_with_wrenches_hold_the_plain_model(tmp_path: Path) -> None:
    sim = sg.Simulation(boxes(), step=0.005)
    sim.wrenches["high"] = (1.0, 0, 0, 0, 0, 0)
    run = sim.run(0.05, record=tmp_path / "run.h5")
    assert not run.model().forces
