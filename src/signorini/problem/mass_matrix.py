"""The mass matrix H with its inverse: by blocks for rigid bodies, by a sparse factorisation for finite elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.kernels.bodies import free_motion
from signorini.kernels.linalg import block_inverse, csr
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical
from signorini.problem.errors import ProblemError
from signorini.problem.products import checked, multiply, multiply_magnitudes

LARGEST_BLOCK = 12
"""Diagonal blocks up to this size are inverted explicitly."""
SMALL = 48
"""An H of this many rows is one block: its explicit inverse costs less than setting up a sparse factorisation."""
COLUMNS_AT_ONCE = 128
"""Right-hand sides that are solved together."""
DENSE_ROWS = 2000
"""Products A H^-1 A' of more rows may have too many zeros to be written down."""
BODY = 6
"""Velocities of a rigid body."""


class MassMatrix(ABC):
    """H, symmetric positive definite, shape (n, n), and products with its inverse, which is made when first needed."""

    csr: Csr
    """H itself."""
    inverse_diagonal: Array | None = None
    """Diagonal of H^-1 where H is diagonal, shape (n,); None elsewhere."""
    bodies: tuple[tuple[Indices, Indices], ...] = ()
    """Partitions of the velocities into bodies, see `BlockDiagonalMass`; none for a general H."""
    spatial_bodies: Indices | None = None
    """First velocity of each body, then n, if all bodies can have six velocities; else None."""
    uniform_weights: Array | None = None
    """Diagonal of G, shape (n / 6, 6), if H is diagonal and each body has one mass for all directions; else None."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} velocities)"

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return int(self.csr.shape[0]), int(self.csr.shape[1])

    @property
    def factor(self) -> Csr | None:
        """Sparse G with `G G' = H^-1`, where there is one; `D G` is D in whitened velocities `G^-1 v`."""
        return None

    @abstractmethod
    def solve(self, x: Array) -> Array:
        """H^-1 x."""

    def magnitudes(self, x: Array) -> Array:
        """`|H^-1| x` for x >= 0, or its estimate `x / diag(H)` where H^-1 is not known entry by entry."""
        return np.asarray(x / self.csr.diagonal())

    def whiten(self, A: Csr) -> Csr | None:
        """`A G`, so that `A H^-1 A' = (A G)(A G)'`; None without a `factor`."""
        return None

    def inverse_times(self, B: Any) -> Any:
        """H^-1 B of a matrix B, dense or sparse, as B is or dense."""
        dense = B if isinstance(B, np.ndarray) else B.toarray()
        return np.column_stack([self.solve(column) for column in dense.T])

    def congruence(self, A: Csr) -> Csr:
        """A H^-1 A' as a sparse matrix."""
        columns = A.T.tocsc()
        parts: list[Any] = []
        for first in range(0, A.shape[0], COLUMNS_AT_ONCE):
            block = np.asfortranarray(columns[:, first : first + COLUMNS_AT_ONCE].toarray(order="F"))
            part = A @ self.solve(block)
            parts.append(part if A.shape[0] <= DENSE_ROWS else sp.csc_array(part))
        if not parts:
            return canonical(sp.csr_array((0, 0)))
        N: Any = np.hstack(parts) if A.shape[0] <= DENSE_ROWS else sp.hstack(parts)
        return canonical(0.5 * (N + N.T))

    def congruence_diagonal(self, A: Csr) -> Array:
        """The diagonal of A H^-1 A'."""
        return np.asarray(self.congruence(A).diagonal())


