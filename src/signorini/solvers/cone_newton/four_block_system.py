"""The Newton system before anything is eliminated: velocities, impulses of joints and contacts, slips."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Indices, entry_rows, identity
from signorini.solvers.cone_newton.delassus_system import TurnedDelassus
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import System, exact_residual
from signorini.solvers.linear import BackEnd, FactorReport, MatrixKind

JOINT_DELTA = 1e-12
"""On the diagonal of joint rows: redundant joints would make the matrix singular."""


class FourBlocks(System):
    """`[H -A' 0; A E -1; 0 T 1 - T]` for (dw, dx, dy) with `T = Theta / (1 + Theta)`, the slips among the unknowns.

    The third row is the linearised complementarity `y dx + x dy = ...` of [MangoniTasora, eq. 6] over `x + y`, in the
    eigenbases of the scaling, where `Theta = y/x`; joints and contacts share A. It is the largest and the slowest of
    the systems.
    """

    def __init__(self, form: StandardForm, back_end: BackEnd) -> None:
        A, n, m, rows = form.A, form.A.width, form.cone_rows, form.A.rows
        self._form = form
        self._compliance = None if form.E is None else TurnedDelassus(form.E, form.start)
        H = form.H if form.H is not None else identity(n)
        self._h = H.data
        a_row, a_column = A.positions()
        e_row, e_column = self._pattern_of_compliance()
        cone, joint = np.arange(m), np.arange(m, rows)
        self._off = e_row != e_column
        off = self._off
        places = (
            (entry_rows(H), H.indices),
            (a_column, n + a_row), (n + a_row, a_column),
            (n + e_row, n + e_column), (n + e_column[off], n + e_row[off]),
            (n + joint, n + joint),
            (n + cone, n + rows + cone), (n + rows + cone, n + cone), (n + rows + cone, n + rows + cone),
        )  # fmt: skip
        row, column = (np.concatenate([np.asarray(place[k], dtype=np.int64) for place in places]) for k in (0, 1))
        self._constant = np.full(len(joint), JOINT_DELTA), -np.ones(m)
        size = n + rows + m
        ids = sp.csr_array((np.arange(1.0, len(row) + 1), (row, column)), shape=(size, size))
        ids.sort_indices()
        self._order = ids.data.astype(np.int64) - 1
        pattern = sp.csr_array((np.ones(len(row)), ids.indices, ids.indptr), shape=(size, size))
        self._factors = back_end.analyse(pattern, MatrixKind.GENERAL)

    def _pattern_of_compliance(self) -> tuple[Indices, Indices]:
        if self._compliance is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        upper = self._compliance.pattern()
        return entry_rows(upper), upper.indices.astype(np.int64)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        self._scaling, self._values = scaling, values
        m = self._form.cone_rows
        share = scaling.theta[:m] / (1.0 + scaling.theta[:m])
        E = np.zeros(0) if self._compliance is None else self._compliance.turned(scaling, np.zeros(m))
        joint, minus = self._constant
        parts = (self._h, -values, values, E, E[self._off], joint, minus, share, 1.0 / (1.0 + scaling.theta[:m]))
        return self._factors.factor(np.concatenate(parts)[self._order])

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        n, rows, m = len(r1), len(r2), self._form.cone_rows
        solution = self._factors.solve(np.concatenate((r1, r2, np.zeros(m))))
        return solution[:n], solution[n : n + rows]

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._values, r1, r2, dw, dx)

    def release(self) -> None:
        """Nothing is kept."""
