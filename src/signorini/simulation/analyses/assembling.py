"""Closing the joints of a model whose bodies were placed roughly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.constraints import Constraints
from signorini.assembly.dynamics import Dynamics
from signorini.math.rotations import conjugate, logarithm, multiply
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.solution import Status
from signorini.solvers.saddle.direct import Direct
from signorini.stepping.smooth.mass_metric import least_change, solve_with_joints

LARGEST_TURN = 0.5
"""Of one iteration [rad]: the joints are linear for small turns only."""
TOLERANCE = 1e-12
"""Joint errors below this are closed, corrections below it are none [m, rad]."""
MOST_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Assembly:
    """A model with its joints closed, as far as they can be."""

    state: State
    """Positions and velocities that fit the joints."""
    status: Status
    """SOLVED, or INFEASIBLE when the joints cannot all be closed from here."""
    iterations: int
    before: float
    """Largest joint error at the start [m, rad]."""
    after: float
    """Largest joint error in the end [m, rad]."""
    worst: str
    """Joint with that error, empty when all are closed."""
    moved: dict[str, tuple[float, float]]
    """Body -> how far it was moved [m] and turned [rad], of those that were."""
    speed_change: float
    """Largest change of a velocity [m/s, rad/s]."""


def assemble_positions(model: Model, state: State | None = None) -> Assembly:
    """Move the bodies the least, in the metric of their masses, to where all joints are closed; then fit velocities.

    With d the displacement from the start, `min 1/2 d'M d` subject to `Psi = 0`, by Newton's method without the second
    derivatives of the joints.
    """
    start = model.initial_state() if state is None else state
    dynamics, session = Dynamics(model, start), Direct().session()
    now, v = start, dynamics.displacer.velocities(start)
    before = _worst(dynamics.constraints(start))
    size, iterations = np.inf, 0
    while iterations < MOST_ITERATIONS:
        joints = dynamics.constraints(now)
        if iterations and size < TOLERANCE and _worst(joints) < TOLERANCE:
            break
        pull = -(dynamics.M @ _displacement(dynamics, start, now))
        step = solve_with_joints(dynamics, joints, session, pull, -joints.error).x
        step = step * min(1.0, LARGEST_TURN / max(_largest_turn(dynamics, step), 1e-300))
        now = dynamics.displacer.move(now, step, v, start.time)
        size, iterations = float(np.abs(step).max(initial=0.0)), iterations + 1
    joints = dynamics.constraints(now)
    after = _worst(joints)
    new = v + least_change(dynamics, joints, session, -(joints.C @ v + joints.rate)).x
    closed = after < 1e3 * TOLERANCE
    return Assembly(
        state=dynamics.displacer.move(now, np.zeros(dynamics.size), new, start.time),
        status=Status.SOLVED if closed else Status.INFEASIBLE,
        iterations=iterations,
        before=before,
        after=after,
        worst="" if closed else dynamics.joints.joint_of(int(np.abs(joints.error).argmax())),
        moved=_moved(model, start, now),
        speed_change=float(np.abs(new - v).max(initial=0.0)),
    )


def _worst(joints: Constraints) -> float:
    return float(np.abs(joints.error).max(initial=0.0))


def _displacement(dynamics: Dynamics, start: State, now: State) -> Array:
    """From start to now over the unknowns [m, rad]."""
    movable = dynamics.masses.movable
    turn = logarithm(multiply(conjugate(start.orientation[movable]), now.orientation[movable]))
    bodies = np.hstack((now.position[movable] - start.position[movable], turn)).reshape(-1)
    nodes = (now.node_position - start.node_position)[dynamics.masses.free]
    return np.concatenate((bodies, nodes.reshape(-1)))


def _largest_turn(dynamics: Dynamics, step: Array) -> float:
    turns = step[: 6 * len(dynamics.masses.movable)].reshape(-1, 6)[:, 3:]
    return float(np.linalg.norm(turns, axis=1).max(initial=0.0))


def _moved(model: Model, start: State, now: State) -> dict[str, tuple[float, float]]:
    out = {}
    turns = np.linalg.norm(logarithm(multiply(conjugate(start.orientation), now.orientation)), axis=1)
    shifts = np.linalg.norm(now.position - start.position, axis=1)
    for body, shift, turn in zip(model.bodies, shifts, turns, strict=True):
        if body.movable and max(shift, turn) > TOLERANCE:
            out[body.name] = (float(shift), float(turn))
    return out
