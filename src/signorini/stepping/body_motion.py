"""How velocities move the bodies of a model through one step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.kernels.bodies import gyroscopic, poses
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Indices
from signorini.model.body import Motion
from signorini.model.flexible_body import HeldNodes
from signorini.model.motion import velocity_between
from signorini.model.state import State
from signorini.stepping.contact_model import StepSolution
from signorini.stepping.traffic import Traffic

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """`x <- x + h v` and `q <- q exp(h w)` [Mangoni2018, eq. 3.1]; prescribed motions take their bodies along."""

    masses: Masses
    h: float
    """Time step [s]."""
    turns_freely: bool
    """Whether bodies with different moments of inertia turn freely, to second order, instead of by `exp(h w)`."""
    motions: tuple[tuple[int, Motion], ...] = ()
    """Of the kinematic bodies, with their indices."""
    held: tuple[HeldNodes, ...] = ()
    """Nodes of flexible bodies whose motion is prescribed."""
    traffic: Traffic | None = None
    """Brings bodies into the scene and removes them; None where all are there all the time."""

    def begin(self, state: State, number: int = 0) -> State:
        """The state with kinematic bodies at the constant velocity that takes them through the coming step, and with
        the bodies that come into the scene in step `number`."""
        if self.traffic is not None and number:
            state = self.traffic.enter(number, state)
        if not self.motions and not self.held:
            return state
        new, end = state.copy(), state.time + self.h
        for i, motion in self.motions:
            new.velocity[i], new.angular_velocity[i] = velocity_between(motion, state.time, end)
        for held in self.held:
            new.node_velocity[held.nodes] = held.velocity(state.time, end)
        return new

    def end(self, state: State) -> State:
        """The end of the step without the bodies that left the scene."""
        return state if self.traffic is None else self.traffic.leave(state)

    def shifted(self, state: State, answer: StepSolution) -> State:
        """The state that the step starts from: itself, or displaced where bodies bounce within the step."""
        if answer.shift is None:
            return state
        new = state.copy()
        self._move(new, answer.shift[: 6 * len(self.masses.movable)], 1.0)
        return new

    def advance(self, time: float, state: State, velocity: Array, tumbling: Indices = NONE) -> State:
        """The state at `time` [s], at the end of the step: bodies by velocities, kinematic ones by their motion.

        Bodies with gyroscopic torque turn freely to second order, except those at the places `tumbling`.
        """
        masses, movable, free = self.masses, self.masses.movable, self.masses.free
        position, orientation, linear, spin = poses.copies(team(len(state.position)), *state.rigid)
        new = State(time, position, orientation, linear, spin, state.node_position.copy(), state.node_velocity.copy())
        if len(free):
            new.node_velocity[free] = velocity[6 * len(movable) :].reshape(-1, 3)
            new.node_position[free] += self.h * new.node_velocity[free]
        self._move(new, velocity[: 6 * len(movable)], self.h)
        if len(masses.wobbling) and self.turns_freely:
            turning = (state.orientation, new.orientation, new.angular_velocity)
            which = np.setdiff1d(masses.wobbling, tumbling) if len(tumbling) else masses.wobbling
            gyroscopic.turn_freely(which, movable, masses.inertia, self.h, *turning)
        self.follow_motions(state, new)
        return new

    def _move(self, state: State, velocity: Array, h: float) -> None:
        """Move the movable bodies of a state, in place, for h [s] with these velocities, which become theirs."""
        movable, new = self.masses.movable, np.ascontiguousarray(velocity).reshape(-1, 6)
        poses.advance(team(len(movable)), movable, new, h, *state.rigid)

    def follow_motions(self, before: State, now: State) -> None:
        """Put kinematic bodies and held nodes of a state where their motions say; `before` is the state before it."""
        for i, motion in self.motions:
            position, orientation = motion(now.time)
            # The nearer quaternion of the two: angles of joints count turns by their sign.
            same = float(orientation @ before.orientation[i]) >= 0.0
            now.position[i], now.orientation[i] = position, orientation if same else -orientation
        for held in self.held:
            now.node_position[held.nodes] = held.position(now.time)
