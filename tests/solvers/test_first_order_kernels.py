"""The compiled loops of the first-order solvers against plain numpy."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.kernels.cones import block_scales, coulomb_cones
from signorini.kernels.sweeps import gradient_steps
from signorini.kernels.sweeps.body_rank import ranks_by_centres, ranks_by_graph
from signorini.kernels.sweeps.pair_order import CONTACTS_PER_DOMAIN, domains_of, sweep_order
from signorini.kernels.threads.parts import SOLO
from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.first_order import ErrorEstimator, make_dual
from signorini.solvers.first_order.dual import Dual, DualRows
from signorini.solvers.first_order.explicit_dual import ExplicitDual
from signorini.solvers.first_order.pair_dual import PairDual

from .first_order_problems import chain_of_bodies, random_problem

SHAPES = {
    "rigid": {},
    "joints": {"joints": 4},
    "soft": {"soft": True},
    "general H": {"coupled": True, "joints": 2, "soft": True},
    "rows of five": {"dims": (1, 3, 5)},
}
numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


def dense_parts(problem: ContactProblem) -> tuple[Array, Array]:
    """N and the gradient at zero with the joints' rows, by dense linear algebra."""
    A = np.vstack((problem.D.toarray(), problem.C.toarray()))
    inverse = np.linalg.inv(problem.H.toarray())
    N = A @ inverse @ A.T
    m = problem.contact_rows
    N[:m, :m] += problem.E.toarray()
    b = -A @ inverse @ problem.c - np.concatenate((problem.b_lambda, problem.b_gamma))
    return N, b


@settings(deadline=None)
@given(numbers, numbers, numbers, st.floats(0.0, 5.0))
def test_projections_agree(n: float, s: float, t: float, mu: float) -> None:
    x = np.array([n, s, t])
    atol = 1e-12 * np.abs(x).max() + 1e-150  # squares of numbers this small are zero
    expected = by_cases(n, s, t, mu)
    np.testing.assert_allclose(coulomb_cones.project_three(n, s, t, mu), expected, rtol=1e-12, atol=atol)
    np.testing.assert_allclose(Cones.coulomb([mu]).project(x), expected, rtol=1e-12, atol=atol)
    stepped = np.empty((1, 3))
    gradient_steps.forward(np.array([mu]), 0.0, x[None], x[None], stepped)
    np.testing.assert_allclose(stepped[0], expected, rtol=1e-12, atol=atol)


def by_cases(n: float, s: float, t: float, mu: float) -> Array:
    """The projection on the Coulomb cone as the literature has it: open, stick, slide."""
    tangent = math.sqrt(s * s + t * t)
    if n + mu * tangent <= 0.0:
        return np.zeros(3)
    if tangent <= mu * n:
        return np.array([n, s, t])
    normal = (n + mu * tangent) / (1.0 + mu * mu)
    return np.array([normal, mu * normal * s / tangent, mu * normal * t / tangent])


@pytest.mark.parametrize("place", range(3))
def test_not_a_number_stays_in_the_projection(place: int) -> None:
    x = [1.0, 2.0, 3.0]
    x[place] = math.nan
    assert any(map(math.isnan, coulomb_cones.project_three(*x, 0.5)))


def test_free_impulses_are_not_projected() -> None:
    x, out = np.array([[-1.0, 2.0, 3.0]]), np.empty((1, 3))
    gradient_steps.forward(np.array([-1.0]), 0.0, x, x, out)
    np.testing.assert_array_equal(out, x)


