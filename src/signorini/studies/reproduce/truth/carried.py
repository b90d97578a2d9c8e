"""Turntables, rollers, grooves, ropes over pulleys, and motors that lift."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from signorini.math.rotations import conjugate, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, WEIGHTLESS, X, Y, floor, tilt, tilted_gravity, turned

Pose = Callable[[float], tuple[tuple[float, float, float], tuple[float, float, float, float]]]
R = 0.1


def _turning(rate: float) -> Pose:
    def motion(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        return (0.0, 0.0, -0.05), (math.cos(0.5 * rate * t), 0.0, 0.0, math.sin(0.5 * rate * t))

    return motion


@case(bound=1e-3)
def block_on_turntable(lab: Lab) -> CaseAnswer:
    """Block on a turntable slips when W^2 r > mu g."""
    mu, place = 0.4, 0.5

    def moves(rate: float) -> bool:
        model = Model()
        model.add_body(Cylinder(1.0, 0.1), motion=_turning(rate), material=Material(mu), name="table")
        model.add_body(Box((0.02, 0.02, 0.02)), density=1000, position=(place, 0, 0.01), velocity=(0, rate * place, 0),
                       angular_velocity=(0, 0, rate), material=ROUGH, name="block")  # fmt: skip
        far = lab.run(model, 1.0).position("block")[-1]
        return bool(math.hypot(far[0], far[1]) > place * 1.001)

    return threshold(math.sqrt(mu * G / place), moves, "rad/s")


@case(friction=False, order=True)
def bead_on_rotating_rod(lab: Lab) -> CaseAnswer:
    """Bead on a rod that turns at W: r0 cosh(W t)."""
    rate, begin, time = 3.0, 0.2, 0.5
    model = Model(gravity=WEIGHTLESS)
    rod = model.add_body(Box((0.1, 0.01, 0.01)), motion=_turning(rate), name="rod", material=Material(0.0))
    bead = model.add_body(Sphere(0.01), mass=1.0, position=(begin, 0, -0.05), velocity=(0, rate * begin, 0),
                          angular_velocity=(0, 0, rate), name="bead")  # fmt: skip
    model.add_prismatic(rod, bead, axis=(1, 0, 0), position=(begin, 0, -0.05))
    at = lab.run(model, time).position("bead")[-1]
    return CaseAnswer(begin * math.cosh(rate * time), math.hypot(at[0], at[1]), "m")


@case(order=True)
def plank_on_rollers(lab: Lab) -> CaseAnswer:
    """Plank on two rolling cylinders, pushed by F: a = F / (M + 3/4 m) with cylinders of mass m; way after 0.5 s."""
    mass, roller, force, time = 3.0, 2.0, 4.0, 0.5
    model = floor(0.6)
    plank = model.add_body(
        Box((1.6, 0.2, 0.04)), mass=mass, position=(0, 0, 2 * R + 0.02), material=Material(0.6), name="plank"
    )
    for k, x in enumerate((-0.3, 0.3)):
        model.add_body(Cylinder(R, 0.3), mass=roller, position=(x, 0, R), orientation=turned(X, 0.5 * math.pi),
                       material=ROUGH, name=f"roller-{k}")  # fmt: skip
    model.add_force(plank, lambda _t, _s: ((force, 0.0, 0.0), (0.0, 0.0, 0.0)))
    exact = 0.5 * force / (mass + 2 * 3 / 8 * roller) * time**2
    return CaseAnswer(exact, float(lab.run(model, time).position("plank")[-1, 0]), "m")


@case(order=True)
def ball_in_a_groove(lab: Lab) -> CaseAnswer:
    """Ball rolls down a V groove of half angle b: a = g sin(alpha) / (1 + 2/5 / sin(b)^2); way after 0.5 s."""
    angle, half, time = math.radians(15.0), math.radians(45.0), 0.5
    model = Model(gravity=tilted_gravity(angle))
    for sign in (1.0, -1.0):
        model.add_fixed_body(HalfSpace((0.0, sign * math.cos(half), math.sin(half))), material=Material(1.0))
    model.add_body(Sphere(R), density=1000, position=(0, 0, R / math.sin(half)), material=ROUGH, name="ball")
    exact = 0.5 * G * math.sin(angle) / (1 + 0.4 / math.sin(half) ** 2) * time**2
    return CaseAnswer(exact, float(lab.run(model, time).position("ball")[-1, 0]), "m")


@case(friction=False, order=True)
def atwood(lab: Lab) -> CaseAnswer:
    """Two weights on a rope over a pulley: (m1 - m2) / (m1 + m2) g; speed after 0.5 s."""
    model = Model()
    for k, (name, mass) in enumerate({"light": 2.0, "heavy": 3.0}.items()):
        model.add_body(Sphere(R), mass=mass, position=(k, 0, 0), name=name)
    model.add_pulley_rope([("light", (0, 0, 0)), (None, (0, 0, 2)), (None, (1, 0, 2)), ("heavy", (1, 0, 0))])
    return CaseAnswer(-G / 5 * 0.5, float(lab.run(model, 0.5).velocity("heavy")[-1, 2]), "m/s")


@case(friction=False)
def block_and_tackle(lab: Lab) -> CaseAnswer:
    """Weight m1 on a loose pulley, m2 at the end of the rope: a = (2 m2 - m1) g / (m1 + 4 m2), upwards."""
    model, time = Model(), 0.4
    model.add_body(Sphere(R), mass=3.0, position=(0, 0, 0), name="loose")
    model.add_body(Sphere(R), mass=2.0, position=(1, 0, 0), name="end")
    # Vertical strands: the rope goes up beside the loose weight to points straight above it.
    model.add_pulley_rope(
        [(None, (0, 0, 5)), ("loose", (0, 0, 0)), (None, (0, 0, 5)), (None, (1, 0, 5)), ("end", (1, 0, 0))]
    )
    exact = (2 * 2.0 - 3.0) * G / (3.0 + 4 * 2.0) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("loose")[-1, 2]), "m/s")


@case(bound=1e-3)
def rope_on_bollard(lab: Lab) -> CaseAnswer:
    """Weight on a rope one and a half times around a bollard: slips when it exceeds exp(mu phi) times the other."""
    mu, wrap, light = 0.25, 3 * math.pi, 1.0

    def moves(heavy: float) -> bool:
        model = Model()
        for name, mass, x in (("light", light, R), ("heavy", heavy, -R)):
            model.add_body(Sphere(0.02), mass=mass, position=(x, 0, 0), name=name)
        on = (None, (R, 0, 1), (-R, 0, 1))
        model.add_capstan(("light", (R, 0, 0)), on, ("heavy", (-R, 0, 0)), friction=mu, wrap=wrap)
        return float(lab.run(model, 0.5).velocity("heavy")[-1, 2]) < -1e-5

    return threshold(light * math.exp(mu * wrap), moves, "kg")


@case(bound=1e-3, friction=False)
def motor_lifts(lab: Lab) -> CaseAnswer:
    """Motor of constant torque lifts a level arm from its stop when it exceeds m g l."""
    mass, arm = 2.0, 0.5

    def moves(torque: float) -> bool:
        model = Model()
        bar = model.add_body(Sphere(0.05), mass=mass, position=(arm, 0, 0), name="bar")
        hinge = model.add_revolute(None, bar, (0, 0, 0), (0, -1, 0), limits=(0.0, 1.0))
        model.add_motor(hinge, torque=torque)
        return tilt(lab.run(model, 1.0), "bar", X) > 1e-3

    return threshold(mass * G * arm, moves, "N m")


@case()
def ball_between_belts(lab: Lab) -> CaseAnswer:
    """Ball squeezed between a floor and a plate that is pulled at u rolls at u / 2."""
    model = floor(0.8)
    plate = model.add_body(
        Box((2.0, 0.4, 0.05)), mass=5.0, position=(0.3, 0, 2 * R + 0.025), material=Material(0.8), name="plate"
    )
    slide = model.add_body(Box((0.1, 0.1, 0.1)), motion=lambda t: ((t, 0.0, 3.0), (1.0, 0.0, 0.0, 0.0)), name="slide")
    model.add_prismatic(slide, plate, axis=(0, 0, 1))
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, R), material=ROUGH, name="ball")
    return CaseAnswer(0.5, float(lab.run(model, 0.5).velocity("ball")[-1, 0]), "m/s")


@case(order=True)
def cone_rolls(lab: Lab) -> CaseAnswer:
    """Cone of half angle b rolls on a floor about its tip at the spin W cot(b): it turns at W; angle after 0.5 s."""
    half, height, rate, time = math.radians(25.0), 0.3, 3.0, 0.5
    axis = np.array([math.cos(half), 0.0, math.sin(half)])
    spin = np.array([-rate / math.tan(half), 0.0, 0.0])
    q = turned(Y, math.atan2(-axis[0], -axis[2]))
    model = floor(1.0)
    # The tip is at the origin, the frame of a cone at half its height, its centre of mass at 3/4 of it from the tip.
    model.add_body(Cone(height * math.tan(half), height), density=1000, position=0.5 * height * axis, orientation=q,
                   velocity=np.cross(spin, 0.75 * height * axis), angular_velocity=rotate(conjugate(q), spin),
                   material=ROUGH, name="cone")  # fmt: skip
    p = lab.run(model, time).position("cone")
    angle = np.unwrap(np.arctan2(p[:, 1], p[:, 0]))
    return CaseAnswer(rate * time, float(angle[-1] - angle[0]), "rad")


CASES = (
    block_on_turntable, bead_on_rotating_rod, plank_on_rollers, ball_in_a_groove, atwood, block_and_tackle,
    rope_on_bollard, motor_lifts, ball_between_belts, cone_rolls,
)  # fmt: skip
