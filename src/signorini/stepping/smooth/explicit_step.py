"""One explicit step of one model: rates of change along the way, and the state that they lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from signorini.assembly.dynamics import Dynamics, Extra
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.solution import Status
from signorini.stepping.smooth.explicit import ExplicitIntegrator
from signorini.stepping.smooth.implicit_step import Solved


@dataclass
class ExplicitStep:
    """The equations of one step of a model without joints."""

    dynamics: Dynamics
    start: State
    h: float
    """[s]."""
    end: float
    """Time at the end of the step [s]."""
    extra: Callable[[float], Extra]
    """Forces of contacts at a share of the step."""

    def take(self, integrator: ExplicitIntegrator) -> tuple[Solved, Array]:
        """The end of the step, and the local error of its displacement [m, rad]."""
        displacer = self.dynamics.displacer
        v = displacer.velocities(self.start)
        with np.errstate(over="ignore", invalid="ignore"):
            step = integrator.increment(self.h, v, self._rates)
        finite = bool(np.isfinite(step.displacement).all() and np.isfinite(step.velocity).all())
        if finite:
            state = displacer.move(self.start, step.displacement, step.velocity, self.end)
            status, detail = Status.SOLVED, ""
        else:
            state, status, detail = (
                self.start,
                Status.DIVERGED,
                "the motion is not finite; explicit rules need short steps",
            )
        mean = (step.velocity - v) / self.h
        effort = self.dynamics.M @ mean
        solved = Solved(
            state, mean, np.zeros(0), effort, step.displacement, step.evaluations, 0.0, 0.0, status, detail
        )  # fmt: skip
        return solved, step.local_error

    def _rates(self, share: float, s: Array, v: Array) -> tuple[Array, Array]:
        dynamics = self.dynamics
        state = dynamics.displacer.move(self.start, s, v, self.start.time + share * self.h)
        force = dynamics.effort(state, self.extra(share)).force
        slope = v.copy()
        turns = slope[: 6 * len(dynamics.masses.movable)].reshape(-1, 6)
        turns[:, 3:] = np.einsum("bij,bj->bi", dynamics.displacer.inverse_tangents(s), turns[:, 3:])
        return slope, dynamics.masses.matrix.solve(force)
