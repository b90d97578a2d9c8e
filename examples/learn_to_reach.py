"""An arm learns to reach for points by the cross-entropy method, in about a minute.

python examples/learn_to_reach.py [--iterations 25]

A policy is a matrix: `action = tanh(W features)`. In each iteration many are drawn at random about a mean, all of them
try the same goals in worlds that are stepped together, and the mean moves to the best of them.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from signorini.gym import SignoriniVectorEnv, make_vector_env

POLICIES, GOALS, BEST = 20, 4, 5
"""Drawn in each iteration, goals for each of them, and how many of them the next mean is made of."""
UNSEEN = 10**6
"""Seed of goals that no iteration tries."""
STEPS = 30
"""Of an episode; the second half of them counts, when an arm should be there."""


def features(seen: np.ndarray) -> np.ndarray:
    """What the policy looks at: the goal in cylindrical coordinates, and 1; shape (worlds, 4)."""
    x, y, z = seen[:, 9:12].T
    return np.column_stack((np.arctan2(y, x), np.hypot(x, y), z, np.ones(len(seen))))


def scores(env: SignoriniVectorEnv, policies: np.ndarray, seed: int) -> np.ndarray:
    """Mean reward of each policy over the same goals, as many as there are worlds for each."""
    goals = env.num_envs // len(policies)
    # Worlds of one policy stand side by side.
    weights = np.repeat(policies, goals, axis=0)
    seen, _ = env.reset(seed=[seed + k for _ in policies for k in range(goals)])
    total = np.zeros(len(weights))
    for step in range(STEPS):
        actions = np.tanh(np.einsum("wai,wi->wa", weights, features(seen)))
        seen, reward, *_ = env.step(actions)
        total += reward * (step >= STEPS // 2)
    return total.reshape(len(policies), goals).mean(axis=1) / (STEPS - STEPS // 2)


def main(arguments: list[str] | None = None) -> list[float]:
    """Rewards of the mean policy of each iteration: minus its mean distance from its goals [m]."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=25)
    options = parser.parse_args(arguments)
    random, env = np.random.default_rng(0), make_vector_env("reach", POLICIES * GOALS)
    mean, spread = np.zeros((3, 4)), np.full((3, 4), 1.0)
    history, begin = [], time.perf_counter()
    for iteration in range(options.iterations):
        policies = mean + spread * random.normal(size=(POLICIES, 3, 4))
        policies[0] = mean  # judged with the others
        found = scores(env, policies, seed=GOALS * iteration)
        best = policies[np.argsort(found)[-BEST:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        history.append(float(found[0]))
        print(f"{iteration:3d}: {-found[0]:.3f} m from the goal in the mean, {time.perf_counter() - begin:.0f} s")
    start, end = -scores(env, np.array([np.zeros_like(mean), mean]), UNSEEN)
    print(f"goals that it has not seen: {start:.3f} m from them at the start, {end:.3f} m now")
    env.close()
    return history


if __name__ == "__main__":
    main()
