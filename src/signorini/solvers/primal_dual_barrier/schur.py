"""The Schur complement of the barrier's Newton system: three rows per contact, positive definite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy.sparse.linalg as spla

from signorini.kernels.interior import barrier as kernels
from signorini.math.sparse import Array, Indices
from signorini.solvers.cone_newton.block_rows import BlockRows
from signorini.solvers.cone_newton.bodies_system import condensed
from signorini.solvers.cone_newton.rules import ACCURATE
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.linear import BackEnd, MatrixKind
from signorini.solvers.linear.refinement import largest, refined
from signorini.solvers.primal_dual_barrier.iterate import Iterate, Target
from signorini.solvers.primal_dual_barrier.kkt import KktDirect
from signorini.solvers.primal_dual_barrier.patterns import REGULARISATION, block_entries, places, with_blocks
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem

REGULARISATIONS = (REGULARISATION, 100 * REGULARISATION)
"""delta I added to the (unit-diagonal) system, the next one when a factorisation fails."""
DELTA = 1e-8
"""Of the condensed system; refined away."""
REFINEMENTS = 3
"""Of the condensed system, at most."""
ENOUGH = 1e-6
"""Residual at which refinement ends, relative to the right-hand side: Newton's next step mends what is left."""
CG_ITERATIONS = 2000
BLOCK_FLOOR = 1e-15
"""Least pivot in the blocks of a preconditioner, relative to their diagonals."""


class Schur(ABC):
    """`(P + M - B'C^-1 B) dx = rhs`: the right-hand side, and the multipliers' steps."""

    def __init__(self, scaled: ScaledProblem) -> None:
        self._scaled = scaled

    @abstractmethod
    def factor(self, at: Iterate) -> bool:
        """Prepare the linear system at an iterate; False when that fails."""

    @abstractmethod
    def solve(self, rhs: Array) -> Array:
        """dx."""

    def direction(self, at: Iterate, target: Target) -> tuple[Array, Array] | None:
        """(dx, dz) towards the target; None when the linear system cannot be solved."""
        constraints = self._scaled.constraints
        rhs, force = -at.u - target.force, np.zeros(len(constraints.source))
        kernels.condensed_right_hand_side(constraints.start, constraints.friction, at.xi, at.c, target.aim, force)
        constraints.push(force, rhs)
        dx = self.solve(rhs)
        if not np.all(np.isfinite(dx)):
            return None
        dz = np.empty_like(at.z)
        kernels.multiplier_steps(
            constraints.start, constraints.friction, at.xi, at.c, at.z, constraints.along(dx), target.aim, dz
        )
        return dx, dz

    @abstractmethod
    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""


@dataclass(frozen=True, eq=False)
class RigidForm:
    """`dw - A'dx = 0`, `A dw + Theta dx = rhs`: the Schur complement as the systems of `cone_newton` know it."""

    A: BlockRows
    start: Indices
    H: None = None
    E: None = None

    @property
    def cone_rows(self) -> int:
        """All of them."""
        return self.A.rows

    @property
    def blocks(self) -> int:
        """Number of contacts."""
        return len(self.start) - 1


class SchurCondensed(Schur):
    """Rigid bodies: `P = A A'`, so six unknowns per body are enough [cone_newton, condensed].

    Each block is diagonalised in closed form, `T'(M - B'C^-1 B)T = Theta`, and its rows of A are combined alike: for
    sliding contacts theta spans thirty powers of ten, and in this basis none of them is lost.
    """

    def __init__(self, scaled: ScaledProblem, A: BlockRows, back_end: BackEnd) -> None:
        super().__init__(scaled)
        form, blocks = RigidForm(A, scaled.start), len(scaled.start) - 1
        self._A, self._system = A, condensed(form, back_end, DELTA)
        self._values, self._rest = np.empty_like(A.values), np.zeros(A.width)
        self._basis = np.empty(scaled.constraints.entries)
        self._scaling = Scaling(scaled.start, np.ones((blocks, 3)), np.zeros(A.rows), np.empty(A.rows))

    def factor(self, at: Iterate) -> bool:
        A, start = self._A, self._scaled.start
        kernels.diagonalise(
            start, self._scaled.constraints.friction, at.x, at.c, at.z, self._scaling.theta, self._basis
        )
        kernels.rows_in_basis(start, A.column_start, A.value_start, A.values, self._basis, self._values)
        return self._system.factor(self._scaling, self._values).ok

    def solve(self, rhs: Array) -> Array:
        combined, dx = np.zeros_like(rhs), np.zeros_like(rhs)
        kernels.add_block_product(self._scaled.start, self._basis, True, rhs, combined)
        accuracy = max(ACCURATE, ENOUGH * largest(combined))
        _, step = self._system.refined(self._rest, combined, accuracy, REFINEMENTS)
        kernels.add_block_product(self._scaled.start, self._basis, False, step, dx)
        return dx

    def release(self) -> None:
        self._system.release()


