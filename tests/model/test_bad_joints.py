"""What is wrong with a joint, motor or spring is said when it is typed, and the model stays as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import ModelError

O, X, Z = (0, 0, 0), (1, 0, 0), (0, 0, 1)
NAN = math.nan


def model_of_four() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.Sphere(0.1), name="ground")
    model.add_body(sg.Sphere(0.1), mass=1, position=(1, 0, 0), name="a")
    model.add_body(sg.Sphere(0.1), mass=1, position=(2, 0, 0), name="b")
    model.add_body(sg.Sphere(0.1), motion=lambda t: ((3, 0, 0), (1, 0, 0, 0)), name="driven")
    model.add_revolute("a", "b", O, Z, name="hinge")
    model.add_prismatic("a", "b", X, name="slide")
    model.add_spherical("a", "b", O, name="ball")
    return model


CASES: list[tuple[str, Callable[[sg.Model], Any]]] = [
    ("no body is named 'c'; there are ground, a, b, driven", lambda m: m.add_revolute("a", "c", O, Z)),
    ("no body 17: give a body", lambda m: m.add_spherical(17, "a", O)),
    ("belongs to another model", lambda m: m.add_spherical(model_of_four().bodies[1], "b", O)),
    ("a revolute joint ties 'a' to itself", lambda m: m.add_revolute("a", "a", O, Z)),
    ("ties the world to itself", lambda m: m.add_fixed_joint(None, None)),
    ("between 'ground' and the world has no effect", lambda m: m.add_spherical("ground", None, O)),
    ("between 'ground' and 'driven' has no effect", lambda m: m.add_prismatic(0, "driven", X)),
    ("axis of a revolute joint is the zero vector", lambda m: m.add_revolute("a", "b", O, O)),
    ("axis of a prismatic joint is .*nan", lambda m: m.add_prismatic("a", "b", (0, NAN, 0))),
    ("axis of a planar joint has shape", lambda m: m.add_planar("a", "b", O, (0, 1))),
    ("position of a spherical joint is .*inf", lambda m: m.add_spherical("a", "b", (0, 0, math.inf))),
    ("position of a fixed joint", lambda m: m.add_fixed_joint("a", "b", position=(0, 0))),
    (
        r"limits of a revolute joint are \(1, 0\), expected low <= high",
        lambda m: m.add_revolute("a", "b", O, Z, (1, 0)),
    ),
    ("limits of a revolute joint are .*nan", lambda m: m.add_revolute("a", "b", O, Z, limits=(NAN, 1))),
    ("limits of a revolute joint are 3", lambda m: m.add_revolute("a", "b", O, Z, limits=3)),  # type: ignore[arg-type]
    ("an angle is known within two turns", lambda m: m.add_revolute("a", "b", O, Z, limits=(-7, 7))),
    ("an angle is known within two turns", lambda m: m.add_revolute("a", "b", O, Z, limits=(0, math.inf))),
    ("friction of a revolute joint is -1", lambda m: m.add_revolute("a", "b", O, Z, friction=-1)),
    ("universal joint are 45 degrees apart, expected 90", lambda m: m.add_universal("a", "b", O, X, (1, 1, 0))),
    ("length of the distance joint .* is 0.0", lambda m: m.add_distance("a", "b", O, O)),
    ("length of .* is -2", lambda m: m.add_rope("a", "b", O, X, length=-2)),
    ("length of .* is nan", lambda m: m.add_strut("a", "b", O, X, length=NAN)),
    ("pitch of a screw joint is 0", lambda m: m.add_screw("a", "b", O, Z, pitch=0)),
    ("teeth of a gear are .*two whole numbers", lambda m: m.add_gear("hinge", hinge(m), teeth=(1, 2.5))),
    ("teeth of a gear are .*not 0", lambda m: m.add_gear("hinge", hinge(m), teeth=(0, 2))),
    ("couples a joint to itself", lambda m: m.add_gear("hinge", "hinge", teeth=(1, 2))),
    ("prismatic joint 'slide' has no angle", lambda m: m.add_gear("hinge", "slide", teeth=(1, 2))),
    ("revolute joint 'hinge' does not slide", lambda m: m.add_rack("hinge", "hinge", 0.1)),
    ("radius of a pinion is 0", lambda m: m.add_rack("hinge", "slide", 0)),
    ("no joint is named 'henge'; did you mean 'hinge'", lambda m: m.add_motor("henge", speed=1)),
    ("belongs to another model", lambda m: m.add_motor(model_of_four().joints[0], speed=1)),  # type: ignore[arg-type]
    ("needs a joint such as", lambda m: m.add_motor(3, speed=1)),  # type: ignore[arg-type]
    ("given none, expected one of angle", lambda m: m.add_motor("hinge")),
    ("given angle and speed", lambda m: m.add_motor("hinge", angle=1, speed=1)),
    ("revolute joint 'hinge' does not slide", lambda m: m.add_motor("hinge", position=1)),
    ("prismatic joint 'slide' has no angle", lambda m: m.add_motor("slide", torque=1)),
    ("spherical joint 'ball' has no angle", lambda m: m.add_motor("ball", speed=1)),
    ("speed of the motor 'm' is 'fast'", lambda m: m.add_motor("hinge", speed="fast", name="m")),
    ("speed of the motor 'm' is nan", lambda m: m.add_motor("hinge", speed=NAN, name="m")),
    ("named 'hinge' already", lambda m: m.add_motor("hinge", speed=1, name="hinge")),
    ("expected a text", lambda m: m.add_spherical("a", "b", O, name="")),
    ("a prescribed pose on 'ground' has no effect", lambda m: m.add_pose("ground", lambda t: (O, (1, 0, 0, 0)))),
    ("expected a function: time", lambda m: m.add_pose("a", O)),  # type: ignore[arg-type]
    ("motion of 'a' at t = 0", lambda m: m.add_pose("a", lambda t: O)),
    ("limit of the friction .* is -3", lambda m: m.add_brake("hinge", limit=-3)),
    ("limit of the brake .* gave nan", lambda m: m.add_brake("hinge", limit=lambda t: NAN)),
    ("stiffness of .* is -1", lambda m: m.add_spring("a", "b", O, X, stiffness=-1)),
    ("damping of .* is nan", lambda m: m.add_spring("a", "b", O, X, damping=NAN)),
    ("length of .* is -1", lambda m: m.add_spring("a", "b", O, X, stiffness=1, length=-1)),
    ("a spring ties 'a' to itself", lambda m: m.add_spring("a", "a", O, X, stiffness=1)),
    ("stiffness of .* is -5", lambda m: m.add_torsion_spring("hinge", stiffness=-5)),
    ("has no angle", lambda m: m.add_torsion_spring("slide", stiffness=5)),
    ("stiffness of .* has the negative eigenvalue", lambda m: m.add_bushing("a", "b", O, (1, 1, 1, 1, 1, -1))),
    (r"damping of .* has shape \(5,\)", lambda m: m.add_bushing("a", "b", O, 1.0, np.ones(5))),
    ("stiffness of .* is not symmetric", lambda m: m.add_bushing("a", "b", O, np.triu(np.ones((6, 6))))),
    ("not finite", lambda m: m.add_bushing("a", "b", O, NAN)),
    ("law of an actuator is 3", lambda m: m.add_actuator("hinge", 3)),  # type: ignore[arg-type]
]


def hinge(model: sg.Model) -> Any:
    return model.joints[0]


@pytest.mark.parametrize(("words", "add"), CASES, ids=[words for words, _ in CASES])
def test_refused(words: str, add: Callable[[sg.Model], Any]) -> None:
    model = model_of_four()
    with pytest.raises(ModelError, match=words):
        add(model)
    assert [joint.name for joint in model.joints] == ["hinge", "slide", "ball"]
    assert model.limits == model.dry_frictions == model.stiff_forces == model.forces == []


def test_functions_that_fail_on_the_way_are_named() -> None:
    def stopped(add: Callable[[sg.Model], Any], words: str) -> None:
        model = sg.Model()
        model.add_body(sg.Sphere(0.1), mass=1, position=(1, 0, 0), name="a")
        model.add_revolute(None, "a", O, Z, name="hinge")
        add(model)
        with pytest.raises(ModelError, match=words):
            sg.Simulation(model, step=0.1).run(1.0)

    late = 0.25
    stopped(lambda m: m.add_motor("hinge", angle=lambda t: t if t < late else NAN, name="m"), "angle of the motor 'm'")
    stopped(
        lambda m: m.add_motor("hinge", torque=lambda t: t if t < late else NAN, name="m"), "torque of the motor 'm'"
    )
    stopped(lambda m: m.add_actuator("hinge", lambda t, s, u: 1 if t < late else NAN, name="act"), "actuator 'act'")
    stopped(lambda m: m.add_pose("a", lambda t: ((1, 0, 0), (1, 0, 0, 0) if t < late else (NAN,) * 4)), "motion of 'a'")


def test_spring_that_is_wound_too_far_says_so() -> None:
    model = sg.Model(gravity=O)
    model.add_body(sg.Sphere(0.1), mass=1, angular_velocity=(0, 0, 20.0), name="a")
    joint = model.add_revolute(None, "a", O, Z)
    model.add_torsion_spring(joint, stiffness=1e-6, name="weak")
    with pytest.raises(ModelError, match="the torsion spring 'weak' is wound by"):
        sg.Simulation(model, step=0.01).run(1.0)


def test_joints_added_after_the_simulation_was_made() -> None:
    model = model_of_four()
    sim = sg.Simulation(model)
    model.add_spherical("a", "b", O)
    with pytest.raises(ModelError, match="make a new Simulation"):
        sim.advance()


def test_names_are_made_up_and_found() -> None:
    model = model_of_four()
    joint = model.add_point_on_line("a", "b", O, Z)
    assert joint.name == "point-on-line-3"
    assert model.joint("point-on-line-3") is joint
    assert model.add_revolute("a", "b", O, Z, limits=(-1, 1)).name == model.limits[0].name
