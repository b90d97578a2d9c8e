"""Velocities that are nothing but round-off become 0.

A brake that holds leaves a velocity of exactly 0, which arithmetic spoils: the velocities of a step are the sum

    v = v_free + H^-1 (C' gamma + D' lambda),

and where the terms cancel, what is left is their round-off and the inaccuracy of the impulses, which the solver knows
to its tolerance. A velocity below `RESOLUTION` times the sum of the magnitudes of its terms tells nothing about the
motion. Left alone it would be carried into the positions, and a shaft that is held would creep.
"""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution

RESOLUTION = 1e-10
"""Share of its terms below which a velocity is round-off; a hundredth of what solvers are asked for by default."""


def without_round_off(problem: ContactProblem, solution: Solution) -> Array:
    """The velocities of a solution, 0 where they are below what can be known."""
    push = np.zeros(problem.velocities)
    for matrix, impulse in ((problem.C, solution.joint_impulse), (problem.D, solution.contact_impulse)):
        if matrix.shape[0]:
            magnitudes = abs(matrix)
            push += magnitudes.T @ np.abs(impulse)
    terms = problem.mass.magnitudes(push) + np.abs(problem.free_velocity)
    return np.where(np.abs(solution.velocity) <= RESOLUTION * terms, 0.0, solution.velocity)
