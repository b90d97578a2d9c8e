"""Every solver of the registry on every problem of the library, against the closed form."""

from __future__ import annotations

import dataclasses
import math
from functools import cache

import numpy as np
import pytest

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, ProblemError, SolverError
from signorini.problem.library import KnownProblem, library
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import SOLVERS, make_solver
from signorini.solvers.base import Solver

LIBRARY = library()
SECOND_ORDER = ("interior-point", "linear", "clarabel")
TOLERANCE = dict.fromkeys(SOLVERS, 1e-6) | dict.fromkeys(SECOND_ORDER, 1e-8)
"""What each solver is asked for; first-order ones are asked for less."""
ACCURACY = 300.0
"""Allowed error of velocities and unique impulses, in units of the tolerance, relative to their size."""
HARD = "mass ratio 10"
"""A stack in which each mass is ten times the one below has a condition number of 1e5 and more: first-order solvers may
run into their limits there, and must say so."""


PATIENCE = 1.0
"""Time budget [s] where a solver may fail: a contradiction would keep first-order solvers busy up to their iteration
limits. Elsewhere there is none, because the first solve on a machine also compiles."""


@cache
def solver_named(name: str, time_budget: float = math.inf) -> Solver:
    try:
        return make_solver(name, tolerance=TOLERANCE[name], time_budget=time_budget)
    except MissingExtraError as error:
        pytest.skip(str(error))


def answer(
    name: str, problem: ContactProblem, guess: Guess | Solution | None = None, time_budget: float = math.inf
) -> Solution:
    """The solver's answer; skips where it rightly refuses, after a look at the words of the refusal."""
    refusal = ""
    try:
        return solver_named(name, time_budget).solve(problem, guess)
    except SolverError as error:
        refusal = str(error)
    assert name != "interior-point", f"the interior point must solve everything: {refusal}"
    able = [other for other in SOLVERS if other != name and (other in refusal or SOLVERS[other][1] in refusal)]
    assert able, f"{name} refuses without naming a solver that can: {refusal}"
    pytest.skip(f"refused: {refusal}")


def size_of(case: KnownProblem) -> float:
    """The largest velocity with or without impulses [m/s]."""
    assert case.velocity is not None
    return float(np.abs(np.concatenate([case.velocity, case.problem.free_velocity, [1e-12]])).max())


def assert_kkt(problem: ContactProblem, solution: Solution, tolerance: float) -> None:
    """The conditions in the docstring of `ContactProblem`, by dense algebra: the certificate is not asked."""
    v, lam, gamma = solution.velocity, solution.contact_impulse, solution.joint_impulse
    H, C, D, E = (m.toarray() for m in (problem.H, problem.C, problem.D, problem.E))
    if len(v):
        root = np.sqrt(np.diag(H))
        balance = H @ v + problem.c - C.T @ gamma - D.T @ lam
        size = abs(H) @ abs(v) + abs(problem.c) + abs(C).T @ abs(gamma) + abs(D).T @ abs(lam)
        assert np.abs(balance / root).max() <= 2.0 * tolerance * np.abs(size / root).max()
    u = D @ v - problem.b_lambda + E @ lam
    rho = np.repeat(problem.rho, problem.cones.dims)
    error = lam - problem.cones.project(lam - rho * u)
    size = abs(lam) + rho * (abs(u) + abs(D) @ abs(problem.free_velocity) + abs(problem.b_lambda))
    assert np.abs(error).max(initial=0.0) <= ACCURACY * tolerance * size.max(initial=0.0)


