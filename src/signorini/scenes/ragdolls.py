"""Ragdolls fall down stairs."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about, multiply, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene

TREAD, RISE = 0.3, 0.18
"""Of a step of the stairs [m]."""
UPRIGHT = about(np.array([0.0, 0.0, 1.0]), 0.0)
SIDEWAYS = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi)

# Name, shape, place of its centre [m] (x to the front, y to the left, z up, feet at 0), axis, mass [kg].
PARTS = (
    ("chest", Capsule(0.12, 0.16), (0.0, 0.0, 1.30), SIDEWAYS, 20.0),
    ("pelvis", Capsule(0.10, 0.14), (0.0, 0.0, 0.98), SIDEWAYS, 14.0),
    ("head", Sphere(0.11), (0.0, 0.0, 1.60), UPRIGHT, 5.0),
    ("left-arm", Capsule(0.045, 0.20), (0.0, 0.26, 1.24), UPRIGHT, 2.2),
    ("left-forearm", Capsule(0.04, 0.20), (0.0, 0.26, 0.96), UPRIGHT, 1.6),
    ("right-arm", Capsule(0.045, 0.20), (0.0, -0.26, 1.24), UPRIGHT, 2.2),
    ("right-forearm", Capsule(0.04, 0.20), (0.0, -0.26, 0.96), UPRIGHT, 1.6),
    ("left-thigh", Capsule(0.07, 0.28), (0.0, 0.11, 0.68), UPRIGHT, 8.0),
    ("left-shin", Capsule(0.055, 0.28), (0.0, 0.11, 0.24), UPRIGHT, 4.0),
    ("right-thigh", Capsule(0.07, 0.28), (0.0, -0.11, 0.68), UPRIGHT, 8.0),
    ("right-shin", Capsule(0.055, 0.28), (0.0, -0.11, 0.24), UPRIGHT, 4.0),
)
# Parts, place, and for hinges the limits [degrees] about y; ball joints have none.
JOINTS = (
    ("pelvis", "chest", (0.0, 0.0, 1.14), (-20.0, 70.0)),
    ("chest", "head", (0.0, 0.0, 1.46), (-30.0, 40.0)),
    ("chest", "left-arm", (0.0, 0.24, 1.37), None),
    ("left-arm", "left-forearm", (0.0, 0.26, 1.10), (-140.0, 0.0)),
    ("chest", "right-arm", (0.0, -0.24, 1.37), None),
    ("right-arm", "right-forearm", (0.0, -0.26, 1.10), (-140.0, 0.0)),
    ("pelvis", "left-thigh", (0.0, 0.11, 0.90), None),
    ("left-thigh", "left-shin", (0.0, 0.11, 0.46), (0.0, 140.0)),
    ("pelvis", "right-thigh", (0.0, -0.11, 0.90), None),
    ("right-thigh", "right-shin", (0.0, -0.11, 0.46), (0.0, 140.0)),
)
# How far hands and feet get from where they must not pull away: ropes in place of the cones of shoulders and hips.
ROPES = (
    ("chest", (0.10, 0.10, 1.20), "left-arm", (0.0, 0.26, 1.12), 0.40),
    ("chest", (0.10, -0.10, 1.20), "right-arm", (0.0, -0.26, 1.12), 0.40),
    ("pelvis", (0.12, 0.0, 0.98), "left-thigh", (0.0, 0.11, 0.50), 0.58),
    ("pelvis", (0.12, 0.0, 0.98), "right-thigh", (0.0, -0.11, 0.50), 0.58),
)


def build(dolls: int = 3, stairs: int = 8, push: float = 2.0, friction: float = 0.5, seed: int = 0) -> Model:
    """Dolls of eleven parts at the head of the stairs, pushed to the front; ball joints, hinges with limits, ropes."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=material, name="floor")
    for k in range(stairs):
        height = (stairs - k) * RISE
        step = Box((TREAD if k else 2.0, 1.5 * dolls + 2.0, height))
        x = (k + 0.5) * TREAD if k else TREAD - 1.0
        model.add_fixed_body(step, position=(x, 0.0, 0.5 * height), material=material, name=f"stair-{k}")
    random = np.random.default_rng(seed)
    for k in range(dolls):
        place = np.array([-0.3, 1.2 * (k - 0.5 * (dolls - 1)), stairs * RISE + 0.03])
        _doll(model, f"doll-{k}", place, random.uniform(-0.5, 0.5), push, material)
    return model


def _doll(model: Model, name: str, place: Array, heading: float, push: float, material: Material) -> None:
    turn = about(np.array([0.0, 0.0, 1.0]), heading)

    def at(point: tuple[float, float, float]) -> Array:
        return np.asarray(place + rotate(turn, np.array(point)))

    for part, shape, centre, axis, mass in PARTS:
        speed = push * centre[2] / 1.3 * rotate(turn, np.array([1.0, 0.0, 0.0]))
        model.add_body(shape, mass=mass, position=at(centre), orientation=multiply(turn, axis), velocity=speed,
                       material=material, name=f"{name}:{part}")  # fmt: skip
    sideways = rotate(turn, np.array([0.0, 1.0, 0.0]))
    for first, second, point, limits in JOINTS:
        pair, label = (f"{name}:{first}", f"{name}:{second}"), f"{name}:{first}/{second}"
        if limits is None:
            model.add_spherical(*pair, position=at(point), name=label)
        else:
            low, high = (math.radians(end) for end in limits)
            model.add_revolute(*pair, position=at(point), axis=sideways, limits=(low, high), friction=2.0, name=label)
    for first, start, second, end, length in ROPES:
        pair = f"{name}:{first}", f"{name}:{second}"
        model.add_rope(*pair, position_a=at(start), position_b=at(end), length=length, name=f"{name}:{second} rope")


SCENE = Scene(
    name="ragdolls",
    description="Ragdolls with joint limits and friction fall down stairs.",
    builder=build,
    about={
        "dolls": About("number of dolls", least=1),
        "stairs": About("number of stairs", least=1),
        "push": About("speed of the chest to the front at the start [m/s]", least=0),
        "friction": About("friction coefficient of all surfaces [-]", least=0),
        "seed": About("of the headings", least=0),
    },
    step=0.005,
    duration=3.0,
)
