"""Tasks as environments of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.environments.rollouts import Rollouts
from signorini.environments.task import Task
from signorini.math.sparse import Array

try:
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:  # pragma: no cover
    raise ModuleNotFoundError("signorini.gym needs Gymnasium: pip install 'signorini[rl]'") from missing


def _spaces(rollouts: Rollouts) -> tuple[Box, Box]:
    """Of observations, and of actions from -1 to 1."""
    seen = Box(-np.inf, np.inf, (rollouts.observations,), np.float64)
    return seen, Box(-1.0, 1.0, (len(rollouts.task.low),), np.float32)


class SignoriniEnv(gymnasium.Env[Any, Any]):
    """One world of a task."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  (Gymnasium's own declaration)

    def __init__(self, task: Task, **options: Any) -> None:
        self.task = task
        self.rollouts = Rollouts(task, 1, threads=1, **options)
        self.observation_space, self.action_space = _spaces(self.rollouts)
        self.render_mode = None

    @property
    def simulation(self) -> Any:
        """The `Simulation` of the world."""
        return self.rollouts.batch.worlds[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode."""
        super().reset(seed=seed)
        return self.rollouts.reset([0], [self.np_random])[0], {}

    def step(self, action: ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Act for one step of the environment."""
        out = self.rollouts.step(np.asarray(action, dtype=np.float64)[None], [0])
        info = {"residual": float(self.rollouts.batch.read().residual[0])}
        return out.observation[0], float(out.reward[0]), bool(out.terminated[0]), bool(out.truncated[0]), info

    def close(self) -> None:
        """Nothing to close."""
        self.rollouts.close()


class SignoriniVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many worlds of a task in one `Batch`; finished ones restart with the next step."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, task: Task, num_envs: int, threads: int | None = None, **options: Any) -> None:
        self.task, self.num_envs = task, num_envs
        self.rollouts = Rollouts(task, num_envs, threads, **options)
        self.single_observation_space, self.single_action_space = _spaces(self.rollouts)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = None
        self._random = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start an episode in every world; world k has the seed `seed + k`, or its own of a list."""
        seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        for k, own in enumerate(seeds):
            if own is not None:
                self._random[k] = seeding.np_random(own)[0]
        self._over[:] = False
        return self.rollouts.reset(range(self.num_envs), self._random), {}

    def step(self, actions: ArrayLike) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Act in every world; in those whose episode was over, a new one starts instead, without reward."""
        fresh, going = np.flatnonzero(self._over), np.flatnonzero(~self._over)
        out = self.rollouts.step(np.asarray(actions, dtype=np.float64), going.tolist())
        seen = out.observation
        if len(fresh):
            seen = self.rollouts.reset(fresh.tolist(), [self._random[k] for k in fresh])
        reward, terminated, truncated = (np.where(self._over, 0, part) for part in out[1:])
        ended, cut = terminated.astype(np.bool_), truncated.astype(np.bool_)
        self._over = ended | cut
        return seen, reward.astype(np.float64), ended, cut, {}

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.rollouts.close()
