"""The exact law: closed forms, an independent method, settings and failures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import make_solver, with_law
from signorini.solvers.base import Monitor, finish, starting_impulses
from signorini.solvers.coulomb import Coulomb

from ..first_order_problems import random_problem

MASS, MU = 2.0, 0.5


def particle(velocity: tuple[float, float, float]) -> ContactProblem:
    """A particle that hits the floor z = 0."""
    D = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    return ContactProblem(H=MASS * np.eye(3), c=-MASS * np.array(velocity), D=D, cones=Cones.coulomb([MU]))


@pytest.mark.parametrize(
    ("before", "after"),
    [((3.0, 0, -2), (2.0, 0, 0)), ((0.5, 0.5, -2), (0.0, 0, 0)), ((1.0, 2, 3), (1.0, 2, 3))],
    ids=["slides", "sticks", "leaves"],
)
def test_oblique_impact(before: tuple[float, float, float], after: tuple[float, float, float]) -> None:
    solution = Coulomb().solve(particle(before))
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.velocity, after, atol=1e-6)
    assert solution.certificate.law == "coulomb"


def test_relaxation_lifts_and_the_exact_law_does_not() -> None:
    problem = particle((3.0, 0, -2))
    convex = make_solver("interior-point").solve(problem).velocity
    assert convex[2] == pytest.approx(MU * convex[0], rel=1e-6)
    assert abs(Coulomb().solve(problem).velocity[2]) < 1e-6


def test_groove() -> None:
    """Sliding along a wedge: each side carries `W / (2 cos beta)`, friction brakes by `mu W / cos beta`."""
    beta, speed, weight = math.radians(40), 5.0, 1.0
    axis, rows = np.array([0.0, 1, 0]), []
    for side in (1.0, -1.0):
        normal = np.array([side * math.sin(beta), 0, math.cos(beta)])
        rows += [normal, axis, np.cross(normal, axis)]
    problem = ContactProblem(
        H=np.eye(3), c=-np.array([0, speed, -weight]), D=np.array(rows), cones=Cones.coulomb([MU, MU])
    )
    solution = Coulomb().solve(problem)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.velocity, [0, speed - MU * weight / math.cos(beta), 0], atol=1e-5)
    np.testing.assert_allclose(solution.contact_impulse[::3], 0.5 * weight / math.cos(beta), atol=1e-5)


def all_answers(W: Array, q: Array, mu: float) -> list[Array]:
    """Open, sticking, sliding either way: every solution of one contact in the plane."""
    found = [np.zeros(2)] if q[0] >= 0 else []
    stick = -np.linalg.solve(W, q)
    if mu * stick[0] >= abs(stick[1]):
        found.append(stick)
    for sign in (1.0, -1.0):
        push = np.array([1.0, -sign * mu])
        if (W @ push)[0] != 0:
            impulse = -q[0] / (W @ push)[0] * push
            if impulse[0] >= 0 and sign * (W @ impulse + q)[1] >= 0:
                found.append(impulse)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_one_contact_with_coupled_directions(seed: int) -> None:
    """Painleve's rod: normal and tangent push one another, so that sliding may jam or have several answers."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(2, 2))
    W, q, mu = root @ root.T + 0.1 * np.eye(2), np.array([-1.0, rng.normal()]), float(rng.uniform(0.1, 1.0))
    solution = Coulomb(tolerance=1e-8).solve(ContactProblem.from_delassus(W, q, Cones.coulomb([mu], 2)))
    assert solution.status is Status.SOLVED
    nearest = min(float(np.abs(solution.contact_impulse - one).max()) for one in all_answers(W, q, mu))
    assert nearest < 1e-5 * (1.0 + float(np.abs(solution.contact_impulse).max()))


