"""Rolling friction under the exact law: steps that repeat the last one, and rows that are built once for a step."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import signorini as sg
from signorini.solvers.cone_newton import lifted_form as lifted


def ball(rolling: float) -> sg.Model:
    model, material = sg.Model(), sg.Material(friction=1.0, rolling_friction=rolling)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 10, 0),
                   material=material, name="ball")  # fmt: skip
    return model


def test_rolling_on_takes_few_convex_problems_and_slows_as_it_should() -> None:
    """The torque of rolling friction is c m g: v' = -c g / (7/5 r)."""
    sim = sg.Simulation(ball(2e-3), step=2e-3)
    steps = [sim.advance() for _ in range(50)]
    assert all(step.status.ok for step in steps)
    for step in steps[2:]:
        assert int(step.solution.detail.split()[0]) <= 4, step.solution.detail
    exact = 1.0 - 2e-3 * 9.81 / (1.4 * 0.1) * 0.1
    assert sim.state.velocity[1, 0] == pytest.approx(exact, rel=1e-9)


def test_rows_are_built_once_for_all_right_hand_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    built, build = [], lifted._lifted_rows
    monkeypatch.setattr(lifted, "_lifted_rows", lambda *given: built.append(1) or build(*given))
    problem = sg.Simulation(ball(2e-3), step=2e-3).advance().problem
    built.clear()
    ends = lifted.Ends.near(problem)
    first = lifted.lifted_form(problem, ends)
    other = problem.changed(b_lambda=problem.b_lambda + 0.1)
    shifted = lifted.lifted_form(other, ends)
    assert len(built) <= 1
    assert shifted.A is first.A
    lifted.LAST.clear()
    fresh = lifted.lifted_form(other, ends)
    for name in ("b", "c", "r", "scale"):
        np.testing.assert_array_equal(getattr(fresh, name), getattr(shifted, name))
    changed = problem.changed(E=problem.E + 1e-3 * np.eye(problem.contact_rows))
    assert lifted.lifted_form(changed, ends).A is not fresh.A


def test_rows_are_forgotten_with_their_problem() -> None:
    problem = sg.Simulation(ball(2e-3), step=2e-3).advance().problem
    lifted.lifted_form(problem, lifted.Ends.near(problem))
    kept = weakref.ref(problem.rows)
    del problem
    gc.collect()
    assert kept() is None