def test_slips_below_the_round_off_of_the_impulse_are_errors() -> None:
    """`lambda - P(lambda - rho u)` must not swallow the slip of a contact that sticks under a huge impulse."""
    x, g, one = np.array([[1e12, 0.0, 0.0]]), np.array([[0.0, 1e-6, 0.0]]), np.ones((1, 3))
    assert gradient_steps.natural_error(np.array([0.5]), one, 1.0, x, g) == pytest.approx(1e-6, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_largest_eigenvalue(d: int) -> None:
    rng = np.random.default_rng(d)
    for _ in range(50):
        root = rng.normal(size=(d, rng.integers(1, 4))) * 2
        g = root @ root.T
        found, exact = block_scales.largest_eigenvalue(g, d), np.linalg.eigvalsh(g)[-1]
        assert found >= exact * (1 - 1e-10)
        if found > block_scales.LARGEST_EIGENVALUE:
            assert found == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("rule", [block_scales.ISOTROPIC, block_scales.ANISOTROPIC])
def test_scaled_blocks_meet_the_theorem(rule: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        root = rng.normal(size=(3, rng.integers(1, 4))) * 10.0 ** rng.uniform(-3, 3, (3, 1))
        g = root @ root.T
        normal, tangent = block_scales.scale_block(g.copy(), 3, rule, 1.0)
        s = np.array([normal, tangent, tangent])
        assert np.linalg.eigvalsh(s[:, None] * g * s)[-1] < 2.0 / 1.1


def test_trace_rule_breaks_the_theorem_on_a_block_of_rank_one() -> None:
    g = np.outer([1.0, 2.0, 2.0], [1.0, 2.0, 2.0])
    normal, _ = block_scales.scale_block(g.copy(), 3, block_scales.TRACE, 1.0)
    assert normal**2 == pytest.approx(3.0 / np.trace(g))
    assert normal**2 * np.linalg.eigvalsh(g)[-1] > 2.0


def test_rows_of_zeros_have_a_scale() -> None:
    assert block_scales.scale_block(np.zeros((3, 3)), 3, block_scales.ANISOTROPIC, 0.5) == (0.5, 0.5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scaling", ["trace", "isotropic", "anisotropic", "none"])
def test_gradient_is_that_of_the_dual_problem(shape: str, scaling: str) -> None:
    problem = random_problem(3, **SHAPES[shape])  # type: ignore[arg-type]
    dual = make_dual(problem, scaling)
    assert isinstance(dual, ExplicitDual if shape in ("general H", "rows of five") else PairDual)
    N, b = dense_parts(problem)
    impulses = np.random.default_rng(1).normal(size=len(b))
    x = dual.variables(impulses)
    np.testing.assert_allclose(dual.impulses(x), impulses, rtol=1e-13)
    g, q = np.empty_like(x), np.empty_like(x)
    dual.gradient(x, g)
    dual.product(x, q)
    # g = s * slip, so the slip's variables are s * s * (g / s): going through `impulses` once multiplies with s.
    slip = dual.impulses(g / scale_of(dual) ** 2)
    np.testing.assert_allclose(slip, N @ impulses + b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(q + dual.b, g, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("is_diagonal", [True, False])
def test_records_of_bodies_of_any_size(size: int, is_diagonal: bool) -> None:
    """Neighbours of a small body are other bodies, even where a record would have room for their velocities."""
    rng = np.random.default_rng(size)
    bodies, contacts = 5, 7
    blocks = rng.normal(size=(bodies, size, size))
    H = np.zeros((bodies * size, bodies * size))
    D = np.zeros((3 * contacts, bodies * size))
    for k in range(bodies):
        own = slice(k * size, (k + 1) * size)
        H[own, own] = np.diag(rng.uniform(0.5, 2.0, size)) if is_diagonal else blocks[k] @ blocks[k].T + np.eye(size)
    for i in range(contacts):
        for k in {i % bodies, (i + 1 + i // bodies) % bodies}:  # neighbours in memory, and others
            D[3 * i : 3 * i + 3, k * size : (k + 1) * size] = rng.normal(size=(3, size))
    problem = ContactProblem(
        H=H,
        c=rng.normal(size=len(H)),
        D=D,
        b_lambda=rng.normal(size=len(D)),
        cones=Cones.coulomb(np.full(contacts, 0.5)),
    )
    dual = make_dual(problem, "anisotropic")
    N, b = dense_parts(problem)
    impulses = rng.normal(size=len(b))
    x = dual.variables(impulses)
    g = np.empty_like(x)
    dual.gradient(x, g)
    slip = dual.impulses(g / scale_of(dual) ** 2)
    np.testing.assert_allclose(slip, N @ impulses + b, rtol=1e-9, atol=1e-9)
    if size == 6 or not is_diagonal:
        assert isinstance(dual, PairDual)


def scale_of(dual: Dual) -> Array:
    assert isinstance(dual, PairDual | ExplicitDual)
    return dual.scales.reshape(-1) if isinstance(dual, PairDual) else dual.scale


@pytest.mark.parametrize("shape", ["rigid", "joints", "soft"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_sweep_is_gauss_seidel(shape: str, symmetric: bool) -> None:
    problem = random_problem(5, **SHAPES[shape])  # type: ignore[arg-type]
    dual = make_dual(problem, "anisotropic")
    assert isinstance(dual, PairDual)
    x = np.zeros(len(dual.b))
    dual.sweep(0, 2, symmetric, 1.1, 0.9, x)
    N = np.empty((len(x), len(x)))
    for k, unit in enumerate(np.eye(len(x))):
        dual.product(unit, N[k])
    expected = np.zeros_like(x)
    for sweep in range(2):
        places = range(len(dual.mu))
        for i in reversed(places) if symmetric and sweep == 1 else places:
            own = slice(3 * i, 3 * i + 3)
            trial = expected[own] - 1.1 * (N[own] @ expected + dual.b[own])
            new = trial if dual.mu[i] < 0 else Cones.coulomb([dual.mu[i]]).project(trial)
            expected[own] += 0.9 * (new - expected[own])
    np.testing.assert_allclose(x, expected, rtol=1e-10, atol=1e-12)


def test_both_storages_estimate_the_certificate() -> None:
    problem = random_problem(7, joints=3, soft=True)
    impulses = np.abs(np.random.default_rng(2).normal(size=problem.contact_rows + problem.joint_rows))
    errors = []
    for dual in (make_dual(problem, "anisotropic"), ExplicitDual.build(problem, DualRows.of(problem), 2)):
        x = dual.variables(impulses)
        g = np.empty_like(x)
        dual.gradient(x, g)
        errors.append(ErrorEstimator.of(problem, dual).error(x, g))
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 60), st.integers(0, 900))
def test_groups_share_no_body(seed: int, bodies: int, contacts: int) -> None:
    rng = np.random.default_rng(seed)
    near = rng.integers(0, bodies, contacts)
    pairs = np.stack((near, np.minimum(near + rng.integers(0, 4, contacts), bodies - 1)), axis=1)
    centres = rng.normal(size=(bodies, 3))
    domains = domains_of(contacts, bodies, 16)
    ranks = ranks_by_centres(SOLO, centres, domains) if seed % 2 else ranks_by_graph(pairs, bodies, domains)
    position = ranks[0]
    for rank in ranks:
        assert sorted(rank) == list(range(bodies))
    order, place, body, start, phases = sweep_order(SOLO, pairs, ranks, domains)
    assert sorted(order) == list(range(contacts))
    assert sorted(position) == list(range(bodies))
    np.testing.assert_array_equal(place[order], np.arange(contacts))
    np.testing.assert_array_equal(body, position[pairs[order]])
    assert phases[0] == 0
    assert phases[-1] == len(start) - 1
    for first, last in pairwise(phases):
        seen: set[int] = set()
        for g in range(first, last):
            mine = set(pairs[order[start[g] : start[g + 1]]].ravel().tolist())
            assert not mine & seen
            seen |= mine
    assert start[-1] == contacts


def test_large_problems_have_groups_for_threads() -> None:
    dual = make_dual(chain_of_bodies(9000), "anisotropic")
    assert isinstance(dual, PairDual)
    inner = int(dual.phases[1])
    assert inner == 3 * 2999 // CONTACTS_PER_DOMAIN
    assert dual.groups[inner] >= 0.98 * dual.groups[-1]
