"""Walk on six legs."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from signorini.environments.task import Task
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.scenes.walker import legs, robot
from signorini.simulation.batch import Worlds

TRUNK = 1
"""Index in the model."""
SWING, LIFT = 0.5, 0.04
"""Largest angle of a hip [rad] and travel of a slide [m], either way."""
FREQUENCY = 1.0
"""Of the clock that is part of what is seen [Hz]."""
UPRIGHT, LOWEST = 0.7, 0.12
"""The trunk has fallen below this cosine of its tilt, or this height [m]."""


def build() -> Model:
    """The walker of the scenes with servos in its twelve joints."""
    model = robot()
    for name, _, _ in legs():
        model.add_servo(f"{name} hip", stiffness=100.0, damping=4.0, limit=20.0, name=f"{name} swing")
        model.add_servo(f"{name} slide", stiffness=5e3, damping=100.0, limit=100.0, name=f"{name} lift")
    return model


def observe(worlds: Worlds, goal: Array) -> Array:
    """Trunk: height (1), orientation (4), velocity (3), angular velocity (3); joints (12, 12); clock: sine, cosine."""
    phase = 2.0 * math.pi * FREQUENCY * worlds.time[:, None]
    return np.hstack((
        worlds.position[:, TRUNK, 2:], worlds.orientation[:, TRUNK], worlds.velocity[:, TRUNK],
        worlds.angular_velocity[:, TRUNK], worlds.joint_position, worlds.joint_velocity, np.sin(phase), np.cos(phase),
    ))  # fmt: skip


def reward(before: Worlds, after: Worlds, actions: Array, goal: Array) -> Array:
    """Speed forwards [m/s], less half of that to the side, less a hundredth of the mean square of the actions."""
    way = after.position[:, TRUNK] - before.position[:, TRUNK]
    time = np.maximum(after.time - before.time, 1e-9)
    effort = 0.01 * (np.asarray(actions) ** 2).mean(axis=1)
    return np.asarray((way[:, 0] - 0.5 * np.abs(way[:, 1])) / time - effort)


def ended(worlds: Worlds, goal: Array) -> NDArray[np.bool_]:
    """Whether the trunk has fallen."""
    up = rotate(worlds.orientation[:, TRUNK], np.tile([0.0, 0.0, 1.0], (len(worlds.time), 1)))[:, 2]
    return np.asarray((up < UPRIGHT) | (worlds.position[:, TRUNK, 2] < LOWEST))


def start(state: State, random: Generator) -> tuple[State, Array]:
    """As built, pushed a little to some side."""
    state.velocity[TRUNK:, :2] += random.uniform(-0.05, 0.05, 2)
    return state, np.zeros(0)


LEGS = len(list(legs()))
TASK = Task(
    name="walk", build=build, low=np.tile([-SWING, -LIFT], LEGS), high=np.tile([SWING, LIFT], LEGS), reward=reward,
    observe=observe, ended=ended, start=start, step=0.004, substeps=5, horizon=200,
)  # fmt: skip
