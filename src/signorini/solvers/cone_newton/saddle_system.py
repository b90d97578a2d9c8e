"""The linear system in velocities and impulses together: symmetric quasi-definite or as in the thesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.math.sparse import Array, Csr, Indices, entry_rows, identity
from signorini.solvers.cone_newton.delassus_system import TurnedDelassus
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import System, exact_residual
from signorini.solvers.linear import BackEnd, FactorReport, MatrixKind
from signorini.solvers.linear.pattern_cache import PatternCache, key_of

WITHOUT_MASS = 1e-8
"""Mass in the factors of velocities that have none: back ends would take a zero for a bad pivot."""


class SaddlePointPattern:
    """Where the values of H, A and Theta + E stand, and the analysis of that pattern."""

    def __init__(
        self, form: StandardForm, H: Csr, compliance: TurnedDelassus | None, back: BackEnd, kind: MatrixKind
    ) -> None:
        n, size, symmetric = form.A.width, form.A.width + form.A.rows, kind is MatrixKind.SYMMETRIC
        h_row, h_column = entry_rows(H), H.indices.astype(np.int64)
        self.kept = h_row <= h_column if symmetric else np.ones(H.nnz, dtype=bool)
        self.diagonal = h_row == h_column
        a_row, a_column = form.A.positions()
        e_row, e_column = _theta_pattern(form, compliance)
        upper = [(h_row[self.kept], h_column[self.kept]), (a_column, n + a_row), (n + e_row, n + e_column)]
        self.off = off = e_row != e_column
        mirrored = [] if symmetric else [(n + a_row, a_column), (n + e_column[off], n + e_row[off])]
        self.rows = np.concatenate([part[0] for part in upper + mirrored])
        self.columns = np.concatenate([part[1] for part in upper + mirrored])
        ids = sp.csr_array((np.arange(1.0, len(self.rows) + 1), (self.rows, self.columns)), shape=(size, size))
        ids.sort_indices()
        self.order = ids.data.astype(np.int64) - 1
        pattern = sp.csr_array((np.ones(len(self.rows)), ids.indices, ids.indptr), shape=(size, size))
        self.factors = back.analyse(pattern, kind)


PATTERNS: PatternCache[SaddlePointPattern] = PatternCache(capacity=2)
"""Of the last solves: a mechanism in the air, or at rest on its contacts, keeps its pattern."""


class SaddlePoint(System):
    """`[H A'; A -(Theta + E + delta)]` for (dw, -dx), or `[H -A'; A Theta + E + delta]` for (dw, dx).

    The first is symmetric and quasi-definite, so it has an LDL' factorisation in any order (`augmented`); the second
    is the matrix of [Mangoni2018, eq. 4.49] (`unsymmetric`). A tiny delta keeps redundant joints harmless.
    """

    def __init__(self, form: StandardForm, back_end: BackEnd, delta: float, symmetric: bool) -> None:
        A = form.A
        self._form, self._delta, self._symmetric = form, delta, symmetric
        H = form.H if form.H is not None else identity(A.width)
        kind = MatrixKind.SYMMETRIC if symmetric else MatrixKind.GENERAL
        E: list[NDArray[Any]] = [] if form.E is None else [form.E.indptr, form.E.indices, form.start]
        self._key = key_of(
            f"{back_end!r} {kind} {A.width}", A.start, A.column_start, A.columns, H.indptr, H.indices, *E
        )
        self._compliance = None if form.E is None else TurnedDelassus(form.E, form.start)
        self._pattern = PATTERNS.take(self._key) or SaddlePointPattern(form, H, self._compliance, back_end, kind)
        massless = self._pattern.diagonal & (H.data == 0.0)
        self._h = np.where(massless, WITHOUT_MASS, H.data)[self._pattern.kept]
        self._scale = np.ones(A.width + A.rows)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        self._scaling, self._values = scaling, values
        theta = scaling.theta + self._delta
        if self._compliance is not None:
            cone = self._compliance.turned(scaling, theta[: self._form.cone_rows])
            theta = np.concatenate((cone, theta[self._form.cone_rows :]))
        # Contacts that open have theta -> infinity: unscaled, back ends would take all other pivots for zero.
        self._scale[self._form.A.width :] = 1.0 / np.sqrt(np.maximum(1.0, theta[~self._pattern.off]))
        if self._symmetric:
            parts = [self._h, self._values, -theta]
        else:
            parts = [self._h, -self._values, theta, self._values, theta[self._pattern.off]]
        data = np.concatenate(parts) * self._scale[self._pattern.rows] * self._scale[self._pattern.columns]
        return self._pattern.factors.factor(data[self._pattern.order])

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        solution = self._scale * self._pattern.factors.solve(self._scale * np.concatenate((r1, r2)))
        dx = solution[len(r1) :]
        return solution[: len(r1)], -dx if self._symmetric else dx

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._values, r1, r2, dw, dx)

    def analysis(self) -> Mapping[str, float]:
        return self._pattern.factors.analysis()

    def release(self) -> None:
        if self._pattern.factors.history_free:
            PATTERNS.put(self._key, self._pattern)


def _theta_pattern(form: StandardForm, compliance: TurnedDelassus | None) -> tuple[Indices, Indices]:
    """Upper pattern of Theta + E, joint rows included."""
    rows = np.arange(form.A.rows)
    if compliance is None:
        return rows, rows
    upper: Csr = compliance.pattern()
    row = entry_rows(upper)
    joints = rows[form.cone_rows :]
    return np.concatenate((row, joints)), np.concatenate((upper.indices, joints))
