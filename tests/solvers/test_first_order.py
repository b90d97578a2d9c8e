"""Projected SOR, projected Jacobi, Barzilai-Borwein and APGD: what they promise, on random and on real problems."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.io.fclib import load_problem
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import make_solver, solver_class
from signorini.solvers.first_order import make_dual

from .first_order_problems import chain_of_bodies, random_problem

SOLVERS = ("projected-sor", "projected-jacobi", "barzilai-borwein", "apgd")
REAL = (
    "Capsules_regen-nc0056-step11580",
    "Box_Stacks-i0122-82-5",
    "BoxesStack_regen-nc0047-step08625",
    "NESpheres_10_1",
    "gfc2d_granularflowonwall_00069_00350",
    "Rover3865",
    "LMGC_GFC3D-i00001-1-00000",
)


def objective(problem: ContactProblem, lam: Any) -> float:
    """1/2 lambda'N lambda + r'lambda [J]."""
    return float(0.5 * lam @ problem.apply_N(lam) + problem.r @ lam)


def solve(name: str, problem: ContactProblem, guess: Guess | Solution | None = None, **settings: Any) -> Solution:
    return make_solver(name, **settings).solve(problem, guess)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"joints": 4},
        {"soft": True},
        {"coupled": True, "joints": 2},
        {"dims": (1, 3, 5)},
        {"contacts": 0, "joints": 3},
    ],
    ids=str,
)
def test_random_problems_are_solved(name: str, shape: dict[str, Any]) -> None:
    solution = solve(name, random_problem(11, **shape))
    assert solution.status is Status.SOLVED
    assert solution.certificate.error <= 1e-6
    assert solution.history.residual.min() == pytest.approx(solution.certificate.error, rel=1e-2, abs=1e-12)


@pytest.mark.parametrize("name", SOLVERS)
def test_dual_only_problem_has_the_same_answer(name: str) -> None:
    problem = random_problem(13)
    dual_only = ContactProblem.from_delassus(problem.N, problem.r, problem.cones)
    one, two = solve(name, problem, tolerance=1e-9), solve(name, dual_only, tolerance=1e-9)
    assert one.status is two.status is Status.SOLVED
    scale = abs(objective(problem, one.contact_impulse)) + 1e-12
    assert abs(objective(problem, one.contact_impulse) - objective(problem, two.contact_impulse)) < 1e-6 * scale


@pytest.mark.parametrize("scaling", ["isotropic", "anisotropic"])
@pytest.mark.parametrize("mixing", [1.0, 0.5])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("coupled", [False, True], ids=["pairs", "explicit N"])
def test_sor_never_raises_the_objective(scaling: str, mixing: float, symmetric: bool, coupled: bool) -> None:
    for seed in range(5):
        dual = make_dual(random_problem(seed, coupled=coupled, joints=2), scaling)
        x, g = np.zeros(len(dual.b)), np.empty(len(dual.b))
        last = 0.0
        for sweep in range(30):
            dual.sweep(sweep, 1, symmetric, 1.0, mixing, x)
            dual.gradient(x, g)
            value = 0.5 * float(x @ (g + dual.b))
            assert value <= last + 1e-12 * abs(last)
            last = value


def test_trace_rule_can_fail_where_the_theorem_does_not_hold() -> None:
    """One contact whose block of N has rank one and an eigenvalue equal to its trace."""
    row = np.array([1.0, 0.2, 0.2])
    problem = ContactProblem.from_delassus(np.outer(row, row), -row, Cones.coulomb([2.0]))
    assert solve("projected-sor", problem, scaling="isotropic").status is Status.SOLVED
    assert solve("projected-sor", problem, scaling="trace", max_iterations=1000).status is not Status.SOLVED


@pytest.mark.parametrize("name", SOLVERS)
def test_answer_does_not_depend_on_the_number_of_threads(name: str) -> None:
    problem = chain_of_bodies(1500)
    answers = [
        solve(name, problem, threads=threads, max_iterations=60, tolerance=1e-12).contact_impulse
        for threads in (1, 2, 3)
    ]
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])


def test_symmetric_sweeps_do_not_depend_on_the_number_of_threads() -> None:
    problem = chain_of_bodies(1500)
    one, two = (
        solve("projected-sor", problem, threads=t, symmetric=True, max_iterations=40, tolerance=1e-12) for t in (1, 2)
    )
    assert np.array_equal(one.contact_impulse, two.contact_impulse)


@pytest.mark.parametrize("name", SOLVERS)
def test_warm_start_helps(name: str) -> None:
    problem = random_problem(17, bodies=10, contacts=30)
    cold = solve(name, problem)
    warm = solve(name, problem, guess=cold)
    assert warm.iterations == 0
    nearly = solve(name, problem, guess=Guess(contact_impulse=cold.contact_impulse * 1.0001), tolerance=1e-6)
    assert nearly.iterations < cold.iterations


@pytest.mark.parametrize("seed", range(12))
def test_steps_that_improve_less_than_round_off_of_the_objective(seed: int) -> None:
    problem = random_problem(seed, dims=(3,), contacts=8)
    assert solve("barzilai-borwein", problem, tolerance=1e-11, max_iterations=5000).status is Status.SOLVED


@pytest.mark.parametrize("name", SOLVERS)
def test_limits_return_the_best_iterate(name: str) -> None:
    problem = random_problem(19, bodies=10, contacts=40)
    solution = solve(name, problem, tolerance=1e-14, max_iterations=7)
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.iterations == 7
    assert solution.certificate.scaled == pytest.approx(solution.history.residual.min(), rel=1e-6)
    hurried = solve(name, problem, tolerance=1e-14, time_budget=1e-9)
    assert hurried.status is Status.TIME_LIMIT


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), length=st.sampled_from([1e-3, 1.0, 1e3]), mass=st.sampled_from([1e-4, 1.0, 1e4]))
def test_answers_are_free_of_order_copies_and_units(name: str, seed: int, length: float, mass: float) -> None:
    problem = random_problem(seed, dims=(3,), contacts=8)
    plain = solve(name, problem, tolerance=1e-9)
    order = np.random.default_rng(seed).permutation(8)
    order = np.append(order, order[0])  # one contact twice
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    changed = ContactProblem(
        H=problem.H * mass, c=problem.c * mass * length, D=problem.D[rows], b_lambda=problem.b_lambda[rows] * length,
        cones=Cones.coulomb(problem.cones.friction[order]),
    )  # fmt: skip
    other = solve(name, changed, tolerance=1e-9)
    assert plain.status is other.status is Status.SOLVED
    size = np.abs(plain.velocity).max()
    np.testing.assert_allclose(other.velocity / length, plain.velocity, atol=1e-5 * size)


@pytest.mark.parametrize("name", SOLVERS)
def test_degenerate_problems_give_finite_answers(name: str) -> None:
    empty = ContactProblem()
    nothing_to_do = ContactProblem(H=np.eye(6), c=np.ones(6))
    zero_rows = ContactProblem(
        H=np.eye(6), c=np.ones(6), D=sp.csr_array((6, 6)), b_lambda=-np.ones(6), cones=Cones.coulomb([0.4, 0.0])
    )
    contradiction = ContactProblem(
        H=np.eye(6), c=np.ones(6), D=sp.csr_array((3, 6)), b_lambda=np.ones(3), cones=Cones.coulomb([0.4])
    )
    zero_delassus = ContactProblem.from_delassus(np.zeros((3, 3)), np.array([1.0, 0.0, 0.0]), Cones.coulomb([1e12]))
    for problem in (empty, nothing_to_do, zero_rows, zero_delassus):
        solution = solve(name, problem, max_iterations=200)
        assert solution.status is Status.SOLVED
        assert np.all(np.isfinite(solution.contact_impulse))
    hopeless = solve(name, contradiction, max_iterations=5000)
    assert not hopeless.status.ok
    assert np.all(np.isfinite(hopeless.contact_impulse))


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("projected-sor", {"relaxation": 2.0}),
        ("projected-sor", {"mixing": 0.0}),
        ("projected-sor", {"scaling": "magic"}),
        ("projected-sor", {"scaling": "none"}),
        ("projected-jacobi", {"scaling": "none"}),
        ("projected-sor", {"threads": 0}),
        ("projected-sor", {"check_every": 0}),
        ("projected-jacobi", {"relaxation": -1.0}),
        ("projected-jacobi", {"mixing": 1.5}),
        ("barzilai-borwein", {"memory": 0}),
        ("barzilai-borwein", {"smallest_step": 1.0, "largest_step": 0.5}),
        ("apgd", {"growth": 0.5}),
        ("apgd", {"tolerance": 0.0}),
    ],
)
def test_bad_settings_are_named(name: str, bad: dict[str, Any]) -> None:
    with pytest.raises(SolverError, match=next(iter(bad))):
        solver_class(name)(**bad)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("file", REAL)
def test_real_problems_reach_the_reference_objective(name: str, file: str, fclib: Path) -> None:
    with (fclib / "reference_ccp.csv").open() as table:
        reference = {row["file"]: float(row["ccp_objective"]) for row in csv.DictReader(table)}[f"{file}.hdf5"]
    problem = load_problem(fclib / f"{file}.hdf5")
    solution = solve(name, problem)
    assert solution.status is Status.SOLVED, solution
    found = objective(problem, solution.contact_impulse)
    size = abs(reference) + float(np.abs(problem.r) @ np.abs(solution.contact_impulse))
    assert abs(found - reference) <= 1e-5 * size
