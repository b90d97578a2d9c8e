"""Explicit integrators: orders on closed forms, also of rotations; stability; what they refuse; contacts; resuming."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.integrators import HHT, Heun, Penalty, RungeKutta45, StepSize, SymplecticEuler
from signorini.math.rotations import rotate
from signorini.stepping.integrators import describe_integrator, restored_integrator

ORDERS: list[tuple[Any, int]] = [(SymplecticEuler(), 1), (Heun(), 2), (RungeKutta45(), 5)]
OMEGA = 10.0


def oscillator() -> sg.Model:
    """x'' = -100 x from x = 0.1 m at rest."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), name="ball")
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, 1.1), stiffness=OMEGA**2, length=1.0, name="spring")
    return model


def gyroscope() -> sg.Model:
    """A free symmetric body that wobbles: I = (2, 2, 1) kg m2, w = (0.6, 0, 3) rad/s in body axes."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(
        sg.Sphere(0.1), mass=1.0, inertia=np.diag([2.0, 2.0, 1.0]), angular_velocity=(0.6, 0.0, 3.0), name="body"
    )
    return model


def axis_of_gyroscope(t: float) -> np.ndarray[Any, Any]:
    """Its axis turns about the angular momentum L = (1.2, 0, 3) at the rate |L| / 2."""
    L, e = np.array([1.2, 0.0, 3.0]), np.array([0.0, 0.0, 1.0])
    n, angle = L / np.linalg.norm(L), np.linalg.norm(L) / 2.0 * t
    return np.asarray(math.cos(angle) * e + math.sin(angle) * np.cross(n, e) + (1.0 - math.cos(angle)) * (n @ e) * n)


def end(model: sg.Model, duration: float, **settings: Any) -> Any:
    sim = sg.Simulation(model, **settings)
    sim.run(duration)
    return sim.state


def order_of(errors: list[float]) -> float:
    return math.log2(errors[0] / errors[1])


@pytest.mark.parametrize(("integrator", "order"), ORDERS, ids=lambda x: getattr(x, "name", x))
def test_order_on_an_oscillator(integrator: Any, order: int) -> None:
    errors = []
    for h in (0.02, 0.01):
        z = end(oscillator(), 0.4, step=h, integrator=integrator).position[0, 2]
        errors.append(abs(z - 1.0 - 0.1 * math.cos(OMEGA * 0.4)))
    assert order_of(errors) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(("integrator", "order"), ORDERS, ids=lambda x: getattr(x, "name", x))
def test_order_on_rotations(integrator: Any, order: int) -> None:
    """Without `ds/dt = T(s)^-1 w` the method of fifth order would be one of second."""
    errors = []
    for h in (0.1, 0.05):
        q = end(gyroscope(), 1.0, step=h, integrator=integrator).orientation[0]
        errors.append(float(np.linalg.norm(rotate(q, np.array([0.0, 0.0, 1.0])) - axis_of_gyroscope(1.0))))
    assert order_of(errors) == pytest.approx(order, abs=0.4)


def test_symplectic_euler_keeps_its_energy_up_to_its_limit_of_stability() -> None:
    """h < 2/omega: the amplitude stays within 1 / sqrt(1 - (h omega / 2)^2) of the true one; beyond, it explodes."""
    heights: list[float] = []
    sim = sg.Simulation(oscillator(), step=1.0 / OMEGA, integrator="symplectic-euler")
    sim.run(100.0, callbacks=[lambda step: heights.append(float(step.state.position[0, 2]) - 1.0)])
    assert len(heights) == 1000
    assert max(map(abs, heights)) <= 0.1 / math.sqrt(1.0 - 0.25) * 1.0001
    sim = sg.Simulation(oscillator(), step=2.1 / OMEGA, integrator="symplectic-euler")
    sim.run(20 * 2.1 / OMEGA)
    assert abs(sim.state.position[0, 2] - 1.0) > 10.0


@pytest.mark.parametrize("integrator", [Heun, RungeKutta45])
def test_steps_follow_the_tolerance(integrator: Any) -> None:
    errors = []
    for tolerance in (1e-5, 1e-8):
        chosen = integrator(step_size=StepSize(tolerance=tolerance, relative=0.0))
        z = end(oscillator(), 0.3, step=0.1, integrator=chosen).position[0, 2]
        errors.append(abs(z - 1.0 - 0.1 * math.cos(OMEGA * 0.3)))
    assert errors[1] < 0.05 * errors[0]
    assert errors[1] < 1e-5


def test_joints_are_refused_by_name() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 0), name="bob")
    model.add_revolute(None, "bob", (0, 0, 0), (0, 1, 0), name="hinge")
    with pytest.raises(sg.SignoriniError, match=r"heun is explicit.*'hinge'.*hht"):
        sg.Simulation(model, step=0.01, integrator="heun")


@pytest.mark.parametrize("integrator", [SymplecticEuler(), Heun(), RungeKutta45()], ids=lambda x: x.name)
def test_penalty_contacts(integrator: Any) -> None:
    """A ball slides on a floor of springs: the same stop as by an implicit integrator with short steps."""
    ends = []
    for chosen in (integrator, HHT(alpha=-0.05)):
        model = sg.Model()
        material = sg.Material(friction=0.3)
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
        model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.1 - 1e-4), velocity=(1, 0, 0),
                       material=material, name="box")  # fmt: skip
        contact = Penalty(stiffness=2e4, damping=0.3)
        ends.append(end(model, 0.5, step=2e-4, integrator=chosen, contact=contact).position[1])
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)
    assert ends[0][0] == pytest.approx(1.0 / (2 * 0.3 * 9.81), rel=0.02)


def test_described_and_restored() -> None:
    chosen = RungeKutta45(step_size=StepSize(tolerance=1e-7))
    assert restored_integrator(describe_integrator(chosen)) == chosen
