"""Velocities that are pure round-off become 0.

A brake that holds leaves a velocity of exactly 0 in exact arithmetic. The computed velocities of a step are the sum

    v = v_free + H^-1 (C' gamma + D' lambda),

and where the terms cancel, what remains is their round-off and the error of the impulses, which are accurate to the
solver's tolerance. A velocity below `RESOLUTION` times the sum of the magnitudes of its terms carries no information.
It would be integrated into the positions, and a braked shaft would creep.

Joints and contacts must not be affected: where a motor turns a shaft against a brake of 1e9 times its weight, the terms
do not determine the velocity, but the row of the motor does. Velocities whose loss changes a row by more than
`RESOLUTION` of what it sees of the motion stay as they are: of v, of v_free, and of what the energy of v_free could
make of each velocity, since joints turn one into the other.
"""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution

RESOLUTION = 1e-10
"""Share of its terms below which a velocity is round-off; a hundredth of the solvers' default tolerance."""


def without_round_off(problem: ContactProblem, solution: Solution) -> Array:
    """The velocities of a solution, 0 where they are below the resolution and no row is affected."""
    v, push = solution.velocity, np.zeros(problem.velocities)
    parts = [
        (matrix, abs(matrix), impulse, b)
        for matrix, impulse, b in (
            (problem.C, solution.joint_impulse, problem.b_gamma),
            (problem.D, solution.contact_impulse, problem.b_lambda),
        )
        if matrix.shape[0]
    ]
    for _, magnitudes, impulse, _ in parts:
        push += magnitudes.T @ np.abs(impulse)
    free = np.abs(problem.free_velocity)
    lost = (np.abs(v) <= RESOLUTION * (problem.mass.magnitudes(push) + free)) & (v != 0.0)
    motion = free + np.abs(v) + np.sqrt(problem.free_energy / problem.H.diagonal())
    while lost.any():
        noticed = np.zeros(len(v), dtype=np.bool_)
        for matrix, magnitudes, _, b in parts:
            seen = RESOLUTION * (magnitudes @ motion + np.abs(b))
            rows = np.flatnonzero(np.abs(matrix @ np.where(lost, v, 0.0)) > seen)
            noticed[matrix[rows].indices] = True
        if not (lost & noticed).any():
            break
        lost &= ~noticed
    return np.where(lost, 0.0, v)
