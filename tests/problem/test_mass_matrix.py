"""H^-1 by blocks: the compiled kernels against dense algebra, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.math.sparse import Csr, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.problem.mass_matrix import LARGEST_BLOCK, SMALL, BlockDiagonalMass, SparseMass, mass_matrix


def block_diagonal(sizes: list[int], seed: int = 0) -> Csr:
    """Positive definite blocks, every second one with zeros in its last row."""
    rng = np.random.default_rng(seed)
    blocks = []
    for k, size in enumerate(sizes):
        a = rng.normal(size=(size, size))
        block = a + a.T + np.diag(1.0 + np.abs(a + a.T).sum(axis=0))
        if k % 2 and size > 2:
            block[-1, 1:-1] = block[1:-1, -1] = 0.0
        blocks.append(block)
    return canonical(sp.block_diag(blocks, format="csr")) if blocks else canonical(sp.csr_array((0, 0)))


def assert_canonical(matrix: Csr) -> None:
    """Sorted, without duplicates, read-only; has_canonical_format is what was promised, so it is found out anew."""
    fresh = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    assert fresh.has_canonical_format
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    for part in (matrix.data, matrix.indices, matrix.indptr):
        assert not part.flags.writeable


@given(st.lists(st.integers(1, LARGEST_BLOCK), max_size=8), st.integers(0, 20), st.floats(0.0, 1.0), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_blocks_against_dense_algebra(sizes: list[int], rows: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    H = block_diagonal(sizes, seed)
    n = H.shape[0]
    D = canonical(sp.random_array((rows, n), density=density, rng=rng))
    found = mass_matrix(H)
    assert isinstance(found, BlockDiagonalMass)
    np.testing.assert_array_equal(found.starts, np.concatenate(([0], np.cumsum(sizes))))
    dense = np.linalg.inv(H.toarray())
    same = {"rtol": 1e-8, "atol": 1e-10}
    np.testing.assert_allclose(found.inverse.toarray(), dense, **same)
    np.testing.assert_array_equal(found.inverse.toarray(), found.inverse.toarray().T)
    G = found.factor.toarray()
    np.testing.assert_allclose(G @ G.T, dense, **same)
    x = rng.normal(size=n)
    np.testing.assert_allclose(found.solve(x), dense @ x, **same)
    white, N = found.whiten(D), found.congruence(D)
    np.testing.assert_allclose(white.toarray(), D.toarray() @ G, **same)
    np.testing.assert_allclose(N.toarray(), D.toarray() @ dense @ D.toarray().T, **same)
    np.testing.assert_array_equal(N.toarray(), N.toarray().T)
    np.testing.assert_allclose(found.congruence_diagonal(D), N.diagonal(), **same)
    for matrix in (found.inverse, found.factor, white, N):
        assert_canonical(matrix)


def test_zeros_of_the_inverse_are_not_stored() -> None:
    """A block of stored zeros is diagonal after all."""
    H = sp.csr_array((np.array([2.0, 0.0, 0.0, 4.0]), [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    found = mass_matrix(canonical(H))
    assert isinstance(found, BlockDiagonalMass)
    assert found.starts.tolist() == [0, 2]
    assert found.inverse.nnz == found.factor.nnz == 2


def test_largest_block() -> None:
    more = [1] * SMALL
    assert isinstance(mass_matrix(block_diagonal([3, LARGEST_BLOCK, *more])), BlockDiagonalMass)
    assert isinstance(mass_matrix(block_diagonal([3, LARGEST_BLOCK + 1, *more])), SparseMass)


def test_a_small_matrix_is_one_block() -> None:
    H = block_diagonal([SMALL])
    found = mass_matrix(H)
    assert isinstance(found, BlockDiagonalMass)
    np.testing.assert_allclose(found.inverse.toarray() @ H.toarray(), np.eye(SMALL), atol=1e-11)


@pytest.mark.parametrize("part", [np.tril, np.triu])
def test_blocks_are_found_from_either_triangle(part) -> None:
    """Round-off may leave an entry on one side of the diagonal only."""
    H = canonical(part(block_diagonal([2, 1, 3]).toarray()))
    found = mass_matrix(H)
    assert isinstance(found, BlockDiagonalMass)
    assert found.starts.tolist() == [0, 2, 3, 6]
    assert found.room == 4 + 1 + 9


def test_blocks_in_one_another_are_one_and_scattered_ones_are_general() -> None:
    near, far = np.eye(4), np.eye(SMALL + 2)
    near[0, 2] = near[2, 0] = near[1, 3] = near[3, 1] = 0.5
    far[0, -1] = far[-1, 0] = 0.5
    found = mass_matrix(canonical(near))
    assert isinstance(found, BlockDiagonalMass)
    assert found.starts.tolist() == [0, 4]
    np.testing.assert_allclose(found.inverse.toarray(), np.linalg.inv(near), atol=1e-15)
    general = mass_matrix(canonical(far))
    assert isinstance(general, SparseMass)
    D = canonical(np.random.default_rng(0).normal(size=(5, SMALL + 2)))
    N = D.toarray() @ np.linalg.inv(far) @ D.toarray().T
    np.testing.assert_allclose(general.congruence(D).toarray(), N, rtol=1e-12)


def test_block_without_cholesky_factor_is_named() -> None:
    H = np.eye(6)
    H[3, 4] = H[4, 3] = 2.0
    with pytest.raises(ProblemError, match="not positive definite: its diagonal block in rows 3 to 4"):
        mass_matrix(canonical(H)).solve(np.ones(6))


def test_wrong_sizes_are_refused() -> None:
    found = mass_matrix(block_diagonal([2, 3]))
    assert isinstance(found, BlockDiagonalMass)
    with pytest.raises(ProblemError, match=r"shape \(4,\), expected \(5,\)"):
        found.solve(np.zeros(4))
    with pytest.raises(ProblemError, match="4 columns, expected 5"):
        found.whiten(canonical(np.ones((2, 4))))


@pytest.mark.parametrize("sizes", [[1, 1, 1], [1, 2]])
def test_whitening_leaves_the_matrix_of_others_alone(sizes: list[int]) -> None:
    found = mass_matrix(block_diagonal(sizes))
    assert isinstance(found, BlockDiagonalMass)
    D = sp.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))  # not sorted
    white = found.whiten(D)
    np.testing.assert_allclose(white.toarray(), D.toarray() @ found.factor.toarray())
    assert_canonical(white)
    D.indices[:] = 1
    D.data[:] = 0.0
    assert white.indices.tolist()[0] == 0


def test_whitened_jacobian_is_shared() -> None:
    block = ContactProblem(H=block_diagonal([3, 1]), c=np.ones(4))
    assert block.whitened is not None
    assert block.whitened is block.whitened
    assert ContactProblem(H=block_diagonal([SMALL + 1]), c=np.ones(SMALL + 1)).whitened is None


@pytest.mark.parametrize("size", [SMALL, SMALL + 2])
def test_magnitudes_bound_the_solution(size: int) -> None:
    """|H^-1| x by blocks; of a general H the estimate x / diag(H)."""
    H = np.eye(size) * 4.0
    H[0, -1] = H[-1, 0] = -1.0
    mass, x = mass_matrix(canonical(H)), np.linspace(1.0, 2.0, size)
    expected = np.abs(np.linalg.inv(H)) @ x if isinstance(mass, BlockDiagonalMass) else x / 4.0
    np.testing.assert_allclose(mass.magnitudes(x), expected, rtol=1e-14)


def test_large_products_of_a_general_matrix_are_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    H = canonical(np.eye(SMALL + 2) * 2.0 + np.eye(SMALL + 2, k=SMALL + 1) + np.eye(SMALL + 2, k=-SMALL - 1))
    A = canonical(sp.random_array((300, SMALL + 2), density=0.02, rng=np.random.default_rng(0)))
    dense = mass_matrix(H).congruence(A)
    monkeypatch.setattr("signorini.problem.mass_matrix.DENSE_ROWS", 10)
    np.testing.assert_array_equal(mass_matrix(H).congruence(A).toarray(), dense.toarray())
    assert dense.nnz < 300 * 300 / 2
