"""One of every joint, limit, brake and spring, at random states, for the shared tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import signorini as sg
from signorini.math.rotations import about, exponential, multiply
from signorini.math.sparse import Array
from signorini.model.functions.sine import Sine
from signorini.model.state import State

Make = Callable[[sg.Model, Any, Any], Any]
PLACE, AXIS = (0.3, -0.2, 0.5), (1.0, -2.0, 0.5)
SIDES: dict[str, tuple[Any, Any]] = {
    "two bodies": ("left", "right"),
    "world first": (None, "right"),
    "world last": ("left", None),
    "fixed": (0, "right"),
}


def three_bodies() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.Sphere(0.1), position=(0.1, 0.2, -2), orientation=about((1, 0, 1), 0.4), name="ground")
    model.add_body(
        sg.Box((1, 2, 3)), mass=2, position=(1, 2, 3), orientation=(0.9, 0.1, -0.2, 0.3), name="left",
    )  # fmt: skip
    model.add_body(sg.Box((2, 1, 1)), mass=3, position=(-1, 0.5, 0), orientation=(0.3, 0.8, 0.2, -0.1), name="right")
    return model


def moved(state: State, displacement: Array) -> State:
    """By a displacement in the columns of `model.component`."""
    d = displacement.reshape(-1, 6)
    turn = exponential(d[:, 3:])
    return replace(state, position=state.position + d[:, :3], orientation=multiply(state.orientation, turn))


def random_state(model: sg.Model, size: float, seed: int = 0) -> State:
    """Somewhere off the joints, with random velocities and a time that is not 0."""
    rng = np.random.default_rng(seed)
    shift = size * rng.normal(size=(len(model.bodies), 6))
    fixed = [i for i, body in enumerate(model.bodies) if not body.movable]
    shift[fixed] = 0.0
    state = moved(model.initial_state(), shift)
    v = rng.normal(size=(len(model.bodies), 6))
    v[fixed] = 0.0
    return replace(state, time=0.37, velocity=v[:, :3], angular_velocity=v[:, 3:])


def hinges(model: sg.Model, a: Any, b: Any) -> tuple[Any, Any]:
    return model.add_revolute(a, b, PLACE, AXIS), model.add_revolute("ground", "left", (0, 1, 0), (0, 1, 1))


WIRE = np.array([(-4, 1, 2), (-2, 0.5, 1), (0.3, -0.2, 0.5), (2, 0, 1), (4, 2, 1)], dtype=float)
RING = np.array([(4 * np.cos(s), 3 * np.sin(s), np.sin(2 * s)) for s in np.linspace(0, 2 * np.pi, 12, endpoint=False)])


def helix(s: float) -> Any:
    return (3 * np.cos(s), 3 * np.sin(s), 0.5 * s)


def differential(model: sg.Model, a: Any, b: Any) -> list[Any]:
    """Two hinges and the slide of a cylindrical joint."""
    one, two = hinges(model, a, b)
    return [(one, 1.0), (two, 1.5), (model.add_cylindrical("ground", "left", PLACE, (1, 1, 0)), -2.0, "position")]


JOINTS: dict[str, tuple[int, Make]] = {
    "fixed": (6, lambda m, a, b: m.add_fixed_joint(a, b)),
    "fixed, placed": (6, lambda m, a, b: m.add_fixed_joint(a, b, position=PLACE)),
    "spherical": (3, lambda m, a, b: m.add_spherical(a, b, PLACE)),
    "revolute": (5, lambda m, a, b: m.add_revolute(a, b, PLACE, AXIS)),
    "prismatic": (5, lambda m, a, b: m.add_prismatic(a, b, AXIS, PLACE)),
    "cylindrical": (4, lambda m, a, b: m.add_cylindrical(a, b, PLACE, AXIS)),
    "universal": (4, lambda m, a, b: m.add_universal(a, b, PLACE, AXIS, (2, 1, 0))),
    "planar": (3, lambda m, a, b: m.add_planar(a, b, PLACE, AXIS)),
    "point on line": (2, lambda m, a, b: m.add_point_on_line(a, b, PLACE, AXIS)),
    "point on plane": (1, lambda m, a, b: m.add_point_on_plane(a, b, PLACE, AXIS)),
    "distance": (1, lambda m, a, b: m.add_distance(a, b, PLACE, (1.3, 0.4, -0.2))),
    "parallel axes": (2, lambda m, a, b: m.add_parallel_axes(a, b, AXIS)),
    "screw": (5, lambda m, a, b: m.add_screw(a, b, PLACE, AXIS, pitch=-0.3)),
    "gear": (1, lambda m, a, b: m.add_gear(*hinges(m, a, b), teeth=(3, -2))),
    "rack": (1, lambda m, a, b: m.add_rack(m.add_revolute(a, b, PLACE, AXIS), m.add_prismatic(a, b, (1, 1, 0)), -2.0)),
    "coupling": (1, lambda m, a, b: m.add_coupling(differential(m, a, b), constant=Sine(0.3, 2.0))),
    "coupling without a common measure": (1, lambda m, a, b: m.add_coupling(
        [(h, w) for h, w in zip(hinges(m, a, b), (1.0, -2**0.5), strict=True)])),
    "belt": (1, lambda m, a, b: m.add_belt(*hinges(m, a, b), radii=(0.1, 0.25))),
    "point on curve": (2, lambda m, a, b: m.add_point_on_curve(a, b, WIRE[2], WIRE)),
    "point on closed curve": (2, lambda m, a, b: m.add_point_on_curve(a, b, RING[3], RING, closed=True)),
    "point on drawn curve": (2, lambda m, a, b: m.add_point_on_curve(a, b, helix(0.4), helix, interval=(-2, 2))),
    "angle motor": (1, lambda m, a, b: m.add_motor(m.add_revolute(a, b, PLACE, AXIS), angle=Sine(0.3, 2.0))),
    "speed motor": (1, lambda m, a, b: m.add_motor(m.add_revolute(a, b, PLACE, AXIS), speed=lambda t: 0.4 + t * t)),
    "position motor": (1, lambda m, a, b: m.add_motor(m.add_prismatic(a, b, AXIS), position=Sine(0.3, 2.0))),
    "pose": (6, lambda m, a, b: m.add_pose("right", lambda t: led(m, t))),
}  # fmt: skip
"""Name -> rows, how it is added."""


def led(model: sg.Model, time: float) -> tuple[Any, Array]:
    """Where the body "right" is led; it starts where it is."""
    return (-1 + time, 0.5, time * time), multiply(model.bodies[2].orientation, about(np.array(AXIS), 2 * time))


LIMITS: dict[str, tuple[int, Make]] = {
    "angle": (2, lambda m, a, b: m.add_revolute(a, b, PLACE, AXIS, limits=(-0.3, 2.0))),
    "position": (2, lambda m, a, b: m.add_prismatic(a, b, AXIS, limits=(-0.3, 0.2))),
    "position from below": (1, lambda m, a, b: m.add_prismatic(a, b, AXIS, limits=(-0.3, np.inf))),
    "rope": (1, lambda m, a, b: m.add_rope(a, b, PLACE, (1, 2, 0))),
    "strut": (1, lambda m, a, b: m.add_strut(a, b, PLACE, (1, 2, 0), length=0.3)),
    "pulley rope": (1, lambda m, a, b: m.add_pulley_rope([(a, PLACE), (None, (0, 0, 3)), (b, (1, 2, 0)), (a, AXIS)])),
    "rope on a drum": (
        1,
        lambda m, a, b: m.add_pulley_rope(
            [(a, PLACE), (None, (0, 0, 3)), (b, (1, 2, 0))], drum=(m.add_revolute(a, b, PLACE, AXIS), -2.0)
        ),
    ),
}
FRICTIONS: dict[str, Make] = {
    "revolute": lambda m, a, b: m.add_revolute(a, b, PLACE, AXIS, friction=2.0),
    "prismatic": lambda m, a, b: m.add_prismatic(a, b, AXIS, friction=2.0),
    "clutch": lambda m, a, b: m.add_brake(m.add_revolute(a, b, PLACE, AXIS), limit=Sine(1, 1, mean=2), speed=3.0),
}
K6 = np.diag([100.0, 200, 300, 10, 20, 30]) + 5.0 * np.ones((6, 6))
R6 = np.diag([1.0, 2, 3, 0.1, 0.2, 0.3]) + 0.05 * np.ones((6, 6))
SPRINGS: dict[str, Make] = {
    "spring": lambda m, a, b: m.add_spring(a, b, PLACE, (1, 2, 0), stiffness=50, damping=7, length=0.4),
    "damper": lambda m, a, b: m.add_spring(a, b, PLACE, (1, 2, 0), damping=7),
    "torsion spring": lambda m, a, b: m.add_torsion_spring(m.add_revolute(a, b, PLACE, AXIS), 40, 3, angle=0.5),
    "bushing": lambda m, a, b: m.add_bushing(a, b, PLACE, K6, R6, orientation=(1, 2, 3, 4)),
    "actuator, hinge": lambda m, a, b: m.add_actuator(
        m.add_revolute(a, b, PLACE, AXIS), lambda t, s, u: 3 * np.cos(s) - 2 * u * abs(u) + t
    ),
    "actuator, slide": lambda m, a, b: m.add_actuator(m.add_prismatic(a, b, AXIS), lambda t, s, u: -3 * s**3 * u),
    "actuator, points": lambda m, a, b: m.add_linear_actuator(
        a, b, PLACE, (1, 2, 0), lambda t, s, u: 3 / s - 2 * u
    ),
}  # fmt: skip
FORCES: dict[str, Callable[[sg.Model], Any]] = {
    "world": lambda m: m.add_force("right", (1, -2, Sine(3.0, 2.0)), point=PLACE, torque=(0.5, 1, -2)),
    "body": lambda m: m.add_force("right", (1, -2, Sine(3.0, 2.0)), point=PLACE, torque=(0.5, 1, -2), axes="body"),
    "at the centre": lambda m: m.add_force("right", (1, -2, 3)),
    "function": lambda m: m.add_force("right", lambda t, s: ((t, 1, 2), (3, t, 1)), point=PLACE),
}
"""Applied forces whose derivatives are known."""
