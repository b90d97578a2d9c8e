"""Contacts that an answer brings about: found in the compiled step as by the classes of `stepping`."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.kernels.collision.identity import SWEPT
from signorini.model.model import Model
from signorini.scenes import SCENES
from signorini.simulation.drivers import DviDriver
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.step import DviStep


def row_of_balls() -> Model:
    """One ball hits a row of others that only just touch: hits run through all of them in one step."""
    model = sg.Model(gravity=(0.0, 0.0, 0.0))
    for k in range(6):
        velocity = (30.0, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.0)
        model.add_body(sg.Sphere(0.1), density=1000, position=(0.203 * k, 0.0, 0.0), velocity=velocity)
    return model


def spinning_sticks() -> Model:
    """Sticks that turn far in a step, above and among one another."""
    model, rng = sg.Model(), np.random.default_rng(3)
    model.add_fixed_body(sg.HalfSpace((0.0, 0.0, 1.0)))
    for k in range(6):
        turn = rng.normal(size=4)
        model.add_body(
            sg.Box((0.4, 0.06, 0.03)), density=800, position=(0.15 * (k % 3), 0.1 * (k // 3), 0.3 + 0.1 * k),
            orientation=turn / np.linalg.norm(turn), angular_velocity=25.0 * rng.normal(size=3),
        )  # fmt: skip
    return model


MODELS = {
    "balls": (row_of_balls(), 0.005, 20),
    "sticks": (spinning_sticks(), 0.005, 150),
    "dominoes": (SCENES["domino"].build(dominoes=5), 0.002, 120),
    "ragdoll": (SCENES["ragdolls"].build(dolls=1), 0.005, 200),
}


def let_python_look(sim: sg.Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python look for what is missing where the quick look of an answer is not certain."""
    driver = sim._driver
    assert isinstance(driver, DviDriver)
    stepper = driver.compiled
    assert stepper is not None
    assert stepper.finds_contacts
    finds = property(lambda self: self is not stepper)
    monkeypatch.setattr(CompiledStepper, "finds_contacts", finds)


@pytest.mark.parametrize("name", MODELS)
def test_contacts_that_were_missing_are_those_that_python_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, h, steps = MODELS[name]
    compiled, python = (sg.Simulation(model, step=h) for _ in range(2))
    python.advance()  # the look for overlap at the start is over
    let_python_look(python, monkeypatch)
    again = swept = 0
    driver = compiled._driver
    assert isinstance(driver, DviDriver)
    for _ in range(steps):
        python._now = compiled._now
        known = driver.stepper.detector.detect(compiled.state, h)
        here, there = compiled.advance(), python.advance()
        assert isinstance(here, DviStep)
        np.testing.assert_array_equal(here.contacts.identity, there.contacts.identity)
        for of in ("gap", "point_a", "point_b", "normal"):
            np.testing.assert_allclose(getattr(here.contacts, of), getattr(there.contacts, of), atol=1e-9)
        np.testing.assert_allclose(here.state.velocities, there.state.velocities, atol=1e-7)
        again += not np.isin(here.contacts.identity, known.identity).all()
        swept += bool((here.contacts.identity & SWEPT).any())
    assert again > 0
    assert swept > 0 or name == "balls"


@pytest.mark.parametrize("name", ["sticks", "dominoes"])
def test_steps_with_missing_contacts_are_the_same_in_blocks(name: str) -> None:
    model, h, steps = MODELS[name]
    one, many = (sg.Simulation(model, step=h) for _ in range(2))
    for _ in range(steps):
        one.advance()
    many.run(steps * h)
    np.testing.assert_array_equal(one.state.position, many.state.position)
    np.testing.assert_array_equal(one.state.velocities, many.state.velocities)
