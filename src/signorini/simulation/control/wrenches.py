"""Forces and torques that a controller puts on bodies between steps."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.math.cached import cached_property
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.checks import vector
from signorini.model.component import Force
from signorini.model.model import Model
from signorini.model.parts import BodyLike
from signorini.model.state import State
from signorini.problem.errors import ModelError

NONE = np.zeros((0, 6))


class Wrenches:
    """Force [N] and torque [N m] about the centre of mass of each body, both in the axes of the world.

    >>> sim.wrenches["trunk"] = (0, 0, 30, 0, 0, 0)  # held until it is set again

    What `Simulation.apply_force` adds counts for the next step alone. Both are constant within a step.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._mark: NDArray[np.bool_] = np.zeros(1, dtype=np.bool_)

    def __repr__(self) -> str:
        return f"Wrenches({len(self._model.bodies)} bodies, {'some set' if self._active else 'none set'})"

    @property
    def _active(self) -> bool:
        return self._mark.item()

    @_active.setter
    def _active(self, value: bool) -> None:
        self._mark[0] = value

    def mark_in(self, mark: NDArray[np.bool_]) -> None:
        """Keep in an array of shape (1,) whether there are any."""
        mark[0] = self._active
        self._mark = mark

    @cached_property
    def held(self) -> Array:
        """Act in every step, shape (bodies, 6)."""
        return np.zeros((len(self._model.bodies), 6))

    @cached_property
    def once(self) -> Array:
        """Act in the next step alone, shape (bodies, 6)."""
        return np.zeros((len(self._model.bodies), 6))

    def __getitem__(self, body: BodyLike) -> Array:
        """A copy of the held force and torque on a body, shape (6,)."""
        return np.array(self.held[self._model.body_index(body)])

    def __setitem__(self, body: BodyLike, wrench: ArrayLike) -> None:
        """Hold a force and torque on a body."""
        index = self._movable(body)
        self.held[index] = vector(wrench, f"wrench on {self._model.bodies[index].name!r}", 6)
        self._active = True

    def add_once(self, body: BodyLike, force: Array, torque: Array, arm: Array) -> None:
        """Add a force at `arm` [m] from the centre of mass, and a torque, in the next step; all in the world."""
        row = self.once[self._movable(body)]
        row[:3] += force
        row[3:] += torque + np.cross(arm, force)
        self._active = True

    def clear(self) -> None:
        """No forces."""
        if self._active:
            self.held[:], self.once[:], self._active = 0.0, 0.0, False

    def after_step(self) -> None:
        """Forget what was for one step."""
        if self._active:
            self.once[:] = 0.0
            self._active = bool(self.held.any())

    @property
    def active(self) -> bool:
        """Whether any force or torque was set."""
        return self._active

    def copies(self) -> tuple[Array, Array]:
        """Held ones and those of the next step."""
        return (self.held.copy(), self.once.copy()) if self._active else (NONE, NONE)

    def put(self, held: Array, once: Array) -> None:
        """What `copies` gave."""
        if not len(held):
            self.clear()
            return
        self.held[:], self.once[:], self._active = held, once, True

    def add(self, state: State, force: Array, torque: Array) -> None:
        """As a `Force` of the model."""
        total = self.held + self.once
        force += total[:, :3]
        torque += total[:, 3:]

    def _movable(self, body: BodyLike) -> int:
        index = self._model.body_index(body)
        found: Body = self._model.bodies[index]
        if not found.movable:
            raise ModelError(f"a wrench on {found.name!r} has no effect: it is fixed or has a motion")
        return index


class ActingForces(Sequence[Force]):
    """Forces of a model, and wrenches while there are any."""

    def __init__(self, own: list[Force], wrenches: Wrenches) -> None:
        self._own, self._wrenches = own, wrenches

    def __len__(self) -> int:
        return len(self._own) + self._wrenches.active

    @overload
    def __getitem__(self, index: int) -> Force: ...
    @overload
    def __getitem__(self, index: slice) -> list[Force]: ...
    def __getitem__(self, index: int | slice) -> Force | list[Force]:
        every = [*self._own, self._wrenches] if self._wrenches.active else self._own
        return every[index]


def model_with_wrenches(model: Model, wrenches: Wrenches) -> Model:
    """The same model, its parts shared, with wrenches: the model of the steps of one simulation."""
    same = copy.copy(model)
    same.forces = cast("list[Force]", ActingForces(model.forces, wrenches))
    return same


def world_arm(body: Body, orientation: Array, point: Array) -> Array:
    """From the centre of mass to a point of the frame in which the shapes were given, in the world [m]."""
    return np.asarray(rotate(orientation, point - body.center_of_mass))
