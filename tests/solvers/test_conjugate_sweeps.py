"""Sweeps whose steps are combined as in the conjugate gradient method."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.kernels.sweeps import conjugate
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.first_order import SCALINGS, make_pair_dual
from signorini.solvers.first_order.dual import Dual, DualRows
from signorini.solvers.first_order.explicit_dual import ExplicitDual

from .first_order_problems import random_problem


def explicit(problem: ContactProblem) -> Dual:
    return ExplicitDual.build(problem, DualRows.of(problem), SCALINGS["anisotropic"])


def error(problem: ContactProblem, dual: Dual, x: np.ndarray) -> float:
    impulses = dual.impulses(x).copy()
    lam = impulses[: problem.contact_rows]
    return measure(problem, problem.velocity_of(lam, np.zeros(0)), lam, np.zeros(0), law="coulomb").scaled


def test_share_follows_fletcher_and_reeves_and_forgets_where_changes_grow() -> None:
    assert conjugate.share(2.0, 0.0) == 0.0
    assert conjugate.share(2.0, 8.0) == pytest.approx(0.25)
    assert conjugate.share(8.0, 2.0) < 0.0


def test_one_step_by_hand() -> None:
    x, old, direction = np.array([[3.0, 5.0]]), np.array([[1.0, 1.0]]), np.array([[10.0, -10.0]])
    conjugate.extrapolate(0.5, x, old, direction)
    np.testing.assert_allclose(x, [[8.0, 0.0]])
    np.testing.assert_allclose(old, x)
    np.testing.assert_allclose(direction, [[7.0, -1.0]])
    conjugate.extrapolate(-1.0, x, old, direction)
    np.testing.assert_allclose(x, [[8.0, 0.0]])
    np.testing.assert_allclose(direction, 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_records_and_explicit_rows_lead_to_the_same_motion(seed: int) -> None:
    """Records are visited in another order, so that single steps differ: the answer must not."""
    problem = random_problem(seed, contacts=30)
    pairs = make_pair_dual(problem, "anisotropic")
    assert pairs is not None
    answers = []
    for which in (pairs, explicit(problem)):
        x = which.begin(np.zeros(problem.contact_rows)).copy()
        which.conjugate_sweeps(600, x, exact=True)
        assert error(problem, which, x) < 1e-9
        answers.append(problem.velocity_of(which.impulses(x).copy(), np.zeros(0)))
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-7)


@pytest.mark.parametrize("count", [1, 2])
def test_the_first_two_sweeps_are_plain(count: int) -> None:
    """Nothing is combined before there are two changes."""
    problem = random_problem(7, contacts=30)
    dual = make_pair_dual(problem, "anisotropic")
    assert dual is not None
    start = np.zeros(problem.contact_rows)
    x, plain = dual.begin(start).copy(), dual.begin(start).copy()
    dual.conjugate_sweeps(count, x, exact=True)
    dual.sweep(0, count, False, 1.0, 1.0, plain, True)
    np.testing.assert_array_equal(x, plain)


def tower(layers: int = 12) -> ContactProblem:
    """A column of balls on a floor, on whose way down impulses are carried slowly by plain sweeps."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=0.5))
    for k in range(layers):
        model.add_body(sg.Sphere(0.5), density=1000, position=(0.0, 0.0, 0.5 + k), material=sg.Material(friction=0.5))
    return sg.Simulation(model, step=0.01, law="coulomb").advance().problem


def test_impulses_travel_faster_than_by_plain_sweeps() -> None:
    problem = tower()
    dual = make_pair_dual(problem, "anisotropic")
    assert dual is not None
    start = np.zeros(problem.contact_rows)
    x, plain = dual.begin(start).copy(), dual.begin(start).copy()
    dual.conjugate_sweeps(60, x, exact=True)
    dual.sweep(0, 60, False, 1.0, 1.0, plain, True)
    assert error(problem, dual, x) < 0.1 * error(problem, dual, plain)
