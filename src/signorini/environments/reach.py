"""Reach for points with an arm."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from signorini.environments.task import Task
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.capsule import Capsule
from signorini.model.state import State
from signorini.simulation.batch import Worlds

UPPER, LOWER, RADIUS = 0.3, 0.25, 0.02
"""Lengths and radius of the links [m]."""
FORE = 2
"""Index of the forearm in the model."""
ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Turns the axis of a capsule, z, along x."""


def build() -> Model:
    """A post that turns, an upper arm and a forearm along x, with servos."""
    model = Model()
    model.add_body(Capsule(RADIUS, 0.1), mass=1.0, position=(0, 0, 0), name="post", mask=0)
    for name, x, length in (("upper", 0.0, UPPER), ("fore", UPPER, LOWER)):
        place, mass = (x + 0.5 * length, 0, 0), 2.0 * length
        model.add_body(Capsule(RADIUS, length), mass=mass, position=place, orientation=ALONG_X, name=name, mask=0)
    model.add_revolute(None, "post", position=(0, 0, 0), axis=(0, 0, 1), name="waist")
    model.add_revolute("post", "upper", position=(0, 0, 0), axis=(0, -1, 0), name="shoulder")
    model.add_revolute("upper", "fore", position=(UPPER, 0, 0), axis=(0, -1, 0), name="elbow")
    for joint in ("waist", "shoulder", "elbow"):
        model.add_servo(joint, stiffness=30.0, damping=3.0, limit=10.0, name=f"{joint} servo")
    return model


def tip(worlds: Worlds) -> Array:
    """Of the forearm, in the world [m], shape (n, 3)."""
    end = np.tile([0.0, 0.0, 0.5 * LOWER], (len(worlds.time), 1))
    return np.asarray(worlds.position[:, FORE] + rotate(worlds.orientation[:, FORE], end))


def observe(worlds: Worlds, goal: Array) -> Array:
    """Joint positions (3) and velocities (3), tip (3), goal (3)."""
    return np.hstack((worlds.joint_position, worlds.joint_velocity, tip(worlds), goal))


def reward(before: Worlds, after: Worlds, actions: Array, goal: Array) -> Array:
    """Minus the distance of the tip from the goal [m]."""
    return -np.asarray(np.linalg.norm(tip(after) - goal, axis=1))


def start(state: State, random: Generator) -> tuple[State, Array]:
    """The arm as built; the goal in front of it, within reach."""
    reach, height, around = random.uniform(0.3, 0.5), random.uniform(-0.15, 0.2), random.uniform(-1.2, 1.2)
    return state, np.array([reach * math.cos(around), reach * math.sin(around), height])


TASK = Task(
    name="reach", build=build, low=np.array([-1.5, -1.0, -2.4]), high=np.array([1.5, 1.8, 0.0]), reward=reward,
    observe=observe, start=start, step=0.004, substeps=5, horizon=100,
)  # fmt: skip
