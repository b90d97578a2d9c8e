"""The list of attempts: which are made, in which order, and what is reported."""

from __future__ import annotations

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.interior_point.attempts import ATTEMPTS

from ..first_order_problems import random_problem


def contradictory() -> ContactProblem:
    """A few contacts, one of them asked to part in both directions at once."""
    p = random_problem(0, bodies=3, contacts=3)
    D = p.D.toarray()
    b = p.b_lambda.copy()
    D[3], b[0], b[3] = -D[0], 1.0, 1.0
    return ContactProblem(p.H, p.c, D=D, b_lambda=b, cones=p.cones)


def test_few_contacts_take_the_dense_loop_alone() -> None:
    assert InteriorPoint().solve(random_problem(0)).attempts == ("dense loop",)


def test_other_settings_take_the_usual_system_alone() -> None:
    problem = random_problem(0)
    assert InteriorPoint(system="condensed").solve(problem).attempts == ("usual system",)
    assert InteriorPoint().solve(random_problem(1, joints=3)).attempts == ("usual system",)


def test_joints_alone_take_singular_values() -> None:
    p = random_problem(1, joints=3)
    assert InteriorPoint().solve(ContactProblem(p.H, p.c, p.C, p.b_gamma)).attempts == ("singular values",)


def test_a_contradiction_of_the_dense_loop_is_looked_at_again() -> None:
    attempts = InteriorPoint().solve(contradictory()).attempts
    assert attempts[:2] == ("dense loop", "usual system")


def test_attempts_come_in_the_order_of_the_list() -> None:
    order = [attempt.name for attempt in ATTEMPTS]
    places = [order.index(name) for name in InteriorPoint().solve(contradictory()).attempts]
    assert places == sorted(places)


def test_a_guess_that_leads_nowhere_is_dropped_and_both_count() -> None:
    problem = random_problem(8, joints=2, contacts=40)
    impulse = 1e12 * np.random.default_rng(8).normal(size=problem.contact_rows)
    solver = InteriorPoint(warm_start="full")
    solution = solver.solve(problem, Guess(impulse, np.full(problem.joint_rows, -1e12)))
    assert solution.status.ok
    assert solution.attempts == ("usual system", "cold start", "usual system")
    assert solution.iterations == solver.max_iterations + solver.solve(problem).iterations
