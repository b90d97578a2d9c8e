"""Starts, step rules, correctors, finish and both loops: every combination ends at the same answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from signorini.problem.library import KnownProblem, library
from signorini.problem.solution import Status
from signorini.solvers.interior_point import InteriorPoint

from ..first_order_problems import random_problem
from .problems import dual

KNOWN = [k for k in library() if k.feasible]
RANDOM = {
    "mixed": random_problem(0),
    "half-lines": random_problem(1, dims=(1,)),
    "plane": random_problem(2, dims=(2,)),
    "space": random_problem(3, dims=(3,)),
    "soft": random_problem(4, soft=True),
    "dual only": dual(random_problem(5)),
    "general mass": random_problem(6, coupled=True),
}
OPTIONS: dict[str, dict[str, object]] = {
    "split": {"step_rule": "split"},
    "adaptive": {"fraction": "adaptive"},
    "split, adaptive": {"step_rule": "split", "fraction": "adaptive"},
    "cautious": {"fraction": 0.9},
    "no correctors": {"correctors": 0},
    "pure interior point": {"finish_below": 0.0},
    "no lift": {"lift": 0.0},
    "early finish": {"finish_below": 1e-2},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", KNOWN, ids=lambda k: k.name)
@pytest.mark.parametrize("start", ["robust", "cone", "nocedal", "dapuzzo"])
def test_every_start_ends_at_the_closed_form(start: str, case: KnownProblem) -> None:
    solution = InteriorPoint(start=start, linear="dense").solve(case.problem)  # type: ignore[arg-type]
    assert solution.status is Status.SOLVED, f"{solution!r}"
    assert case.velocity is not None
    size = np.abs(np.concatenate([case.velocity, case.problem.free_velocity, [1e-12]])).max()
    np.testing.assert_allclose(solution.velocity, case.velocity, atol=3e-6 * size)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", RANDOM)
def test_every_rule_ends_at_the_same_answer(name: str, option: str) -> None:
    problem = RANDOM[name]
    reference = InteriorPoint(tolerance=1e-10).solve(problem)
    solution = InteriorPoint(tolerance=1e-9, **OPTIONS[option]).solve(problem)  # type: ignore[arg-type]
    assert solution.status is Status.SOLVED, f"{solution!r}"
    assert solution.iterations <= 30
    assert solution.certificate.objective_dual == pytest.approx(reference.certificate.objective_dual, rel=1e-8)


@pytest.mark.parametrize("name", RANDOM)
def test_compiled_and_general_loop_agree(name: str) -> None:
    problem = RANDOM[name]
    compiled = InteriorPoint().solve(problem)
    assert compiled.detail.startswith("compiled loop")
    for system in ("delassus", "augmented"):
        general = InteriorPoint(system=system).solve(problem)  # type: ignore[arg-type]
        assert not general.detail.startswith("compiled loop")
        assert compiled.status is general.status is Status.SOLVED
        assert abs(compiled.iterations - general.iterations) <= 3
        assert general.certificate.objective_dual == pytest.approx(compiled.certificate.objective_dual, rel=1e-8)
        size = np.abs(compiled.velocity).max(initial=0.0)
        np.testing.assert_allclose(general.velocity, compiled.velocity, atol=1e-6 * size)


def test_centrality_correctors_and_finish_save_iterations() -> None:
    problems = [random_problem(seed, bodies=10, contacts=30) for seed in range(5)]
    default, plain = (
        sum(InteriorPoint(tolerance=1e-10, **setting).solve(p).iterations for p in problems)  # type: ignore[arg-type]
        for setting in ({}, {"correctors": 0, "finish_below": 0.0})
    )
    assert default < plain


@pytest.mark.parametrize(("step_rule", "equal"), [("common", True), ("split", False)])
def test_step_lengths(step_rule: str, equal: bool) -> None:
    solver = InteriorPoint(step_rule=step_rule, fraction=0.9)  # type: ignore[arg-type]
    step_x, step_y = solver.step_lengths(0.5, 2.0, 1e-3, 10)
    assert step_x == pytest.approx(0.45)
    assert (step_x == step_y) == equal
    assert max(step_x, step_y) <= 1.0
    adaptive = InteriorPoint(fraction="adaptive")
    shares = [adaptive.step_lengths(0.5, 0.5, barrier, 10)[0] / 0.5 for barrier in (10.0, 1e-2, 0.0)]
    assert all(a < b for a, b in itertools.pairwise(shares))
    assert shares[0] >= 0.9
    assert shares[-1] < 1.0
