"""The condensed system: one positive definite matrix over the velocities."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.kernels.linalg import condensed as kernels
from signorini.kernels.linalg.delassus_blocks import block_pairs
from signorini.math.sparse import Array, Csr, Indices, identity
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.system import NewtonForm, System, mass_times
from signorini.solvers.linear import BackEnd, FactorReport, Factors, MatrixKind
from signorini.solvers.linear.pattern_cache import PatternCache, key_of


class CondensedPattern:
    """The pattern of `H + A'A` and where each term lands in it: the upper triangle alone or both."""

    def __init__(self, A: BlockRows, H: Csr, back_end: BackEnd, upper: bool) -> None:
        touch = kernels.transpose_blocks(A.column_start, A.columns, A.width)
        width = np.diff(A.column_start)
        pairs = width * (width + 1) // 2 if upper else width * width
        self.pair_start = np.concatenate(([0], np.cumsum(pairs))).astype(np.int64)
        capacity = int(H.nnz + self.pair_start[-1]) + A.width
        indptr, indices = kernels.condensed_pattern(
            H.indptr, H.indices, A.column_start, A.columns, touch, upper, capacity
        )
        self.h_position, self.pair_position = kernels.condensed_positions(
            indptr, indices, H.indptr, H.indices, A.column_start, A.columns, touch, self.pair_start, upper
        )
        self.data = np.zeros(len(indices))
        self.matrix = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(A.width, A.width))
        self.key = key_of(f"{back_end!r} {upper}", indptr, indices)
        """Contacts between nodes of finite elements may come and go without changing this pattern, which is that of
        H."""


PATTERNS: PatternCache[CondensedPattern] = PatternCache(capacity=4)
"""Those of the last solves, two of each law: in a settled scene the next step has the same contacts."""
ANALYSES: PatternCache[Factors] = PatternCache(capacity=4)
"""Analyses of the patterns of the last solves."""


class CondensedMatrix:
    """`K = H + A'P A` with a diagonal P or small blocks P: pattern and analysis once, values often."""

    def __init__(self, form: NewtonForm, back_end: BackEnd, kind: MatrixKind) -> None:
        self._A, self._upper = form.A, kind is not MatrixKind.GENERAL
        H = form.H if form.H is not None else identity(form.A.width)
        self._h = H.data
        self._key = key_of(
            f"{back_end!r} {kind}", form.A.start, form.A.column_start, form.A.columns, H.indptr, H.indices
        )
        self._pattern = PATTERNS.take(self._key) or CondensedPattern(form.A, H, back_end, self._upper)
        self._factors = ANALYSES.take(self._pattern.key) or back_end.analyse(self._pattern.matrix, kind)

    def reset(self) -> None:
        """K = H."""
        self._pattern.data[:] = 0.0
        kernels.add_matrix(self._pattern.h_position, self._h, self._pattern.data)

    def add_rows(self, values: Array, weight: Array) -> None:
        """K += A'diag(weight) A; of symmetric kinds."""
        A, pattern = self._A, self._pattern
        kernels.add_congruence(
            A.start, A.column_start, A.value_start, values, weight,
            pattern.pair_start, pattern.pair_position, pattern.data,
        )  # fmt: skip

    def add_blocks(self, values: Array, blocks: int, start: Indices, weight: Array) -> None:
        """K += A'P A over the first blocks; P in `weight`, row by row, block i from `start[i]` on."""
        A, pattern = self._A, self._pattern
        kernels.add_block_congruence(
            A.start, blocks, A.column_start, A.value_start, values, start, weight, self._upper,
            pattern.pair_start, pattern.pair_position, pattern.data,
        )  # fmt: skip

    def factor(self) -> FactorReport:
        """Factor the present values."""
        return self._factors.factor(self._pattern.data)

    def solve(self, right: Array) -> Array:
        """K^-1 right."""
        return self._factors.solve(right)

    def release(self) -> None:
        """Keep pattern and analysis for the next problem."""
        PATTERNS.put(self._key, self._pattern)
        ANALYSES.put(self._pattern.key, self._factors)


