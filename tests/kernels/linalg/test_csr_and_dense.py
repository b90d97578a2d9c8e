"""Sparse products, block inverses and small dense factorisations against numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.kernels.linalg import block_inverse, csr, dense
from signorini.math.sparse import canonical


def random_matrix(rows: int, columns: int, seed: int) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.3)
    return canonical(full)


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (5, 7), (40, 31)])
def test_products(shape: tuple[int, int]) -> None:
    A = random_matrix(*shape, seed=3)
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    out, back = np.ones(shape[0]), np.ones(shape[1])
    csr.add_product(A.indptr, A.indices, A.data, x, out)
    csr.add_transposed_product(A.indptr, A.indices, A.data, y, back)
    np.testing.assert_allclose(out, 1.0 + A @ x, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(back, 1.0 + A.T @ y, rtol=1e-13, atol=1e-13)


def test_transpose_and_gram() -> None:
    A = random_matrix(30, 20, seed=5)
    turned = csr.transpose(A.indptr, A.indices, A.data, 20)
    np.testing.assert_array_equal(
        sp.csr_array((turned[2], turned[1], turned[0]), shape=(20, 30)).toarray(), A.T.toarray()
    )
    indptr = np.empty(31, dtype=np.int32)
    csr.count_gram(A.indptr, A.indices, turned[0], turned[1], indptr)
    indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    csr.gram(A.indptr, A.indices, A.data, *turned, indptr, indices, data)
    N = sp.csr_array((data, indices, indptr), shape=(30, 30)).toarray()
    np.testing.assert_allclose(N, (A @ A.T).toarray(), rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(N, N.T)


def test_symmetry_sees_entries_without_a_partner() -> None:
    A = canonical(np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.0, 1.0]]))
    assert csr.symmetry(A.indptr, A.indices, A.data) == (3.0, 0.5)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 9, 33])
def test_dense_cholesky(size: int) -> None:
    rng = np.random.default_rng(size)
    half = rng.normal(size=(size, size))
    A, b = half @ half.T + np.eye(size), rng.normal(size=size)
    U, x = A.copy(), b.copy()
    assert dense.cholesky(U)
    dense.cholesky_solve(U, x)
    np.testing.assert_allclose(A @ x, b, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(np.triu(U).T @ np.triu(U), A, rtol=1e-12, atol=1e-12)


def test_dense_cholesky_refuses_an_indefinite_matrix() -> None:
    assert not dense.cholesky(np.diag([1.0, -1.0, 2.0]))


def test_block_inverse() -> None:
    rng = np.random.default_rng(9)
    full = np.zeros((9, 9))
    for first, last in ((0, 3), (3, 4), (4, 9)):
        half = rng.normal(size=(last - first, last - first))
        full[first:last, first:last] = half @ half.T + np.eye(last - first)
    H = canonical(full)
    starts = np.empty(10, dtype=np.int64)
    blocks, room = block_inverse.find_blocks(H.indptr, H.indices, 8, starts)
    assert (blocks, room) == (3, 9 + 1 + 25)
    assert list(starts[:4]) == [0, 3, 4, 9]
    inverse, factor = ((np.empty(10, dtype=np.int32), np.empty(room, dtype=np.int32), np.empty(room)) for _ in range(2))
    assert block_inverse.invert(starts[:4], H.indptr, H.indices, H.data, *inverse, *factor) == -1
    found, G = (sp.csr_array((d[: p[-1]], i[: p[-1]], p), shape=(9, 9)).toarray() for p, i, d in (inverse, factor))
    np.testing.assert_allclose(found, np.linalg.inv(full), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(G @ G.T, np.linalg.inv(full), rtol=1e-10, atol=1e-12)


def test_block_that_is_not_positive_definite_is_named() -> None:
    H = canonical(np.diag([1.0, 2.0, -3.0]))
    starts = np.arange(4)
    parts = [(np.empty(4, dtype=np.int32), np.empty(3, dtype=np.int32), np.empty(3)) for _ in range(2)]
    assert block_inverse.invert(starts, H.indptr, H.indices, H.data, *parts[0], *parts[1]) == 2
