"""H^-1, by blocks where H is block diagonal (rigid bodies) and by a factorisation elsewhere (finite elements)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.kernels.bodies import free_motion
from signorini.kernels.linalg import block_inverse, csr
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical
from signorini.problem.errors import ProblemError
from signorini.problem.products import checked, multiply

LARGEST_BLOCK = 12
"""Diagonal blocks up to this size are inverted explicitly."""
SMALL = 48
"""An H of this many rows is one block: its explicit inverse costs less than setting up a sparse factorisation."""
COLUMNS_AT_ONCE = 256
LARGEST_BODY = 6
"""Velocities of a rigid body."""


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
        if self.is_diagonal:
            return np.asarray(self.matrix.data * checked(x, len(self.matrix.data)))
        return multiply(self.matrix, x)

    def whiten(self, D: Csr) -> Csr:
        """`D G`, so that `D H^-1 D' = (D G)(D G)'`."""
        G, D = self.factor, self._fitting(D)
        if self.is_diagonal:
            return assembled(D.data * G.data[D.indices], D.indices, D.indptr, D.shape)
        indptr = np.empty(D.shape[0] + 1, dtype=np.int32)
        block_inverse.count_product(self.starts, D.indptr, D.indices, G.indptr, G.indices, indptr)
        indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
        block_inverse.product(self.starts, D.indptr, D.indices, D.data, G.indptr, G.indices, G.data, indices, data)
        return assembled(data, indices, indptr, D.shape)

    def congruence(self, D: Csr) -> Csr:
        return gram(self.whiten(D))

    def congruence_diagonal(self, D: Csr) -> Array:
        G, D, out = self.factor, self._fitting(D), np.empty(D.shape[0])
        if self.is_diagonal:
            free_motion.weighted_squares(D.indptr, D.indices, D.data, self.matrix.data, out)
        else:
            free_motion.whitened_squares(self.starts, D.indptr, D.indices, D.data, G.indptr, G.indices, G.data, out)
        return out

    @cached_property
    def is_diagonal(self) -> bool:
        """Whether all blocks have one row."""
        return len(self.starts) == len(self.factor.indptr) == len(self.factor.data) + 1

    @cached_property
    def round_weights(self) -> Array | None:
        """G, six numbers per body, where it is diagonal and bodies have one mass for all directions; else None."""
        if not self.is_diagonal or len(self.factor.data) % LARGEST_BODY:
            return None
        weight = self.factor.data.reshape(-1, LARGEST_BODY)
        same = (weight[:, 0] > 0) & (weight[:, 0] == weight[:, 1]) & (weight[:, 1] == weight[:, 2])
        return weight if same.all() else None

    @cached_property
    def bodies(self) -> tuple[tuple[Indices, Indices], ...]:
        """Ways to see the velocities as bodies of at most six: (first of each body, then n; body of each velocity).

        The blocks themselves come first. A diagonal H hides its bodies, so groups of 3 (planar) and of 6 (spatial)
        velocities follow, where no block is cut by them.
        """
        n = self.factor.shape[0]
        is_start = np.zeros(n + 1, dtype=np.bool_)
        is_start[self.starts] = True
        ways = [self.starts, *(np.append(np.arange(0, n, size), n) for size in (3, LARGEST_BODY))]
        return tuple(
            (first, np.repeat(np.arange(len(first) - 1), np.diff(first)))
            for first in ways
            if np.diff(first).max(initial=0) <= LARGEST_BODY and np.all(is_start[first])
        )

    def _fitting(self, D: Csr) -> Csr:
        if D.shape[1] != self.factor.shape[0]:
            raise ProblemError(f"the matrix to be whitened has {D.shape[1]} columns, expected {self.factor.shape[0]}")
        return canonical(D)


def gram(A: Csr) -> Csr:
    """A A'."""
    rows, columns = A.shape
    transposed = csr.transpose(A.indptr, A.indices, A.data, columns)
    indptr = np.empty(rows + 1, dtype=np.int32)
    csr.count_gram(A.indptr, A.indices, transposed[0], transposed[1], indptr)
    indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    csr.gram(A.indptr, A.indices, A.data, *transposed, indptr, indices, data)
    return assembled(data, indices, indptr, (rows, rows))


def gram_diagonal(A: Csr) -> Array:
    """The diagonal of A A'."""
    out = np.empty(A.shape[0])
    csr.row_squares(A.indptr, A.data, out)
    return out


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
    found = diagonal_blocks(H)
    if found is not None:
        return _invert_blocks(H, *found)
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


def diagonal_blocks(H: Csr) -> tuple[Indices, int] | None:
    """First row of each diagonal block (then n), and how many entries the blocks have room for.

    None when a block of a large H is larger than `LARGEST_BLOCK`: then H is treated as a general sparse matrix. Blocks
    whose rows lie in one another's are taken as one.
    """
    starts = np.empty(H.shape[0] + 1, dtype=np.int64)
    largest = max(LARGEST_BLOCK, H.shape[0] if H.shape[0] <= SMALL else 0)
    blocks, room = block_inverse.find_blocks(H.indptr, H.indices, largest, starts)
    return None if blocks < 0 else (starts[: blocks + 1].copy(), room)


def _invert_blocks(H: Csr, starts: Indices, room: int) -> BlockInverse:
    n = H.shape[0]
    parts = [(np.empty(n + 1, dtype=np.int32), np.empty(room, dtype=np.int32), np.empty(room)) for _ in range(2)]
    wrong = block_inverse.invert(starts, H.indptr, H.indices, H.data, *parts[0], *parts[1])
    if wrong >= 0:
        raise ProblemError(
            f"H is not positive definite: its diagonal block in rows {starts[wrong]} to {starts[wrong + 1] - 1} "
            "has no Cholesky factor"
        )
    inverse, factor = (
        assembled(data[: indptr[-1]].copy(), indices[: indptr[-1]].copy(), indptr, (n, n))
        for indptr, indices, data in parts
    )
    return BlockInverse(inverse, starts, factor)
