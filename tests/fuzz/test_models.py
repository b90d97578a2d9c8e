"""A few random models, and the judge itself; `make fuzz MINUTES=10` runs many."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import judge
import pieces
from models import SOLVERS, RandomModels, Trial
from random_models import random_model

import signorini as sg
from signorini.problem.certificate import measure
from signorini.stepping.new_contacts import MOST_UNSOLVED_ROUNDS


@pytest.mark.slow
def test_random_models_are_solved_or_reported(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = pieces.run(RandomModels(), range(5_000_000, 5_000_020), out, seconds=200.0)
    assert result["bad"] == []
    assert sum(row["totals"].get("judged", 0) for row in pieces.rows(out)) > 500


def rolling_ball() -> tuple[sg.ContactProblem, sg.Solution]:
    model = sg.Model()
    rough = sg.Material(0.5, rolling_friction=1e-3, spinning_friction=1e-3)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rough)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0), material=rough, name="ball")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(1, 0, 0.1), velocity=(1, 0, 0), name="box")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=1.0, position=(2, 0, 1.0), name="arm")
    model.add_revolute(None, "arm", (1.8, 0, 1.0), (0, 1, 0), friction=0.1)
    step = sg.Simulation(model, step=0.005).advance()
    assert step.status.ok
    return step.problem, step.solution


def test_the_judge_agrees_with_the_certificate() -> None:
    """Two programs that share nothing: contacts, rolling blocks, brakes and joints."""
    problem, solution = rolling_ball()
    good = judge.errors(problem, solution, exact=True)
    assert max(good.values()) < 1e-7
    rng = np.random.default_rng(0)
    for size in (1e-5, 1e-2):
        push = solution.contact_impulse + size * rng.standard_normal(len(solution.contact_impulse))
        wrong = replace(solution, contact_impulse=push)
        found = judge.errors(problem, wrong, exact=True)
        caused = problem.mass.solve(problem.D.T @ push + problem.C.T @ solution.joint_impulse - problem.c)
        consistent = replace(wrong, velocity=caused)
        measured = measure(problem, caused, push, solution.joint_impulse, "coulomb")
        assert found["stationarity"] > 1e-2 * size
        found = judge.errors(problem, consistent, exact=True)
        assert found["contacts"] == pytest.approx(measured.scaled, rel=1e-3)
        assert found["joints"] == pytest.approx(measured.joint_error_relative, rel=0.2)


def test_the_judge_rejects_spoiled_answers() -> None:
    problem, solution = rolling_ball()
    for name in ("velocity", "joint_impulse", "contact_impulse"):
        spoiled = np.array(getattr(solution, name)) * 1.01 + 1e-3
        found = judge.errors(problem, replace(solution, **{name: spoiled}), exact=True)
        assert max(found.values()) > 1e-4, name
    lost = replace(solution, velocity=solution.velocity * np.nan)
    assert judge.errors(problem, lost, exact=True) == {"not finite": np.inf}


def test_energy_from_nothing_is_noticed() -> None:
    trial = Trial(1000000, next(iter(SOLVERS)))  # bodies that overlap at the start
    trial.case.driven = False
    much = 1e3 * sum(mass for mass, _ in trial.bodies)  # more than a fall of ten steps gives
    trial.energies = [(much, 0.0, 0.0), (0.5 * much, 0.4 * much, 0.0), (1.5 * much, 0.0, 0.0)]
    trial.look_at_energy()
    assert "energy grew" in trial.bad[0]["what"]


@dataclass(frozen=True)
class Hurried(sg.Coulomb):
    """Gives up soon."""

    asked: list[int] = field(default_factory=list)
    max_factorisations: int = 20

    def solve(self, problem: sg.ContactProblem, guess: sg.Solution | None = None) -> sg.Solution:
        self.asked.append(problem.contacts)
        return super().solve(problem, guess)


def test_a_step_that_is_tried_again_to_first_order_does_not_go_on_unsolved() -> None:
    """Only a solved step is taken instead of the first one; rounds of others took most of a minute in this model."""
    case = random_model(np.random.default_rng(20000195))
    solver = Hurried(tolerance=1e-8, time_budget=1e6)
    with pytest.warns(UserWarning, match="coulomb"):
        step = sg.Simulation(case.model, step=0.01, solver=solver).advance()
    assert not step.status.ok
    assert len(solver.asked) == MOST_UNSOLVED_ROUNDS + 2


def test_contacts_found_in_the_last_round_are_not_taken_for_solved() -> None:
    """A step ends with the contacts of its answer, also where its last round still finds others."""
    row = RandomModels().trial(32000132)
    assert "bad" not in row


@pytest.mark.slow
@pytest.mark.parametrize("number", [31000114, 31000171])
def test_models_whose_mass_matrix_lost_its_factor(number: int) -> None:
    """In the first energy burst in solved steps, in the second a joint's load outweighed masses by more than 1e16."""
    row = RandomModels().trial(number)
    assert "bad" not in row
    assert row["totals"].get("ended with an error", 0) == 0
    assert row["totals"]["judged"] > 10


@pytest.mark.slow
def test_joints_stay_shut_where_a_blow_spins_a_light_body() -> None:
    """Two blows in one step turn a light body by a radian between them."""
    row = RandomModels().trial(33001191, ["interior-point"])
    assert "bad" not in row
    assert row["totals"]["judged"] > 46


def test_joints_are_not_looked_at_after_velocities_that_turn_bodies_far() -> None:
    """At the start a body turns by three radians in a step, which its joint forbids: the joint opens for one step."""
    assert Trial(33000509, "interior-point").turned_far
    assert not Trial(33001191, "interior-point").turned_far