@pytest.mark.parametrize("case", [k for k in LIBRARY if k.feasible], ids=lambda k: k.name)
@pytest.mark.parametrize("name", SOLVERS)
def test_closed_form_is_found(name: str, case: KnownProblem) -> None:
    may_fail = HARD in case.name and name not in SECOND_ORDER
    solution = answer(name, case.problem, time_budget=PATIENCE if may_fail else math.inf)
    if may_fail and not solution.status.ok:
        assert solution.status in (Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.STALLED)
        return
    assert solution.status is Status.SOLVED, f"{solution!r}: {solution.status.value}"
    assert solution.certificate.error <= TOLERANCE[name]
    assert_kkt(case.problem, solution, TOLERANCE[name])
    slack = ACCURACY * TOLERANCE[name]
    assert case.velocity is not None
    np.testing.assert_allclose(solution.velocity, case.velocity, rtol=0, atol=slack * size_of(case))
    pairs = (solution.contact_impulse, case.contact_impulse), (solution.joint_impulse, case.joint_impulse)
    for found, expected in pairs:
        if expected is not None:
            size = np.abs(expected).max(initial=0.0) + 1e-2
            np.testing.assert_allclose(found, expected, rtol=0, atol=slack * size)
    objective = solution.certificate.objective_primal
    energy = abs(case.objective) + case.problem.velocities * size_of(case) ** 2 * case.problem.H.diagonal().max(
        initial=0.0
    )
    # A brake turns an error in speed into one in energy, in proportion to its limit.
    ends = np.abs(np.concatenate([case.problem.cones.low, case.problem.cones.high]))
    energy += size_of(case) * ends[np.isfinite(ends)].sum()
    assert objective == pytest.approx(case.objective, abs=slack * (energy + 1e-6))


@pytest.mark.slow
@pytest.mark.parametrize("case", [k for k in LIBRARY if not k.feasible], ids=lambda k: k.name)
@pytest.mark.parametrize("name", SOLVERS)
def test_contradictions_are_not_called_solved(name: str, case: KnownProblem) -> None:
    solution = answer(name, case.problem, time_budget=PATIENCE)
    assert not solution.status.ok
    for vector in (solution.velocity, solution.contact_impulse, solution.joint_impulse):
        assert np.all(np.isfinite(vector)), "the best iterate is returned, not the wreck"


@pytest.mark.parametrize("case", LIBRARY[17:19] + LIBRARY[21:22], ids=lambda k: k.name)
@pytest.mark.parametrize("name", SOLVERS)
def test_warm_start_from_the_answer(name: str, case: KnownProblem) -> None:
    cold = answer(name, case.problem)
    warm = answer(name, case.problem, cold)
    assert warm.status.ok
    assert warm.iterations <= cold.iterations


@pytest.mark.parametrize("name", SOLVERS)
def test_history_is_kept(name: str) -> None:
    solution = answer(name, next(k.problem for k in LIBRARY if "many kinds" in k.name))
    history = solution.history
    assert len(history.iteration) == len(history.residual) == len(history.seconds) > 0
    assert np.all(np.diff(history.iteration) > 0)
    assert np.all(np.diff(history.seconds) >= 0)
    assert solution.seconds >= history.seconds[-1]
    assert solution.solver == name


@pytest.mark.parametrize("name", SOLVERS)
def test_early_stop_returns_an_honest_best_iterate(name: str) -> None:
    problem = next(k.problem for k in LIBRARY if k.name.startswith("stack of 5"))
    settings = dataclasses.replace(solver_named(name), max_iterations=1)  # type: ignore[type-var]
    try:
        solution = settings.solve(problem)
    except SolverError:
        pytest.skip("refused")
    assert np.all(np.isfinite(solution.contact_impulse))
    assert solution.status.ok == (solution.certificate.error <= TOLERANCE[name])


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("wrong", [{"tolerance": 0.0}, {"tolerance": math.nan}, {"max_iterations": 0}])
def test_senseless_settings_are_refused(name: str, wrong: dict[str, float]) -> None:
    solver_named(name)
    with pytest.raises(SolverError, match=next(iter(wrong))):
        make_solver(name, **wrong)


@pytest.mark.parametrize("name", SOLVERS)
def test_guess_of_wrong_shape_is_refused(name: str) -> None:
    problem = LIBRARY[0].problem if name != "linear" else next(k.problem for k in LIBRARY if k.name == "hanging chain")
    guess = Guess(contact_impulse=np.zeros(99), joint_impulse=np.zeros(99))
    with pytest.raises(ProblemError, match="the guess has 99 entries"):
        solver_named(name).solve(problem, guess)


@pytest.mark.parametrize("name", SOLVERS)
def test_solver_is_a_frozen_dataclass_of_settings(name: str) -> None:
    solver = solver_named(name)
    assert dataclasses.is_dataclass(solver)
    fields = {field.name for field in dataclasses.fields(solver)}
    assert {"tolerance", "max_iterations", "time_budget"} <= fields
    assert type(solver).name == name
    assert type(solver).__doc__
    with pytest.raises(dataclasses.FrozenInstanceError):
        solver.tolerance = 1.0  # type: ignore[attr-defined]
