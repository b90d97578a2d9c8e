"""Where a mechanism comes to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.constraints import Constraints
from signorini.assembly.dynamics import Dynamics, Extra, nothing
from signorini.assembly.effort import Effort, Weights
from signorini.assembly.geometric import geometric_stiffness
from signorini.collision.detector import Detector
from signorini.math.sparse import Array, Csr
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.solution import Status
from signorini.solvers.saddle.direct import Direct
from signorini.solvers.saddle.interface import SaddleSolver
from signorini.stepping.penalty import NO_STRETCH, Penalty, PenaltyStep, inverse_masses

LARGEST_STEP = 0.3
"""Displacement of one iteration [m, rad]."""
FIRST_TIME, GROWTH, SHRINKAGE = 0.1, 3.0, 0.2
"""Pseudo time [s] of the first iteration, and its change after good and bad ones."""
WORSE = 3.0
"""A larger rise of the imbalance in one iteration shortens the next one; on the way downhill it may rise a little."""
SHORTEST = 1e-4
"""Shortest pseudo time [s]."""
MOST_ITERATIONS = 500
CLOSED = 1e-10
"""Joint errors allowed [m, rad]."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state in which all forces balance."""

    state: State
    """At rest."""
    joint_force: Array
    """Of each row of the joints [N, N m]."""
    imbalance: float
    """Largest force or torque that nothing balances [N, N m]."""
    residual: float
    """The same relative to the forces that act [-]."""
    joint_error: float
    """[m, rad]."""
    iterations: int
    status: Status
    unbalanced: str
    """Body with that imbalance, empty when there is none."""


def static_equilibrium(
    model: Model,
    state: State | None = None,
    tolerance: float = 1e-10,
    contact: Penalty | None = None,
    solver: SaddleSolver | None = None,
) -> Equilibrium:
    """Find rest near a state: `f(q, 0) + C' lambda = 0`, `Psi = 0`.

    By implicit steps in pseudo time without inertia, `(M/tau^2 - dF/dq - d(C' lambda)/dq) dq - C' dlambda = imbalance`,
    whose tau grows as long as the stiffness is positive along the step: the path runs downhill to a stable equilibrium
    and ends as Newton's method.

    Parameters
    ----------
    tolerance
        On the imbalance, relative to the forces that act [-].
    contact
        Law of contacts; None lets bodies pass through one another.
    """
    start = model.initial_state() if state is None else state
    dynamics = Dynamics(model, start)
    extra = _contacts(dynamics, contact)
    session = (Direct() if solver is None else solver).session()
    still, lam, tau, last = np.zeros(dynamics.size), np.zeros(dynamics.joints.rows), FIRST_TIME, np.inf
    now = dynamics.displacer.move(start, still, still, start.time)
    status, k = Status.ITERATION_LIMIT, 0
    while True:
        effort, joints = dynamics.effort(now, extra), dynamics.constraints(now)
        r, residual = _imbalance(dynamics, effort, joints, lam)
        error = float(np.abs(joints.error).max(initial=0.0))
        if residual <= tolerance and error <= CLOSED:
            status, lam = Status.SOLVED, session.least(lam) if k else lam
            break
        if k == MOST_ITERATIONS:
            break
        tau *= GROWTH if residual < WORSE * last else SHRINKAGE
        tau, last, k = min(max(tau, SHORTEST), 1e8), residual, k + 1
        H = dynamics.jacobian(now, effort, still, Weights(1.0, 0.0, tau * tau))
        H = Csr(H - tau * tau * geometric_stiffness(dynamics, now, lam))
        # Unknowns are dq/tau^2, so that H stays of the size of the masses.
        if session.factor(H, joints.C):
            tau *= SHRINKAGE
            continue
        answer = session.solve(r, -joints.error / tau**2)
        step = tau**2 * answer.x
        if float(answer.x @ (H @ answer.x)) < 0.0 and tau > SHORTEST:
            tau *= SHRINKAGE / GROWTH  # uphill: the stiffness is negative along this way
            last = np.inf
            continue
        step = step * min(1.0, LARGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        lam = session.trim(lam - answer.y)
        now = dynamics.displacer.move(now, step, still, start.time)
    body = "" if status is Status.SOLVED else _owner(dynamics, int(np.abs(r).argmax()))
    return Equilibrium(now, lam, float(np.abs(r).max(initial=0.0)), residual, error, k, status, body)


def _imbalance(dynamics: Dynamics, effort: Effort, joints: Constraints, lam: Array) -> tuple[Array, float]:
    r = effort.force + joints.push(lam)
    size = float((effort.size + joints.push(np.abs(lam), np.abs(joints.C.data))).max(initial=0.0))
    return r, float(np.abs(r).max(initial=0.0)) / size if size > 0 else 0.0


def _owner(dynamics: Dynamics, row: int) -> str:
    """Name of the body that an unknown belongs to."""
    masses, model = dynamics.masses, dynamics.model
    if row < 6 * len(masses.movable):
        return model.bodies[int(masses.movable[row // 6])].name
    node = int(masses.free[(row - 6 * len(masses.movable)) // 3])
    return next(body.name for body in model.flexibles if body.first <= node < body.first + body.count)


def _contacts(dynamics: Dynamics, contact: Penalty | None) -> Extra:
    if contact is None:
        return nothing
    return PenaltyStep(contact, Detector(dynamics.model), inverse_masses(dynamics.model), 0.0, *NO_STRETCH)