class Condensed(System):
    """`K = H + A'(Theta + E + delta)^-1 A`, positive definite, one row per velocity.

    Without delta, `1/theta` of pushing contacts grows without bound and its round-off swamps H. With it K is a
    preconditioner whose solves are refined against the exact system; what refinement cannot reach are impulses that
    move no velocity (redundant contacts), and these need not be reached.
    """

    def __init__(self, form: NewtonForm, back_end: BackEnd, delta: float) -> None:
        self._form, self._delta = form, delta
        self._matrix = CondensedMatrix(form, back_end, MatrixKind.POSITIVE_DEFINITE)
        self._compliance = None if form.E is None else _Compliance(form)
        self._weight = np.empty(form.A.rows)

    def release(self) -> None:
        self._matrix.release()

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        self._values = values
        np.divide(1.0, scaling.theta + self._delta, out=self._weight)
        self._matrix.reset()
        weight = self._weight
        if self._compliance is not None:
            self._compliance.update(scaling, self._delta)
            weight = weight.copy()
            weight[: self._form.cone_rows] = 0.0
            self._matrix.add_blocks(values, self._form.blocks, self._compliance.start, self._compliance.weight)
        self._matrix.add_rows(values, weight)
        return self._matrix.factor()

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        A = self._form.A
        if self._compliance is not None:
            dw = self._matrix.solve(A.multiply_transposed(self._weighted(r2), self._values, r1.copy()))
            dx = self._weighted(r2 - A.multiply(dw, self._values))
            self._rest = A.multiply_transposed(dx, self._values, r1 - mass_times(self._form, dw))
            return dw, dx
        rows = (A.start, A.column_start, A.value_start, A.columns, self._values, self._weight)
        right, dx = np.empty_like(r1), np.empty_like(r2)
        kernels.right_side(*rows, r1, r2, right)
        dw = self._matrix.solve(right)
        self._rest = r1 - mass_times(self._form, dw)
        kernels.rows_and_rest(*rows, r2, dw, dx, self._rest)
        return dw, dx

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        """The first residual is known. The second is `delta dx`, because `(Theta + E + delta) dx = r2 - A dw` holds."""
        return self._rest, self._delta * dx

    def _weighted(self, rows: Array) -> Array:
        if self._compliance is None:
            return self._weight * rows
        return self._compliance.apply(self._form, self._weight, rows)


class _Compliance:
    """`P = (Theta + E + delta)^-1` block by block; E must not couple contacts."""

    def __init__(self, form: NewtonForm) -> None:
        self.start, self.values = compliance_blocks(form)
        self.weight = np.empty_like(self.values)

    def update(self, scaling: Scaling, delta: float) -> None:
        kernels.compliance_weights(
            scaling.start, len(scaling.start) - 1, self.start, self.values,
            scaling.frames, scaling.reflector, scaling.theta + delta, self.weight,
        )  # fmt: skip

    def apply(self, form: NewtonForm, joint_weight: Array, rows: Array) -> Array:
        out = joint_weight * rows
        kernels.multiply_blocks(form.start, self.start, self.weight, rows, out)
        return out


def compliance_blocks(form: NewtonForm) -> tuple[Indices, Array]:
    """E by dense blocks, one per cone, row by row one after another: (first value of each block, values)."""
    sizes = np.diff(form.start)
    start = np.concatenate(([0], np.cumsum(sizes * sizes))).astype(np.int64)
    if form.E is None:
        return start, np.zeros(0)
    row, _column, _value_start, values = block_pairs(
        form.start, np.repeat(np.arange(form.blocks), sizes), form.E.indptr, form.E.indices, form.E.data
    )
    if len(row) != form.blocks:
        raise ValueError("E couples contacts")
    return start, values
