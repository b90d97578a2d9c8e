"""Impulses recovered from velocities: the use of a guess without impulses.

The slips of a known v tell what each contact does. One that parts has no impulse, one that slides pushes along one ray
of its cone, one that stands still may push along any. Of the momentum balance `C'gamma + D'lambda = H v + c`
much is left open where contacts are redundant; its smallest solution is an answer wherever bodies go on as they were.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from signorini.math.sparse import Array, Csr
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import multiply
from signorini.problem.solution import Guess
from signorini.solvers.cone_newton.rules import NEAR_ANSWER

ACCURACY = 1e-13
MOST_ROUNDS = 500
"""Products with the rows; beyond, the interior point is cheaper."""
STILL = 1e-7
"""Slips below this share of `slip_size` are none."""


def may_go_on(problem: ContactProblem, velocity: Array) -> bool:
    """Whether the velocity is admissible: no contact closes, except against a spring."""
    if problem.is_dual_only or not problem.contact_rows:
        return False
    y = multiply(problem.D, velocity) - problem.b_lambda
    return bool(problem.E.nnz) or float(problem.cones.dual_violation(y).max()) <= NEAR_ANSWER * problem.slip_size


def recovered(problem: ContactProblem, velocity: Array) -> Guess | None:
    """A guess with the impulses that explain `velocity`; None if their error is too large."""
    y = multiply(problem.D, velocity) - problem.b_lambda
    free = not problem.cones.is_plain or bool(problem.E.nnz)
    push = sp.eye_array(problem.contact_rows) if free else directions(problem.cones, y, STILL * problem.slip_size)
    light = 1.0 / np.sqrt(problem.H.diagonal())
    rows = sp.vstack([push.T @ problem.D, problem.C], format="csr") * light
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1))
    scale = 1.0 / np.where(length > 0, length, 1.0)
    momentum = light * (multiply(problem.H, velocity) + problem.c)
    x = scale * lsmr((sp.diags_array(scale) @ rows).T, momentum, atol=ACCURACY, btol=ACCURACY, maxiter=MOST_ROUNDS)[0]
    count = push.shape[1]
    impulse, joint_impulse = problem.cones.project(np.asarray(push @ x[:count])), x[count:]
    # Measured with the velocities that the impulses cause: those of the guess would hide errors of the impulses.
    caused = problem.velocity_of(impulse, joint_impulse)
    if not measure(problem, caused, impulse, joint_impulse).error < NEAR_ANSWER:
        return None
    return Guess(impulse, joint_impulse, caused)


def directions(cones: Cones, slip: Array, still: float) -> Csr:
    """Admissible directions of contact impulses, given the slips: columns, shape (contact rows, directions).

    Slips below `still` [m/s] are none.
    """
    first, dims = cones.start[:-1], cones.dims
    squares = slip * slip
    squares[first] = 0.0
    tangent = np.sqrt(np.add.reduceat(squares, first))
    parts = slip[first] - cones.friction * tangent > still
    slides = ~parts & (tangent > still) & (dims > 1)
    of_row = np.repeat(np.arange(cones.count), dims)
    sticking = np.flatnonzero(~(parts | slides)[of_row])
    sliding = np.flatnonzero(slides[of_row])
    block = of_row[sliding]
    along = np.where(
        sliding == first[block], 1.0, -cones.friction[block] * slip[sliding] / np.where(slides, tangent, 1.0)[block]
    )
    column = len(sticking) + (np.cumsum(slides) - 1)[block]
    entries = (np.concatenate((np.ones(len(sticking)), along)),
               (np.concatenate((sticking, sliding)), np.concatenate((np.arange(len(sticking)), column))))  # fmt: skip
    return sp.csr_array(entries, shape=(cones.rows, len(sticking) + int(slides.sum())))
