"""The condensed system of rigid bodies in blocks: its arithmetic, its order, its answers, and when it steps back."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.kernels.linalg import body_cholesky, body_graph
from signorini.math.sparse import Array, Indices, canonical
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton import bodies_system
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.bodies_system import CondensedBodies, Reach
from signorini.solvers.cone_newton.condensed_system import Condensed
from signorini.solvers.cone_newton.error_estimate import ErrorEstimate
from signorini.solvers.cone_newton.scaling import ConePoint, Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm, standard_form
from signorini.solvers.cone_newton.system import RefinedSystem
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.linear import Automatic, back_end
from signorini.solvers.linear.superlu import SuperLU

from ..first_order_problems import random_problem
from ..interior_point.problems import inside


def rigid_problem(seed: int, count: int = 30, contacts: int = 60, dims: tuple[int, ...] = (3,)) -> ContactProblem:
    """Bodies with full inertia in random contacts, a third of them with the ground."""
    rng = np.random.default_rng(seed)
    H = sp.block_diag([_inertia(rng) for _ in range(count)])
    dim = rng.choice(dims, contacts)
    rows, row = [], 0
    for i in range(contacts):
        both = rng.choice(count, 2, replace=False)[: 1 if i % 3 == 0 else 2]
        block = np.zeros((dim[i], 6 * count))
        for body in both:
            block[:, 6 * body : 6 * body + 6] = rng.normal(size=(dim[i], 6))
        rows.append(block)
        row += dim[i]
    cones = Cones(dim, np.where(dim > 1, 0.5, 0.0))
    D = sp.csr_array(np.vstack(rows))
    b = np.zeros(row)
    b[cones.start[:-1]] = -0.1
    return ContactProblem(H=H, c=rng.normal(size=6 * count), D=D, b_lambda=b, cones=cones)


def _inertia(rng: np.random.Generator) -> Array:
    root = rng.normal(size=(3, 3))
    return np.block(
        [[rng.uniform(0.5, 2) * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), root @ root.T + np.eye(3)]]
    )


def form_of(problem: ContactProblem) -> StandardForm:
    return standard_form(problem)


def dense_rows(form: StandardForm) -> Array:
    return np.column_stack([form.A.multiply(e) for e in np.eye(form.A.width)])


# --- the order of elimination -----------------------------------------------------------------------------------


def test_a_chain_has_no_fill() -> None:
    count = 40
    chain = np.column_stack((np.arange(count - 1), np.arange(1, count)))
    shuffled = np.random.default_rng(0).permutation(count)[chain]
    sequence, touch = body_graph.minimum_fill(count, shuffled, 10**6)
    assert sorted(sequence) == list(range(count))
    assert touch.sum() == 2 * (count - 1)


def test_a_star_is_eliminated_from_its_rays() -> None:
    rays = np.column_stack((np.zeros(9, dtype=np.int64), np.arange(1, 10)))
    sequence, touch = body_graph.minimum_fill(10, rays, 10**6)
    assert list(sequence).index(0) >= 8
    assert touch.sum() == 18


@pytest.mark.parametrize("seed", range(4))
def test_the_order_takes_the_body_with_the_least_fill(seed: int) -> None:
    """Against a count from scratch at every step."""
    rng, count = np.random.default_rng(seed), 30
    bodies = rng.integers(0, count, (70, 2))
    bodies[rng.random(70) < 0.2, 1] = -1
    bodies = bodies[bodies[:, 0] != bodies[:, 1]]
    sequence, touch = body_graph.minimum_fill(count, bodies, 10**6)
    graph = np.zeros((count, count), dtype=bool)
    a, b = bodies[bodies[:, 1] >= 0].T
    graph[a, b] = graph[b, a] = True
    whole, left = graph.copy(), set(range(count))

    def missing(body: int) -> int:
        near = np.flatnonzero(graph[body])
        return int((~graph[np.ix_(near, near)]).sum() - len(near)) // 2

    for body in sequence:
        assert missing(body) == min(missing(other) for other in left)
        near = np.flatnonzero(graph[body])
        for table in (graph, whole):
            table[np.ix_(near, near)] = ~np.eye(len(near), dtype=bool)
        graph[body] = graph[:, body] = False
        left.remove(body)
    np.testing.assert_array_equal(touch.astype(bool), whole)


def test_the_order_gives_up_beyond_its_limit() -> None:
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    needed = sum(k * (k + 1) // 2 for k in range(12))
    assert len(body_graph.minimum_fill(12, pairs, needed)[0]) == 12
    assert len(body_graph.minimum_fill(12, pairs, needed - 1)[0]) == 0


@pytest.mark.parametrize(
    "columns",
    [
        [1, 2, 3, 4, 5, 6],  # not at a body's first velocity
        [0, 1, 2, 3, 4, 6],  # one is missing
        [0, 1, 2],  # a node
        [*range(18)],  # three bodies
    ],
)
def test_other_columns_than_those_of_bodies_are_refused(columns: list[int]) -> None:
    found = np.empty((1, 2), dtype=np.int64)
    assert not body_graph.bodies_of(np.array([0, len(columns)]), np.array(columns), found)


def test_rows_of_bodies_hold_the_matrix_and_its_zeros() -> None:
    """Walls along the axes leave most entries of a row out; blocks of whole bodies take them in again."""
    rng = np.random.default_rng(0)
    dense = np.zeros((7, 24))
    dense[0, 2] = dense[1, 0] = dense[2, 4] = 1.0  # a wall under the first body
    dense[3:6, 6:12], dense[3:6, 18:24] = rng.normal(size=(2, 3, 6))
    dense[6, 23] = dense[6, 12] = -2.0  # one row between the third body and the fourth, the later one first
    matrix = canonical(sp.csr_array(dense))
    start, factor = np.array([0, 3, 6, 7]), rng.uniform(1, 2, 7)
    rows = BlockRows.of_bodies(matrix, start, factor)
    assert rows is not None
    assert list(np.diff(rows.column_start)) == [6, 12, 12]
    v, x = rng.normal(size=24), rng.normal(size=7)
    np.testing.assert_allclose(rows.multiply(v), factor * (dense @ v), atol=1e-14)
    np.testing.assert_allclose(rows.multiply_transposed(x), dense.T @ (factor * x), atol=1e-14)


def test_rows_of_three_bodies_or_none_are_no_rows_of_bodies() -> None:
    dense = np.zeros((1, 18))
    none = BlockRows.of_bodies(canonical(sp.csr_array(dense)), np.array([0, 1]), np.ones(1))
    dense[0, [0, 6, 12]] = 1.0
    three = BlockRows.of_bodies(canonical(sp.csr_array(dense)), np.array([0, 1]), np.ones(1))
    other = BlockRows.of_bodies(canonical(sp.csr_array(dense[:, :13])), np.array([0, 1]), np.ones(1))
    assert none is three is other is None


# --- factor and solve -------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), count=st.integers(2, 25), mixed=st.booleans())
@settings(max_examples=25, deadline=None)
def test_solves_agree_with_a_dense_matrix(seed: int, count: int, mixed: bool) -> None:
    form = form_of(rigid_problem(seed, count, 2 * count, (1, 3, 4) if mixed else (3,)))
    system = CondensedBodies.of(form, 1e-8)
    assert system is not None
    rng = np.random.default_rng(seed)
    scaling = Scaling.identity(form.start, form.A.rows)
    scaling.theta[:] = 10.0 ** rng.uniform(-6, 4, form.A.rows)
    A = dense_rows(form)
    assert system.factor(scaling, form.A.values).ok
    r1, r2 = rng.normal(size=form.A.width), rng.normal(size=form.A.rows)
    K = np.block([[np.eye(len(r1)), -A.T], [A, np.diag(scaling.theta + 1e-8)]])
    expected = np.linalg.solve(K, np.concatenate((r1, r2)))
    dw, dx = system.solve(r1, r2)
    np.testing.assert_allclose(np.concatenate((dw, dx)), expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
    left = np.concatenate(system.residual(r1, r2, dw, dx))
    exact = np.concatenate((r1 - dw + A.T @ dx, r2 - A @ dw - scaling.theta * dx))
    np.testing.assert_allclose(left, exact, atol=1e-9 * max(1.0, np.abs(dx).max()))


def test_refinement_removes_what_delta_leaves() -> None:
    form = form_of(rigid_problem(3, 12, 14))
    rng = np.random.default_rng(1)
    point = ConePoint.at(form.start, inside(rng, form.start), inside(rng, form.start))
    point.rescale()
    r1, r2 = rng.normal(size=form.A.width), rng.normal(size=form.A.rows)
    left = []
    for refinements in (0, 3):
        system = CondensedBodies.of(form, 1e-2)
        assert system is not None
        newton = RefinedSystem(form, system, refinements)
        assert newton.factor(point.scaling).ok
        left.append(max(np.abs(part).max() for part in system.residual(r1, r2, *newton.solve(r1, r2))))
    assert left[1] < 0.01 * left[0]


def test_refinement_is_that_of_the_general_system() -> None:
    form = form_of(rigid_problem(5))
    rng = np.random.default_rng(2)
    point = ConePoint.at(form.start, inside(rng, form.start), inside(rng, form.start))
    point.rescale()
    r1, r2 = rng.normal(size=form.A.width), rng.normal(size=form.A.rows)
    mine = CondensedBodies.of(form, 1e-4)
    assert mine is not None
    answers = []
    for system in (mine, Condensed(form, back_end("superlu"), 1e-4)):
        newton = RefinedSystem(form, system, 3)
        assert newton.factor(point.scaling).ok
        answers.append(np.concatenate(newton.solve(r1, r2)))
    np.testing.assert_allclose(*answers, rtol=1e-9, atol=1e-9)


def test_a_matrix_that_is_not_positive_is_reported() -> None:
    form = form_of(rigid_problem(0))
    for theta in (-1e-3, np.nan):
        system = CondensedBodies.of(form, 1e-8)
        assert system is not None
        scaling = Scaling.identity(form.start, form.A.rows)
        scaling.theta[:] = theta
        report = system.factor(scaling, form.A.values)
        assert not report.ok
        assert "positive" in report.message


# --- in the solver ----------------------------------------------------------------------------------------------


def test_without_pardiso_it_takes_larger_heaps() -> None:
    form = form_of(rigid_problem(12))
    assert CondensedBodies.of(form, 1e-8, Reach(1000, 10)) is None
    assert CondensedBodies.of(form, 1e-8, Reach(10, 10**6)) is None
    assert isinstance(bodies_system.condensed(form, Automatic(SuperLU()), 1e-8), CondensedBodies)
    assert not isinstance(bodies_system.condensed(form, SuperLU(), 1e-8), CondensedBodies)


@pytest.mark.parametrize("dims", [(3,), (1, 3)])
def test_the_answer_is_that_of_another_factorisation(dims: tuple[int, ...]) -> None:
    problem = rigid_problem(7, 40, 80, dims)
    ours, other = InteriorPoint().solve(problem), InteriorPoint(linear="superlu").solve(problem)
    assert "block" in ours.detail
    assert "block" not in other.detail
    assert ours.status.ok
    assert abs(ours.iterations - other.iterations) <= 1
    scale = np.abs(other.velocity).max()
    np.testing.assert_allclose(ours.velocity, other.velocity, atol=1e-7 * scale)


def test_a_solve_twice_gives_the_same_bits() -> None:
    problem = rigid_problem(8, 40, 80)
    first = InteriorPoint().solve(problem)
    bodies_system.PATTERNS.clear()
    again = InteriorPoint().solve(problem)
    np.testing.assert_array_equal(first.contact_impulse, again.contact_impulse)
    np.testing.assert_array_equal(first.velocity, again.velocity)


def test_more_fill_than_it_is_good_for_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = rigid_problem(9, 40, 80)
    bodies_system.PATTERNS.clear()
    monkeypatch.setattr(bodies_system, "BESIDE_PARDISO", Reach(1000, 10))
    monkeypatch.setattr(bodies_system, "ALONE", Reach(1000, 10))
    solution = InteriorPoint().solve(problem)
    assert solution.status.ok
    assert "block" not in solution.detail


def test_what_is_out_of_reach_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    form, calls = form_of(rigid_problem(13)), []
    analyse = body_graph.minimum_fill
    monkeypatch.setattr(body_graph, "minimum_fill", lambda *given: calls.append(given) or analyse(*given))
    for _ in range(3):
        assert CondensedBodies.of(form, 1e-8, Reach(1000, 10)) is None
    assert len(calls) == 1
    assert CondensedBodies.of(form, 1e-8, Reach(1000, 10**6)) is not None


def test_joints_and_flexible_bodies_are_left_to_others() -> None:
    for problem in (random_problem(1, joints=3), random_problem(4, soft=True, dims=(1, 3))):
        form = standard_form(problem)
        assert CondensedBodies.of(form, 1e-8) is None


@pytest.mark.parametrize("dims", [(3,), (1, 3)])
def test_the_fast_estimate_is_the_slow_one(dims: tuple[int, ...]) -> None:
    problem = rigid_problem(10, 40, 80, dims)
    form = form_of(problem)
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=form.A.width), inside(rng, form.start)
    fast, slow = ErrorEstimate(problem, form, 1e-8), ErrorEstimate(problem, form, 1e-8)
    assert fast._fast is not None
    slow._fast = None
    (error, r1, slips), (expected, *others) = fast(w, x), slow(w, x)
    assert error == pytest.approx(expected, rel=1e-12)
    for mine, other, again in zip((r1, slips), others, form.residuals(w, x), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)
        np.testing.assert_array_equal(other, again)


def test_landing_covers_both_orders() -> None:
    """Blocks of pairs are stored once, in the order of elimination, whichever body a contact names first."""
    form = form_of(rigid_problem(11))
    A = form.A
    found: Indices = np.empty((form.blocks, 2), dtype=np.int64)
    assert body_graph.bodies_of(A.column_start, A.columns, found)
    pattern = bodies_system.BodyPattern.of(found, A.width // 6, 10**6)
    assert pattern is not None
    pairs = found[:, 1] >= 0
    assert np.any(pattern.land[pairs, 2] < 0)
    assert np.any(pattern.land[pairs, 2] >= 0)
    weight = np.random.default_rng(0).uniform(0.1, 10, A.rows)
    data = np.empty(36 * pattern.start[-1])
    body_cholesky.assemble(pattern.start, A.start, A.value_start, A.values, weight, pattern.land, data)
    dense = dense_rows(form)
    K = np.eye(A.width) + dense.T @ (weight[:, None] * dense)
    order = np.argsort(pattern.place)
    for k in range(len(order)):
        for block in range(pattern.start[k], pattern.start[k + 1]):
            i, j = 6 * order[k], 6 * order[pattern.row[block]]
            np.testing.assert_allclose(
                data[36 * block : 36 * block + 36].reshape(6, 6), K[i : i + 6, j : j + 6], atol=1e-12
            )
