"""Compliant contacts: frequency and damping, the way to the rigid limit, forces of redundant supports."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.simulation import Simulation
from signorini.stepping.dvi import Gaps

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81
RIGID = Material(friction=0.5)


def swinging(k: float, mass: float, h: float, steps: int, gaps: Gaps, **law: float) -> np.ndarray:
    """Height above rest of a ball on a spring k that starts 0.9 of its sag away."""
    model = Model()
    model.add_fixed_body(HalfSpace(), material=Material(friction=0.0))
    sag = mass * G / k
    model.add_body(
        Sphere(0.1), mass=mass, position=(0, 0, 0.1 - 1.9 * sag), name="ball",
        material=Material(friction=0.0, compliance=1 / k, **law),
    )  # fmt: skip
    run = Simulation(model, step=h, solver="projected-sor", gaps=gaps).run(h * steps)
    energy = sum(run.diagnostics[name] for name in ("kinetic", "potential", "contact_energy"))
    assert np.diff(energy).max() <= 1e-10 * abs(energy[0])
    return np.asarray(run.position("ball")[:, 2] - 0.1 + sag) / sag


def zeros(z: np.ndarray, h: float) -> np.ndarray:
    at = np.flatnonzero(z[1:] * z[:-1] < 0)
    return h * (at + z[at] / (z[at] - z[at + 1]))


def frequency_and_decay(gaps: Gaps, k: float, mass: float, h: float) -> tuple[float, float]:
    """Of an undamped contact: frequency [rad/s], and the factor of the amplitude in 157 steps."""
    z = swinging(k, mass, h, 400, gaps)
    first, later = (z[i : i + 160].max() for i in (0, 157))
    return math.pi / float(np.diff(zeros(z, h)).mean()), float(later / first)


def test_mass_on_a_compliant_contact_has_its_frequency_and_keeps_its_amplitude() -> None:
    k, mass = 1e4, 2.0
    omega = math.sqrt(k / mass)
    found, decay = frequency_and_decay("curved", k, mass, 0.04 / omega)
    # That of the step in the middle: tan(found h / 2) = omega h / 2.
    assert found == pytest.approx(2.0 * math.atan(0.02) * omega / 0.04, rel=1e-5)
    assert decay == pytest.approx(1.0, rel=1e-3)


def test_springs_at_the_end_of_the_step_are_those_of_implicit_euler() -> None:
    k, mass = 1e4, 2.0
    omega = math.sqrt(k / mass)
    found, decay = frequency_and_decay("linear", k, mass, 0.04 / omega)
    assert found == pytest.approx(math.atan(0.04) * omega / 0.04, rel=1e-5)
    assert decay == pytest.approx((1 + 0.04**2) ** (-157 / 2), rel=1e-2)


@pytest.mark.parametrize(("gaps", "of_step"), [("curved", 0.0), ("linear", 0.01)])  # omega h / 2
def test_damping_is_added_to_that_of_the_step(gaps: Gaps, of_step: float) -> None:
    k, mass, ratio = 1e4, 2.0, 0.1
    omega = math.sqrt(k / mass)
    h = 0.02 / omega
    z = swinging(k, mass, h, 700, gaps, damping=2 * ratio * math.sqrt(k * mass))
    period = 2 * math.pi / math.sqrt(1 - ratio**2) / 0.02
    low = [-z[int(n * period) - 100 : int(n * period) + 100].min() for n in (1, 2)]
    damped = ratio + of_step
    assert math.log(low[0] / low[1]) == pytest.approx(2 * math.pi * damped / math.sqrt(1 - damped**2), rel=0.01)


def test_compliance_tends_to_the_rigid_answer() -> None:
    def after(compliance: float, duration: float) -> tuple[float, float]:
        model = Model()
        model.add_fixed_body(HalfSpace(), material=RIGID)
        model.add_body(
            Sphere(0.1), mass=2.0, position=(0, 0, 0.1), velocity=(0.5, 0, 0), name="ball",
            material=Material(0.5, compliance=compliance, tangential_compliance=compliance),
        )  # fmt: skip
        run = Simulation(model, step=0.01).run(duration)
        return float(run.velocity("ball")[-1, 0]), float(run.position("ball")[-1, 2]) - 0.1

    # Later the ball rolls at 5/7 of its speed, whatever the compliance, and the differences are round-off.
    rigid = after(0.0, 0.05)[0]
    errors = [abs(after(e, 0.05)[0] - rigid) for e in (1e-4, 1e-6, 1e-10)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-7
    assert after(1e-6, 0.2)[1] == pytest.approx(-2.0 * G * 1e-6, rel=1e-3)


def table(compliance: list[float], torque: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Forces on the pads under pairs of legs in a row, places of the pairs, weight."""
    model, h = Model(), 0.01
    x = np.array([-0.5, -0.1, 0.5])
    for k, e in enumerate(compliance):
        pad = Material(friction=0.0, compliance=e, damping=500.0)
        model.add_fixed_body(Box((0.1, 1.0, 0.1)), position=(x[k], 0, -0.05), material=pad, name=f"pad-{k}")
    legs = [(Sphere(0.02), (float(a), y, 0.0)) for a in x for y in (-0.3, 0.3)]
    model.add_body(
        legs, mass=10.0, inertia=(1, 1, 1.5), position=(0, 0, 0.02), name="table", material=Material(friction=0.0)
    )
    model.add_force("table", lambda t, s: ((0, 0, 0), (0, torque, 0)))
    run = Simulation(model, step=h).run(0.8)
    found = run.contacts()
    force = -found.world_impulse[:, 2] / h
    pads = found.contacts.body_a
    centre = run.position("table")[-1, 0]
    return np.array([force[pads == k].sum() for k in range(3)]), x - centre, 10.0 * G


