"""The barrier of document 002: closed forms, agreement with Clarabel and among its own variants, refusals."""

from __future__ import annotations

from itertools import pairwise
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
from signorini.solvers.linear import back_end
from signorini.solvers.primal_dual_barrier import PrimalDualBarrier
from signorini.solvers.primal_dual_barrier.iterate import Target
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem
from signorini.solvers.primal_dual_barrier.schur import SchurCondensed, SchurDirect
from signorini.solvers.primal_dual_barrier.solver import _start

pytestmark = pytest.mark.slow  # many solves

VARIANTS: dict[str, dict[str, Any]] = {
    "schur": {},
    "kkt": {"system": "kkt"},
    "cg, diagonal": {"linear": "cg"},
    "kkt, cg": {"system": "kkt", "linear": "cg"},
    "document's barrier rule": {"reduction": 10.0},
    "cg, cone": {"linear": "cg", "preconditioner": "cone", "tolerance": 1e-6},
    "monotone line search": {"growth": 1.0, "reduction": 10.0},
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
    for variant in ("schur", "kkt", "cg, diagonal", "kkt, cg"):
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
        ({"stop": "energy"}, "objective"),
        ({"change": 0.0}, "change"),
        ({"reduction": 1.0}, "reduction"),
        ({"cg_tolerance": 2.0}, "cg_tolerance"),
        ({"tolerance": 0.0}, "tolerance"),
    ],
)
def test_unknown_settings_are_refused(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(SolverError, match=word):
        PrimalDualBarrier(**wrong)


@pytest.mark.parametrize("rule", ["objective", "forces"])
def test_stops_when_nothing_changes_any_more(rule: str) -> None:
    """A looser rule stops earlier; what it leaves is judged, and the status says whose rule it was."""
    problem = random_problem(6)
    full = PrimalDualBarrier().solve(problem)
    loose = PrimalDualBarrier(stop=rule, change=1e-3).solve(problem)
    tight = PrimalDualBarrier(stop=rule, change=1e-6, tolerance=1e-12).solve(problem)
    assert loose.iterations < tight.iterations
    assert loose.iterations < full.iterations
    assert loose.status is Status.STOPPED
    assert full.certificate.error < loose.certificate.error < 0.1
    value, least = (s.certificate.objective_dual for s in (tight, full))
    assert value == pytest.approx(least, rel=1e-4)


def test_stops_at_a_goal() -> None:
    problem = random_problem(7)
    full = PrimalDualBarrier().solve(problem)

    def objective(impulse: np.ndarray[Any, Any]) -> float:
        return float(0.5 * impulse @ problem.apply_N(impulse) + problem.r @ impulse)

    goal = 0.9 * objective(full.contact_impulse)
    early = PrimalDualBarrier(goal=goal).solve(problem)
    assert early.status is Status.STOPPED
    assert early.iterations < full.iterations
    assert objective(early.contact_impulse) <= goal


def rigid_pile(seed: int) -> ContactProblem:
    """Contacts between random bodies of six velocities: the condensed system takes it."""
    rng = np.random.default_rng(seed)
    bodies, contacts = 8, 14
    D = np.zeros((3 * contacts, 6 * bodies))
    for i in range(contacts):
        for b in rng.choice(bodies, 2, replace=False):
            D[3 * i : 3 * i + 3, 6 * b : 6 * b + 6] = rng.normal(size=(3, 6))
    v = rng.normal(size=6 * bodies)
    b = D @ v
    b[::3] -= 1.0 + np.hypot(b[1::3], b[2::3])
    mass = np.repeat(rng.uniform(0.2, 5.0, bodies), 6)
    cones = Cones.coulomb(rng.uniform(0.1, 0.9, contacts))
    return ContactProblem(H=np.diag(mass), c=3.0 * rng.normal(size=6 * bodies), D=D, b_lambda=b, cones=cones)


@pytest.mark.parametrize("seed", range(4))
def test_condensed_system_makes_the_steps_of_the_explicit_one(seed: int) -> None:
    """`(A A' + S)^-1` by six unknowns per body and by an explicit P; then the same answers."""
    scaled = ScaledProblem.of(rigid_pile(seed))
    assert scaled.rows is not None
    np.testing.assert_allclose(scaled.times(scaled.q), scaled.P @ scaled.q, atol=1e-12)
    at = _start(scaled, np.zeros_like(scaled.q), 3.0)
    at.z[:] *= np.random.default_rng(seed).uniform(0.3, 3.0, at.z.shape)
    steps = []
    for system in (SchurCondensed(scaled, scaled.rows, back_end("auto")), SchurDirect(scaled, back_end("auto"))):
        assert system.factor(at)
        found = system.direction(at, Target.central(at, 0.5))
        assert found is not None
        steps.append(np.concatenate([part.reshape(-1) for part in found]))
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-6, atol=1e-8 * np.abs(steps[1]).max())


def test_blocks_are_diagonalised() -> None:
    """T'ST = diag(theta) for a sticking, a nearly sliding and a plane contact, and for a half-line."""
    start, mu = np.array([0, 3, 6, 8, 9]), np.array([0.5, 0.3, 0.8, 0.0])
    x = np.array([1.0, 0.1, 0.2, 2.0, 0.6 - 1e-9, 1e-6, 1.5, -0.4, 0.7])
    z, c = np.array([[0.3, 2.0, 0.5, 0.0], [0.2, 1e-3, 0.4, 0.9]]), np.empty(4)
    assert kernels.constraints(start, mu, x, c)
    packed, theta, basis = np.empty(23), np.empty(9), np.empty(23)
    kernels.condense(start, mu, x, c, z, packed)
    kernels.diagonalise(start, mu, x, c, z, theta, basis)
    place = 0
    for first, last in pairwise(start):
        d = last - first
        S, T = (part[place : place + d * d].reshape(d, d) for part in (packed, basis))
        expected = np.diag(theta[first:last])
        np.testing.assert_allclose(T.T @ S @ T, expected, atol=1e-14 * np.abs(S).max() * np.abs(T).max() ** 2)
        place += d * d


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
