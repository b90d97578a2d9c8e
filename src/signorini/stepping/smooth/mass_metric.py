"""Saddle-point systems of the masses and joints: `M x + C' y = r`, `C x = p`."""

from __future__ import annotations

import numpy as np

from signorini.assembly.constraints import Constraints
from signorini.assembly.dynamics import Dynamics
from signorini.math.sparse import Array
from signorini.solvers.saddle.interface import SaddleSession, SaddleSolution


def solve_with_joints(
    dynamics: Dynamics, joints: Constraints, session: SaddleSession, r: Array, p: Array
) -> SaddleSolution:
    """x and y; if M and C cannot be factored, an answer that is not ok, with the reason."""
    message = session.factor(dynamics.M, joints.C)
    if message:
        return SaddleSolution(np.zeros_like(r), np.zeros_like(p), 0, False, message)
    return session.solve(r, p)


def least_change(dynamics: Dynamics, joints: Constraints, session: SaddleSession, p: Array) -> SaddleSolution:
    """The x of least `x'M x` with `C x = p`."""
    return solve_with_joints(dynamics, joints, session, np.zeros(dynamics.size), p)
