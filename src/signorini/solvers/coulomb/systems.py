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
from signorini.kernels.linalg import condensed
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.condensed_system import CondensedMatrix, compliance_blocks
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.coulomb.form import ExactForm
from signorini.solvers.linear import Automatic, BackEnd, Factors, MatrixKind, back_end
from signorini.solvers.linear.pardiso import Pardiso


@dataclass(eq=False)
class Linearisation:
    """Slopes in the eigenbases of all blocks."""

    scaling: Scaling
    """The eigenbases."""
    tau: Array
    rest: Array
    """1 - tau."""
    along: Array
    """Unit vectors along the tangential slips; turned by the first system that is assembled with them."""
    share: float
    """How much of the de Saxce term's derivative is counted."""

    @classmethod
    def blank(cls, form: ExactForm, along: Array, share: float) -> Linearisation:
        """Room for slopes and eigenbases; joint rows are free (tau = 1)."""
        return cls.at(Scaling.identity(form.start, form.rows), along, share)

    @classmethod
    def at(cls, scaling: Scaling, along: Array, share: float) -> Linearisation:
        """The slopes of the interior path, `tau = 1 / (1 + theta)`."""
        tau = 1.0 / (1.0 + scaling.theta)
        return cls(scaling, tau, scaling.theta * tau, along, share)


class UnsymmetricSystem(Protocol):
    """One form of the linear system."""

    def factor(self, at: Linearisation) -> bool:
        """Assemble and factor; False when that fails. Turns `at.along`."""

    def solve(self, right: Array) -> Array:
        """dx, turned."""

    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""


class UnsymmetricCondensed:
    """`K = H + A'M A` with one small unsymmetric block M per contact; one unknown per velocity."""

    def __init__(self, form: ExactForm, back_end: BackEnd, delta: float) -> None:
        self._A, self._delta = form.standard.A, delta
        self._matrix = CondensedMatrix(form.standard, back_end, MatrixKind.GENERAL)
        self._compliance = compliance_blocks(form.standard)[1]
        sizes = np.diff(self._A.start)
        self._squares = np.concatenate(([0], np.cumsum(sizes * sizes))).astype(np.int64)
        self._inverse, self._weight = np.empty(self._squares[-1]), np.empty(self._squares[-1])
        self._values = np.empty_like(self._A.values)

    def release(self) -> None:
        self._matrix.release()

    def factor(self, at: Linearisation) -> bool:
        A, frames, reflector = self._A, at.scaling.frames, at.scaling.reflector
        kernels.block_weights(
            A.start, frames, reflector, at.tau, at.rest, at.along, at.share, self._delta,
            self._squares, self._compliance, self._inverse, self._weight,
        )  # fmt: skip
        A.turned(frames, reflector, self._values)
        self._matrix.reset()
        self._matrix.add_blocks(self._values, len(A.start) - 1, self._squares, self._weight)
        return self._matrix.factor().ok

    def solve(self, right: Array) -> Array:
        dx = self._blockwise(self._inverse, right)
        dw = self._matrix.solve(self._A.multiply_transposed(dx, self._values))
        return dx - self._blockwise(self._weight, self._A.multiply(dw, self._values))

    def _blockwise(self, blocks: Array, rows: Array) -> Array:
        out = np.empty_like(rows)
        condensed.multiply_blocks(self._A.start, self._squares, blocks, rows, out)
        return out


class UnsymmetricDelassus:
    """`rest Q' + tau (1 + e h') Q'(N + delta)` with an explicit N; one unknown per impulse."""

    def __init__(self, form: ExactForm, back_end: BackEnd, delta: float) -> None:
        assert form.N is not None
        self._N, self._delta = form.N, delta
        row, column = self._N.positions()
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=form.rows)))).astype(np.int32)
        self._data = np.empty_like(self._N.values)
        pattern = sp.csr_array((np.ones(len(row)), column.astype(np.int32), indptr), shape=(form.rows, form.rows))
        self._factors: Factors = back_end.analyse(pattern, MatrixKind.GENERAL)

    def release(self) -> None:
        """Nothing is kept."""

    def factor(self, at: Linearisation) -> bool:
        N = self._N
        kernels.delassus_rows(
            N.start, N.column_start, N.value_start, N.columns, N.values, at.scaling.frames, at.scaling.reflector,
            at.tau, at.rest, at.along, at.share, self._delta, self._data,
        )  # fmt: skip
        self._at = at
        return self._factors.factor(self._data).ok

    def solve(self, right: Array) -> Array:
        return self._at.scaling.turn(self._factors.solve(right))


def make_system(form: ExactForm, linear: str, delta: float) -> UnsymmetricSystem:
    """The system of a form, factored by the back end of that name."""
    kind = UnsymmetricDelassus if form.is_delassus else UnsymmetricCondensed
    return kind(form, _unmatched(back_end(linear)), delta)


def _unmatched(back: BackEnd) -> BackEnd:
    """PARDISO without matching: these matrices have a sound diagonal, and patterns are analysed without values."""
    if isinstance(back, Automatic) and isinstance(back.sparse, Pardiso):
        return Automatic(Pardiso(matching=False))
    return Pardiso(matching=False) if isinstance(back, Pardiso) else back
