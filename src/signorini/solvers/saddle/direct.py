"""Saddle-point systems by factorisation, with redundant rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array, Csr
from signorini.problem.errors import SolverError
from signorini.problem.products import add_transposed_product, multiply
from signorini.solvers.linear import BackEnd, Factors, MatrixKind, back_end
from signorini.solvers.linear.refinement import refined
from signorini.solvers.saddle.interface import SaddleSolution
from signorini.solvers.saddle.system import REDUNDANT, SaddleMatrix, least_norm, row_scales, same_push, scaled_rows

PROJECTIONS = 12
"""Iterations of `least`: each leaves delta/s of the part with eigenvalue s."""
ENOUGH = 1e-15
"""Relative change at which such rounds end."""


@dataclass(frozen=True)
class Direct:
    """Factors `[H C'; C -delta I]`, rows of C scaled to unit length in the metric of diag(H), and refines.

    Refinement with the true matrix is the method of multipliers: x is exact whether rows of C are redundant or not.
    Where they are (a probe tells), y is projected to least norm; contradictory rows are violated least.
    """

    name: ClassVar[str] = "direct"
    exact: ClassVar[bool] = True

    back_end: str = "auto"
    """`auto`, `superlu`, `pardiso`, `mumps` or `dense`."""
    delta: float = 1e-9
    """Regularisation of the scaled rows [-]."""
    tolerance: float = 1e-13
    """Refinement ends at this residual, relative to the terms of the system."""
    refinements: int = 6
    """At most."""

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1e-2:
            raise SolverError(f"delta is {self.delta}, expected a small number > 0 such as 1e-9")
        if self.refinements < 0:
            raise SolverError(f"refinements is {self.refinements}, expected 0 or more")

    def session(self) -> DirectSession:
        return DirectSession(self, back_end(self.back_end))


class DirectSession:
    """Factors of the matrices taken last; the analysis is kept while the pattern holds."""

    def __init__(self, settings: Direct, chosen: BackEnd) -> None:
        self._settings, self._back_end = settings, chosen
        self._saddle: SaddleMatrix | None = None
        self.analyses = 0
        """How often a pattern was analysed."""
        self.redundant = False
        """Whether rows of C depend on one another."""
        self._probed = False

    def factor(self, H: Csr, C: Csr) -> str:
        saddle, fits = self._saddle, self._saddle is not None and self._saddle.fits(H, C)
        if saddle is None or not fits:
            saddle = self._saddle = SaddleMatrix(H, C, upper=False)
        self._H, self._scale = H, row_scales(H, C)
        self._plain, self._C = C, scaled_rows(C, self._scale)
        values = saddle.fill(H, self._C.data, self._settings.delta)
        if not fits:
            # With its values: scaling and matching of a back end look at them.
            self._factors: Factors = self._back_end.analyse(saddle.matrix, MatrixKind.GENERAL)
            self.analyses += 1
            self._probed = False
        report = self._factors.factor(values)
        if not report.ok:
            return f"{self._back_end.name}: {report.message}"
        if not self._probed:
            self._probed = True
            self.redundant = self._probe()
        return ""

    def solve(self, r: Array, p: Array) -> SaddleSolution:
        n = self._H.shape[0]
        b = np.concatenate((r, self._scale * p))
        settings, rounds = self._settings, 0

        def residual(right: Array, step: Array) -> tuple[Array]:
            nonlocal rounds
            rounds += 1
            return (right - self._times(step),)

        first = self._factors.solve(b)
        accuracy = settings.tolerance * self._size(first, b)
        (z,) = refined(
            lambda right: (self._factors.solve(right),), residual, (b,), accuracy, settings.refinements, first=(first,)
        )
        ok = bool(np.isfinite(z).all())
        message = "" if ok else f"{self._back_end.name}: the answer is not finite"
        return SaddleSolution(z[:n], self._scale * z[n:], rounds, ok, message)

    def trim(self, y: Array) -> Array:
        if not self.redundant:
            return y
        scaled = y / self._scale
        kept = self._projected(scaled)
        # Near a singular position, directions that do little work cannot be told from those that do none: keep them
        # all.
        return self._scale * kept if same_push(self._C, scaled, kept) else y

    def least(self, y: Array) -> Array:
        return least_norm(self._plain, y) if self.redundant else y

    def _projected(self, y: Array) -> Array:
        """The part of scaled multipliers that does work: `(S + delta)^-1 S y`, repeated; S = C H^-1 C'."""
        n, m = self._H.shape[0], len(y)
        done = np.zeros(m)
        for _ in range(PROJECTIONS):
            answer = self._factors.solve(
                np.concatenate((add_transposed_product(self._C, y - done, np.zeros(n)), np.zeros(m)))
            )
            done = done + answer[n:]
            if np.abs(answer[n:]).max(initial=0.0) <= ENOUGH * np.abs(done).max(initial=0.0):
                break
        return done

    def _probe(self) -> bool:
        m = self._C.shape[0]
        if m == 0:
            return False
        y = np.random.default_rng(0).normal(size=m)
        return bool(np.linalg.norm(y - self._projected(y)) > REDUNDANT * np.linalg.norm(y))

    def _times(self, z: Array) -> Array:
        n = self._H.shape[0]
        top = add_transposed_product(self._C, z[n:], multiply(self._H, z[:n]))
        return np.concatenate((top, multiply(self._C, z[:n])))

    def _size(self, z: Array, b: Array) -> float:
        return float(np.abs(b).max(initial=0.0)) + float(
            np.abs(self._H.data).max(initial=0.0) * np.abs(z).max(initial=0.0)
        )
