"""Steps that are not solved: what the next one takes over, and how often they are tried."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.problem.solution import Status
from signorini.stepping.new_contacts import MOST_UNSOLVED_ROUNDS
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True)
class Unsolved:
    """A solver that finds the answer and says that it has not."""

    status: Status
    count: list[int] = field(default_factory=list)
    tolerance: float = 1e-8
    name: str = "unsolved"

    def solve(self, problem: Any, guess: Any = None) -> Any:
        self.count.append(problem.contacts)
        return replace(sg.InteriorPoint().solve(problem, guess), status=self.status)


def row_of_balls() -> sg.Model:
    """A ball that hits a row of others: with every round one more is seen to be hit."""
    model = sg.Model(gravity=(0, 0, 0))
    for k in range(24):
        velocity = (300.0, 0, 0) if k == 0 else (0, 0, 0)
        position = (0.15 * k, 0, 0)
        model.add_body(sg.Sphere(0.05), density=1000 * 0.5**k, position=position, velocity=velocity)
    return model


def solves_of_a_step(status: Status) -> int:
    solver = Unsolved(status)
    sim = sg.Simulation(row_of_balls(), step=0.01, solver=solver, law="convex", gaps="linear")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells that the step is not solved
        sim.advance()
    return len(solver.count)


def test_rounds_of_answers_that_are_not_solved_end_soon() -> None:
    assert solves_of_a_step(Status.SOLVED) > MOST_UNSOLVED_ROUNDS + 1
    assert solves_of_a_step(Status.STALLED) == MOST_UNSOLVED_ROUNDS + 1


@pytest.mark.parametrize("status", list(Status))
def test_impulses_of_no_answer_are_not_carried_on(status: Status) -> None:
    """A solver that found a contradiction leaves huge impulses; as a guess they would stay."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 0.1))
    step = sg.Simulation(model, step=0.01).advance()
    assert np.all(step.solution.contact_impulse[:1] > 0)
    memory = Memory.of(step.contacts, replace(step.solution, status=status), step.problem.cones)
    no_answer = status in (Status.INFEASIBLE, Status.NO_SOLUTION, Status.DIVERGED)
    assert bool(np.any(memory.impulse)) is not no_answer
