"""Sparse products and the canonical form against dense numpy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.math.sparse import assembled, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.problem.mass_matrix import gram
from signorini.problem.products import (
    add_product,
    add_transposed_product,
    asymmetry,
    multiply,
    multiply_magnitudes,
)

SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (4, 7), (9, 2)]


@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_against_dense_algebra(shape: tuple[int, int], density: float) -> None:
    rng = np.random.default_rng(1)
    A = canonical(sp.random_array(shape, density=density, rng=rng, data_sampler=lambda size: rng.normal(size=size)))
    dense, x, y = A.toarray(), rng.normal(size=shape[1]), rng.normal(size=shape[0])
    same = {"rtol": 1e-13, "atol": 1e-14}
    np.testing.assert_allclose(multiply(A, x), dense @ x, **same)
    np.testing.assert_allclose(multiply_magnitudes(A, x), np.abs(dense) @ np.abs(x), **same)
    np.testing.assert_allclose(add_product(A, x, y.copy()), y + dense @ x, **same)
    np.testing.assert_allclose(add_transposed_product(A, y, x.copy()), x + dense.T @ y, **same)
    np.testing.assert_allclose(gram(A).toarray(), dense @ dense.T, **same)


def test_vectors_of_wrong_size_are_refused() -> None:
    A = canonical(np.ones((2, 3)))
    for wrong in (np.zeros(2), np.zeros((3, 1))):
        with pytest.raises(ProblemError, match=r"expected \(3,\)"):
            multiply(A, wrong)


@pytest.mark.parametrize("seed", range(5))
def test_asymmetry_against_dense_algebra(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = canonical(sp.random_array((12, 12), density=0.3, rng=rng))
    dense = A.toarray()
    assert asymmetry(A) == pytest.approx(np.abs(dense - dense.T).max() / np.abs(dense).max())
    assert asymmetry(canonical(A + A.T)) == 0.0
    assert asymmetry(canonical(np.zeros((3, 3)))) == 0.0


def test_canonical_form_is_shared_only_when_read_only() -> None:
    first = canonical(np.diag([1.0, 2.0]))
    assert np.shares_memory(canonical(first).data, first.data)
    mine = sp.csr_array(np.diag([1.0, 2.0]))
    theirs = canonical(mine)
    mine.data[0] = 99.0
    assert theirs[0, 0] == 1.0
    # A read-only window on memory that can be written to elsewhere.
    window = sp.csr_array(first)
    memory = np.array([1.0, 2.0])
    window.data = memory[:]
    window.data.flags.writeable = False
    kept = canonical(window)
    memory[0] = 99.0
    assert kept[0, 0] == 1.0


def test_problem_made_of_the_parts_of_another_shares_them() -> None:
    one = ContactProblem(H=np.eye(3), c=np.ones(3))
    other = ContactProblem(H=one.H, c=2.0 * one.c)
    assert np.shares_memory(one.H.data, other.H.data)


def test_a_matrix_from_its_parts_is_like_one_that_scipy_made() -> None:
    given = sp.random_array((5, 7), density=0.4, rng=np.random.default_rng(2), format="csr")
    given.sort_indices()
    A = assembled(given.data.copy(), given.indices.astype(np.int32), given.indptr.astype(np.int32), (5, 7))
    assert (type(A), A.shape, A.nnz, A.dtype, A.format) == (type(given), (5, 7), given.nnz, given.dtype, "csr")
    assert A.has_canonical_format
    assert not A.data.flags.writeable
    assert np.shares_memory(canonical(A).data, A.data)
    for made in (A, A.T.tocsr().T, A.copy(), A[[0, 3]], 2.0 * A, A @ A.T, sp.vstack([A, A])):
        assert made.shape[0] in (2, 5, 10)
    np.testing.assert_array_equal(A.toarray(), given.toarray())
    np.testing.assert_array_equal((A.T @ A).toarray(), (given.T @ given).toarray())
    empty = assembled(np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int32), (0, 3))
    assert empty.toarray().shape == (0, 3)
