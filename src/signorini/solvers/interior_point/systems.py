"""The linear system of one iteration, in the turned basis of the rows, in four forms.

All solve, for given right-hand sides r1 and r2::

    H dw - A' dx           = r1
    A dw + (Theta + E) dx  = r2                                       [Mangoni2018, eq. 4.49]

with Theta = diag(theta). Cone rows with theta -> 0 are contacts that push, joint rows have theta = 0.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels.interior.path_rules import WORTH_WHILE
from signorini.kernels.linalg import block_rows as row_kernels
from signorini.kernels.linalg import condensed as kernels
from signorini.math.sparse import Array, Csr, Indices, identity
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.interior_point.block_rows import BlockRows
from signorini.solvers.interior_point.scaling import Scaling
from signorini.solvers.interior_point.standard_form import StandardForm
from signorini.solvers.linear import BackEnd, FactorReport, Factors, MatrixKind
from signorini.solvers.linear.shelf import Shelf, key_of


class System(Protocol):
    """One form of the linear system."""

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        """Assemble and factor at the scaling; `values` are the turned values of A, valid until the next call."""

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        """(dw, dx), approximately: the caller refines against the exact system."""

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        """What the last answer of `solve` leaves of the two exact equations."""

    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""

    def refined(self, r1: Array, r2: Array, accuracy: float, refinements: int) -> tuple[Array, Array]:
        """(dw, dx); refined until its residual is below `accuracy` or refinement stops paying."""
        dw, dx = ew, ex = self.solve(r1, r2)
        last = np.inf
        for _ in range(refinements):
            r1, r2 = self.residual(r1, r2, ew, ex)
            size = max(_largest(r1), _largest(r2))
            if size < accuracy or not size < WORTH_WHILE * last:
                break
            last = size
            ew, ex = self.solve(r1, r2)
            dw, dx = dw + ew, dx + ex
        return dw, dx


class CondensedPattern:
    """The pattern of `H + A'A` and where each term lands in it."""

    def __init__(self, A: BlockRows, H: Csr, back_end: BackEnd) -> None:
        touch = kernels.transpose_blocks(A.column_start, A.columns, A.width)
        width = np.diff(A.column_start)
        self.pair_start = np.concatenate(([0], np.cumsum(width * (width + 1) // 2))).astype(np.int64)
        capacity = int(H.nnz + self.pair_start[-1]) + A.width
        indptr, indices = kernels.condensed_pattern(H.indptr, H.indices, A.column_start, A.columns, *touch, capacity)
        self.h_position, self.pair_position = kernels.condensed_positions(
            indptr, indices, H.indptr, H.indices, A.column_start, A.columns, *touch, self.pair_start
        )
        self.data = np.zeros(len(indices))
        self.matrix = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(A.width, A.width))
        self.key = key_of(repr(back_end), indptr, indices)
        """Contacts of nodes of finite elements come and go without a change of this pattern, which is that of H."""


PATTERNS: Shelf[CondensedPattern] = Shelf(room=2)
"""Those of the last solves: in a settled scene the next step has the same contacts."""
ANALYSES: Shelf[Factors] = Shelf(room=2)
"""Analyses of the patterns of the last solves."""


class Condensed(System):
    """`K = H + A'(Theta + E + delta)^-1 A`, positive definite, one row per velocity.

    Without delta, `1/theta` of pushing contacts grows without bound and its round-off swamps H. With it K is a
    preconditioner whose solves are refined against the exact system; what refinement cannot reach are impulses that
    move no velocity (redundant contacts), and these need not be reached.
    """

    def __init__(self, form: StandardForm, back_end: BackEnd, delta: float) -> None:
        A = form.A
        self._form, self._delta = form, delta
        H = form.H if form.H is not None else identity(A.width)
        self._key = key_of(repr(back_end), A.start, A.column_start, A.columns, H.indptr, H.indices)
        self._pattern = PATTERNS.take(self._key) or CondensedPattern(A, H, back_end)
        self._factors = ANALYSES.take(self._pattern.key) or back_end.analyse(
            self._pattern.matrix, MatrixKind.POSITIVE_DEFINITE
        )
        self._h = H.data
        self._compliance = None if form.E is None else _Compliance(form)
        self._weight = np.empty(A.rows)

    def release(self) -> None:
        PATTERNS.put(self._key, self._pattern)
        ANALYSES.put(self._pattern.key, self._factors)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        A = self._form.A
        self._values = values
        np.divide(1.0, scaling.theta + self._delta, out=self._weight)
        pattern, data = self._pattern, self._pattern.data
        data[:] = 0.0
        kernels.add_matrix(pattern.h_position, self._h, data)
        pairs = (pattern.pair_start, pattern.pair_position, data)
        weight = self._weight
        if self._compliance is not None:
            self._compliance.update(scaling, self._delta)
            weight = weight.copy()
            weight[: self._form.cone_rows] = 0.0
            self._compliance.add_to(self._form, values, *pairs)
        kernels.add_congruence(A.start, A.column_start, A.value_start, values, weight, *pairs)
        return self._factors.factor(data)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        A = self._form.A
        if self._compliance is not None:
            dw = self._factors.solve(A.multiply_transposed(self._weighted(r2), self._values, r1.copy()))
            dx = self._weighted(r2 - A.multiply(dw, self._values))
            self._rest = A.multiply_transposed(dx, self._values, r1 - _mass_times(self._form, dw))
            return dw, dx
        rows = (A.start, A.column_start, A.value_start, A.columns, self._values, self._weight)
        right, dx = np.empty_like(r1), np.empty_like(r2)
        kernels.right_side(*rows, r1, r2, right)
        dw = self._factors.solve(right)
        self._rest = r1 - _mass_times(self._form, dw)
        kernels.rows_and_rest(*rows, r2, dw, dx, self._rest)
        return dw, dx

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        """The first one is at hand. The second one is `delta dx`: `(Theta + E + delta) dx = r2 - A dw` holds."""
        return self._rest, self._delta * dx

    def _weighted(self, rows: Array) -> Array:
        if self._compliance is None:
            return self._weight * rows
        return self._compliance.apply(self._form, self._weight, rows)


class _Compliance:
    """`P = (Theta + E + delta)^-1` block by block; E must not couple contacts."""

    def __init__(self, form: StandardForm) -> None:
        assert form.E is not None
        sizes = np.diff(form.start)
        self.start = np.concatenate(([0], np.cumsum(sizes * sizes))).astype(np.int64)
        row, _column, _value_start, values = kernels.block_pairs(
            form.start, np.repeat(np.arange(form.blocks), sizes), form.E.indptr, form.E.indices, form.E.data
        )
        if len(row) != form.blocks:
            raise ValueError("E couples contacts")
        self.values = values
        self.weight = np.empty_like(values)

    def update(self, scaling: Scaling, delta: float) -> None:
        kernels.compliance_weights(
            scaling.start,
            len(scaling.start) - 1,
            self.start,
            self.values,
            scaling.frames,
            scaling.reflector,
            scaling.theta + delta,
            self.weight,
        )

    def add_to(
        self, form: StandardForm, values: Array, pair_start: Indices, pair_position: Indices, out: Array
    ) -> None:
        A = form.A
        kernels.add_block_congruence(
            A.start,
            form.blocks,
            A.column_start,
            A.value_start,
            values,
            self.start,
            self.weight,
            pair_start,
            pair_position,
            out,
        )

    def apply(self, form: StandardForm, joint_weight: Array, rows: Array) -> Array:
        out = joint_weight * rows
        kernels.multiply_blocks(form.start, self.start, self.weight, rows, out)
        return out


class TurnedDelassus:
    """Upper triangle of `Q'NQ + diag(theta)`: pattern once, values at every scaling."""

    def __init__(self, N: Csr, start: Indices) -> None:
        self._start = start
        block_of_row = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self._pairs = kernels.block_pairs(start, block_of_row, N.indptr, N.indices, N.data)
        row, column, _, values = self._pairs
        self.indptr, self.indices, self._base = kernels.pair_pattern(start, row, column, len(values))

    def pattern(self) -> Csr:
        """CSR with ones."""
        m = int(self._start[-1])
        return sp.csr_array((np.ones(len(self.indices)), self.indices, self.indptr), shape=(m, m))

    def turned(self, scaling: Scaling, theta: Array) -> Array:
        """The values, in the order of the pattern."""
        data = np.empty(len(self.indices))
        kernels.turn_delassus(self._start, *self._pairs, self._base, scaling.frames, scaling.reflector, theta, data)
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
        kernels.equilibrate(self._matrix.indptr, self._matrix.indices, data, self._scale)
        return self._factors.factor(data)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        return r1, self._scale * self._factors.solve(self._scale * r2)

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._form.A.values, r1, r2, dw, dx)

    def release(self) -> None:
        """Nothing is kept."""


def couples_contacts(problem: ContactProblem) -> bool:
    """Whether E has entries between different contacts, or inside one that the standard form splits (2D cones)."""
    if problem.E.nnz == 0:
        return False
    block = problem.cones.block_of_row
    row = np.repeat(np.arange(problem.contact_rows), np.diff(problem.E.indptr))
    flat = (problem.cones.dims == 2) & (problem.cones.friction > 0)
    return bool(np.any(block[row] != block[problem.E.indices]) or np.any(flat[block[row]]))


def exact_residual(
    form: StandardForm, scaling: Scaling, values: Array, r1: Array, r2: Array, dw: Array, dx: Array
) -> tuple[Array, Array]:
    """What (dw, dx) leaves of the two equations; `values` are the turned values of A."""
    e1 = form.A.multiply_transposed(dx, values, r1 - _mass_times(form, dw))
    e2 = r2 - form.A.multiply(dw, values) - scaling.theta * dx
    if form.E is not None:
        e2[: form.cone_rows] -= scaling.turn(_csr(form.E, scaling.turn_back(dx[: form.cone_rows])))
    return e1, e2


def _mass_times(form: StandardForm, dw: Array) -> Array:
    return dw if form.H is None else _csr(form.H, dw)


def _largest(x: Array) -> float:
    return float(max(x.max(), -x.min())) if len(x) else 0.0


def _csr(matrix: Csr, x: Array) -> Array:
    out = np.empty(matrix.shape[0])
    row_kernels.csr_multiply(matrix.indptr, matrix.indices, matrix.data, x, out)
    return out