@dataclass(frozen=True, eq=False, repr=False)
class BlockDiagonalMass(MassMatrix):
    """A block diagonal H with an explicit inverse: rigid bodies."""

    csr: Csr
    starts: Indices
    """First row of each block, then n."""
    room: int
    """Entries of all blocks if they were full."""

    @cached_property
    def _inverted(self) -> tuple[Csr, Csr]:
        """H^-1 and G."""
        H, starts, n = self.csr, self.starts, self.shape[0]
        parts = [
            (np.empty(n + 1, dtype=np.int32), np.empty(self.room, dtype=np.int32), np.empty(self.room))
            for _ in range(2)
        ]
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
        return inverse, factor

    @cached_property
    def inverse(self) -> Csr:
        """H^-1, same blocks as H."""
        return self._inverted[0]

    @cached_property
    def factor(self) -> Csr:
        """G with `G G' = H^-1`, upper triangular, same blocks as H."""
        return self._inverted[1]

    @cached_property
    def inverse_diagonal(self) -> Array | None:  # type: ignore[override]
        """Diagonal of H^-1 where all blocks have one row; None elsewhere."""
        return self.inverse.data if len(self.starts) == len(self.inverse.data) + 1 else None

    @cached_property
    def uniform_weights(self) -> Array | None:  # type: ignore[override]
        """See `MassMatrix`."""
        if self.inverse_diagonal is None or self.shape[0] % BODY:
            return None
        weight = self.factor.data.reshape(-1, BODY)
        same = (weight[:, 0] > 0) & (weight[:, 0] == weight[:, 1]) & (weight[:, 1] == weight[:, 2])
        return weight if same.all() else None

    @cached_property
    def bodies(self) -> tuple[tuple[Indices, Indices], ...]:  # type: ignore[override]
        """Partitions of the velocities into bodies of at most six: (first of each body, then n; body of each velocity).

        The blocks themselves come first. A diagonal H hides its bodies, so groups of 3 (planar) and of 6 (spatial)
        velocities follow, where no block is cut by them.
        """
        n = self.shape[0]
        is_start = np.zeros(n + 1, dtype=np.bool_)
        is_start[self.starts] = True
        ways = [self.starts, *(np.append(np.arange(0, n, size), n) for size in (3, BODY))]
        return tuple(
            (first, np.repeat(np.arange(len(first) - 1), np.diff(first)))
            for first in ways
            if np.diff(first).max(initial=0) <= BODY and np.all(is_start[first])
        )

    @cached_property
    def spatial_bodies(self) -> Indices | None:  # type: ignore[override]
        """See `MassMatrix`."""
        return next((first for first, _ in self.bodies if np.all(np.diff(first) == BODY)), None)

    def solve(self, x: Array) -> Array:
        if self.inverse_diagonal is not None:
            return np.asarray(self.inverse_diagonal * checked(x, self.shape[0]))
        return multiply(self.inverse, x)

    def inverse_times(self, B: Any) -> Any:
        return self.inverse @ B

    def magnitudes(self, x: Array) -> Array:
        return multiply_magnitudes(self.inverse, x)

    def whiten(self, A: Csr) -> Csr:
        G, A = self.factor, self._fitting(A)
        if self.inverse_diagonal is not None:
            return assembled(A.data * G.data[A.indices], A.indices, A.indptr, A.shape)
        indptr = np.empty(A.shape[0] + 1, dtype=np.int32)
        block_inverse.count_product(self.starts, A.indptr, A.indices, G.indptr, G.indices, indptr)
        indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
        block_inverse.product(self.starts, A.indptr, A.indices, A.data, G.indptr, G.indices, G.data, indices, data)
        return assembled(data, indices, indptr, A.shape)

    def congruence(self, A: Csr) -> Csr:
        return gram(self.whiten(A))

    def congruence_diagonal(self, A: Csr) -> Array:
        G, A, out = self.factor, self._fitting(A), np.empty(A.shape[0])
        if self.inverse_diagonal is not None:
            free_motion.weighted_squares(A.indptr, A.indices, A.data, self.inverse_diagonal, out)
        else:
            free_motion.whitened_squares(self.starts, A.indptr, A.indices, A.data, G.indptr, G.indices, G.data, out)
        return out

    def _fitting(self, A: Csr) -> Csr:
        if A.shape[1] != self.shape[0]:
            raise ProblemError(f"the matrix to be whitened has {A.shape[1]} columns, expected {self.shape[0]}")
        return canonical(A)


@dataclass(frozen=True, eq=False, repr=False)
class SparseMass(MassMatrix):
    """A general sparse H, inverted through its LU factors."""

    csr: Csr

    @cached_property
    def _factors(self) -> spla.SuperLU:
        try:
            factors = spla.splu(
                self.csr.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError as error:
            raise ProblemError(f"H is singular ({error}); it must be positive definite") from error
        # With diagonal pivots in symmetric order, LU is LDL': one sign on the diagonal means positive definite.
        if np.any(factors.U.diagonal() <= 0):
            raise ProblemError("H is not positive definite: its factorisation has a negative pivot")
        return factors

    def solve(self, x: Array) -> Array:
        return np.asarray(self._factors.solve(x))


def mass_matrix(H: Csr) -> MassMatrix:
    """H by blocks where all diagonal blocks are small, as a general sparse matrix otherwise.

    Blocks whose rows lie in one another's are taken as one.
    """
    starts = np.empty(H.shape[0] + 1, dtype=np.int64)
    largest = max(LARGEST_BLOCK, H.shape[0] if H.shape[0] <= SMALL else 0)
    blocks, room = block_inverse.find_blocks(H.indptr, H.indices, largest, starts)
    return SparseMass(H) if blocks < 0 else BlockDiagonalMass(H, starts[: blocks + 1].copy(), room)


def gram(A: Csr) -> Csr:
    """A A'."""
    rows, columns = A.shape
    transposed = csr.transpose(A.indptr, A.indices, A.data, columns)
    indptr = np.empty(rows + 1, dtype=np.int32)
    csr.count_gram(A.indptr, A.indices, transposed[0], transposed[1], indptr)
    indices, data = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    csr.gram(A.indptr, A.indices, A.data, *transposed, indptr, indices, data)
    return assembled(data, indices, indptr, (rows, rows))
