"""The condensed system of rigid bodies without joints, in blocks of six by six: no general sparse solver is needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.interior import body_newton
from signorini.kernels.linalg import body_cholesky as kernels
from signorini.kernels.linalg import body_graph
from signorini.kernels.simd.simd6 import BLOCK
from signorini.math.sparse import Array, Indices
from signorini.solvers.cone_newton.condensed_system import Condensed
from signorini.solvers.cone_newton.rules import WORTH_WHILE
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.system import NewtonForm, System, exact_residual
from signorini.solvers.linear import BackEnd, BodyBlocks, FactorReport
from signorini.solvers.linear.common import NOT_POSITIVE
from signorini.solvers.linear.pattern_cache import PatternCache, key_of


@dataclass(frozen=True)
class Reach:
    """Up to which size this factorisation is used."""

    bodies: int
    """The analysis keeps a table of all pairs."""
    products: int
    """Of blocks, in one factorisation."""


BESIDE_PARDISO = Reach(bodies=2500, products=2_500_000)
"""Beyond it, the large dense blocks of PARDISO are faster; with 512-bit registers twice as many products are even."""
ALONE = Reach(bodies=6000, products=100_000_000)
"""SuperLU needs three to ten times as long at any size."""


@dataclass(frozen=True, eq=False)
class BodyPattern:
    """The order in which bodies are eliminated, and the blocks of the factor (see `kernels/linalg/body_graph.py`)."""

    place: Indices
    """Of each body in the order."""
    start: Indices
    """First block of each row of blocks, then their number."""
    row: Indices
    """Later body of each block, as a place in the order."""
    land: Indices
    """Where the blocks of each contact land, shape (contacts, 3)."""

    @classmethod
    def of(cls, bodies: Indices, count: int, most: int) -> BodyPattern | None:
        """None where there would be more products than `most`."""
        sequence, touch = body_graph.minimum_fill(count, bodies, most)
        if len(sequence) < count:
            return None
        place, start, row = body_graph.columns_of(sequence, touch)
        land = np.empty((len(bodies), 3), dtype=np.int64)
        body_graph.landing(bodies, place, start, row, land)
        return cls(place, start, row, land)


PATTERNS: PatternCache[BodyPattern] = PatternCache(capacity=2)
"""Those of the last solves: in a settled scene the next step has the same contacts."""

REFUSED: PatternCache[Reach] = PatternCache(capacity=2)
"""The last patterns that were too large: finding that out costs a good part of an analysis."""


def reach_of(back: BackEnd, beside: Reach) -> Reach | None:
    """Up to which size this factorisation takes the place of a back end, `beside` a faster one; None for never."""
    return {BodyBlocks.NEVER: None, BodyBlocks.SMALL: beside, BodyBlocks.ALWAYS: ALONE}[back.body_blocks]


def body_pattern(form: NewtonForm, reach: Reach) -> tuple[BodyPattern, bytes] | None:
    """The pattern and its key in `PATTERNS`; None where contacts are not those of rigid bodies, or the pattern is too
    large."""
    A = form.A
    plain = form.H is None and form.E is None and A.rows == form.cone_rows
    if not plain or A.width == 0 or A.width % 6 or A.width > 6 * reach.bodies:
        return None
    bodies = np.empty((form.blocks, 2), dtype=np.int64)
    if not body_graph.bodies_of(A.column_start, A.columns, bodies):
        return None
    key = key_of(bodies, repr(reach))
    refused = REFUSED.take(key) is not None
    pattern = None if refused else PATTERNS.take(key) or BodyPattern.of(bodies, A.width // 6, reach.products)
    if pattern is None:
        REFUSED.put(key, reach)
        return None
    return pattern, key


class CondensedBodies(System):
    """`K = 1 + A'(Theta + delta)^-1 A`, positive definite, six rows per body: `Condensed` for rigid bodies alone."""

    own_factorisation = "block"

    def __init__(self, form: NewtonForm, pattern: BodyPattern, key: bytes, delta: float) -> None:
        self._form, self._pattern, self._key, self._delta = form, pattern, key, delta
        self._data = np.empty(BLOCK * int(pattern.start[-1]))
        self._weight = np.empty(form.A.rows)

    @classmethod
    def of(cls, form: NewtonForm, delta: float, reach: Reach = BESIDE_PARDISO) -> CondensedBodies | None:
        """The system, or None where contacts are not those of rigid bodies or the pattern is too large."""
        found = body_pattern(form, reach)
        return None if found is None else cls(form, *found, delta)

    def release(self) -> None:
        PATTERNS.put(self._key, self._pattern)

    def factor(self, scaling: Scaling, values: Array) -> FactorReport:
        A, pattern = self._form.A, self._pattern
        self._scaling, self._values = scaling, values
        np.divide(1.0, scaling.theta + self._delta, out=self._weight)
        kernels.assemble(pattern.start, A.start, A.value_start, values, self._weight, pattern.land, self._data)
        ok = kernels.factor(pattern.start, pattern.row, self._data)
        return FactorReport(True) if ok else FactorReport(False, message=NOT_POSITIVE)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        return self.refined(r1, r2, 0.0, 0)

    def residual(self, r1: Array, r2: Array, dw: Array, dx: Array) -> tuple[Array, Array]:
        return exact_residual(self._form, self._scaling, self._values, r1, r2, dw, dx)

    def refined(self, r1: Array, r2: Array, accuracy: float, refinements: int) -> tuple[Array, Array]:
        A, pattern = self._form.A, self._pattern
        dw, dx = np.empty_like(r1), np.empty_like(r2)
        rows = (A.start, A.column_start, A.value_start, A.columns, self._values)
        factor = (pattern.start, pattern.row, pattern.place, self._data)
        body_newton.refined_solve(
            rows, self._weight, factor, self._delta, refinements, accuracy, WORTH_WHILE, r1, r2, dw, dx
        )
        return dw, dx


def condensed(form: NewtonForm, back: BackEnd, delta: float) -> System:
    """The condensed system; of rigid bodies with its own factorisation, where the choice is free and that is faster."""
    reach = reach_of(back, BESIDE_PARDISO)
    found = None if reach is None else CondensedBodies.of(form, delta, reach)
    return Condensed(form, back, delta) if found is None else found
