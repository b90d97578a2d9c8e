"""The linear systems of the exact law: not symmetric, because friction does work on the normal.

Both solve, in the turned basis of `frames` and `reflector`, for the slopes of one `Linearisation`::

    rest dx + tau (1 + e h')(N + delta) dx = right

and refine the answer against delta = 0 down to the accuracy asked for: with none, the step is a proximal one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels.interior import coulomb as kernels
from signorini.kernels.interior import exact_newton
from signorini.kernels.linalg import body_lu, condensed
from signorini.kernels.simd.simd6 import BLOCK
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.bodies_system import PATTERNS, BodyPattern, Reach, body_pattern, reach_of
from signorini.solvers.cone_newton.condensed_system import CondensedMatrix, compliance_blocks
from signorini.solvers.cone_newton.rules import WORTH_WHILE
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.coulomb.form import ExactForm
from signorini.solvers.coulomb.rules import REFINEMENTS
from signorini.solvers.linear import BackEnd, Factors, MatrixKind, back_end
from signorini.solvers.linear.refinement import refined

BESIDE_PARDISO = Reach(bodies=2000, products=1_500_000)
"""Up to which size blocks of bodies are used beside PARDISO: farther than for symmetric matrices, because its
unsymmetric factorisation took two to three times as long on piles of 1190 balls."""


@dataclass(eq=False)
class Linearisation:
    """Slopes in the eigenbases of all blocks."""

    scaling: Scaling
    """The eigenbases."""
    tau: Array
    rest: Array
    """1 - tau."""
    along: Array
    """Along the tangential slips, as long as the share of the de Saxce term's derivative that is counted; turned by the
    first system that is assembled with them."""
    delta: float
    """Added to N, whose diagonal is 1."""

    @classmethod
    def blank(cls, form: ExactForm, along: Array, delta: float) -> Linearisation:
        """Room for slopes and eigenbases; joint rows are free (tau = 1)."""
        return cls.at(Scaling.identity(form.start, form.rows), along, delta)

    @classmethod
    def at(cls, scaling: Scaling, along: Array, delta: float) -> Linearisation:
        """The slopes of the interior path, `tau = 1 / (1 + theta)`."""
        tau = 1.0 / (1.0 + scaling.theta)
        return cls(scaling, tau, scaling.theta * tau, along, delta)


class ContactBlocks:
    """`B^-1` and `M = B^-1 tau (1 + e h')` with `B = rest + tau (1 + e h')(E + delta)`, and the turned values of A."""

    def __init__(self, form: ExactForm) -> None:
        self._A = form.standard.A
        self._compliance = compliance_blocks(form.standard)[1]
        sizes = np.diff(self._A.start)
        self.squares = np.concatenate(([0], np.cumsum(sizes * sizes))).astype(np.int64)
        """First entry of each block in `inverse` and `weight`."""
        self.inverse, self.weight = np.empty(self.squares[-1]), np.empty(self.squares[-1])
        self.values = np.empty_like(self._A.values)

    def update(self, at: Linearisation) -> None:
        """To another linearisation. Turns `at.along`."""
        A, frames, reflector = self._A, at.scaling.frames, at.scaling.reflector
        kernels.block_weights(
            A.start, frames, reflector, at.tau, at.rest, at.along, at.delta,
            self.squares, self._compliance, self.inverse, self.weight,
        )  # fmt: skip
        A.turned(frames, reflector, self.values)

    def times(self, blocks: Array, rows: Array) -> Array:
        """Block by block."""
        out = np.empty_like(rows)
        condensed.multiply_blocks(self._A.start, self.squares, blocks, rows, out)
        return out


class UnsymmetricSystem(Protocol):
    """One form of the linear system."""

    def factor(self, at: Linearisation) -> bool:
        """Assemble and factor; False when that fails. Turns `at.along`."""

    def solve(self, right: Array, accuracy: float) -> Array:
        """dx, turned, refined until its residual is below `accuracy`."""

    def orientation(self) -> int:
        """Sign of the determinant of the factored system, 0 where the factorisation does not tell."""

    def release(self) -> None:
        """After the last solve: what the next problem of the same pattern can use is kept."""


class UnsymmetricCondensed:
    """`K = H + A'M A` with one small unsymmetric block M per contact; one unknown per velocity."""

    def __init__(self, form: ExactForm, back_end: BackEnd) -> None:
        self._blocks = ContactBlocks(form)
        self._A, self._form = form.standard.A, form
        self._matrix = CondensedMatrix(form.standard, back_end, MatrixKind.GENERAL)

    def release(self) -> None:
        self._matrix.release()

    def orientation(self) -> int:
        return 0

    def factor(self, at: Linearisation) -> bool:
        blocks = self._blocks
        blocks.update(at)
        self._at = at
        self._matrix.reset()
        self._matrix.add_blocks(blocks.values, len(self._A.start) - 1, blocks.squares, blocks.weight)
        return self._matrix.factor().ok

    def solve(self, right: Array, accuracy: float) -> Array:
        return refined_by_form(self._form, self._at, self._solve_once, right, accuracy)

    def _solve_once(self, right: Array) -> Array:
        blocks, A = self._blocks, self._A
        dx = blocks.times(blocks.inverse, right)
        dw = self._matrix.solve(A.multiply_transposed(dx, blocks.values))
        return dx - blocks.times(blocks.weight, A.multiply(dw, blocks.values))


class UnsymmetricBodies:
    """The same for rigid bodies without joints, in blocks of six by six (`kernels/linalg/body_lu.py`)."""

    def __init__(self, form: ExactForm, pattern: BodyPattern, key: bytes) -> None:
        self._blocks = ContactBlocks(form)
        self._A, self._pattern, self._key = form.standard.A, pattern, key
        self._data = np.empty(2 * BLOCK * int(pattern.start[-1]))

    def release(self) -> None:
        PATTERNS.put(self._key, self._pattern)

    def orientation(self) -> int:
        # The blocks B have positive determinants: those of `rest` and tau are slopes, that of `1 + e h'` is 1.
        return int(body_lu.orientation(self._pattern.start, self._data))

    def factor(self, at: Linearisation) -> bool:
        A, pattern, blocks = self._A, self._pattern, self._blocks
        blocks.update(at)
        self._at = at
        body_lu.assemble(
            pattern.start, A.start, A.value_start, blocks.values, blocks.squares, blocks.weight, pattern.land,
            self._data,
        )  # fmt: skip
        return bool(body_lu.factor(pattern.start, pattern.row, self._data))

    def solve(self, right: Array, accuracy: float) -> Array:
        A, pattern, blocks, at, dx = self._A, self._pattern, self._blocks, self._at, np.empty_like(right)
        exact_newton.refined_solve(
            (A.start, A.column_start, A.value_start, A.columns, blocks.values),
            blocks.squares, blocks.inverse, blocks.weight, (at.tau, at.along),
            (pattern.start, pattern.row, pattern.place, self._data), at.delta, REFINEMENTS, accuracy, WORTH_WHILE,
            right, dx,
        )  # fmt: skip
        return dx


class UnsymmetricDelassus:
    """`rest Q' + tau (1 + e h') Q'(N + delta)` with an explicit N; one unknown per impulse."""

    def __init__(self, form: ExactForm, back_end: BackEnd) -> None:
        assert form.N is not None
        self._N, self._form = form.N, form
        row, column = self._N.positions()
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=form.rows)))).astype(np.int32)
        self._data = np.empty_like(self._N.values)
        pattern = sp.csr_array((np.ones(len(row)), column.astype(np.int32), indptr), shape=(form.rows, form.rows))
        self._factors: Factors = back_end.analyse(pattern, MatrixKind.GENERAL)

    def release(self) -> None:
        """Nothing is kept."""

    def orientation(self) -> int:
        return 0

    def factor(self, at: Linearisation) -> bool:
        N = self._N
        kernels.delassus_rows(
            N.start, N.column_start, N.value_start, N.columns, N.values, at.scaling.frames, at.scaling.reflector,
            at.tau, at.rest, at.along, at.delta, self._data,
        )  # fmt: skip
        self._at = at
        return self._factors.factor(self._data).ok

    def solve(self, right: Array, accuracy: float) -> Array:
        return refined_by_form(self._form, self._at, self._solve_once, right, accuracy)

    def _solve_once(self, right: Array) -> Array:
        return self._at.scaling.turn(self._factors.solve(right))


def refined_by_form(
    form: ExactForm, at: Linearisation, solve: Callable[[Array], Array], right: Array, accuracy: float
) -> Array:
    """The answer of approximate factors, refined with products of the form."""

    def residual(right: Array, dx: Array) -> tuple[Array]:
        out = right.copy()
        du = at.scaling.turn(form.apply(at.scaling.turn_back(dx)))
        kernels.subtract_product(form.start, at.tau, at.rest, at.along, dx, du, out)
        return (out,)

    return refined(lambda rows: (solve(rows),), residual, (right,), accuracy, REFINEMENTS)[0]


def make_system(form: ExactForm, linear: str) -> UnsymmetricSystem:
    """The system of a form, factored by the back end of that name."""
    back = back_end(linear).without_matching()
    if form.is_delassus:
        return UnsymmetricDelassus(form, back)
    reach = reach_of(back, BESIDE_PARDISO)
    found = None if reach is None else body_pattern(form.standard, reach)
    return UnsymmetricCondensed(form, back) if found is None else UnsymmetricBodies(form, *found)
