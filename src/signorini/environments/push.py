"""Push a box to a place."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from signorini.environments.task import Task
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State
from signorini.simulation.batch import Worlds

BOX, FINGER = 1, 3
"""Indices in the model."""
SIDE, NEAR = 0.1, 0.02
"""Of the box; distance from the goal at which the task is done [m]."""
FIRST = (-0.25, 0.0)
"""Where the finger starts [m]."""


def build() -> Model:
    """A box on the floor, and a ball that two crossed slides lead over it."""
    model = Model()
    rough = Material(friction=0.4)
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=rough, name="floor", mask=2)
    model.add_body(Box((SIDE, SIDE, SIDE)), mass=0.5, position=(0, 0, 0.5 * SIDE), material=rough, name="box", group=2)
    place = (*FIRST, 0.5 * SIDE)
    model.add_body(None, mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=place, name="carriage")
    model.add_body(Sphere(0.03), mass=0.5, position=place, material=Material(friction=0.2), name="finger", mask=2)
    model.add_prismatic(None, "carriage", axis=(1, 0, 0), name="x")
    model.add_prismatic("carriage", "finger", axis=(0, 1, 0), name="y")
    for joint in ("x", "y"):
        model.add_servo(joint, stiffness=400.0, damping=40.0, limit=30.0, name=f"{joint} servo")
    return model


def yaw(worlds: Worlds) -> Array:
    """Turn of the box about the vertical [rad], shape (n,)."""
    w, x, y, z = worlds.orientation[:, BOX].T
    return np.asarray(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def observe(worlds: Worlds, goal: Array) -> Array:
    """Finger: place (2), velocity (2); box: place (2), cosine and sine of its turn, velocity (2); goal (2)."""
    turn = yaw(worlds)
    return np.hstack((
        worlds.position[:, FINGER, :2], worlds.velocity[:, FINGER, :2], worlds.position[:, BOX, :2],
        np.cos(turn)[:, None], np.sin(turn)[:, None], worlds.velocity[:, BOX, :2], goal,
    ))  # fmt: skip


def left(worlds: Worlds, goal: Array) -> Array:
    """Distance of the box from the goal [m], shape (n,)."""
    return np.asarray(np.linalg.norm(worlds.position[:, BOX, :2] - goal, axis=1))


def reward(before: Worlds, after: Worlds, actions: Array, goal: Array) -> Array:
    """Minus the distance of the box from the goal, and a fifth of that of the finger from it [m]; 10 at the goal."""
    reaching = np.linalg.norm(after.position[:, FINGER, :2] - after.position[:, BOX, :2], axis=1)
    return np.asarray(-left(after, goal) - 0.2 * reaching + 10.0 * ended(after, goal))


def ended(worlds: Worlds, goal: Array) -> NDArray[np.bool_]:
    """Whether the box is there."""
    return np.asarray(left(worlds, goal) < NEAR)


def start(state: State, random: Generator) -> tuple[State, Array]:
    """The box near the middle, turned; the goal in front of it as the finger sees it."""
    state.position[BOX, :2] = random.uniform(-0.05, 0.05, 2)
    half = 0.5 * random.uniform(-0.5, 0.5)
    state.orientation[BOX] = (math.cos(half), 0.0, 0.0, math.sin(half))
    return state, np.array([random.uniform(0.15, 0.3), random.uniform(-0.15, 0.15)])


TASK = Task(
    name="push", build=build, low=np.array([-0.1, -0.4]), high=np.array([0.7, 0.4]), reward=reward, observe=observe,
    ended=ended, start=start, step=0.004, substeps=5, horizon=150,
)  # fmt: skip
