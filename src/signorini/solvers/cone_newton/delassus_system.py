"""The Delassus system: one positive definite matrix over the impulses."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.kernels.linalg import delassus_blocks
from signorini.kernels.linalg.condensed import equilibrate
from signorini.math.sparse import Array, Csr, Indices
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import System, exact_residual
from signorini.solvers.linear import BackEnd, FactorReport, Factors, MatrixKind


class TurnedDelassus:
    """Upper triangle of `Q'NQ + diag(theta)`: pattern once, values at every scaling."""

    def __init__(self, N: Csr, start: Indices) -> None:
        self._start = start
        block_of_row = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self._pairs = delassus_blocks.block_pairs(start, block_of_row, N.indptr, N.indices, N.data)
        row, column, _, values = self._pairs
        self.indptr, self.indices, self._base = delassus_blocks.pair_pattern(start, row, column, len(values))

    def pattern(self) -> Csr:
        """CSR with ones."""
        m = int(self._start[-1])
        return sp.csr_array((np.ones(len(self.indices)), self.indices, self.indptr), shape=(m, m))

    def turned(self, scaling: Scaling, theta: Array) -> Array:
        """The values, in the order of the pattern."""
        data = np.empty(len(self.indices))
        delassus_blocks.turn_delassus(
            self._start, *self._pairs, self._base, scaling.frames, scaling.reflector, theta, data
        )
        return data


class Delassus(System):
    """`Q'NQ + Theta + delta` of a form without velocities, positive definite, one row per impulse.

    The matrix is graded over twenty and more decades; scaled by its diagonal it is not.
    """

    def __init__(self, form: StandardForm, back_end: BackEnd, delta: float) -> None:
        assert form.E is not None
        self._form, self._delta = form, delta
        self._matrix = TurnedDelassus(form.E, form.start)
        self._factors: Factors = back_end.analyse(self._matrix.pattern(), MatrixKind.POSITIVE_DEFINITE)
        self._scale = np.ones(form.cone_rows)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        self._scaling = scaling
        data = self._matrix.turned(scaling, scaling.theta + self._delta)
        equilibrate(self._matrix.indptr, self._matrix.indices, data, self._scale)
        return self._factors.factor(data)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        return r1, self._scale * self._factors.solve(self._scale * r2)

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._form.A.values, r1, r2, dw, dx)

    def release(self) -> None:
        """Nothing to keep."""
