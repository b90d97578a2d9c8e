"""A force at a point of a body and a torque, constant, as functions of time, or computed by the user's function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from signorini.math.rotations import cross_matrix, matrix
from signorini.math.sparse import Array
from signorini.model.checks import vector
from signorini.model.component import ForceTerm
from signorini.model.functions.function import Function
from signorini.model.state import State
from signorini.model.user_code import called

ForceFunction = Callable[[float, State], Any]
"""(time [s], state) -> force [N], or (force [N], torque [N m])."""
Axes = Literal["world", "body"]
"""The axes in which a force is given; those of a body turn with it."""
Three = tuple[Function, Function, Function]


class Load(Protocol):
    """Force and torque in some axes."""

    def at(self, state: State) -> tuple[Array, Array]:
        """Force [N] and torque [N m], shape (3,) each."""


@dataclass(frozen=True, eq=False)
class TimedLoad:
    """Components as functions of time."""

    force: Three
    """[N]."""
    torque: Three
    """[N m]."""

    def at(self, state: State) -> tuple[Array, Array]:
        """At the time of the state."""
        force, torque = (np.array([f.value(state.time) for f in part]) for part in (self.force, self.torque))
        return force, torque


@dataclass(frozen=True, eq=False)
class UserLoad:
    """The user's function of time and state, whose every answer is checked."""

    function: ForceFunction
    body: str
    """Name, for messages."""

    def at(self, state: State) -> tuple[Array, Array]:
        """At the time of the state."""
        what = f"force on {self.body!r} at t = {state.time:g}"
        answer = called(self.function, what, state.time, state)
        if isinstance(answer, tuple | list) and len(answer) == 2:
            return vector(answer[0], what), vector(answer[1], f"{what}: torque")
        return vector(answer, what), np.zeros(3)


@dataclass(frozen=True, eq=False)
class BodyForce:
    """A force F at a point p of a body and a torque T; explicit in the DVI step.

    Over the velocities of the body it is `(F, p x R'F + R'T)` with F and T in the world and R the body's rotation, or
    `(R F, p x F + T)` with F and T in the axes of the body. Its derivatives leave out what a user's function has.
    """

    name: str
    body: int
    """Index in `Model.bodies`."""
    point: Array
    """p, in the body's frame [m], shape (3,)."""
    axes: Axes
    load: Load
    """F and T."""

    def add(self, state: State, force: Array, torque: Array) -> None:
        """Add to the row of the body; both arrays have shape (bodies, 3), in the world."""
        push, turn = self.load.at(state)
        R = matrix(state.orientation[self.body])
        if self.axes == "body":
            push, turn = R @ push, R @ turn
        force[self.body] += push
        torque[self.body] += turn + np.cross(R @ self.point, push)

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives, as the equations of smooth dynamics need them."""
        push, turn = self.load.at(state)
        R, dq = matrix(state.orientation[self.body]), np.zeros((6, 6))
        if self.axes == "body":
            out = np.concatenate((R @ push, np.cross(self.point, push) + turn))
            dq[:3, 3:] = -R @ cross_matrix(push)
        else:
            here, twist = R.T @ push, R.T @ turn
            out = np.concatenate((push, np.cross(self.point, here) + twist))
            dq[3:, 3:] = cross_matrix(self.point) @ cross_matrix(here) + cross_matrix(twist)
        return ForceTerm(6 * self.body + np.arange(6), out, dq, np.zeros((6, 6)))
