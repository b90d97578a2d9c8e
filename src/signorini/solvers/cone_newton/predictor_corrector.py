"""One interior step: predictor and corrector [Mehrotra1992], centrality correctors [Gondzio1996]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from signorini.kernels.interior import steps as kernels
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.rules import CENTRAL_HIGH, CENTRAL_LOW, ENOUGH, LEAST_CENTRING, LONGER, PAYS
from signorini.solvers.cone_newton.scaling import ConePoint

Centring = Literal["step", "mehrotra"]
"""The share of the barrier that a corrector aims at: `step` is (1 - predictor's step)^3, `mehrotra` the cube of the
share that the predictor would leave [MangoniTasora, eq. 14]."""
NEWTON_CENTRING = 0.1
"""The share that a Newton step without a predictor aims at."""
LinearSolve = Callable[[Array], tuple[Array, Array]]
"""(dw, dx) of the turned rows `-r2 - W s`; dw is empty where impulses are the only unknowns."""


@dataclass(eq=False)
class Direction:
    """A direction."""

    dw: Array
    dx: Array
    """Turned; cone rows, then joint rows."""
    s: Array
    """Scaled right-hand side of the linearised complementarity."""
    scaled_x: Array
    """W dx."""
    scaled_y: Array
    """W^-1 dy."""
    step_x: float
    """Longest step of the impulses that stays in the cones."""
    step_y: float
    """Longest step of the slips that stays in the cones."""

    @property
    def step(self) -> float:
        """Longest common step, 1 at most."""
        return min(1.0, self.step_x, self.step_y)


class PredictorCorrector:
    """Directions from a point whose scaling the linear system was factored at."""

    def __init__(self, point: ConePoint, r2: Array, solve: LinearSolve) -> None:
        """`r2` are the turned residuals of the slips."""
        self._point, self._r2, self._solve = point, r2, solve
        self.share = 0.0
        """Of the barrier that the last direction aimed at."""

    def direction(
        self, correctors: int, least_centring: float = 0.0, centring: Centring = "step"
    ) -> tuple[Direction, float]:
        """The direction to take, and the length of the predictor's step.

        At most `correctors` centrality correctors; the target is at least `least_centring` of the barrier.
        """
        point, s = self._point, np.empty_like(self._point.z)
        barrier = point.barrier
        predictor = self._towards(point.z)
        sigma = self.share = max(self._share(predictor, centring), least_centring)
        kernels.corrected(point.start, point.z, predictor.scaled_x, predictor.scaled_y, sigma * barrier, s)
        corrector = self._towards(s)
        return self._centred(corrector, max(sigma, LEAST_CENTRING) * barrier, correctors), predictor.step

    def towards(self, target: float) -> Direction:
        """Newton's direction to `x o y = target e`."""
        s, nothing = np.empty_like(self._point.z), np.zeros_like(self._point.z)
        kernels.corrected(self._point.start, self._point.z, nothing, nothing, target, s)
        return self._towards(s)

    def affine(self) -> tuple[Direction, float]:
        """The predictor alone: Newton's step to the answer itself [MangoniTasora, 2.3.1]."""
        predictor = self._towards(self._point.z)
        return predictor, predictor.step

    def newton(self) -> tuple[Direction, float]:
        """One Newton step to a fixed share of the barrier, without a predictor [MangoniTasora, eq. 6]."""
        self.share = NEWTON_CENTRING
        direction = self.towards(NEWTON_CENTRING * self._point.barrier)
        return direction, direction.step

    def _share(self, predictor: Direction, centring: Centring) -> float:
        """The share of the barrier to aim at."""
        if centring == "step":
            return float((1.0 - predictor.step) ** 3)
        z, length = self._point.z, predictor.step
        left = (z + length * predictor.scaled_x[: len(z)]) @ (z + length * predictor.scaled_y[: len(z)])
        share = float(left / (z @ z))
        return min(max(share, 0.0), 1.0) ** 3  # [MangoniTasora, eq. 14]

    def _towards(self, s: Array) -> Direction:
        """Solve `H dw - A'dx = -r1`, `A dw + (W^2 + E) dx = -r2 - W s` [Mangoni2018, eq. 4.49]."""
        scaling, right = self._point.scaling, np.empty_like(self._r2)
        kernels.right_rows(scaling.start, scaling.frames, self._r2, s, right)
        dw, dx = self._solve(right)
        scaled_x, scaled_y = np.empty_like(s), np.empty_like(s)
        steps = kernels.complete(scaling.start, scaling.frames, self._point.z, s, dx, scaled_x, scaled_y)
        return Direction(dw, dx, s, scaled_x, scaled_y, *steps)

    def _centred(self, direction: Direction, target: float, correctors: int) -> Direction:
        """Centrality correctors: longer steps for one more solve each."""
        point = self._point
        for _ in range(correctors):
            if direction.step > ENOUGH:
                break
            trial = min(1.0, direction.step + LONGER)
            s = direction.s.copy()
            kernels.centre(
                point.start, point.z, direction.scaled_x, direction.scaled_y, trial, trial,
                CENTRAL_LOW * target, CENTRAL_HIGH * target, s,
            )  # fmt: skip
            better = self._towards(s)
            if better.step < direction.step + PAYS * (trial - direction.step):
                break
            direction = better
        return direction


def advance(point: ConePoint, direction: Direction, step_x: float, step_y: float) -> Array | None:
    """Move the point; the step of its impulses in full length, None when round-off leads out of the cones."""
    m, scaling = len(point.y), point.scaling
    move_x = scaling.turn_back(direction.dx)
    move_y = scaling.turn_back(scaling.from_scaled(direction.scaled_y))
    inside = kernels.advance(
        point.start, scaling.frames, point.z, direction.scaled_x, direction.scaled_y,
        move_x, move_y, step_x, step_y, point.x, point.y, point.trace,
    )  # fmt: skip
    if not inside:
        return None
    point.x[m:] += step_x * move_x[m:]
    return move_x