class SchurBlocks(Schur):
    """P explicit, the blocks M - B'C^-1 B row by row one after another."""

    def __init__(self, scaled: ScaledProblem) -> None:
        super().__init__(scaled)
        dims = np.diff(scaled.constraints.start)
        self._of_constraints = np.zeros(int((dims * dims).sum()))
        self.values = scaled.constraints.fold(self._of_constraints)

    def factor(self, at: Iterate) -> bool:
        constraints = self._scaled.constraints
        kernels.condense(constraints.start, constraints.friction, at.xi, at.c, at.z, self._of_constraints)
        self.values = constraints.fold(self._of_constraints)
        return True

    def release(self) -> None:
        """Nothing to keep."""

    def product(self, x: Array) -> Array:
        """`(P + blocks) x`."""
        out = self._scaled.times(x)
        kernels.add_block_product(self._scaled.start, self.values, False, x, out)
        return out


class SchurDirect(SchurBlocks):
    """P + blocks by Cholesky; analysed once.

    Near the end a sliding contact adds a term of rank one that is 1e16 times as large as P, and rounding in its other
    directions can make the sum indefinite. From then on the full system is used, which keeps the two apart.
    """

    def __init__(self, scaled: ScaledProblem, back_end: BackEnd) -> None:
        super().__init__(scaled)
        pattern = with_blocks(scaled)
        self._base = pattern.data.copy()
        row, column = block_entries(scaled.start)
        upper = row <= column
        self._taken = np.flatnonzero(upper)
        self._places = places(pattern, row[upper], column[upper])
        self._diagonal = pattern.indptr[:-1].astype(np.int64)
        self._back_end = back_end
        self._factors = back_end.analyse(pattern, MatrixKind.POSITIVE_DEFINITE)
        self._level = 0
        self._full: KktDirect | None = None

    def factor(self, at: Iterate) -> bool:
        if self._full is not None:
            return self._full.factor(at)
        super().factor(at)
        while self._level < len(REGULARISATIONS):
            data = self._base.copy()
            data[self._places] += self.values[self._taken]
            data[self._diagonal] += REGULARISATIONS[self._level]
            if self._factors.factor(data).ok:
                return True
            self._level += 1
        self._full = KktDirect(self._scaled, self._back_end)
        return self._full.factor(at)

    def direction(self, at: Iterate, target: Target) -> tuple[Array, Array] | None:
        return super().direction(at, target) if self._full is None else self._full.direction(at, target)

    def solve(self, rhs: Array) -> Array:
        """One step of refinement repairs what delta and round-off spoil."""
        return refined(self._once, self._left, (rhs,), 0.0, 1)[0]

    def _once(self, rhs: Array) -> tuple[Array]:
        return (self._factors.solve(rhs),)

    def _left(self, rhs: Array, dx: Array) -> tuple[Array]:
        return (rhs - self.product(dx),)


class SchurCG(SchurBlocks):
    """The same system by conjugate gradients, preconditioned block by block."""

    def __init__(self, scaled: ScaledProblem, preconditioner: str, tolerance: float) -> None:
        super().__init__(scaled)
        self._tolerance = tolerance
        diagonal = scaled.P.diagonal()
        m = scaled.contact_rows
        # Free impulses (joints, intervals without ends) have no barrier: their diagonal of P stands in for it.
        self._joints = 1.0 / np.where(diagonal[m:] > 0, diagonal[m:], 1.0)
        row, column = block_entries(scaled.start)
        added = np.full(m, preconditioner == "diagonal")
        added |= ~np.isin(np.arange(m), scaled.constraints.source)
        self._added = np.where((row == column) & added[row], diagonal[:m][row], 0.0)
        self._inverse = np.empty_like(self.values)
        self.products = 0

    def factor(self, at: Iterate) -> bool:
        super().factor(at)
        kernels.invert_blocks(self._scaled.start, self.values + self._added, BLOCK_FLOOR, self._inverse)
        return True

    def solve(self, rhs: Array) -> Array:
        n = len(rhs)
        matrix = spla.LinearOperator((n, n), matvec=self._multiply, dtype=np.float64)
        inverse = spla.LinearOperator((n, n), matvec=self.precondition, dtype=np.float64)
        with np.errstate(all="ignore"):  # a singular system (joints that contradict one another) ends in NaN
            dx, _ = spla.cg(matrix, rhs, rtol=self._tolerance, maxiter=CG_ITERATIONS, M=inverse)
        return np.asarray(dx)

    def _multiply(self, x: Array) -> Array:
        self.products += 1
        return self.product(x) + REGULARISATION * x

    def precondition(self, x: Array) -> Array:
        """The inverse of the blocks, times x."""
        m = self._scaled.contact_rows
        out = np.zeros_like(x)
        out[m:] = self._joints * x[m:]
        kernels.add_block_product(self._scaled.start, self._inverse, False, x, out)
        return out
