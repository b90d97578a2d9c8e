"""Consistent initial conditions of smooth dynamics: positions, velocities and accelerations."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from signorini.assembly.dynamics import Dynamics, Extra
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.solvers.saddle.interface import SaddleSession
from signorini.stepping.smooth.mass_metric import least_change, solve_with_joints

OPEN = 1e-6
"""Joint errors at the start above this [m, rad] are a mistake of the model; the first step closes smaller ones."""
MOVING = 1e-9
"""Velocities against the joints above this share of the largest one are removed with a warning."""
DIFFERENCE = 1e-5
"""Displacement [m, rad] or time [s], whichever is reached first, of the differences of joint velocities."""


@dataclass(frozen=True, eq=False)
class Start:
    """A consistent beginning."""

    state: State
    rate: Array
    """dv/dt [m/s2, rad/s2], shape (n,)."""
    multipliers: Array
    """[N, N m], shape (rows,)."""
    effort: Array
    """f + C' lambda [N, N m], shape (n,)."""


def begin(dynamics: Dynamics, state: State, session: SaddleSession, extra: Extra) -> Start:
    """Check positions, project velocities on the joints, and solve for accelerations and joint forces."""
    check_closed(dynamics, state)
    state = _with_fitting_velocities(dynamics, state, session)
    rate, multipliers, effort = accelerations(dynamics, state, session, extra)
    return Start(state, rate, multipliers, effort)


def projected(dynamics: Dynamics, state: State, session: SaddleSession, extra: Extra) -> Start:
    """A state with the velocities that the joints allow, and accelerations and joint forces there."""
    joints, v = dynamics.constraints(state), dynamics.displacer.velocities(state)
    answer = least_change(dynamics, joints, session, -(joints.C @ v + joints.rate))
    if answer.ok:
        state = dynamics.displacer.move(state, np.zeros_like(v), v + answer.x, state.time)
    return Start(state, *accelerations(dynamics, state, session, extra))


def check_closed(dynamics: Dynamics, state: State) -> None:
    """Raise `ModelError` naming the joint that is open furthest, if any is."""
    error = np.abs(dynamics.constraints(state).error)
    if len(error) and float(error.max()) > OPEN:
        name, size = dynamics.joints.joint_of(int(error.argmax())), float(error.max())
        raise ModelError(
            f"joint {name!r} is open by {size:.3g} (m or rad) at t = {state.time:g} s; place the bodies where the "
            "joints want them, or pass state=assemble_positions(model).state to the simulation"
        )


def accelerations(dynamics: Dynamics, state: State, session: SaddleSession, extra: Extra) -> tuple[Array, Array, Array]:
    """dv/dt, joint forces and the sum of all forces: `M a - C' lambda = f`, `C a = -d(C v + rate)/dt` at constant v."""
    joints, force = dynamics.constraints(state), dynamics.effort(state, extra).force
    answer = solve_with_joints(dynamics, joints, session, force, -_drift(dynamics, state))
    if not answer.ok:
        raise ModelError(f"the accelerations at t = {state.time:g} s cannot be found: {answer.message}")
    multipliers = session.least(-answer.y)
    return answer.x, multipliers, force + joints.C.T @ multipliers


def jerk(dynamics: Dynamics, start: Start, session: SaddleSession, extra: Extra) -> Array:
    """d2v/dt2 by a difference of accelerations a short way on [m/s3, rad/s3], shape (n,)."""
    v = dynamics.displacer.velocities(start.state)
    t = _short_time(v, start.rate)
    s = t * v + 0.5 * t * t * start.rate
    later = dynamics.displacer.move(start.state, s, v + t * start.rate, start.state.time + t)
    rate, _, _ = accelerations(dynamics, later, session, extra)
    return np.asarray((rate - start.rate) / t)


def _with_fitting_velocities(dynamics: Dynamics, state: State, session: SaddleSession) -> State:
    """The nearest velocities, in the metric of the masses, that the joints allow."""
    joints, v = dynamics.constraints(state), dynamics.displacer.velocities(state)
    slip = joints.C @ v + joints.rate
    speed = max(float(np.abs(v).max(initial=0.0)), float(np.abs(joints.rate).max(initial=0.0)))
    worst = float(np.abs(slip).max(initial=0.0))
    if worst == 0.0:
        return state
    answer = least_change(dynamics, joints, session, -slip)
    if not answer.ok:
        raise ModelError(f"no velocities fit the joints at t = {state.time:g} s: {answer.message}")
    left = np.abs(slip + joints.C @ answer.x)
    if float(left.max()) > 1e-6 * max(worst, speed):
        name = dynamics.joints.joint_of(int(left.argmax()))
        raise ModelError(f"joint {name!r} asks for a velocity that the other joints forbid at t = {state.time:g} s")
    if worst > MOVING * speed:
        name = dynamics.joints.joint_of(int(np.abs(slip).argmax()))
        warnings.warn(
            f"velocities at t = {state.time:g} s do not fit joint {name!r} by {worst:.2g} (m/s or rad/s); "
            "the nearest ones that fit are taken",
            stacklevel=2,
        )
    return dynamics.displacer.move(state, np.zeros_like(v), v + answer.x, state.time)


def _drift(dynamics: Dynamics, state: State) -> Array:
    """d/dt of `C v + rate` at constant unknown velocities: one-sided differences of three points."""
    v = dynamics.displacer.velocities(state)
    if not dynamics.joints.rows:
        return np.zeros(0)
    t = _short_time(v, np.zeros_like(v))
    values = []
    for k in range(3):
        joints = dynamics.constraints(dynamics.displacer.move(state, k * t * v, v, state.time + k * t))
        values.append(joints.C @ v + joints.rate)
    return np.asarray((4.0 * values[1] - 3.0 * values[0] - values[2]) / (2.0 * t))


def _short_time(v: Array, a: Array) -> float:
    speed, pull = float(np.abs(v).max(initial=0.0)), float(np.abs(a).max(initial=0.0))
    return DIFFERENCE / max(1.0, speed, float(np.sqrt(DIFFERENCE * pull)))