@pytest.mark.parametrize("compliance", [[1e-5, 1e-5, 1e-5], [1e-5, 4e-5, 2e-5]])
def test_forces_of_redundant_legs_are_the_elastic_ones(compliance: list[float]) -> None:
    """Three pairs of legs in a row: sag is linear in x, force is sag over compliance, and all balance the load."""
    torque = 6.0
    force, x, weight = table(compliance, torque)
    k = 2.0 / np.array(compliance)  # two legs each
    # Sag s + t x: the forces k (s + t x) balance the weight, and the torque about y, which presses the legs at +x.
    A = np.array([[k.sum(), (k * x).sum()], [(k * x).sum(), (k * x * x).sum()]])
    s, t = np.linalg.solve(A, [weight, torque])
    np.testing.assert_allclose(force, k * (s + t * x), rtol=2e-3)
    assert force.sum() == pytest.approx(weight, rel=1e-4)


def test_brick_stands_on_its_four_corners_alike() -> None:
    model, h = Model(), 0.01
    model.add_fixed_body(HalfSpace(), material=RIGID)
    material = Material(0.5, compliance=1e-6, damping=2000.0)
    body = model.add_body(Box((0.4, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), material=material)
    run = Simulation(model, step=h).run(0.3)
    assert run.contacts().contacts.count == 4
    np.testing.assert_allclose(run.contacts().impulse[:, 0], body.mass * G * h / 4, rtol=1e-6)


def test_tangential_spring_swings_at_its_frequency() -> None:
    """A box that sticks, pushed sideways: its four contacts are springs in shear."""
    k, mass = 4e4, 8.0
    omega = math.sqrt(k / mass)
    h = 0.04 / omega
    model = Model(gravity=(0, 0, -G))
    shear = Material(5.0, tangential_compliance=4 / k)  # four corners in parallel
    model.add_fixed_body(HalfSpace(), material=Material(5.0))
    model.add_body(
        Box((2.0, 2.0, 0.02)), mass=mass, position=(0, 0, 0.01), velocity=(0.05, 0, 0), material=shear, name="box"
    )
    run = Simulation(model, step=h).run(250 * h)
    x = run.position("box")[:, 0]
    found = math.pi / np.diff(zeros(x[3:], h)).mean()
    assert found == pytest.approx(omega, rel=5e-3)
    energy = sum(run.diagnostics[name] for name in ("kinetic", "potential", "contact_energy"))
    assert np.diff(energy).max() <= 1e-9 * run.diagnostics["kinetic"][0]
