"""Warm starts: they pay when little has changed, and never cost much when all has."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.interior_point import InteriorPoint

from ..first_order_problems import random_problem
from ..interior_point.problems import changed, dual

PROBLEMS = {
    "rigid": random_problem(0, bodies=8, contacts=40),
    "joints": random_problem(1, bodies=8, contacts=40, joints=3),
    "soft": random_problem(2, bodies=8, contacts=40, soft=True, dims=(1, 3)),
    "general mass": random_problem(3, bodies=8, contacts=40, coupled=True, joints=2),
    "dual only": dual(random_problem(4, bodies=8, contacts=40)),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)


def perturbed(p: ContactProblem, share: float) -> ContactProblem:
    """Momentum and gaps changed by that share of their size."""
    rng = np.random.default_rng(0)
    c, b = (v + share * np.abs(v).mean() * rng.normal(size=len(v)) if len(v) else v for v in (p.c, p.b_lambda))
    return changed(p, c=c, b_lambda=b)


def solve(problem: ContactProblem, guess: Guess | Solution | None = None, **settings: object) -> Solution:
    solution = InteriorPoint(**settings).solve(problem, guess)  # type: ignore[arg-type]
    assert solution.status is Status.SOLVED, f"{solution!r}"
    return solution


@every_problem
def test_own_solution_is_confirmed_at_once(name: str) -> None:
    cold = solve(PROBLEMS[name])
    for mode in ("shifted", "full"):
        assert solve(PROBLEMS[name], cold, warm_start=mode).iterations <= 3
    impulses = Guess(contact_impulse=cold.contact_impulse, joint_impulse=cold.joint_impulse)
    assert solve(PROBLEMS[name], impulses).iterations <= 3


@every_problem
def test_shifted_start_pays_after_a_small_change(name: str) -> None:
    before, after = solve(PROBLEMS[name]), perturbed(PROBLEMS[name], 1e-3)
    assert solve(after, before).iterations < solve(after).iterations


@every_problem
@pytest.mark.parametrize("share", [0.1, 0.3, 1.0, 10.0])
def test_shifted_start_costs_little_after_a_large_change(name: str, share: float) -> None:
    """Another set of contacts pushes; old velocities must not hide what has changed."""
    before, after = solve(PROBLEMS[name]), perturbed(PROBLEMS[name], share)
    assert solve(after, before).iterations <= solve(after).iterations + 2


@every_problem
@pytest.mark.parametrize("size", [0.0, 1.0, 1e3, 1e9])
def test_senseless_guesses_do_no_harm(name: str, size: float) -> None:
    problem = PROBLEMS[name]
    guess = Guess(contact_impulse=size * np.random.default_rng(0).normal(size=problem.contact_rows))
    assert solve(problem, guess).iterations <= solve(problem).iterations + 2


@every_problem
@pytest.mark.parametrize("mode", ["shifted", "full", "partial", "none"])
def test_every_mode_ends_at_the_same_answer(name: str, mode: str) -> None:
    before, after = solve(PROBLEMS[name]), perturbed(PROBLEMS[name], 1e-2)
    expected = solve(after)
    found = solve(after, before, warm_start=mode)
    assert found.certificate.objective_dual == pytest.approx(expected.certificate.objective_dual, rel=1e-7)
    if mode == "none":
        assert found.iterations == expected.iterations


@pytest.mark.parametrize("name", ["rigid", "joints", "general mass"])
@pytest.mark.parametrize("linear", ["auto", "dense"])
def test_velocities_that_stay_need_no_impulses(name: str, linear: str) -> None:
    """Impulses are recovered from the momentum that the old velocities ask for."""
    problem = PROBLEMS[name]
    expected = solve(problem, linear=linear)
    found = solve(problem, Guess(velocity=expected.velocity), linear=linear)
    assert found.iterations <= 4 < expected.iterations
    np.testing.assert_allclose(found.velocity, expected.velocity, atol=1e-6)
    pure = solve(problem, Guess(velocity=expected.velocity), finish_below=0.0)
    assert pure.iterations > found.iterations


def test_a_partial_guess_drops_the_impulses() -> None:
    problem = PROBLEMS["rigid"]
    expected = solve(problem)
    nonsense = Guess(contact_impulse=np.full(problem.contact_rows, 1e3), velocity=expected.velocity)
    assert solve(problem, nonsense, warm_start="partial").iterations <= 4


@every_problem
@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("velocity", np.zeros(1)),
        ("contact_impulse", np.zeros(1)),
        ("joint_impulse", np.zeros(99)),
        ("contact_impulse", None),
    ],
)
def test_wrong_guesses_are_refused(name: str, part: str, value: np.ndarray | None) -> None:
    wrong = np.full(PROBLEMS[name].contact_rows, np.nan) if value is None else value
    with pytest.raises(ProblemError, match="the guess"):
        InteriorPoint().solve(PROBLEMS[name], Guess(**{part: wrong}))
    InteriorPoint(warm_start="none").solve(PROBLEMS[name], Guess(**{part: wrong}))


def test_wrong_guess_is_refused_without_contacts() -> None:
    problem = ContactProblem(H=np.eye(2), c=np.ones(2), C=np.ones((1, 2)), b_gamma=[0.0])
    with pytest.raises(ProblemError, match="2 entries in joint_impulse, expected 1"):
        InteriorPoint().solve(problem, Guess(joint_impulse=np.zeros(2)))


@pytest.mark.parametrize("mode", ["shifted", "full", "partial"])
def test_small_problems_stay_in_the_compiled_loop(mode: str) -> None:
    problem = random_problem(5, bodies=6, contacts=12)
    before, after = solve(problem), perturbed(problem, 1e-3)
    compiled = solve(after, before, warm_start=mode)
    general = solve(after, before, warm_start=mode, linear="dense")
    assert compiled.detail.startswith("compiled loop")
    assert not general.detail.startswith("compiled loop")
    assert abs(compiled.iterations - general.iterations) <= 2
    np.testing.assert_allclose(compiled.velocity, general.velocity, atol=1e-6)
