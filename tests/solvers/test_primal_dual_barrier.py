"""The barrier of document 002: closed forms, agreement with Clarabel and among its own variants, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.kernels.interior import barrier as kernels
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.problem.library import library
from signorini.problem.solution import Guess, Status
from signorini.solvers.clarabel_adapter import Clarabel
from signorini.solvers.primal_dual_barrier import PrimalDualBarrier

pytestmark = pytest.mark.slow  # many solves

VARIANTS: dict[str, dict[str, Any]] = {
    "schur": {},
    "kkt": {"system": "kkt"},
    "cg, diagonal": {"linear": "cg"},
    "cg, cone": {"linear": "cg", "preconditioner": "cone", "tolerance": 1e-6},
    "monotone line search": {"growth": 1.0},
    "superlu": {"back_end": "superlu"},
}
G, STEP = 9.81, 0.01


def block(speed: float, mu: float) -> ContactProblem:
    """A block of 2 kg on a plane, pushed to `speed`; rows (normal, tangent, tangent)."""
    v = np.array([speed, 0.0, -G * STEP])
    D = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return ContactProblem(H=2.0 * np.eye(3), c=-2.0 * v, D=D, b_lambda=np.zeros(3), cones=Cones.coulomb([mu]))


def random_problem(seed: int, contacts: int = 12, joints: int = 0, compliant: bool = False) -> ContactProblem:
    """Cones of dimension 1, 2 and 3 with mu from 0 to 1; D has more rows than columns, so impulses are not unique."""
    rng = np.random.default_rng(seed)
    dims = rng.integers(1, 4, contacts)
    cones = Cones(dims, np.where(rng.random(contacts) < 0.2, 0.0, rng.uniform(0.05, 1.0, contacts)))
    n, m = 18, cones.rows
    D = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.4)
    v = rng.normal(size=n)
    mass = rng.uniform(0.2, 5.0, n)
    C = rng.normal(size=(joints, n))
    # Constraints that v itself meets with room to spare contradict neither one another nor the joints.
    b = D @ v
    b[cones.start[:-1]] -= 2.0 + np.abs(b[cones.start[:-1]])
    E = np.diag(rng.uniform(0.0, 0.1, m)) if compliant else None
    return ContactProblem(
        H=np.diag(mass), c=3.0 * rng.normal(size=n), C=C, b_gamma=C @ v, D=D, b_lambda=b, cones=cones, E=E
    )


def test_resting_ball() -> None:
    problem = block(0.0, 0.5)
    solution = PrimalDualBarrier().solve(problem)
    assert solution.status is Status.SOLVED
    np.testing.assert_allclose(solution.contact_impulse, [2.0 * G * STEP, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(solution.velocity, 0.0, atol=1e-8)


def test_sliding_block() -> None:
    """The convex law lifts a sliding block by mu times its speed: v = (s, mu s), lambda_t = -mu lambda_n."""
    mu, speed = 0.3, 1.0
    solution = PrimalDualBarrier(tolerance=1e-9).solve(block(speed, mu))
    after = (speed - mu * G * STEP) / (1.0 + mu * mu)
    np.testing.assert_allclose(solution.velocity, [after, 0.0, mu * after], atol=1e-7)
    normal = 2.0 * (mu * after + G * STEP)
    np.testing.assert_allclose(solution.contact_impulse, [normal, -mu * normal, 0.0], atol=1e-7)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", [k for k in library() if k.feasible], ids=lambda k: k.name)
def test_library(case: Any, variant: str) -> None:
    chosen = {"tolerance": 1e-7} | VARIANTS[variant]
    solution = PrimalDualBarrier(**chosen).solve(case.problem)
    if "mass ratio 10" in case.name and variant == "monotone line search":
        assert solution.status in (Status.SOLVED, Status.STALLED, Status.ITERATION_LIMIT)
        return
    assert solution.status is Status.SOLVED, solution
    size = 1e-3 + np.abs(case.problem.free_velocity).max(initial=0.0)
    np.testing.assert_allclose(solution.velocity, case.velocity, atol=3e-4 * size)


@pytest.mark.parametrize("case", [k for k in library() if not k.feasible], ids=lambda k: k.name)
def test_contradictions_are_infeasible(case: Any) -> None:
    for variant in ("schur", "kkt", "cg, diagonal"):
        solution = PrimalDualBarrier(**VARIANTS[variant]).solve(case.problem)
        assert solution.status is Status.INFEASIBLE
        assert np.all(np.isfinite(solution.contact_impulse))


def clarabel_objective(problem: ContactProblem) -> float:
    try:
        reference = Clarabel(form="dual").solve(problem)
    except MissingExtraError as error:
        pytest.skip(str(error))
    return reference.certificate.objective_dual


@given(seed=st.integers(0, 10**6), joints=st.sampled_from([0, 3]), compliant=st.booleans())
@settings(max_examples=25, deadline=None)
def test_objective_of_clarabel(seed: int, joints: int, compliant: bool) -> None:
    problem = random_problem(seed, joints=joints, compliant=compliant)
    solution = PrimalDualBarrier(tolerance=1e-9).solve(problem)
    assert solution.certificate.error < 1e-7, solution
    expected = clarabel_objective(problem)
    energy = abs(float(problem.c @ problem.free_velocity))
    assert abs(solution.certificate.objective_dual - expected) <= 1e-7 * (abs(expected) + energy)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_variants_agree(seed: int) -> None:
    problem = random_problem(seed, joints=2)
    reference = PrimalDualBarrier().solve(problem)
    for variant in VARIANTS.values():
        solution = PrimalDualBarrier(**variant).solve(problem)
        assert solution.certificate.error < 1e-5, (variant, solution)
        np.testing.assert_allclose(solution.velocity, reference.velocity, atol=1e-3)


def test_dual_only_problem_gives_the_same_impulses() -> None:
    problem = block(1.0, 0.3)
    dual = ContactProblem.from_delassus(problem.N, problem.r, problem.cones)
    first, second = PrimalDualBarrier().solve(problem), PrimalDualBarrier().solve(dual)
    np.testing.assert_allclose(second.contact_impulse, first.contact_impulse, atol=1e-9)


def test_answer_does_not_depend_on_units() -> None:
    problem = random_problem(3)
    other = ContactProblem(
        H=problem.H * 1e6, c=problem.c * 1e3, D=problem.D, b_lambda=problem.b_lambda * 1e-3, cones=problem.cones
    )
    first, second = PrimalDualBarrier().solve(problem), PrimalDualBarrier().solve(other)
    assert second.iterations == first.iterations
    np.testing.assert_allclose(second.contact_impulse, 1e3 * first.contact_impulse, rtol=1e-4, atol=1e-2)


def test_warm_start_saves_iterations() -> None:
    problem = random_problem(4)
    cold = PrimalDualBarrier().solve(problem)
    assert PrimalDualBarrier().solve(problem, cold).iterations == 0
    near = PrimalDualBarrier().solve(problem, Guess(contact_impulse=cold.contact_impulse * 1.0001))
    assert near.status is Status.SOLVED
    assert near.iterations <= cold.iterations


def test_limits_and_history() -> None:
    problem = random_problem(5)
    short = PrimalDualBarrier(max_iterations=2).solve(problem)
    assert short.status is Status.ITERATION_LIMIT
    assert short.iterations == 2
    assert PrimalDualBarrier(time_budget=1e-9).solve(problem).status is Status.TIME_LIMIT
    full = PrimalDualBarrier().solve(problem)
    assert full.certificate.error <= short.certificate.error
    assert full.history.residual[-1] == pytest.approx(full.certificate.error, rel=1e-2, abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"system": "augmented"}, "schur"),
        ({"linear": "minres"}, "cg"),
        ({"preconditioner": "ilu"}, "cone"),
        ({"system": "kkt", "linear": "cg"}, "schur"),
        ({"reduction": 1.0}, "reduction"),
        ({"cg_tolerance": 2.0}, "cg_tolerance"),
        ({"tolerance": 0.0}, "tolerance"),
    ],
)
def test_unknown_settings_are_refused(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(SolverError, match=word):
        PrimalDualBarrier(**wrong)


def test_condensed_block_is_the_hessian_of_the_barrier() -> None:
    """M - B'C^-1 B = z0 (-c) Hess(-log(-c)) + z1/n e e', by finite differences; positive definite where J is not."""
    mu, x, z = 0.6, np.array([1.3, 0.2, -0.4]), np.array([[0.7], [0.4]])
    start, friction, c = np.array([0, 3]), np.array([mu]), np.empty(1)
    assert kernels.constraints(start, friction, x, c)
    packed = np.empty(9)
    kernels.condense(start, friction, x, c, z, packed)

    def gradient(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        value = 0.5 * (y[1] ** 2 + y[2] ** 2 - (mu * y[0]) ** 2)
        return np.array([-mu * mu * y[0], y[1], y[2]]) / -value

    h = 1e-6
    hessian = np.array([(gradient(x + h * e) - gradient(x - h * e)) / (2 * h) for e in np.eye(3)])
    expected = z[0, 0] * -c[0] * hessian
    expected[0, 0] += z[1, 0] / x[0]
    np.testing.assert_allclose(packed.reshape(3, 3), expected, atol=1e-8)
    assert np.linalg.eigvalsh(expected).min() > 0
