"""Limits of joints that take part in a step.

A limit that is far away does nothing, but its row would: `Phi/h` of a metre of travel is a speed of hundreds of m/s,
beside which the slips that matter look like round-off. So only those limits enter the problem that may be reached
within the step. The answer shows whether that was enough: if it passes a limit that was left out, all are included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.bend import passive
from signorini.assembly.coordinate_rows import Rows
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, canonical
from signorini.problem.products import multiply, multiply_magnitudes

REACH = 4.0
"""Limits are within reach up to this many times the distance that the present speed covers."""
ROUND_OFF = 1e-14
"""Distances to a limit below this count as 0 [m or rad]: over a short step they would be velocities that contradict
friction and joints."""
PASSED = 1e-9
"""How far beyond a limit is beyond it [m or rad]."""


@dataclass(frozen=True, eq=False)
class NearLimits:
    """The limits at a state, and which of them take part in the problem."""

    rows: Rows
    near: NDArray[np.bool_]
    """Shape (limit rows,)."""

    @classmethod
    def of(cls, rows: Rows, velocity: Array, fall: Array, step: float) -> NearLimits:
        """Those within reach of the present velocities and of gravity.

        Parameters
        ----------
        velocity
            Present velocities over the unknowns.
        fall
            What gravity adds to them in the step.
        """
        speed = multiply_magnitudes(rows.matrix, np.abs(velocity) + np.abs(fall)) + np.abs(rows.known + rows.rate)
        return cls(rows, np.asarray(rows.error <= REACH * step * speed))

    @cached_property
    def count(self) -> int:
        """How many are near."""
        return int(self.near.sum()) if len(self.near) else 0

    @property
    def matrix(self) -> Csr:
        """Of the near ones."""
        return self.rows.matrix if self.near.all() else canonical(self.rows.matrix[np.flatnonzero(self.near)])

    def offsets(self, step: float, max_recovery_speed: float, before: tuple[Array, Array] | None = None) -> Array:
        """b_lambda of the near ones: `-Phi/h`, no more than `max_recovery_speed`, less what is known of the slip.

        `before` is the bend of all limits (see `assembly.bend`) and the velocities before the step: then they part with
        `-(Phi + bend)/h`, no faster than they approached.
        """
        error = np.where(np.abs(self.rows.error) > ROUND_OFF, self.rows.error, 0.0)
        given = self.rows.rate + self.rows.known
        if before is None:
            away = np.minimum(-error / step, max_recovery_speed)
        else:
            bend, velocity = before
            speed = multiply(self.rows.matrix, velocity) + given
            away = passive(np.minimum(-(error + bend) / step, max_recovery_speed), speed, PASSED / step)
        return np.asarray(away - given)[self.near]

    def after(self, velocity: Array, step: float) -> NearLimits | None:
        """All limits, if a step with `velocity` passes one that was left out; else None."""
        if self.count == len(self.near):
            return None
        speed = multiply(self.rows.matrix, velocity) + self.rows.rate + self.rows.known
        passed = ~self.near & (self.rows.error + step * speed < -PASSED)
        return replace(self, near=np.ones_like(self.near)) if passed.any() else None

    def everywhere(self, impulse: Array) -> Array:
        """Impulses of the near ones in the places of all, 0 elsewhere."""
        out = np.zeros(len(self.near))
        if self.count:
            out[self.near] = impulse
        return out
