"""Episodes of a task in many worlds, before any interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from signorini.environments.task import Task
from signorini.math.sparse import Array
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation.batch import Batch


class Outcome(NamedTuple):
    """Of a step of all worlds."""

    observation: Array
    """Shape (n, observations)."""
    reward: Array
    """Shape (n,)."""
    terminated: NDArray[np.bool_]
    """Over for a reason of the task, or because the simulation cannot go on."""
    truncated: NDArray[np.bool_]
    """Cut off at the horizon."""


class Rollouts:
    """Steps a task in a `Batch`."""

    def __init__(self, task: Task, worlds: int, threads: int | None = None, **options: Any) -> None:
        self.task = task
        self.batch = Batch(task.build(), worlds, threads=threads, step=task.step, **options)
        if len(self.batch.motors) != len(task.low):
            raise ModelError(
                f"task {task.name!r} has targets of {len(task.low)} motors, its model {len(self.batch.motors)} with "
                f"setpoints: {', '.join(self.batch.motors) or 'none'}"
            )
        self._built = self.batch.worlds[0].state.copy()
        goal = task.start(self._built.copy(), np.random.default_rng(0))[1]
        self.goals = np.zeros((worlds, len(goal)))
        self.elapsed = np.zeros(worlds, dtype=np.int64)
        self._now, self._begun = self.batch.read(), False
        self.observations = task.observe(self._now, self.goals).shape[1]

    def __len__(self) -> int:
        return len(self.batch)

    def reset(self, worlds: Sequence[int], generators: Sequence[Generator]) -> Array:
        """Start episodes in some worlds, each with its random numbers; observations of all worlds."""
        self._begun = True
        starts = [self.task.start(self._built.copy(), random) for random in generators]
        self._now = self.batch.reset(worlds, [state for state, _ in starts])
        for k, (_, goal) in zip(worlds, starts, strict=True):
            self.goals[k], self.elapsed[k] = goal, 0
        return self.observe()

    def observe(self) -> Array:
        """Of all worlds now."""
        return np.asarray(self.task.observe(self._now, self.goals), dtype=np.float64)

    def step(self, actions: Array, worlds: Sequence[int]) -> Outcome:
        """Act in some worlds; entries of the others mean nothing."""
        task, before = self.task, self._now
        if not self._begun:
            raise SimulationError("no episode has begun; call reset() first")
        expected = (len(self), len(task.low))
        if actions.shape != expected:
            raise SimulationError(f"actions have shape {actions.shape}, expected (worlds, motors) = {expected}")
        after = self.batch.step(task.targets(actions), steps=task.substeps, worlds=worlds)
        self._now = after
        self.elapsed[list(worlds)] += 1
        ended = np.asarray(task.ended(after, self.goals), dtype=np.bool_) | self.batch.failed
        reward = np.asarray(task.reward(before, after, actions, self.goals), dtype=np.float64)
        return Outcome(self.observe(), reward, ended, (self.elapsed >= task.horizon) & ~ended)

    def close(self) -> None:
        """End the threads."""
        self.batch.close()
