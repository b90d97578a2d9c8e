"""Springs in steps of hard contact: energy and order where slow, damping where too fast for the step."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.simulation.drivers import DviDriver


def mass_on_spring(rate: float, damping: float = 0.0) -> sg.Model:
    """1 kg on a slide, on a spring with this angular frequency [rad/s], let go at 0.1 m."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(1.1, 0, 0), name="mass")
    model.add_prismatic(None, "mass", axis=(1, 0, 0), position=(1.1, 0, 0))
    model.add_spring(None, "mass", (0, 0, 0), (1.1, 0, 0), stiffness=rate**2, damping=damping, length=1.0)
    return model


def energies(model: sg.Model, h: float, steps: int) -> np.ndarray:
    """After each step [J]."""
    sim = sg.Simulation(model, step=h)
    return np.array([sim.advance().energy for _ in range(steps)])


def place(model: sg.Model, h: float, duration: float, compiled: bool = True) -> np.ndarray:
    """Of the mass beside its rest [m], at all steps."""
    sim = sg.Simulation(model, step=h)
    if not compiled:
        assert isinstance(sim._driver, DviDriver)
        sim._driver = replace(sim._driver, compiled=None)
    return sim.run(duration).position("mass")[:, 0] - 1.0


@pytest.mark.parametrize("compiled", [True, False])
def test_a_free_oscillation_keeps_its_amplitude(compiled: bool) -> None:
    x = place(mass_on_spring(10.0), 0.002, 2.0, compiled)
    assert np.abs(x[-350:]).max() == pytest.approx(0.1, rel=1e-3)


def test_order_two() -> None:
    """At a fixed time; the velocity given is that half a step before the start."""
    errors = []
    for h in (0.004, 0.002, 0.001):
        model = mass_on_spring(10.0)
        state = model.initial_state()
        state.velocity[0, 0] = 0.1 * 10.0 * math.sin(0.5 * 10.0 * h)
        found = sg.Simulation(model, step=h, state=state).run(1.0).position("mass")[-1, 0] - 1.0
        errors.append(abs(found - 0.1 * math.cos(10.0)))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(orders, 2.0, atol=0.15)


@pytest.mark.parametrize("rate", [1.0, 10.0, 100.0, 200.0])
def test_energy_of_a_linear_spring_is_kept_to_round_off(rate: float) -> None:
    """Up to omega h = 0.4."""
    energy = energies(mass_on_spring(rate), 0.002, 2000)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-6


@pytest.mark.parametrize("rate", [1e3, 1e4, 1e6])
def test_springs_too_fast_for_the_step_come_to_rest(rate: float) -> None:
    x = place(mass_on_spring(rate), 0.002, 0.1)
    assert np.abs(x).max() <= 0.1 * (1.0 + 1e-9)
    assert np.abs(x[-20:]).max() < 1e-6


@pytest.mark.parametrize("rate", [300.0, 400.0, 450.0])
def test_between_the_two_energy_never_grows(rate: float) -> None:
    energy = energies(mass_on_spring(rate), 0.002, 1000)
    assert energy.max() <= 0.5 * (0.1 * rate) ** 2
    assert energy[-1] < 1e-6 * energy[0]


def test_damping_is_that_asked_for() -> None:
    """A tenth of the critical one: the amplitude after a period is exp(-2 pi zeta / sqrt(1 - zeta^2))."""
    zeta, rate = 0.1, 10.0
    x = place(mass_on_spring(rate, 2 * zeta * rate), 0.001, 0.7)
    damped = rate * math.sqrt(1 - zeta**2)
    first = x[int(0.5 / 0.001) :].max()
    assert first == pytest.approx(0.1 * math.exp(-2 * math.pi * zeta * rate / damped), rel=0.01)


def test_the_relaxed_law_keeps_the_scheme_of_the_documents() -> None:
    """Implicit Euler: an amplitude falls by half of omega h per radian."""
    sim = sg.Simulation(mass_on_spring(10.0), step=0.002, law="convex")
    x = sim.run(2.0).position("mass")[:, 0] - 1.0
    assert np.abs(x[-350:]).max() == pytest.approx(0.1 * math.exp(-0.5 * 0.02 * 10.0 * 1.65), rel=0.05)
