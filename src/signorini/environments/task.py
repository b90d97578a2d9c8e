"""What is to be learned: a model, what is seen of it, what is done to it, what is rewarded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.simulation.batch import Worlds

Observe = Callable[[Worlds, Array], Array]
"""(worlds, goals of shape (n, goal)) -> observations, shape (n, observations)."""
Reward = Callable[[Worlds, Worlds, Array, Array], Array]
"""(worlds before, worlds after, actions, goals) -> rewards, shape (n,)."""
Ended = Callable[[Worlds, Array], NDArray[np.bool_]]
"""(worlds, goals) -> whether the episode is over for a reason of the task, shape (n,)."""
Start = Callable[[State, Generator], tuple[State, Array]]
"""(state of the model, random numbers) -> where an episode starts, and its goal, shape (goal,)."""


def start_as_built(state: State, random: Generator) -> tuple[State, Array]:
    """Every episode alike, without a goal."""
    return state, np.zeros(0)


def observe_joints(worlds: Worlds, goal: Array) -> Array:
    """Positions and velocities of the joints, then the goal."""
    return np.hstack((worlds.joint_position, worlds.joint_velocity, goal))


def never_ends(worlds: Worlds, goal: Array) -> NDArray[np.bool_]:
    """Until the horizon."""
    return np.zeros(len(worlds.time), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Task:
    """A task. Actions are numbers from -1 to 1, one for each motor, that stand for targets from `low` to `high`."""

    name: str
    build: Callable[[], Model]
    """Motors that are acted on follow setpoints; see `Simulation.motors`."""
    low: Array
    """Targets of the motors at action -1, shape (motors,)."""
    high: Array
    """At action 1."""
    reward: Reward
    observe: Observe = observe_joints
    ended: Ended = never_ends
    start: Start = start_as_built
    step: float = 0.002
    """Of the simulation [s]."""
    substeps: int = 10
    """Steps of the simulation in one of the environment."""
    horizon: int = 200
    """Steps of the environment after which an episode is cut off."""

    def __post_init__(self) -> None:
        low, high = (np.asarray(part, dtype=np.float64) for part in (self.low, self.high))
        if low.ndim != 1 or low.shape != high.shape or not np.all(np.isfinite(low) & np.isfinite(high) & (low < high)):
            raise ModelError(f"targets go from {self.low} to {self.high}, expected finite numbers, low < high")
        if min(self.substeps, self.horizon) < 1:
            raise ModelError(f"substeps {self.substeps} and horizon {self.horizon}, expected 1 or more")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def targets(self, actions: Array) -> Array:
        """Of the motors, shape (n, motors)."""
        share = 0.5 * (1.0 + np.clip(actions, -1.0, 1.0))
        return np.asarray(self.low + share * (self.high - self.low))
