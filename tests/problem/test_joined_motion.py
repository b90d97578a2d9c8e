"""Impulses that give rows a rate, and the motion with joints, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.math.sparse import canonical
from signorini.problem.joined_motion import DENSE_ROWS, balanced, joined_velocity
from signorini.problem.mass_matrix import mass_matrix

ROWS = (5, DENSE_ROWS, DENSE_ROWS + 1, 3 * DENSE_ROWS)


def chain(rows: int, seed: int) -> tuple[sp.csr_array, np.ndarray]:
    """Rows that couple neighbours, of very different size, and the diagonal mass of what they act on."""
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(-3, 3, rows)
    C = sp.diags_array(
        [random.uniform(1, 2, rows), random.uniform(-1, 0, rows)], offsets=[0, 1], shape=(rows, rows + 1)
    )
    return canonical(sp.diags_array(size) @ C), random.uniform(0.1, 10.0, rows + 1)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("dense", [True, False])
def test_balanced_rows_of_any_size_and_unsymmetric_ones(rows: int, dense: bool) -> None:
    acting, mass = chain(rows, 0)
    closing = canonical(acting + 0.1 * sp.diags_array(acting.diagonal()) @ sp.eye_array(rows, rows + 1, k=1))
    S = canonical(closing @ sp.diags_array(1.0 / mass) @ acting.T)
    soft, r = 1e-3 * S.diagonal(), np.random.default_rng(1).standard_normal(rows)
    found = balanced(S.toarray() if dense else S, soft, S.diagonal(), r)
    assert found == pytest.approx(np.linalg.solve(S.toarray() + np.diag(soft), r), rel=1e-9)


@pytest.mark.parametrize("rows", ROWS)
def test_rows_that_act_on_nothing_have_their_softness_alone(rows: int) -> None:
    acting, mass = chain(rows, 2)
    kept = np.arange(rows) % 3 > 0
    acting = canonical(sp.diags_array(kept * 1.0).tocsr() @ acting)
    S = canonical(np.asarray((acting @ sp.diags_array(1.0 / mass) @ acting.T).todense()))
    assert S.nnz < rows + 2 * (rows - 1)
    soft, r = np.where(kept, 0.0, 2.0), np.ones(rows)
    found = balanced(S, soft, np.where(kept, S.diagonal(), 1.0), r)
    assert found[~kept] == pytest.approx(0.5)
    assert S @ found == pytest.approx(kept * 1.0, abs=1e-9)


@pytest.mark.parametrize("rows", ROWS)
def test_the_motion_with_joints_is_the_nearest_one_that_meets_them(rows: int) -> None:
    C, mass = chain(rows, 3)
    random = np.random.default_rng(4)
    b, free = random.standard_normal(rows) * abs(C).sum(axis=1), random.standard_normal(rows + 1)
    kkt = np.block([[np.diag(mass), C.toarray().T], [C.toarray(), np.zeros((rows, rows))]])
    expected = np.linalg.solve(kkt, np.concatenate((mass * free, b)))[: rows + 1]
    found = joined_velocity(mass_matrix(canonical(sp.diags_array(mass))), C, b, free)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max())


def test_joints_that_contradict_one_another_share_the_error() -> None:
    mass = mass_matrix(canonical(sp.diags_array([2.0])))
    found = joined_velocity(mass, canonical(np.array([[1.0], [1.0]])), np.array([0.0, 1.0]), np.array([5.0]))
    assert found == pytest.approx([0.5], abs=1e-6)


@pytest.mark.parametrize("rows", ROWS)
def test_a_singular_matrix_has_the_solution_of_least_squares(rows: int) -> None:
    acting, mass = chain(rows, 5)
    S = (acting @ sp.diags_array(1.0 / mass) @ acting.T).toarray()
    S[0] = 0.0  # a mean row whose two halves cancel
    r = np.random.default_rng(6).standard_normal(rows) * np.linalg.norm(S, axis=1)
    found = balanced(canonical(sp.csr_array(S)), np.zeros(rows), np.where(S.diagonal() > 0.0, S.diagonal(), 1.0), r)
    assert np.isfinite(found).all()
    assert S @ found == pytest.approx(r, abs=1e-6 * np.abs(r).max())
