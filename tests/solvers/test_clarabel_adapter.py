"""Clarabel through our interface: both forms agree, statuses are mapped, scaling pays."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.problem.solution import Status
from signorini.solvers.clarabel_adapter import Clarabel, _load

try:
    _load()
except MissingExtraError as error:
    pytest.skip(str(error), allow_module_level=True)


def mixed(seed: int, compliant: bool, joints: int) -> ContactProblem:
    """Half-lines, cones of two and three rows, mu = 0 and mu > 0, soft contacts and joints together."""
    rng = np.random.default_rng(seed)
    cones = Cones(np.array([1, 3, 2, 3, 3, 1]), np.array([0.0, 0.5, 0.3, 0.0, 0.8, 0.0]))
    n, m = 18, cones.rows
    G = rng.normal(size=(n, n))
    E = np.diag(np.where(np.arange(m) % 3 == 0, 0.2, 0.0)) if compliant else None
    return ContactProblem(
        H=np.diag(rng.uniform(0.5, 2.0, n)) + 0.05 * G @ G.T,
        c=rng.normal(size=n),
        C=rng.normal(size=(joints, n)),
        b_gamma=rng.normal(size=joints),
        D=rng.normal(size=(m, n)),
        b_lambda=0.1 * rng.normal(size=m),
        cones=cones,
        E=E,
    )


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize(("compliant", "joints"), [(False, 0), (True, 0), (False, 3), (True, 3)])
def test_forms_and_scalings_agree(compliant: bool, joints: int, form: str, scaled: bool) -> None:
    problem = mixed(8, compliant, joints)
    reference = Clarabel().solve(problem)
    solution = Clarabel(form=form, scaled=scaled).solve(problem)
    assert solution.certificate.error < 1e-6, (solution, solution.detail)
    assert form in solution.detail
    assert abs(solution.certificate.gap) < 1e-8 * abs(solution.certificate.objective_primal)
    np.testing.assert_allclose(solution.velocity, reference.velocity, atol=1e-5)


def test_answer_does_not_depend_on_units() -> None:
    problem = mixed(8, False, 0)
    kilo, milli = 1e3, 1e-3  # grams and millimetres per second
    other = ContactProblem(
        H=problem.H * kilo,
        c=problem.c * kilo / milli,
        D=problem.D,
        b_lambda=problem.b_lambda / milli,
        cones=problem.cones,
    )
    first, second = Clarabel().solve(problem), Clarabel().solve(other)
    np.testing.assert_allclose(second.velocity * milli, first.velocity, atol=1e-6)


def test_a_gap_is_not_the_error() -> None:
    """Clarabel may be content where our judge is not; then the status says so and the detail quotes Clarabel."""
    solution = Clarabel(tolerance=1e-14, gap=1e-3).solve(mixed(9, False, 0))
    assert "Solved" in solution.detail
    assert solution.status is Status.STALLED


def test_history_and_limits() -> None:
    problem = mixed(10, False, 0)
    solution = Clarabel().solve(problem)
    assert solution.iterations == solution.history.iteration[-1] > 2
    assert Clarabel(max_iterations=2).solve(problem).status is Status.ITERATION_LIMIT


def contradictory(joints: bool) -> ContactProblem:
    """One mass between two walls that close, or tied to two speeds at once."""
    both: Array = np.array([[1.0], [-1.0]])
    if joints:
        return ContactProblem(H=np.eye(1), c=np.zeros(1), C=np.ones((2, 1)), b_gamma=np.array([0.0, 1.0]))
    return ContactProblem(H=np.eye(1), c=np.zeros(1), D=both, b_lambda=np.ones(2), cones=Cones.half_lines(2))


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("joints", [True, False])
def test_contradictions_are_infeasible(joints: bool, form: str) -> None:
    assert Clarabel(form=form).solve(contradictory(joints)).status is Status.INFEASIBLE


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(SolverError, match="primal"):
        Clarabel(form="global")
    with pytest.raises(SolverError, match="gap"):
        Clarabel(gap=0.0)
