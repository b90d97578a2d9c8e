"""The linear systems of the exact law: not symmetric, because friction does work on the normal.

Both solve, in the turned basis of `frames` and `reflector`, for the slopes of one `Linearisation`::

    rest dx + tau (1 + e h')(N + delta) dx = right

approximately (delta); the caller refines against delta = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels.interior import coulomb as kernels
from signorini.kernels.interior import scaling as turning
from signorini.kernels.linalg import condensed
from signorini.math.sparse import Array, Csr, Indices, identity
from signorini.solvers.coulomb.form import Form
from signorini.solvers.coulomb.rows import Rows, ranges
from signorini.solvers.linear import Automatic, BackEnd, Factors, MatrixKind, back_end
from signorini.solvers.linear.pardiso import Pardiso
from signorini.solvers.linear.shelf import Shelf, key_of


@dataclass(eq=False)
class Linearisation:
    """Slopes in the eigenbases of all blocks."""

    frames: Array
    """eta, kappa, sign per block, shape (blocks, 3)."""
    reflector: Array
    """Householder vectors of the tangents, one entry per cone row."""
    tau: Array
    rest: Array
    """1 - tau."""
    along: Array
    """Unit vectors along the tangential slips; turned by the first system that is assembled with them."""
    share: float
    """How much of the de Saxce term's derivative is counted."""

    @classmethod
    def blank(cls, form: Form, along: Array, share: float) -> Linearisation:
        """Room for slopes and eigenbases; joint rows are free (tau = 1)."""
        frames, reflector = np.ones((len(form.start) - 1, 3)), np.zeros(form.cone_rows)
        return cls(frames, reflector, np.ones(form.rows), np.zeros(form.rows), along, share)

    def turn(self, start: Indices, rows: Array) -> Array:
        """Rows into the eigenbases."""
        out = np.empty_like(rows)
        turning.turn(start, self.frames, self.reflector, rows, out)
        return out

    def turn_back(self, start: Indices, rows: Array) -> Array:
        """Rows out of the eigenbases."""
        out = np.empty_like(rows)
        turning.turn_back(start, self.frames, self.reflector, rows, out)
        return out


class System(Protocol):
    """One form of the linear system."""

    def factor(self, at: Linearisation) -> bool:
        """Assemble and factor; False when that fails. Turns `at.along`."""

    def solve(self, right: Array) -> Array:
        """dx, turned."""

    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""


class Pattern:
    """The pattern of `H + A'A`, both triangles, where each term lands in it, and its analysis."""

    def __init__(self, A: Rows, H: Csr, back_end: BackEnd) -> None:
        touch = condensed.transpose_blocks(A.column_start, A.columns, A.width)
        width = np.diff(A.column_start)
        self.pair_start = np.concatenate(([0], np.cumsum(width * width))).astype(np.int64)
        capacity = int(H.nnz + self.pair_start[-1]) + A.width
        indptr, indices = kernels.condensed_pattern(
            H.indptr, H.indices, A.column_start, A.columns, touch[0], touch[1], capacity
        )
        self.h_position, self.pair_position = kernels.condensed_positions(
            indptr, indices, H.indptr, H.indices, A.column_start, A.columns, touch, self.pair_start
        )
        self.data = np.zeros(len(indices))
        pattern = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(A.width, A.width))
        self.factors = back_end.analyse(pattern, MatrixKind.GENERAL)


PATTERNS: Shelf[Pattern] = Shelf(room=2)


class Condensed:
    """`K = H + A'M A` with one small unsymmetric block M per contact; one unknown per velocity."""

    def __init__(self, form: Form, back_end: BackEnd, delta: float) -> None:
        assert form.A is not None
        self._A, self._start, self._delta = form.A, form.start, delta
        H = identity(form.A.width) if form.mass is None else form.mass.H
        self._h = H.data
        self._key = key_of(repr(back_end), form.A.start, form.A.column_start, form.A.columns, H.indptr, H.indices)
        self._pattern = PATTERNS.take(self._key) or Pattern(form.A, H, back_end)
        sizes = np.diff(form.A.start)
        self._squares = np.concatenate(([0], np.cumsum(sizes * sizes))).astype(np.int64)
        self._compliance = np.zeros(0) if form.E is None else form.E.values
        self._inverse, self._weight = np.empty(self._squares[-1]), np.empty(self._squares[-1])
        self._values = np.empty_like(form.A.values)

    def release(self) -> None:
        PATTERNS.put(self._key, self._pattern)

    def factor(self, at: Linearisation) -> bool:
        A, pattern = self._A, self._pattern
        kernels.block_weights(
            A.start, at.frames, at.reflector, at.tau, at.rest, at.along, at.share, self._delta,
            self._squares, self._compliance, self._inverse, self._weight,
        )  # fmt: skip
        A.turned(at.frames, at.reflector, self._values)
        pattern.data[:] = 0.0
        condensed.add_matrix(pattern.h_position, self._h, pattern.data)
        kernels.add_congruence(
            A.start, A.column_start, A.value_start, self._values, self._squares, self._weight,
            pattern.pair_start, pattern.pair_position, pattern.data,
        )  # fmt: skip
        return pattern.factors.factor(pattern.data).ok

    def solve(self, right: Array) -> Array:
        dx = self._blockwise(self._inverse, right)
        dw = self._pattern.factors.solve(self._A.multiply_transposed(dx, self._values))
        return dx - self._blockwise(self._weight, self._A.multiply(dw, self._values))

    def _blockwise(self, blocks: Array, rows: Array) -> Array:
        out = np.empty_like(rows)
        condensed.multiply_blocks(self._A.start, self._squares, blocks, rows, out)
        return out


class Delassus:
    """`rest Q' + tau (1 + e h') Q'(N + delta)` with an explicit N; one unknown per impulse."""

    def __init__(self, form: Form, back_end: BackEnd, delta: float) -> None:
        assert form.E is not None
        self._N, self._delta = form.E, delta
        height = np.diff(self._N.start)
        width = np.repeat(np.diff(self._N.column_start), height)
        indptr = np.concatenate(([0], np.cumsum(width))).astype(np.int32)
        indices = self._N.columns[ranges(np.repeat(self._N.column_start[:-1], height), width)].astype(np.int32)
        self._data = np.empty_like(self._N.values)
        m = len(width)
        pattern = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(m, m))
        self._factors: Factors = back_end.analyse(pattern, MatrixKind.GENERAL)

    def release(self) -> None:
        pass

    def factor(self, at: Linearisation) -> bool:
        N = self._N
        kernels.delassus_rows(
            N.start, N.column_start, N.value_start, N.columns, N.values, at.frames, at.reflector,
            at.tau, at.rest, at.along, at.share, self._delta, self._data,
        )  # fmt: skip
        self._at = at
        return self._factors.factor(self._data).ok

    def solve(self, right: Array) -> Array:
        return self._at.turn(self._N.start, self._factors.solve(right))


def make_system(form: Form, linear: str, delta: float) -> System:
    """The system of a form, factored by the back end of that name."""
    return (Delassus if form.A is None else Condensed)(form, _unmatched(back_end(linear)), delta)


def _unmatched(back: BackEnd) -> BackEnd:
    """PARDISO without matching: these matrices have a sound diagonal, and patterns are analysed without values."""
    if isinstance(back, Automatic) and isinstance(back.sparse, Pardiso):
        return Automatic(Pardiso(matching=False))
    return Pardiso(matching=False) if isinstance(back, Pardiso) else back
