"""Joint-only problems: exact velocities, redundant and contradictory joints, both methods."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Status
from signorini.solvers.linear import available
from signorini.solvers.linear_only import METHODS, Linear

INSTALLED = [name for name, state in available().items() if state == "available"]

RELIABLE = tuple(name for name in METHODS if name != "bicgstab")
"""BiCGStab may break down on matrices that are not definite, and is there for comparison."""


def mechanism(seed: int, rows: int = 20, bodies: int = 20) -> tuple[Array, Array, Array, Array]:
    """(H, c, C, b) of random bodies tied by random joints."""
    rng = np.random.default_rng(seed)
    H = sp.block_diag([np.diag(rng.uniform(0.1, 10.0, 3)) for _ in range(bodies)]).toarray()
    C = sp.random_array((rows, 3 * bodies), density=0.1, rng=rng).toarray() + np.eye(rows, 3 * bodies)
    return H, rng.normal(size=3 * bodies), C, rng.normal(size=rows)


def exact(H: Array, c: Array, C: Array, b: Array) -> tuple[Array, Array]:
    """Velocities and least multipliers by dense least squares."""
    inverse = np.linalg.inv(H)
    gamma = np.linalg.lstsq(C @ inverse @ C.T, b + C @ inverse @ c, rcond=1e-10)[0]
    return inverse @ (C.T @ gamma - c), gamma


@pytest.mark.parametrize("method", RELIABLE)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_random_mechanisms(method: str, seed: int) -> None:
    H, c, C, b = mechanism(seed)
    solution = Linear(method=method, tolerance=1e-9).solve(ContactProblem(H=H, c=c, C=C, b_gamma=b))
    v, gamma = exact(H, c, C, b)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.velocity, v, atol=1e-6 * np.abs(v).max())
    np.testing.assert_allclose(solution.joint_impulse, gamma, atol=1e-5 * np.abs(gamma).max())


@pytest.mark.parametrize("name", INSTALLED)
def test_back_ends_agree(name: str) -> None:
    H, c, C, b = mechanism(1)
    solution = Linear(back_end=name).solve(ContactProblem(H=H, c=c, C=C, b_gamma=b))
    assert solution.status is Status.SOLVED
    assert name in solution.detail
    np.testing.assert_allclose(solution.velocity, exact(H, c, C, b)[0], atol=1e-10)


@pytest.mark.parametrize("method", RELIABLE)
def test_redundant_joints_share_the_load(method: str) -> None:
    """The same joint three times: the velocities of one, and a third of its impulse in each."""
    H, c, C, b = mechanism(2)
    once = ContactProblem(H=H, c=c, C=C, b_gamma=b)
    thrice = ContactProblem(H=H, c=c, C=np.vstack([C, C[:1], C[:1]]), b_gamma=np.concatenate([b, b[:1], b[:1]]))
    single = Linear(method=method).solve(once)
    solution = Linear(method=method, tolerance=1e-9).solve(thrice)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.velocity, single.velocity, atol=1e-7)
    np.testing.assert_allclose(solution.joint_impulse[[0, -2, -1]], single.joint_impulse[0] / 3, rtol=1e-5)


@pytest.mark.parametrize("method", RELIABLE)
def test_contradictory_joints_are_infeasible_and_named(method: str) -> None:
    H, c, C, b = mechanism(3)
    problem = ContactProblem(H=H, c=c, C=np.vstack([C, C[4:5]]), b_gamma=np.concatenate([b, b[4:5] + 1.0]))
    solution = Linear(method=method).solve(problem)
    assert solution.status is Status.INFEASIBLE
    assert "row 4 " in solution.detail or "row 20 " in solution.detail
    assert np.all(np.isfinite(solution.velocity))


@pytest.mark.parametrize("method", RELIABLE)
def test_no_joints_and_nothing_at_all(method: str) -> None:
    H, c, _, _ = mechanism(4)
    free = Linear(method=method).solve(ContactProblem(H=H, c=c))
    assert free.status is Status.SOLVED
    np.testing.assert_allclose(free.velocity, -np.linalg.solve(H, c), rtol=1e-9)
    assert Linear(method=method).solve(ContactProblem()).status is Status.SOLVED


def test_a_warm_start_can_be_switched_off() -> None:
    H, c, C, b = mechanism(5)
    problem = ContactProblem(H=H, c=c, C=C, b_gamma=b)
    known = Linear(1e-12).solve(problem)
    warm, cold = (Linear(1e-8, method="minres", warm_start=switch).solve(problem, known) for switch in (True, False))
    assert warm.iterations == 0
    assert cold.iterations == Linear(1e-8, method="minres").solve(problem).iterations > 0


def test_minres_starts_from_the_guess() -> None:
    H, c, C, b = mechanism(5)
    problem = ContactProblem(H=H, c=c, C=C, b_gamma=b)
    cold = Linear(method="minres").solve(problem)
    assert cold.iterations > 5
    assert len(cold.history.residual) >= cold.iterations
    guess = Guess(velocity=cold.velocity, joint_impulse=cold.joint_impulse)
    assert Linear(method="minres", tolerance=1e-8).solve(problem, guess).iterations == 0


@pytest.mark.parametrize("method", ["gmres", "bicgstab"])
def test_other_krylov_methods_find_the_same_velocities(method: str) -> None:
    H, c, C, b = mechanism(5)
    problem = ContactProblem(H=H, c=c, C=C, b_gamma=b)
    found = Linear(1e-8, method=method).solve(problem)
    assert found.status is Status.SOLVED
    assert found.iterations > 5
    np.testing.assert_allclose(found.velocity, Linear(1e-12).solve(problem).velocity, atol=1e-6)


def test_bicgstab_does_not_take_a_runaway_for_an_answer() -> None:
    """Where joints contradict one another its unknowns grow, and errors beside them look small."""
    H, c, C, b = mechanism(3)
    problem = ContactProblem(H=H, c=c, C=np.vstack([C, C[4:5]]), b_gamma=np.concatenate([b, b[4:5] + 1.0]))
    assert not Linear(method="bicgstab").solve(problem).status.ok


def test_limits_are_respected() -> None:
    H, c, C, b = mechanism(6)
    problem = ContactProblem(H=H, c=c, C=C, b_gamma=b)
    assert Linear(method="minres", max_iterations=3).solve(problem).status is Status.ITERATION_LIMIT
    assert Linear(method="minres", time_budget=1e-9).solve(problem).status is Status.TIME_LIMIT


def test_contacts_are_refused_by_naming_others() -> None:
    problem = ContactProblem(H=np.eye(3), c=np.zeros(3), D=np.eye(3), cones=Cones.coulomb([0.5]))
    with pytest.raises(SolverError, match="interior-point"):
        Linear().solve(problem)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(SolverError, match="minres"):
        Linear(method="lsqr")
    with pytest.raises(SolverError, match="tolerance"):
        Linear(tolerance=-1.0)
