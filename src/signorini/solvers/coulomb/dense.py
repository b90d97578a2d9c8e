"""Small problems: joints are taken out by orthonormal rows, the contacts that remain are one compiled call."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.interior import dense_solve as kernels
from signorini.kernels.interior.dense_step import StepRules
from signorini.kernels.interior.exact_workspace import ExactRules
from signorini.kernels.interior.starts import WarmRules
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton import rules as path_rules
from signorini.solvers.cone_newton.standard_form import round_off_scale
from signorini.solvers.coulomb import rules
from signorini.solvers.coulomb.joint_plane import contacts_of, joint_plane
from signorini.solvers.coulomb.search import Iterate

MOST_ROWS = 96
"""Contact rows; beyond, sparse factorisations are faster."""
WARM_RULES = WarmRules(path_rules.SMALLEST_SCALE, path_rules.FAR, rules.ENTER_DENSE, path_rules.WARM_LEAST)
SHARES = np.array(rules.SHARES)


def is_dense(problem: ContactProblem) -> bool:
    """Whether the compiled loop can take the problem: few impulses; half-lines, Coulomb cones and intervals."""
    cones = problem.cones
    few = 0 < problem.contact_rows <= MOST_ROWS and not cones.is_rolling.any() and not np.any(cones.dims == 2)
    return few and (problem.joint_rows == 0 or problem.mass.factor is not None)


def solve_dense(
    problem: ContactProblem, guess: Array | None, tolerance: float, most: int, delta: float
) -> tuple[Iterate, float, int]:
    """(answer, error, factorisations) from the contact impulses of a guess; the error is `Certificate.scaled`."""
    plane = joint_plane(problem)
    part = contacts_of(problem) if plane is None else plane.contacts()
    cones = problem.cones
    root, size = units(problem)
    impulse = np.zeros(problem.contact_rows) if guess is None else guess.copy()
    _, error, count = kernels.solve(
        cones.start, cones.friction, np.column_stack((cones.low, cones.high)), part.N, part.r, root, size,
        round_off_scale(problem), guess is not None, impulse, exact_rules(tolerance, most), step_rules(delta),
        WARM_RULES, SHARES,
    )  # fmt: skip
    answer = Iterate(impulse, np.zeros(0)) if plane is None else plane.iterate(impulse)
    return answer, error, count


def units(problem: ContactProblem) -> tuple[Array, float]:
    """Root of energy per impulse of each row, and the size of the slips without impulses in these units."""
    if problem.cones.is_plain:
        root = math.sqrt(problem.mean_weight)
        return np.full(problem.contact_rows, root), (problem.slip_size or 1.0) / root
    scale = problem.natural_map_scale
    return scale.root, scale.size


def exact_rules(tolerance: float, most: int) -> ExactRules:
    """With at most this many factorisations."""
    return ExactRules(
        tolerance, most, rules.ACCURATE, rules.FAMILIAR_DENSE, rules.FINISH_BELOW, rules.FINISH_AGAIN,
        rules.GAIN, rules.RECENTRE, rules.SHORT, rules.LONG, rules.LIFT, rules.MOST_RESTARTS,
        rules.COLD, 0.0,
    )  # fmt: skip


def step_rules(delta: float) -> StepRules:
    """With the regularisation `delta`."""
    p = path_rules
    return StepRules(
        rules.FRACTION, rules.CORRECTORS_DENSE, delta, rules.REFINEMENTS, p.WORTH_WHILE, p.ENOUGH, p.LONGER, p.PAYS,
        p.CENTRAL_LOW, p.CENTRAL_HIGH, p.LEAST_CENTRING, p.STUCK,
    )  # fmt: skip
