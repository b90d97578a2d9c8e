"""Impacts without restitution: closed forms, order in h, momentum and energy, in compiled and general steps."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies.contact_jacobian import world_vectors
from signorini.math.rotations import rotate
from signorini.solvers.base import Solver
from signorini.stepping.step import DviStep, Step

G = 9.81
WIDTH, HEIGHT, TILT = 0.1, 0.5, 0.08
"""Of a block that rocks [m], and where it is let go [rad]."""
R, SPEED = 0.1, 3.0
"""Radius of balls [m], speed of the one that strikes the other [m/s]."""


def rocking(friction: float = 5.0) -> sg.Model:
    """A block on one of its edges."""
    model, rough = sg.Model(), sg.Material(friction=friction)
    model.add_fixed_body(sg.HalfSpace(), material=rough)
    q = np.array([math.cos(0.5 * TILT), 0.0, math.sin(0.5 * TILT), 0.0])
    edge = np.array([0.5 * WIDTH, 0.0, -0.5 * HEIGHT])
    model.add_body(sg.Box((WIDTH, 0.2, HEIGHT)), density=1000, position=-rotate(q, edge), orientation=q,
                   material=rough, name="block")  # fmt: skip
    return model


def next_swing() -> float:
    """Of the block after one impact [Housner1963]: a blow leaves `1 - 3/2 sin(a)^2` of its spin."""
    a = math.atan(WIDTH / HEIGHT)
    left = 1 - 1.5 * math.sin(a) ** 2
    return a - math.acos(math.cos(a) + left**2 * (math.cos(a - TILT) - math.cos(a)))


def glancing(angle: float, friction: float = 0.0, spin: float = 0.0) -> sg.Model:
    """A ball that meets another one at an angle between its path and the line of centres."""
    model, material = sg.Model(gravity=(0, 0, 0)), sg.Material(friction=friction)
    for name, place, speed in (("cue", (-0.5, 2 * R * math.sin(angle), 0), SPEED), ("object", (0, 0, 0), 0.0)):
        model.add_body(sg.Sphere(R), mass=1.0, position=place, velocity=(speed, 0, 0), material=material, name=name,
                       angular_velocity=(0, 0, spin if speed else 0.0))  # fmt: skip
    return model


def simulation(model: sg.Model, h: float, general: bool = False, solver: Solver | None = None) -> sg.Simulation:
    """With default settings; `general` leaves compiled steps out."""
    sim = sg.Simulation(model, step=h) if solver is None else sg.Simulation(model, step=h, solver=solver)
    if general:
        sim._driver = replace(sim._driver, compiled=None)  # type: ignore[type-var]
    return sim


def swing(sim: sg.Simulation) -> float:
    """Of the block after its first impact [rad]."""
    o = sim.run(0.5).orientation("block")
    return -float((2 * np.arctan2(o[:, 2], o[:, 0])).min())


@pytest.mark.parametrize("general", [False, True])
def test_block_rocks_as_housner_says_with_errors_that_fall_faster_than_the_step(general: bool) -> None:
    errors = [abs(swing(simulation(rocking(), h, general)) / next_swing() - 1) for h in (0.005, 0.002, 0.001)]
    assert errors[0] < 0.01
    assert errors[1] < 0.004
    assert errors[2] < 6e-4


@pytest.mark.parametrize(
    "solver", [sg.InteriorPoint(tolerance=1e-9), sg.ProjectedSOR(tolerance=1e-6, max_iterations=500)]
)
def test_block_rocks_by_other_solvers_too(solver: Solver) -> None:
    assert swing(simulation(rocking(0.5), 0.002, solver=solver)) == pytest.approx(next_swing(), rel=0.004)


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("degrees", [20.0, 50.0, 70.0])
def test_smooth_ball_that_is_cut_leaves_along_the_line_of_centres_to_second_order(
    degrees: float, general: bool
) -> None:
    a = math.radians(degrees)
    exact = 0.5 * SPEED * math.cos(a) * np.array([math.cos(a), -math.sin(a)])
    errors = []
    for h in (0.004, 0.001):
        v = simulation(glancing(a), h, general).run(0.3).velocity("object")[-1, :2]
        errors.append(float(np.linalg.norm(v - exact)) / SPEED)
    assert errors[0] < 4e-3
    assert errors[1] < max(errors[0] / 8, 2e-5)


@pytest.mark.parametrize("general", [False, True])
def test_sliding_friction_of_a_glancing_hit_is_mu_times_its_normal_impulse(general: bool) -> None:
    mu, a = 0.1, math.radians(50.0)
    normal = 0.5 * SPEED * math.cos(a)
    v = simulation(glancing(a, mu), 0.001, general).run(0.3).velocity("object")[-1]
    line, across = np.array([math.cos(a), -math.sin(a), 0]), np.array([math.sin(a), math.cos(a), 0])
    assert v @ line == pytest.approx(normal, rel=1e-3)
    assert v @ across == pytest.approx(mu * normal, rel=2e-3)


@pytest.mark.parametrize("general", [False, True])
def test_impulses_of_contacts_and_weight_are_the_change_of_momentum(general: bool) -> None:
    h, model = 0.004, rocking()
    sim = simulation(model, h, general)
    mass, before = model.bodies[1].mass, np.zeros(3)
    for _ in range(80):
        step = sim.advance()
        push = mass * (step.state.velocity[1] - before) + np.array([0, 0, h * mass * G])
        assert np.allclose(world(step.contacts, step.impulses), push, atol=2e-4 * h * mass * G)
        before = step.state.velocity[1].copy()


def world(contacts: Contacts, impulses: np.ndarray) -> np.ndarray:
    """Sum of the impulses on the bodies a, those on bodies b counted backwards [N s]."""
    out = np.empty((contacts.count, 3))
    world_vectors(contacts.normal, np.ascontiguousarray(impulses), out)
    return np.asarray((np.where(contacts.body_a == 1, 1.0, -1.0)[:, None] * out).sum(axis=0))


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("h", [0.005, 0.003, 0.0013])
def test_energy_of_rocking_falls_in_impacts_by_what_they_take(h: float, general: bool) -> None:
    sim = simulation(rocking(), h, general)
    energy = np.array([sim.advance().energy for _ in range(int(1.2 / h))])
    falls = np.flatnonzero(np.diff(energy) < -0.05 * np.ptp(energy))
    assert len(falls) == 3
    lost = 1 - (1 - 1.5 * math.sin(math.atan(WIDTH / HEIGHT)) ** 2) ** 2
    for k in falls:
        moving = energy[k] - 10.0 * G * 0.5 * HEIGHT
        assert energy[k + 2 :].max() < energy[k]
        assert (energy[k] - energy[k + 2]) == pytest.approx(lost * moving, rel=12 * h)
    assert energy.max() - energy[0] < 5.0 * h * h


def test_compiled_and_general_steps_agree_through_impacts() -> None:
    both = [simulation(rocking(), 0.003, general).run(1.0) for general in (False, True)]
    assert np.abs(both[0].position("block") - both[1].position("block")).max() < 1e-6


def has_struck(step: Step) -> bool:
    """Whether it ended with the velocities after an impact."""
    assert isinstance(step, DviStep)
    return step.struck


def test_works_of_compiled_and_general_steps_agree_in_an_impact() -> None:
    sims = [simulation(rocking(), 0.004, general) for general in (False, True)]
    struck = 0
    for _ in range(60):
        one, other = (sim.advance() for sim in sims)
        struck += has_struck(other)
        assert has_struck(one) == has_struck(other)
        for name in ("contacts", "friction", "forces"):
            assert getattr(one.work, name) == pytest.approx(getattr(other.work, name), abs=1e-8)
    assert struck == 1


@pytest.mark.parametrize("general", [False, True])
def test_run_resumed_before_or_after_an_impact_goes_on_bit_for_bit(tmp_path: Path, general: bool) -> None:
    h, steps = 0.004, 60
    whole = simulation(rocking(), h, general)
    for _ in range(steps):
        whole.advance()
    for stop in (0.2, 0.208):
        path = tmp_path / f"{stop}.h5"
        simulation(rocking(), h, general).run(stop, record=path)
        resumed = sg.Simulation.resume(path)
        if general:
            resumed._driver = replace(resumed._driver, compiled=None)  # type: ignore[type-var]
        resumed.run(steps * h - stop)
        assert np.array_equal(resumed.state.position, whole.state.position)
        assert np.array_equal(resumed.state.angular_velocity, whole.state.angular_velocity)


def test_rolling_and_resting_bodies_do_not_strike() -> None:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    model.add_body(sg.Cylinder(0.1, 0.02), density=1000, position=(0, 0, 0.1), velocity=(3, 0, 0),
                   orientation=(math.sqrt(0.5), math.sqrt(0.5), 0, 0), angular_velocity=(0, 0, -30))  # fmt: skip
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 1, 0.05))
    sim = simulation(model, 0.002, general=True)
    assert not any(has_struck(sim.advance()) for _ in range(200))
