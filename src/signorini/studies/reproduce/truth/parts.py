"""Parts that many scenes share: floors, slopes, readings."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.simulation.run import Run

WEIGHTLESS = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)


def floor(friction: float, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> Model:
    """A model with a floor at z = 0; bodies need a friction at least as large (a pair takes the smaller one)."""
    model = Model(gravity=gravity)
    model.add_fixed_body(HalfSpace(), material=Material(friction), name="floor")
    return model


ROUGH = Material(friction=1e3)
"""Of bodies that leave the choice of friction to what they touch."""
SMOOTH = Material(friction=0.0)


def tilted_gravity(angle: float) -> tuple[float, float, float]:
    """Gravity as seen on a slope that falls along +x by `angle` [rad]."""
    return (9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle))


def slope(angle: float, friction: float) -> Model:
    """A slope that falls along +x, as a level floor under tilted gravity."""
    return floor(friction, tilted_gravity(angle))


def world_spin(run: Run, body: str) -> Array:
    """Angular velocity in the world, shape (frames, 3)."""
    return rotate(run.orientation(body), run.angular_velocity(body))


def tilt(run: Run, body: str, axis: tuple[float, float, float] = Z) -> float:
    """Angle by which a direction of the body has turned in the run [rad]."""
    begin, end = (rotate(run.orientation(body)[k], np.array(axis)) for k in (0, -1))
    return float(math.atan2(float(np.linalg.norm(np.cross(begin, end))), float(begin @ end)))


def moved(run: Run, body: str) -> float:
    """Distance between the first and the last place of a body [m]."""
    path = run.position(body)
    return float(np.linalg.norm(path[-1] - path[0]))


def turned(axis: tuple[float, float, float], angle: float) -> Array:
    """Quaternion of a rotation [rad]."""
    return about(np.array(axis), angle)


def zeros(run: Run, value: Array) -> Array:
    """Times at which a value changes its sign, between frames by lines [s]."""
    k = np.flatnonzero(value[1:] * value[:-1] < 0)
    share = value[k] / (value[k] - value[k + 1])
    return np.asarray(run.times[k] + share * (run.times[k + 1] - run.times[k]))
