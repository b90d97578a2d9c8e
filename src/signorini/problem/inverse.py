"""H^-1, by blocks where H is block diagonal (rigid bodies) and by a factorisation elsewhere (finite elements)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr, Indices, canonical, diagonal_blocks
from signorini.problem.errors import ProblemError

LARGEST_BLOCK = 12
"""Diagonal blocks up to this size are inverted explicitly."""
COLUMNS_AT_ONCE = 256


class Inverse(Protocol):
    """H^-1 as an operator."""

    def solve(self, x: Array) -> Array:
        """H^-1 x for a vector."""

    def congruence(self, D: Csr) -> Csr:
        """D H^-1 D' as a sparse matrix."""

    def congruence_diagonal(self, D: Csr) -> Array:
        """The diagonal of D H^-1 D'."""


@dataclass(frozen=True, eq=False)
class BlockInverse:
    """H^-1 of a block diagonal H, explicit."""

    matrix: Csr
    """H^-1, same blocks as H."""
    starts: Indices
    """First row of each block, then n."""
    factor: Csr
    """G with `G G' = H^-1` and the same blocks; `D G` is D in whitened velocities `G^-1 v`."""

    def solve(self, x: Array) -> Array:
        return np.asarray(self.matrix @ x)

    def whiten(self, D: Csr) -> Csr:
        """`D G`, so that `D H^-1 D' = (D G)(D G)'`."""
        return canonical(D @ self.factor)

    def congruence(self, D: Csr) -> Csr:
        white = self.whiten(D)
        return canonical(white @ white.T)

    def congruence_diagonal(self, D: Csr) -> Array:
        white = self.whiten(D)
        return np.asarray(white.multiply(white).sum(axis=1)).reshape(-1)


@dataclass(frozen=True, eq=False)
class FactoredInverse:
    """H^-1 of a general sparse H through its LU factors."""

    factors: spla.SuperLU

    def solve(self, x: Array) -> Array:
        return np.asarray(self.factors.solve(x))

    def congruence(self, D: Csr) -> Csr:
        columns = D.T.tocsc()
        parts = []
        for first in range(0, D.shape[0], COLUMNS_AT_ONCE):
            dense = columns[:, first : first + COLUMNS_AT_ONCE].toarray()
            parts.append(sp.csc_array(D @ self.factors.solve(dense)))
        if not parts:
            return canonical(sp.csr_array((0, 0)))
        N = sp.hstack(parts)
        return canonical((N + N.T) * 0.5)

    def congruence_diagonal(self, D: Csr) -> Array:
        return np.asarray(self.congruence(D).diagonal())


def make_inverse(H: Csr) -> BlockInverse | FactoredInverse:
    """The inverse of H; raises `ProblemError` when H is not positive definite."""
    starts = diagonal_blocks(H, LARGEST_BLOCK)
    if starts is not None:
        return _invert_blocks(H, starts)
    try:
        factors = spla.splu(
            H.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError as error:
        raise ProblemError(f"H is singular ({error}); it must be positive definite") from error
    # With diagonal pivots in symmetric order, LU is LDL': one sign on the diagonal means positive definite.
    if np.any(factors.U.diagonal() <= 0):
        raise ProblemError("H is not positive definite: its factorisation has a negative pivot")
    return FactoredInverse(factors)


def _invert_blocks(H: Csr, starts: Indices) -> BlockInverse:
    """Cholesky factors of all blocks of one size at a time, written straight into CSR arrays."""
    n = H.shape[0]
    sizes = np.diff(starts)
    indptr = np.concatenate(([0], np.cumsum(np.repeat(sizes, sizes))))
    indices = np.empty(indptr[-1], dtype=np.int64)
    inverse, factor = np.empty(indptr[-1]), np.empty(indptr[-1])
    for size in np.unique(sizes):
        first = starts[:-1][sizes == size]
        try:
            lower = np.linalg.cholesky(_dense_blocks(H, first, int(size)))
        except np.linalg.LinAlgError as error:
            raise ProblemError(
                "H is not positive definite: one of its diagonal blocks has no Cholesky factor"
            ) from error
        inverse_lower = np.linalg.inv(lower)
        # The rows of a block lie one after another, each of the block's length.
        where = indptr[first][:, None] + np.arange(size * size)
        indices[where] = first[:, None] + np.tile(np.arange(size), size)
        factor[where] = inverse_lower.transpose(0, 2, 1).reshape(len(first), -1)
        inverse[where] = (inverse_lower.transpose(0, 2, 1) @ inverse_lower).reshape(len(first), -1)

    def assemble(values: Array) -> Csr:
        matrix = sp.csr_array((values, indices.copy(), indptr.copy()), shape=(n, n))
        matrix.eliminate_zeros()
        return canonical(matrix)

    return BlockInverse(assemble(inverse), starts, assemble(factor))


def _dense_blocks(H: Csr, first: Indices, size: int) -> Array:
    """The diagonal blocks of one size that begin in rows `first`, shape (blocks, size, size)."""
    block_of_row = np.full(H.shape[0], -1, dtype=np.int64)
    local = np.zeros(H.shape[0], dtype=np.int64)
    for k in range(size):
        block_of_row[first + k] = np.arange(len(first))
        local[first + k] = k
    row = np.repeat(np.arange(H.shape[0]), np.diff(H.indptr))
    mine = block_of_row[row] >= 0
    blocks = np.zeros((len(first), size, size))
    blocks[block_of_row[row[mine]], local[row[mine]], local[H.indices[mine]]] = H.data[mine]
    return blocks
