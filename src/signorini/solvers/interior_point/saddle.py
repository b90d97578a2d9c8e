"""The linear system as it stands, velocities and impulses together: symmetric quasi-definite or as in the thesis."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, identity
from signorini.solvers.interior_point.scaling import Scaling
from signorini.solvers.interior_point.standard_form import StandardForm
from signorini.solvers.interior_point.systems import TurnedDelassus, exact_residual
from signorini.solvers.linear import BackEnd, FactorReport, MatrixKind

WITHOUT_MASS = 1e-8
"""Stands for the mass of velocities that have none, in the factors alone: back ends take their zeros for bad pivots."""


class Saddle:
    """`[H A'; A -(Theta + E + delta)]` for (dw, -dx), or `[H -A'; A Theta + E + delta]` for (dw, dx).

    The first is symmetric and quasi-definite, so it has an LDL' factorisation in any order (`augmented`); the second
    is the matrix of [Mangoni2018, eq. 4.49] (`unsymmetric`). A tiny delta keeps redundant joints harmless.
    """

    def __init__(self, form: StandardForm, back_end: BackEnd, delta: float, symmetric: bool) -> None:
        A = form.A
        self._form, self._delta, self._symmetric = form, delta, symmetric
        n, size = A.width, A.width + A.rows
        H = (form.H if form.H is not None else identity(n)).tocoo()
        kept = H.row <= H.col if symmetric else np.ones(H.nnz, dtype=bool)
        self._h = np.where((H.row == H.col) & (H.data == 0.0), WITHOUT_MASS, H.data)[kept]
        a_row, a_column = positions(form)
        self._compliance = None if form.E is None else TurnedDelassus(form.E, form.start)
        e_row, e_column = _theta_pattern(form, self._compliance)
        upper = [(H.row[kept], H.col[kept]), (a_column, n + a_row), (n + e_row, n + e_column)]
        off = e_row != e_column
        self._off = off
        mirrored = [] if symmetric else [(n + a_row, a_column), (n + e_column[off], n + e_row[off])]
        rows = np.concatenate([part[0] for part in upper + mirrored])
        columns = np.concatenate([part[1] for part in upper + mirrored])
        ids = sp.csr_array((np.arange(1.0, len(rows) + 1), (rows, columns)), shape=(size, size))
        ids.sort_indices()
        self._order = ids.data.astype(np.int64) - 1
        pattern = sp.csr_array((np.ones(len(rows)), ids.indices, ids.indptr), shape=(size, size))
        kind = MatrixKind.SYMMETRIC if symmetric else MatrixKind.GENERAL
        self._factors = back_end.analyse(pattern, kind)
        self._rows, self._columns = rows, columns
        self._scale = np.ones(size)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        self._scaling, self._values = scaling, values
        theta = scaling.theta + self._delta
        if self._compliance is not None:
            cone = self._compliance.turned(scaling, theta[: self._form.cone_rows])
            theta = np.concatenate((cone, theta[self._form.cone_rows :]))
        # Contacts that release have theta -> infinity: unscaled, back ends take all other pivots for zero.
        self._scale[self._form.A.width :] = 1.0 / np.sqrt(np.maximum(1.0, theta[~self._off]))
        if self._symmetric:
            parts = [self._h, self._values, -theta]
        else:
            parts = [self._h, -self._values, theta, self._values, theta[self._off]]
        data = np.concatenate(parts) * self._scale[self._rows] * self._scale[self._columns]
        return self._factors.factor(data[self._order])

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        solution = self._scale * self._factors.solve(self._scale * np.concatenate((r1, r2)))
        dx = solution[len(r1) :]
        return solution[: len(r1)], -dx if self._symmetric else dx

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._values, r1, r2, dw, dx)

    def release(self) -> None:
        """Nothing is kept."""


def positions(form: StandardForm) -> tuple[Indices, Indices]:
    """Row and column of every stored value of A."""
    A = form.A
    width, height = np.diff(A.column_start), np.diff(A.start)
    row = np.repeat(np.arange(A.rows), np.repeat(width, height))
    column = [np.tile(A.columns[A.column_start[i] : A.column_start[i + 1]], height[i]) for i in range(len(height))]
    return row, np.concatenate(column) if column else np.zeros(0, dtype=np.int64)


def _theta_pattern(form: StandardForm, compliance: TurnedDelassus | None) -> tuple[Indices, Indices]:
    """Upper pattern of Theta + E, joint rows included."""
    rows = np.arange(form.A.rows)
    if compliance is None:
        return rows, rows
    upper: Csr = compliance.pattern()
    row = np.repeat(np.arange(upper.shape[0]), np.diff(upper.indptr))
    joints = rows[form.cone_rows :]
    return np.concatenate((row, joints)), np.concatenate((upper.indices, joints))
