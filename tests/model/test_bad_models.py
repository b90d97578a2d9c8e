"""Every wrong description gets an error that names the fault, and leaves the model as it was."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.math.rotations import IDENTITY
from signorini.problem.errors import ModelError

BALL = sg.Sphere(1)


def still(time: float) -> tuple[Any, Any]:
    return np.zeros(3), IDENTITY


BAD_BODIES: list[tuple[str, Any, dict[str, Any]]] = [
    ("neither mass nor density", BALL, {}),
    ("both mass = 1 and density = 2", BALL, {"mass": 1, "density": 2}),
    ("mass of 'x' is 0.0", BALL, {"mass": 0}),
    ("mass of 'x' is -1.0", BALL, {"mass": -1}),
    ("mass of 'x' is nan", BALL, {"mass": math.nan}),
    ("mass of 'x' is inf", BALL, {"mass": math.inf}),
    ("expected a number", BALL, {"mass": "heavy"}),
    ("density of 'x' is 0.0", BALL, {"density": 0}),
    ("density of 'x' is -2.0", BALL, {"density": -2}),
    ("density of 'x' is nan", BALL, {"density": math.nan}),
    ("check its size", sg.Sphere(1e-110), {"density": 1}),
    ("check its size", sg.Sphere(1e-90), {"density": 1}),
    ("inertia but no mass", BALL, {"density": 1, "inertia": (1, 1, 1)}),
    (r"\(3, 3\), or \(3,\)", BALL, {"mass": 1, "inertia": (1, 1)}),
    ("symmetric", BALL, {"mass": 1, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}),
    ("principal moments -1, 1, 1, expected all > 0", BALL, {"mass": 1, "inertia": (1, -1, 1)}),
    ("expected all > 0", BALL, {"mass": 1, "inertia": np.ones((3, 3))}),
    ("larger than the sum", BALL, {"mass": 1, "inertia": (1, 1, 2.1)}),
    ("finite", BALL, {"mass": 1, "inertia": (1, 1, math.nan)}),
    ("no volume for a density", None, {"density": 1}),
    ("no shape to take its inertia from", None, {"mass": 1}),
    ("position of 'x'.*finite", BALL, {"mass": 1, "position": (0, 0, math.nan)}),
    (r"position of 'x' has shape \(2,\)", BALL, {"mass": 1, "position": (0, 0)}),
    ("position of 'x' is 'here', expected numbers", BALL, {"mass": 1, "position": "here"}),
    ("non-zero", BALL, {"mass": 1, "orientation": (0, 0, 0, 0)}),
    ("orientation of 'x'.*finite", BALL, {"mass": 1, "orientation": (1, 0, math.inf, 0)}),
    (r"orientation of 'x' has shape \(3,\)", BALL, {"mass": 1, "orientation": (1, 0, 0)}),
    ("velocity of 'x'.*finite", BALL, {"mass": 1, "velocity": (math.inf, -math.inf, 0)}),
    ("angular_velocity of 'x'", BALL, {"mass": 1, "angular_velocity": (1, 2)}),
    ("material of 'x' is 0.5", BALL, {"mass": 1, "material": 0.5}),
    ("margin of 'x' is -1", BALL, {"mass": 1, "margin": -1}),
    ("group of 'x' is 1.5", BALL, {"mass": 1, "group": 1.5}),
    ("fixed but has a velocity", BALL, {"fixed": True, "velocity": (1, 0, 0)}),
    ("fixed but has a velocity", BALL, {"fixed": True, "angular_velocity": (1, 0, 0)}),
    ("fixed and has a motion", BALL, {"fixed": True, "motion": still}),
    ("motion and a velocity", BALL, {"motion": still, "velocity": (1, 0, 0)}),
    ("drop the position", BALL, {"motion": still, "position": (1, 0, 0)}),
    ("expected a function", BALL, {"motion": (0, 0, 1)}),
    (r"expected \(position, quaternion\)", BALL, {"motion": lambda time: (0, 0, 1)}),
    (r"at t = 0: position has shape \(2,\)", BALL, {"motion": lambda time: ((0, 0), IDENTITY)}),
    (r"at t = 0: quaternion has shape \(3,\)", BALL, {"motion": lambda time: ((0, 0, 0), (1, 0, 0))}),
    ("at t = 0: quaternion.*non-zero", BALL, {"motion": lambda time: ((0, 0, 0), np.zeros(4))}),
    ("at t = 0: position.*finite", BALL, {"motion": lambda time: ((0, 0, math.nan), IDENTITY)}),
    ("empty compound", [], {"mass": 1}),
    ("expected a shape such as", "sphere", {"mass": 1}),
    ("expected a shape such as", sg.Sphere, {"mass": 1}),
    ("expected a shape such as", [(BALL, (0, 0, 0)), 3], {"mass": 1}),
    ("shape of 'x': position", [(BALL, (0, 0))], {"mass": 1}),
    ("shape of 'x': quaternion", [(BALL, (0, 0, 0), (0, 0, 0, 0))], {"mass": 1}),
    (r"expected \(shape, position, quaternion\)", [(BALL, (0, 0, 0), IDENTITY, 1)], {"mass": 1}),
    ("add_fixed_body", sg.HalfSpace(), {"density": 1}),
    ("add_fixed_body", sg.HalfSpace(), {"mass": 1, "inertia": (1, 1, 1)}),
    ("add_fixed_body", sg.shapes.HeightField(np.zeros((2, 2)), 1), {"density": 1}),
    ("open", sg.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), {"density": 1}),
]


@pytest.mark.parametrize(("message", "shape", "options"), BAD_BODIES)
def test_bad_bodies_are_refused(message: str, shape: Any, options: dict[str, Any]) -> None:
    model = sg.Model()
    with pytest.raises(ModelError, match=message):
        model.add_body(shape, name="x", **options)
    assert model.bodies == []
    assert model.add_body(BALL, mass=1, name="x").name == "x"


def test_names_are_unique_texts() -> None:
    model = sg.Model()
    model.add_body(BALL, mass=1, name="ball")
    with pytest.raises(ModelError, match="'ball' already"):
        model.add_fixed_body(BALL, name="ball")
    for name in ("", 3):
        with pytest.raises(ModelError, match="expected a text"):
            model.add_fixed_body(BALL, name=name)
    assert len(model.bodies) == 1


def test_unknown_bodies_are_refused() -> None:
    model, other = sg.Model(), sg.Model()
    with pytest.raises(ModelError, match="none yet"):
        model.body_index("ball")
    for number in range(12):
        model.add_body(BALL, mass=1, name=f"ball-{number}")
    with pytest.raises(ModelError, match=r"'bal'; there are ball-0, .*ball-7 and 4 more"):
        model.body_index("bal")
    for stranger in (12, -1, True, 1.0, None):
        with pytest.raises(ModelError, match="from 0 to 11"):
            model.body_index(stranger)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="another model"):
        model.body_index(other.add_body(BALL, mass=1, name="ball-0"))


def test_motion_is_checked_at_every_time() -> None:
    model = sg.Model()
    body = model.add_body(BALL, motion=lambda time: ((1 / (1 - time) if time < 1 else math.inf, 0, 0), IDENTITY))
    assert body.motion is not None
    with pytest.raises(ModelError, match=r"motion of 'sphere-0' at t = 1: position"):
        body.motion(1.0)


def test_bad_containers_and_models_are_refused() -> None:
    with pytest.raises(ModelError, match="size of 'container'"):
        sg.Model().add_box_container((1, 1, 0))
    with pytest.raises(ModelError, match="gravity"):
        sg.Model(gravity=(0, 0, math.nan))
    with pytest.raises(ModelError, match="gravity"):
        sg.Model(gravity=-9.81)
    with pytest.raises(ModelError, match="margin"):
        sg.Model(margin=-0.1)


def test_the_limit_of_the_triangle_inequality_is_allowed() -> None:
    """A flat plate has one moment equal to the sum of the others."""
    assert sg.Model().add_body(BALL, mass=1, inertia=(1, 1, 2)).inertia[2, 2] == 2


def test_quaternions_are_normalised() -> None:
    body = sg.Model().add_body(BALL, mass=1, orientation=(3, 0, 0, 4))
    np.testing.assert_allclose(body.orientation, [0.6, 0, 0, 0.8])
