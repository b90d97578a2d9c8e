"""Impacts with the exact Coulomb law.

The convex cone lets a sliding contact part at `mu |u_t|`. In a step that is a small gap, in an impact it would be a
speed that does not vanish with the step. So the term is taken out, by a fixed point with the last lifts s:

    b_n <- b_n - s,      s <- mu |y_t|

accelerated by Anderson's mixing of the last few iterates. Solvers of the exact law need none of this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from signorini.assembly.laws.lift import lifts
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status

SolveOne = Callable[[ContactProblem, Guess | None], Solution]
MOST_ROUNDS = 40
ENOUGH = 1e-8
"""Change of the lifts that ends the loop, relative to the largest speed in the problem."""
DEPTH = 3
"""Iterates that are mixed."""


def solve_exactly(problem: ContactProblem, solve: SolveOne) -> Solution:
    """The solution with normal slips y_n = 0 where contacts slide; `NO_SOLUTION` where the lifts do not settle."""
    solution = solve(problem, None)
    if solution.certificate.law == "coulomb":
        return solution
    first = problem.cones.start[:-1]
    s = np.zeros(problem.contacts)
    tried: list[Array] = []
    images: list[Array] = []
    for _ in range(MOST_ROUNDS):
        y = problem.slip_of(solution.velocity, solution.contact_impulse)
        image = lifts(problem.cones, y)
        if np.abs(image - s).max() <= ENOUGH * max(float(np.abs(problem.b_lambda).max()), float(np.abs(y).max())):
            return solution
        tried, images = [*tried, s][-DEPTH:], [*images, image][-DEPTH:]
        s = np.maximum(mixed(tried, images), 0.0)
        b = np.array(problem.b_lambda)
        b[first] -= s
        solution = solve(problem.changed(b_lambda=b), guess_of(solution))
    return replace(solution, status=Status.NO_SOLUTION)


def mixed(tried: list[Array], images: list[Array]) -> Array:
    """Anderson's next point: the combination of images whose residual is least."""
    residual = [image - x for x, image in zip(tried, images, strict=True)]
    if len(residual) == 1:
        return images[-1]
    differences = np.stack([residual[-1] - r for r in residual[:-1]], axis=1)
    share = np.linalg.lstsq(differences, residual[-1], rcond=1e-10)[0]
    steps = np.stack([images[-1] - image for image in images[:-1]], axis=1)
    return np.asarray(images[-1] - steps @ share)


def guess_of(solution: Solution) -> Guess:
    """Start where the last one ended."""
    return Guess(solution.contact_impulse, solution.joint_impulse)