def gauss_seidel(N: Array, r: Array, mu: float, sweeps: int = 2000) -> Array:
    """Sweeps over the contacts of the exact law, each a projection with the contact's own de Saxce term."""
    lam = np.zeros(len(r))
    for _ in range(sweeps):
        for first in range(0, len(r), 3):
            rows = slice(first, first + 3)
            u = N[rows] @ lam + r[rows]
            u[0] += mu * math.hypot(u[1], u[2])
            x = lam[rows] - u / np.linalg.eigvalsh(N[rows, rows])[-1]
            tangent = math.hypot(x[1], x[2])
            if x[0] + mu * tangent <= 0:
                x[:] = 0
            elif tangent > mu * x[0]:
                x[0] = (x[0] + mu * tangent) / (1 + mu * mu)
                x[1:] *= mu * x[0] / tangent
            lam[rows] = x
    return lam


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_gauss_seidel_on_the_exact_law(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(12, 12))
    N, r = root @ root.T / 12 + 2 * np.eye(12), rng.normal(size=12) - np.tile([1.5, 0, 0], 4)
    problem = ContactProblem.from_delassus((N + N.T) / 2, r, Cones.coulomb(np.full(4, 0.3)))
    solution = Coulomb(tolerance=1e-9).solve(problem)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.contact_impulse, gauss_seidel(N, r, 0.3), atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"joints": 4}, {"soft": True}, {"coupled": True}], ids=str)
def test_all_kinds_of_problems(options: dict[str, Any]) -> None:
    """Half-lines, cones in the plane and in space, without friction too; joints, compliance, general bodies."""
    solution = Coulomb().solve(random_problem(3, **options))
    assert solution.status is Status.SOLVED
    assert solution.certificate.error <= 1e-6


@pytest.mark.parametrize("name", ["apgd", "projected-sor"])
def test_convex_solves_alone(name: str) -> None:
    solution = Coulomb(inner=make_solver(name), tolerance=1e-5, newton=False).solve(random_problem(3))
    assert solution.status is Status.SOLVED
    assert "0 Newton steps" in solution.detail


@pytest.mark.parametrize("most", [1, 4, 9])
def test_the_budget_of_factorisations_bounds_all_ways_together(most: int) -> None:
    """A tolerance that cannot be met: every way is tried in turn, and the best iterate comes back, with a status."""
    problem = random_problem(3)
    solution = Coulomb(tolerance=1e-30, max_factorisations=most).solve(problem)
    assert solution.status is Status.ITERATION_LIMIT
    words = solution.detail.split()
    convex_solves, convex_iterations, newton_steps = int(words[0]), int(words[4]), int(words[6])
    # The way in which the budget ends may finish its convex solve or its semismooth step.
    assert newton_steps <= most + 1
    assert convex_solves <= 1 or convex_iterations <= most
    assert solution.certificate.error < Coulomb(max_factorisations=1).solve(problem).certificate.error * (1 + 1e-9)


def test_a_larger_budget_is_never_worse() -> None:
    problem = random_problem(3)
    errors = [Coulomb(tolerance=1e-30, max_factorisations=n).solve(problem).certificate.error for n in (1, 3, 10, 100)]
    assert errors == sorted(errors, reverse=True)


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(SolverError, match="max_factorisations is 0"):
        Coulomb(max_factorisations=0)


@dataclass(frozen=True)
class Idle:
    """Answers with nothing."""

    tolerance: float = 1e-8
    name: ClassVar[str] = "idle"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        lam, gamma = starting_impulses(problem, None)
        return finish(problem, self.name, Monitor(self.tolerance, 1, 1.0), Status.STALLED, lam, gamma)


def test_status_says_when_nothing_is_found() -> None:
    solution = Coulomb(inner=Idle(), newton=False).solve(particle((3.0, 0, -2)))
    assert solution.status is Status.NO_SOLUTION
    assert solution.certificate.error > 1e-2


def test_good_guess_needs_no_convex_solve() -> None:
    problem = particle((3.0, 0, -2))
    again = Coulomb().solve(problem, Coulomb().solve(problem))
    assert again.status is Status.SOLVED
    assert again.detail.startswith("0 convex solves")


@pytest.mark.parametrize(
    "settings", [{"inner": 3}, {"inner": Coulomb()}, {"depth": -1}, {"delta": 0}, {"tolerance": 0}]
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(SolverError):
        Coulomb(**settings)


def test_law_is_chosen_by_name() -> None:
    inner = make_solver("interior-point")
    assert with_law(inner, "convex") is inner
    assert isinstance(with_law(inner, "coulomb"), Coulomb)
    for budget in (math.inf, 0.5):
        found = with_law(make_solver("interior-point", time_budget=budget), "coulomb")
        assert isinstance(found, Coulomb)
        assert found.time_budget == budget
    with pytest.raises(SolverError, match="convex, coulomb"):
        with_law(inner, "tresca")  # type: ignore[arg-type]
