"""The iterate of the barrier, and the interface of its Newton systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from signorini.kernels.interior import barrier as kernels
from signorini.math.sparse import Array
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem


@dataclass
class Iterate:
    """The iterate of the barrier."""

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


@dataclass
class Target:
    """Target of a Newton step: `-z0 c = aim[0]`, `z1 n = aim[1]`, and a gradient of the Lagrangian of `-force`."""

    aim: Array
    """Shape (2, constraints)."""
    force: Array
    """Over the rows of x: second-order terms of a step that is known."""

    @classmethod
    def central(cls, at: Iterate, value: float) -> Target:
        """All products alike."""
        return cls(np.full_like(at.z, value), np.zeros_like(at.x))

    def corrected(self, scaled: ScaledProblem, at: Iterate, dx: Array, dz: Array) -> Target:
        """Less the second-order terms of a step (dx, dz) [Mehrotra1992]."""
        constraints, aim, force = scaled.constraints, self.aim.copy(), np.zeros_like(at.x)
        push = np.zeros(len(constraints.source))
        kernels.second_order(
            constraints.start, constraints.friction, at.xi, at.c, at.z, constraints.along(dx), dz, aim, push
        )
        constraints.push(push, force)
        return Target(aim, force)


class NewtonSystem(Protocol):
    """Solves for the steps of x and z."""

    def factor(self, at: Iterate) -> bool:
        """Prepare the linear system at an iterate; False when that fails."""

    def direction(self, at: Iterate, target: Target) -> tuple[Array, Array] | None:
        """(dx, dz) towards the target; None when the linear system cannot be solved."""

    def release(self) -> None:
        """After the last solve: keep what the next problem of the same pattern can reuse."""


def dual_residual(scaled: ScaledProblem, at: Iterate) -> Array:
    """Gradient of the Lagrangian."""
    constraints, dual = scaled.constraints, at.u.copy()
    force = np.zeros(len(constraints.source))
    kernels.dual_residual(constraints.start, constraints.friction, at.xi, at.z, force, force)
    constraints.push(force, dual)
    return dual
