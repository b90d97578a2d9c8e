"""Chains on the floor: more contacts than ways to move, and steps that are taken to first order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import signorini as sg
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.scenes import SCENES, chain
from signorini.solvers.coulomb import Coulomb
from signorini.stepping.dvi import DviStepper

H = 2e-3


@dataclass(frozen=True)
class Hesitant(Coulomb):
    """Misses problems whose joints bend."""

    asked: list[ContactProblem] = field(default_factory=list)

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        self.asked.append(problem)
        found = super().solve(problem, guess)
        return replace(found, status=Status.NO_SOLUTION) if bends(problem) else found


def bends(problem: ContactProblem) -> bool:
    """Joints are shut at the beginning of a step: nothing else moves them."""
    return bool(np.abs(problem.b_gamma).max() > 1e-7)


def joint_error(stepper: DviStepper, state: sg.State) -> float:
    return float(np.abs(stepper.assembler.joints(state).error).max())


@pytest.mark.parametrize("scene", ["chain", "ragdolls"])
def test_long_mechanisms_have_the_gaps_of_short_ones(scene: str) -> None:
    model = SCENES[scene].build()
    assert len(model.joints) > 24
    assert sg.Simulation(model, step=SCENES[scene].step).settings()["gaps"] == "curved"


def test_links_that_land_and_slide_are_solved_with_joints_shut() -> None:
    simulation = sg.Simulation(chain.build(links=16, bars=2), step=H)
    stepper = simulation._driver.stepper  # type: ignore[union-attr]
    assert isinstance(stepper, DviStepper)
    for _ in range(320):
        step = simulation.advance()
        assert step.status.ok, step
        assert joint_error(stepper, step.state) < 1e-10
    assert step.contacts.count > 8
    assert step.penetration < 1e-3 * 0.015


def test_a_step_that_contradicts_itself_is_taken_along_straight_paths() -> None:
    model = chain.build(links=4, bars=0, height=0.016)
    simulation = sg.Simulation(model, step=H)
    for _ in range(10):
        simulation.advance()
    number, state, memory = simulation._now
    state = replace(state, angular_velocity=state.angular_velocity + 0.5)
    stepper = DviStepper.of(model, H, law="coulomb", gaps="curved")
    solver = Hesitant()
    step = stepper.step(number + 1, state, memory, solver)
    assert bends(solver.asked[0])
    assert not bends(solver.asked[-1])
    assert step.status.ok
    assert joint_error(stepper, step.state) < 1e-10
    assert "to first order" in step.way
    assert "first order" not in simulation.advance().way
