"""Pairs of bodies that pass through each other, and springs along slides."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.collision.detector import detect
from signorini.io.model_text import from_text, to_text


def two_balls() -> sg.Model:
    model = sg.Model()
    for x in (0.0, 0.15):
        model.add_body(sg.Sphere(0.1), density=1000, position=(x, 0, 0))
    return model


def test_excluded_bodies_do_not_touch() -> None:
    model = two_balls()
    assert detect(model, model.initial_state(), 0.0).count == 1
    model.exclude_contact(1, 0)
    assert model.excluded == {(0, 1)}
    assert detect(model, model.initial_state(), 0.0).count == 0
    copy = from_text(to_text(model))
    assert copy.excluded == {(0, 1)}
    with pytest.raises(sg.SignoriniError, match="no pair with itself"):
        model.exclude_contact(1, 1)


def test_a_slide_spring_settles_where_it_carries_the_weight() -> None:
    model = sg.Model()
    body = model.add_body(sg.Sphere(0.1), mass=2.0)
    joint = model.add_prismatic(None, body, (0, 0, 1))
    spring = model.add_slide_spring(joint, stiffness=100.0, damping=28.0, position=0.3)
    run = sg.Simulation(model, step=0.005).run(4.0)
    rest = 0.3 - 2.0 * 9.81 / 100.0
    assert run.position(0)[-1, 2] == pytest.approx(rest, abs=1e-6)
    assert spring.energy(run.state()) == pytest.approx(0.5 * 100.0 * (rest - 0.3) ** 2, rel=1e-4)
    # The force is minus the slope of the energy.
    state, eps = run.state(), 1e-6
    force = spring.term(state).force[2]
    energies = []
    for shift in (-eps, eps):
        moved = state.copy()
        moved.position[0, 2] += shift
        energies.append(spring.energy(moved))
    assert force == pytest.approx(-(energies[1] - energies[0]) / (2 * eps) - 28.0 * state.velocity[0, 2], rel=1e-6)
    assert np.isfinite(force)


def test_a_slide_spring_needs_a_slide() -> None:
    model = sg.Model()
    body = model.add_body(sg.Sphere(0.1), mass=2.0)
    hinge = model.add_revolute(None, body, (0, 0, 0), (0, 1, 0))
    with pytest.raises(sg.SignoriniError, match="does not slide"):
        model.add_slide_spring(hinge, stiffness=1.0)
