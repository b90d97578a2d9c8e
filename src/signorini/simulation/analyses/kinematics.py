"""The motion of a mechanism whose motors leave it no freedom, and the forces that it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from signorini.assembly.dynamics import Dynamics, nothing
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation.analyses.mobility import mobility
from signorini.solvers.saddle.direct import Direct, DirectSession
from signorini.stepping.smooth.initial import accelerations
from signorini.stepping.smooth.mass_metric import least_change

CLOSED = 1e-11
"""Joint errors of a position that is found [m, rad]."""
MOST_ITERATIONS = 50


@dataclass(frozen=True, eq=False)
class Kinematics:
    """The motion at a series of times; forces follow from it (inverse dynamics)."""

    times: Array
    """[s], shape (times,)."""
    states: tuple[State, ...]
    """Positions and velocities."""
    acceleration: Array
    """Of the movable bodies: linear in the world, angular in body axes [m/s2, rad/s2], shape (times, movable, 6)."""
    joint_force: Array
    """Of each row of the joints and motors [N, N m], shape (times, rows)."""

    def position(self, body: int) -> Array:
        """Of a body over time [m], shape (times, 3)."""
        return np.stack([state.position[body] for state in self.states])


def kinematic_analysis(model: Model, times: ArrayLike, state: State | None = None) -> Kinematics:
    """Positions, velocities, accelerations and joint forces at the given times, each found from the one before.

    Raises `ModelError` when motors and joints leave degrees of freedom, and `SimulationError` naming the joint when the
    mechanism cannot follow.
    """
    start = model.initial_state() if state is None else state
    free = mobility(model, start).degrees_of_freedom
    if free:
        raise ModelError(
            f"the mechanism has {free} degrees of freedom left, expected none: drive them by add_motor or add_pose, or "
            "simulate it"
        )
    dynamics, session = Dynamics(model, start), Direct().session()
    now, v = start, np.zeros(dynamics.size)
    states, rates, forces = [], [], []
    for time in np.asarray(times, dtype=np.float64).reshape(-1):
        guess = dynamics.displacer.move(now, (time - now.time) * v, v, float(time))
        now, v = _position(dynamics, session, guess)
        rate, multipliers, _ = accelerations(dynamics, now, session, nothing)
        states.append(now)
        rates.append(rate[: 6 * len(dynamics.masses.movable)].reshape(-1, 6))
        forces.append(multipliers)
    return Kinematics(np.asarray(times, dtype=np.float64).reshape(-1), tuple(states), np.stack(rates), np.stack(forces))


def _position(dynamics: Dynamics, session: DirectSession, state: State) -> tuple[State, Array]:
    """The state nearby that the joints ask for at its time, and its velocities."""
    v = dynamics.displacer.velocities(state)
    for _ in range(MOST_ITERATIONS):
        joints = dynamics.constraints(state)
        if float(np.abs(joints.error).max(initial=0.0)) <= CLOSED:
            v = least_change(dynamics, joints, session, -joints.rate).x
            left = np.abs(joints.C @ v + joints.rate)
            if float(left.max(initial=0.0)) > 1e-6 * max(float(np.abs(joints.rate).max(initial=0.0)), 1e-300):
                _stuck(dynamics, state, left, "asks for a velocity that the others forbid")
            return dynamics.displacer.move(state, np.zeros_like(v), v, state.time), v
        step = least_change(dynamics, joints, session, -joints.error).x
        step = step * min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        state = dynamics.displacer.move(state, step, v, state.time)
    _stuck(dynamics, state, np.abs(joints.error), "cannot be followed: the mechanism does not reach there")
    raise AssertionError  # not reached


def _stuck(dynamics: Dynamics, state: State, error: Array, story: str) -> None:
    name = dynamics.joints.joint_of(int(error.argmax()))
    raise SimulationError(f"t = {state.time:g} s: joint {name!r} {story} (off by {float(error.max()):.2g})")
