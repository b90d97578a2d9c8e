"""The Newton systems of the barrier: Schur complement (3 rows per contact) or full KKT (5), direct or by CG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.kernels.interior import barrier as kernels
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.solvers.linear import BackEnd, MatrixKind
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem

REGULARISATIONS = (1e-14, 1e-12)
"""delta I added to the (unit-diagonal) system, the next one when a factorisation fails."""
CG_ITERATIONS = 2000
BLOCK_FLOOR = 1e-15
"""Least pivot in the blocks of a preconditioner, relative to their diagonals."""


@dataclass
class Iterate:
    """Where the barrier stands."""

    x: Array
    """Scaled impulses, then joint impulses, shape (rows,)."""
    xi: Array
    """x as the constraints see it."""
    z: Array
    """Multipliers of `c_i <= 0` (row 0) and of `-n <= 0` (row 1), shape (2, constraints)."""
    c: Array
    """c_i(xi), shape (constraints,)."""
    u: Array
    """P x + q."""
    step: float = 1.0
    """Length of the Newton step that led here, at most 1."""


class NewtonSystem(Protocol):
    """Solves for the steps of x and z."""

    def direction(self, at: Iterate, target: float) -> tuple[Array, Array] | None:
        """(dx, dz) towards `-z_j c_j = target`; None when the linear system cannot be solved."""


class Blocks:
    """Shared by the Schur systems: the blocks M - B'C^-1 B, the right-hand side, and the multipliers' steps."""

    def __init__(self, scaled: ScaledProblem) -> None:
        self._scaled = scaled
        dims = np.diff(scaled.constraints.start)
        self._constraint_values = np.zeros(int((dims * dims).sum()))
        self.values = scaled.constraints.fold(self._constraint_values)

    def direction(self, at: Iterate, target: float) -> tuple[Array, Array] | None:
        constraints = self._scaled.constraints
        kernels.condense(constraints.start, constraints.friction, at.xi, at.c, at.z, self._constraint_values)
        self.values = constraints.fold(self._constraint_values)
        rhs, force = -at.u, np.zeros(len(constraints.source))
        kernels.condensed_right_hand_side(constraints.start, constraints.friction, at.xi, at.c, force, target, force)
        constraints.push(force, rhs)
        dx = self.solve(rhs)
        if dx is None or not np.all(np.isfinite(dx)):
            return None
        dz = np.empty_like(at.z)
        kernels.multiplier_steps(
            constraints.start, constraints.friction, at.xi, at.c, at.z, constraints.along(dx), target, dz
        )
        return dx, dz

    def solve(self, rhs: Array) -> Array | None:
        """dx with `(P + blocks) dx = rhs`."""
        raise NotImplementedError

    def product(self, x: Array) -> Array:
        """`(P + blocks) x`."""
        out = np.asarray(self._scaled.P @ x)
        kernels.add_block_product(self._scaled.start, self.values, x, out)
        return out


class SchurDirect(Blocks):
    """(P + M - B'C^-1 B) dx = rhs by Cholesky; analysed once.

    Near the end a sliding contact adds a term of rank one that is 1e16 times as large as P, and rounding in its other
    directions can make the sum indefinite. From then on the full system is used, which keeps the two apart.
    """

    def __init__(self, scaled: ScaledProblem, back_end: BackEnd) -> None:
        super().__init__(scaled)
        pattern = _with_blocks(scaled)
        self._base = pattern.data.copy()
        row, column = _block_entries(scaled.start)
        upper = row <= column
        self._taken = np.flatnonzero(upper)
        self._places = _places(pattern, row[upper], column[upper])
        self._diagonal = pattern.indptr[:-1].astype(np.int64)
        self._back_end = back_end
        self._factors = back_end.analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
        self._level = 0
        self._full: KktDirect | None = None

    def direction(self, at: Iterate, target: float) -> tuple[Array, Array] | None:
        if self._full is None:
            found = super().direction(at, target)
            if found is not None:
                return found
            self._full = KktDirect(self._scaled, self._back_end)
        return self._full.direction(at, target)

    def solve(self, rhs: Array) -> Array | None:
        """One step of refinement repairs what delta and round-off spoil."""
        while self._level < len(REGULARISATIONS):
            data = self._base.copy()
            data[self._places] += self.values[self._taken]
            data[self._diagonal] += REGULARISATIONS[self._level]
            if self._factors.factor(data).ok:
                dx = self._factors.solve(rhs)
                return dx + self._factors.solve(rhs - self.product(dx))
            self._level += 1
        return None


class SchurCG(Blocks):
    """The same system by conjugate gradients, preconditioned block by block."""

    def __init__(self, scaled: ScaledProblem, preconditioner: str, tolerance: float) -> None:
        super().__init__(scaled)
        self._tolerance = tolerance
        diagonal = scaled.P.diagonal()
        m = scaled.contact_rows
        # Free impulses (joints, intervals without ends) have no barrier: their diagonal of P stands in for it.
        self._joints = 1.0 / np.where(diagonal[m:] > 0, diagonal[m:], 1.0)
        row, column = _block_entries(scaled.start)
        added = np.full(m, preconditioner == "diagonal")
        added |= ~np.isin(np.arange(m), scaled.constraints.source)
        self._added = np.where((row == column) & added[row], diagonal[:m][row], 0.0)
        self._inverse = np.empty_like(self.values)
        self.products = 0

    def solve(self, rhs: Array) -> Array | None:
        n = len(rhs)
        kernels.invert_blocks(self._scaled.start, self.values + self._added, BLOCK_FLOOR, self._inverse)
        matrix = spla.LinearOperator((n, n), matvec=self._multiply, dtype=np.float64)
        inverse = spla.LinearOperator((n, n), matvec=self._precondition, dtype=np.float64)
        with np.errstate(all="ignore"):  # a singular system (joints that contradict one another) ends in NaN
            dx, _ = spla.cg(matrix, rhs, rtol=self._tolerance, maxiter=CG_ITERATIONS, M=inverse)
        return np.asarray(dx)

    def _multiply(self, x: Array) -> Array:
        self.products += 1
        return self.product(x) + REGULARISATIONS[0] * x

    def _precondition(self, x: Array) -> Array:
        m = self._scaled.contact_rows
        out = np.zeros_like(x)
        out[m:] = self._joints * x[m:]
        kernels.add_block_product(self._scaled.start, self._inverse, x, out)
        return out


class KktDirect:
    """[P + M  B'; B  C] (dx, dz) = -(r_d, r_g), symmetric indefinite, each contact's two constraints as own rows.

    Rows of B are divided by their multipliers, so C holds `c/z` and the matrix is symmetric. The ends of intervals are
    eliminated, `z/xi` on the diagonal: the two rows of a narrow interval would hardly differ.
    """

    def __init__(self, scaled: ScaledProblem, back_end: BackEnd) -> None:
        self._scaled = scaled
        self._frictional = np.flatnonzero(np.diff(scaled.constraints.start) > 1)
        self._ends, self._normals = (
            np.flatnonzero(scaled.constraints.is_end),
            np.flatnonzero(~scaled.constraints.is_end),
        )
        self._pattern, self._places = _kkt_pattern(scaled, self._frictional, self._normals)
        self._base = self._pattern.data.copy()
        self._rows = np.repeat(np.arange(self._pattern.shape[0]), np.diff(self._pattern.indptr))
        self._factors = back_end.analyse(self._pattern, MatrixKind.SYMMETRIC)

    def direction(self, at: Iterate, target: float) -> tuple[Array, Array] | None:
        n = len(at.x)
        # Rows of x that several constraints share come more than once.
        data = self._base + np.bincount(self._places, self._values(at), len(self._base)).astype(np.float64)
        scale = self._equilibration(data)
        data *= scale[self._rows] * scale[self._pattern.indices]
        if not self._factors.factor(data).ok:
            return None
        step = scale * self._refined(data, scale * self._right_hand_side(at, target))
        if not np.all(np.isfinite(step)):
            return None
        dz = np.zeros_like(at.z)
        cone = len(self._frictional)
        dz[0, self._frictional] = step[n : n + cone]
        dz[1, self._normals] = step[n + cone :]
        z, xi = self._at_ends(at)
        along = self._scaled.constraints.along(step[:n])[self._scaled.constraints.start[:-1][self._ends]]
        dz[1, self._ends] = -z + (target - z * along) / xi
        return step[:n], dz

    def _at_ends(self, at: Iterate) -> tuple[Array, Array]:
        """Multipliers of the ends of intervals, and the distances from them."""
        return at.z[1, self._ends], at.xi[self._scaled.constraints.start[:-1][self._ends]]

    def _equilibration(self, data: Array) -> Array:
        """Scales of rows and columns: c/z spans many powers of ten, and back ends judge pivots by absolute size."""
        largest = np.zeros(self._pattern.shape[0])
        np.maximum.at(largest, self._rows, np.abs(data))
        np.maximum.at(largest, self._pattern.indices, np.abs(data))
        scale = 1.0 / np.sqrt(largest)
        largest[:] = 0.0
        data = np.abs(data) * scale[self._rows] * scale[self._pattern.indices]
        np.maximum.at(largest, self._rows, data)
        np.maximum.at(largest, self._pattern.indices, data)
        return np.asarray(scale / np.sqrt(largest))

    def _values(self, at: Iterate) -> Array:
        """M on the diagonal, then B' column by column, then the diagonal of C."""
        constraints, mu = self._scaled.constraints, self._scaled.constraints.friction
        block = np.repeat(np.arange(len(mu)), np.diff(constraints.start))
        first = constraints.start[:-1]
        normal = np.zeros(len(block), dtype=bool)
        normal[first] = True
        slope = np.where(normal, -(mu[block] ** 2), 1.0)
        frictional = np.isin(block, self._frictional)
        curvature = np.where(frictional, at.z[0, block] * slope, 0.0)
        z, xi = self._at_ends(at)
        curvature[first[self._ends]] = z / xi
        gradient = (slope * at.xi[: len(block)])[frictional]
        f, normals = self._frictional, self._normals
        corner = np.concatenate((at.c[f] / at.z[0, f], -at.xi[first[normals]] / at.z[1, normals]))
        return np.concatenate((curvature, gradient, -np.ones(len(normals)), corner))

    def _right_hand_side(self, at: Iterate, target: float) -> Array:
        f, normals, constraints = self._frictional, self._normals, self._scaled.constraints
        cone = at.c[f] + target / at.z[0, f]
        normal = -at.xi[constraints.start[:-1][normals]] + target / at.z[1, normals]
        dual, force = dual_residual(self._scaled, at), np.zeros(len(constraints.source))
        z, xi = self._at_ends(at)
        force[constraints.start[:-1][self._ends]] = z - target / xi
        constraints.push(force, dual)
        return -np.concatenate((dual, cone, normal))

    def _refined(self, data: Array, rhs: Array) -> Array:
        upper = sp.csr_array((data, self._pattern.indices, self._pattern.indptr), shape=self._pattern.shape)
        matrix: Any = upper + sp.triu(upper, 1).T
        step = self._factors.solve(rhs)
        return step + self._factors.solve(rhs - matrix @ step)


def dual_residual(scaled: ScaledProblem, at: Iterate) -> Array:
    """Gradient of the Lagrangian."""
    constraints, dual = scaled.constraints, at.u.copy()
    force = np.zeros(len(constraints.source))
    kernels.dual_residual(constraints.start, constraints.friction, at.xi, at.z, force, force)
    constraints.push(force, dual)
    return dual


def _block_entries(start: Indices) -> tuple[Indices, Indices]:
    """Row and column of every entry of the diagonal blocks, packed as by `kernels.condense`."""
    dims = np.diff(start)
    block = np.repeat(np.arange(len(dims)), dims * dims)
    first_entry = np.concatenate(([0], np.cumsum(dims * dims)))[:-1]
    local = np.arange(len(block)) - first_entry[block] if len(block) else np.zeros(0, dtype=np.int64)
    return start[block] + local // dims[block], start[block] + local % dims[block]


def _with_blocks(scaled: ScaledProblem) -> Csr:
    """Upper triangle of P with all entries of the diagonal blocks stored."""
    n = len(scaled.q)
    P: Any = sp.coo_array(sp.triu(scaled.P))
    row, column = _block_entries(scaled.start)
    upper = row <= column
    every = np.arange(n)
    rows = np.concatenate((P.row, row[upper], every))
    columns = np.concatenate((P.col, column[upper], every))
    values = np.concatenate((P.data, np.zeros(len(rows) - P.nnz)))
    return canonical(sp.coo_array((values, (rows, columns)), shape=(n, n)))


def _places(pattern: Csr, row: Indices, column: Indices) -> Indices:
    """Where the entries (row, column) stand in `pattern.data`."""
    n = pattern.shape[1]
    keys = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr)) * n + pattern.indices
    return np.searchsorted(keys, row * n + column)


def _kkt_pattern(scaled: ScaledProblem, frictional: Indices, normals: Indices) -> tuple[Csr, Indices]:
    """Upper triangle of the KKT matrix, and the places of the values of `KktDirect._values`."""
    constraints = scaled.constraints
    n, cones, count = len(scaled.q), len(frictional), len(normals)
    size = n + cones + count
    block = np.repeat(np.arange(constraints.count), np.diff(constraints.start))
    inside = np.isin(block, frictional)
    column_of = np.zeros(constraints.count, dtype=np.int64)
    column_of[frictional] = n + np.arange(cones)
    corner = n + np.arange(cones + count)
    source = constraints.source
    row = np.concatenate((source, source[inside], constraints.normals[normals], corner))
    column = np.concatenate((source, column_of[block[inside]], n + cones + np.arange(count), corner))
    P: Any = sp.coo_array(sp.triu(scaled.P))
    every = np.arange(n)
    values = np.concatenate((P.data, np.full(n, REGULARISATIONS[0]), np.zeros(len(row))))
    where = (np.concatenate((P.row, every, row)), np.concatenate((P.col, every, column)))
    pattern = canonical(sp.coo_array((values, where), shape=(size, size)))
    return pattern, _places(pattern, row, column)
