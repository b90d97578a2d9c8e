"""The full Newton system of the barrier: five rows per contact, symmetric indefinite."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, canonical, entry_rows
from signorini.solvers.linear import BackEnd, MatrixKind
from signorini.solvers.linear.refinement import refined
from signorini.solvers.primal_dual_barrier.iterate import Iterate, Target, dual_residual
from signorini.solvers.primal_dual_barrier.patterns import REGULARISATION, places
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem


class KktMatrix:
    """[P + M  B'; B  C] (dx, dz) = -(r_d, r_g), symmetric indefinite, each contact's two constraints as own rows.

    Rows of B are divided by their multipliers, so C holds `c/z` and the matrix is symmetric. The ends of intervals are
    eliminated, `z/xi` on the diagonal: the two rows of a narrow interval would hardly differ.
    """

    def __init__(self, scaled: ScaledProblem) -> None:
        self._scaled = scaled
        self._frictional = np.flatnonzero(np.diff(scaled.constraints.start) > 1)
        self._ends, self._normals = (
            np.flatnonzero(scaled.constraints.is_end),
            np.flatnonzero(~scaled.constraints.is_end),
        )
        self.pattern, self._places = _kkt_pattern(scaled, self._frictional, self._normals)
        self._base = self.pattern.data.copy()

    def values(self, at: Iterate) -> Array:
        """In the order of the pattern, its upper triangle."""
        # Rows of x that several constraints share come more than once.
        return self._base + np.bincount(self._places, self._entries(at), len(self._base)).astype(np.float64)

    def whole(self, values: Array) -> Csr:
        """Both triangles."""
        upper = sp.csr_array((values, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)
        return canonical(upper + sp.triu(upper, 1).T)

    def split(self, at: Iterate, target: Target, step: Array) -> tuple[Array, Array] | None:
        """(dx, dz) of a solution; None where it is not finite."""
        if not np.all(np.isfinite(step)):
            return None
        n, cone = len(at.x), len(self._frictional)
        dz = np.zeros_like(at.z)
        dz[0, self._frictional] = step[n : n + cone]
        dz[1, self._normals] = step[n + cone :]
        z, xi = self._at_ends(at)
        along = self._scaled.constraints.along(step[:n])[self._scaled.constraints.start[:-1][self._ends]]
        dz[1, self._ends] = -z + (target.aim[1, self._ends] - z * along) / xi
        return step[:n], dz

    def right_hand_side(self, at: Iterate, target: Target) -> Array:
        """`-(r_d, r_g)`."""
        f, normals, constraints = self._frictional, self._normals, self._scaled.constraints
        cone = at.c[f] + target.aim[0, f] / at.z[0, f]
        normal = -at.xi[constraints.start[:-1][normals]] + target.aim[1, normals] / at.z[1, normals]
        dual, force = dual_residual(self._scaled, at) + target.force, np.zeros(len(constraints.source))
        z, xi = self._at_ends(at)
        force[constraints.start[:-1][self._ends]] = z - target.aim[1, self._ends] / xi
        constraints.push(force, dual)
        return -np.concatenate((dual, cone, normal))

    def _at_ends(self, at: Iterate) -> tuple[Array, Array]:
        """Multipliers of the ends of intervals, and the distances from them."""
        return at.z[1, self._ends], at.xi[self._scaled.constraints.start[:-1][self._ends]]

    def _entries(self, at: Iterate) -> Array:
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


class KktDirect:
    """The full system by a symmetric indefinite factorisation."""

    def __init__(self, scaled: ScaledProblem, back_end: BackEnd) -> None:
        self._kkt = KktMatrix(scaled)
        pattern = self._kkt.pattern
        self._rows = entry_rows(pattern)
        self._factors = back_end.analyse(pattern, MatrixKind.SYMMETRIC)

    def factor(self, at: Iterate) -> bool:
        """Equilibrate and factor."""
        data = self._kkt.values(at)
        self._scale = self._equilibration(data)
        data *= self._scale[self._rows] * self._scale[self._kkt.pattern.indices]
        self._matrix = self._kkt.whole(data)
        return self._factors.factor(data).ok

    def direction(self, at: Iterate, target: Target) -> tuple[Array, Array] | None:
        """(dx, dz), refined once."""
        right = self._scale * self._kkt.right_hand_side(at, target)
        return self._kkt.split(at, target, self._scale * refined(self._once, self._left, (right,), 0.0, 1)[0])

    def release(self) -> None:
        """Nothing to keep."""

    def _once(self, right: Array) -> tuple[Array]:
        return (self._factors.solve(right),)

    def _left(self, right: Array, step: Array) -> tuple[Array]:
        return (right - self._matrix @ step,)

    def _equilibration(self, data: Array) -> Array:
        """Scales of rows and columns: c/z spans many powers of ten, and back ends judge pivots by absolute size."""
        columns = self._kkt.pattern.indices
        scale = np.ones(self._kkt.pattern.shape[0])
        for _ in range(2):
            scaled, largest = np.abs(data) * scale[self._rows] * scale[columns], np.zeros(len(scale))
            np.maximum.at(largest, self._rows, scaled)
            np.maximum.at(largest, columns, scaled)
            scale /= np.sqrt(largest)
        return scale


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
    values = np.concatenate((P.data, np.full(n, REGULARISATION), np.zeros(len(row))))
    where = (np.concatenate((P.row, every, row)), np.concatenate((P.col, every, column)))
    pattern = canonical(sp.coo_array((values, where), shape=(size, size)))
    return pattern, places(pattern, row, column)
