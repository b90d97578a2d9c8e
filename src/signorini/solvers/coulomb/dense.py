"""Small problems: joints are taken out by orthonormal rows, the contacts that remain are one compiled call."""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior import dense_exact as kernels
from signorini.kernels.interior.dense_path import StepRules
from signorini.kernels.interior.exact_workspace import ExactRules, workspace
from signorini.kernels.interior.starts import WarmRules
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.cone_newton import rules as path_rules
from signorini.solvers.cone_newton.cone_map import DiagonalMap, block_scale
from signorini.solvers.cone_newton.standard_form import round_off_scale
from signorini.solvers.coulomb import rules
from signorini.solvers.coulomb.joint_plane import contacts_of, joint_plane
from signorini.solvers.coulomb.search import Iterate

MOST_ROWS = 96
"""Contact rows; beyond, sparse factorisations are faster."""
WARM_RULES = WarmRules(path_rules.SMALLEST_SCALE, path_rules.FAR, rules.ENTER, path_rules.WARM_LEAST)
SHARES = np.array(rules.SHARES)


def is_dense(problem: ContactProblem) -> bool:
    """Whether the compiled loop can take the problem: few impulses, half-lines and Coulomb cones."""
    few = 0 < problem.contact_rows <= MOST_ROWS and problem.cones.is_plain
    return few and (problem.joint_rows == 0 or problem.mass.factor is not None)


def solve_dense(
    problem: ContactProblem, guess: Array | None, tolerance: float, most: int, delta: float
) -> tuple[Iterate, float, int]:
    """(answer, error, factorisations) from the contact impulses of a guess; the error is `Certificate.scaled`."""
    plane = joint_plane(problem)
    part = contacts_of(problem) if plane is None else plane.contacts()
    bare = DiagonalMap.of(problem.cones)
    kept = bare.contact_row
    N = part.N[np.ix_(kept, kept)]
    T = bare.factor * block_scale(np.diag(N) * bare.factor**2, bare.start)
    r = T * part.r[kept]
    scale = (float(np.abs(r).max()) or 1.0) * round_off_scale(problem)
    unit = np.array([T * scale, scale / T])
    rho, size = 1.0 / problem.mean_weight, problem.slip_size or 1.0
    work = workspace(len(kept), problem.contacts, SHARES)
    if guess is not None:
        work.best[:] = guess[kept] / unit[0]
    _, error, count = kernels.solve(
        bare.start, T[:, None] * N * T, r / scale, guess is not None, unit, rho,
        _rules(rho * size, tolerance, most), _step_rules(delta), WARM_RULES, work,
    )  # fmt: skip
    impulse = np.zeros(problem.contact_rows)
    impulse[kept] = work.best * unit[0]
    answer = Iterate(impulse, np.zeros(0)) if plane is None else plane.iterate(impulse)
    return answer, error / (rho * size), count


def _rules(unit: float, tolerance: float, most: int) -> ExactRules:
    """`unit` is what an error of 1 is to the kernel."""
    return ExactRules(
        tolerance * unit, most, rules.ACCURATE, rules.FAMILIAR * unit, rules.FINISH_BELOW * unit, rules.FINISH_AGAIN,
        rules.GAIN, rules.RECENTRE, rules.SHORT, rules.LONG, rules.LIFT, rules.MOST_RESTARTS,
    )  # fmt: skip


def _step_rules(delta: float) -> StepRules:
    p = path_rules
    return StepRules(
        rules.FRACTION, rules.CORRECTORS, delta, rules.REFINEMENTS, p.WORTH_WHILE, p.ENOUGH, p.LONGER, p.PAYS,
        p.CENTRAL_LOW, p.CENTRAL_HIGH, p.LEAST_CENTRING, p.STUCK,
    )  # fmt: skip
