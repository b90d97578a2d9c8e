"""Tops on floors, cams, shakers and paddles; the same scene in other units, masses and from a train."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import conjugate, multiply, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, X, Y, Z, floor, turned

TIPPE_RADIUS, TIPPE_OFF = 0.025, 0.006
"""Of a tippe top, and how far its centre of mass is from its middle [m]."""


def _tippe_top(lab: Lab, time: float) -> tuple[Array, Array]:
    """Directions of a tippe top's axis, and its angular momentum."""
    mass, lean = 0.02, 0.1
    moment = 0.4 * mass * TIPPE_RADIUS**2
    model, q = floor(0.3), turned(Y, lean)
    top = model.add_body(Sphere(TIPPE_RADIUS), mass=mass, inertia=moment * np.diag([0.95, 0.95, 1.0]), name="top",
                         center_of_mass=(0, 0, -TIPPE_OFF), position=(0, 0, TIPPE_RADIUS), orientation=q,
                         angular_velocity=rotate(conjugate(q), np.array([0, 0, 150.0])), material=ROUGH)  # fmt: skip
    run = lab.run(model, time)
    turns = run.orientation("top")
    axis = rotate(turns, np.tile(np.array(Z), (len(turns), 1)))
    return axis, rotate(turns, run.angular_velocity("top") @ top.inertia)


@case()
def jelletts_constant(lab: Lab) -> CaseAnswer:
    """Tippe top: angular momentum times the way from its centre of mass to its lowest point stays (Jellett)."""
    axis, momentum = _tippe_top(lab, 1.0)
    jellett = (momentum * (TIPPE_OFF * axis - TIPPE_RADIUS * np.array(Z))).sum(axis=1)
    return CaseAnswer(1.0, float(jellett[-1] / jellett[0]))


@case(bound=0.05)
def tippe_top_turns_over(lab: Lab) -> CaseAnswer:
    """It turns over: its axis points down after 1.5 s (within 5 %, for it still nods)."""
    return CaseAnswer(-1.0, float(_tippe_top(lab, 1.5)[0][-1, 2]))


@case(friction=False, order=True)
def top_on_ice(lab: Lab) -> CaseAnswer:
    """Top on a point on ice precesses about its centre of mass: A cos W^2 - C w3 W + m g l = 0; angle after 1 s."""
    mass, arm, lean, spin, point = 0.5, 0.1, 0.5, 120.0, 1e-4
    across, along = 1.2e-3, 2e-3
    a, b, c = across * math.cos(lean), -along * spin, mass * G * arm
    slow = (-b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
    q, model = turned(Y, lean), floor(0.0)
    axis = rotate(q, np.array(Z))
    w = slow * np.array(Z) + (spin - slow * math.cos(lean)) * axis
    model.add_body([(Sphere(point), (0, 0, -arm))], mass=mass, inertia=np.diag([across, across, along]), name="top",
                   center_of_mass=(0, 0, 0), position=(0, 0, arm * math.cos(lean) + point), orientation=q,
                   angular_velocity=rotate(conjugate(q), w), material=SMOOTH)  # fmt: skip
    found = rotate(lab.run(model, 1.0).orientation("top"), np.array(Z))
    angle = np.unwrap(np.arctan2(found[:, 1], found[:, 0]))
    return CaseAnswer(slow, float(angle[-1] - angle[0]), "rad")


@case()
def shaken_puck(lab: Lab) -> CaseAnswer:
    """Block on a plate shaken level so hard that it always slips: its speed is a triangle of height mu g T / 4."""
    mu, rate, swing = 0.1, 10 * math.pi, 0.05
    model = Model()
    model.add_body(Box((1, 1, 0.1)), motion=lambda t: ((swing * math.sin(rate * t), 0, -0.05), (1, 0, 0, 0)),
                   material=Material(mu), name="plate")  # fmt: skip
    model.add_body(Box((0.1, 0.1, 0.02)), density=1000, position=(0, 0, 0.01), material=ROUGH, name="puck")
    run = lab.run(model, 2.0)
    found = 0.5 * float(np.ptp(run.velocity("puck")[run.times > 1.5, 0]))
    return CaseAnswer(mu * G * 2 * math.pi / rate / 4, found, "m/s")


def _cam(lift: float, rate: float, mu: float) -> Model:
    """A round cam that turns about an axle `lift` off its middle, under a flat follower of 1 kg."""
    model = Model()

    def motion(t: float) -> tuple[tuple[float, float, float], Array]:
        turn = np.asarray(multiply(turned(Y, -rate * t), turned(X, 0.5 * math.pi)))
        return (lift * math.cos(rate * t), 0.0, lift * math.sin(rate * t)), turn

    model.add_body(Cylinder(0.1, 0.1), motion=motion, material=Material(mu), name="cam")
    model.add_body(Box((0.4, 0.2, 0.02)), mass=1.0, position=(0, 0, 0.11), velocity=(0, 0, lift * rate),
                   material=ROUGH, name="follower")  # fmt: skip
    model.add_prismatic(None, "follower", axis=Z)
    return model


@case(order=True)
def cam_lifts(lab: Lab) -> CaseAnswer:
    """Round cam under a flat follower lifts it by e sin(w t); largest error over e."""
    lift, rate = 0.02, 15.0
    run = lab.run(_cam(lift, rate, 0.1), 1.0)
    off = run.position("follower")[:, 2] - 0.11 - lift * np.sin(rate * run.times)
    return CaseAnswer(0.0, float(np.abs(off).max()), "m", scale=lift)


@case(friction=False)
def cam_force(lab: Lab) -> CaseAnswer:
    """At the top it presses with m (g - e w^2); relative to the weight."""
    lift, rate = 0.02, 15.0
    force = lab.run(_cam(lift, rate, 0.0), 1.0).contact_force("follower", "cam")[5:, 2]
    return CaseAnswer(G - lift * rate**2, float(np.abs(force).min()), "N", scale=G)


@case()
def shaken_plate_force(lab: Lab) -> CaseAnswer:
    """Block on a plate shaken upright below 1 g presses with m (g + a w^2) at most."""
    rate, swing, mass = 20.0, 0.02, 2.0
    model = Model()
    model.add_body(Box((1, 1, 0.1)), motion=lambda t: ((0, 0, swing * math.sin(rate * t) - 0.05), (1, 0, 0, 0)),
                   material=Material(0.3), name="plate")  # fmt: skip
    model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, position=(0, 0, 0.05), velocity=(0, 0, swing * rate),
                   material=ROUGH, name="block")  # fmt: skip
    force = lab.run(model, 1.0).contact_force("block", "plate")[5:, 2]
    return CaseAnswer(mass * (G + swing * rate**2), float(np.abs(force).max()), "N")


@case()
def paddle_pushes(lab: Lab) -> CaseAnswer:
    """Smooth paddle pushes a block over a rough floor at constant speed: force mu m g."""
    mu, mass, speed = 0.35, 4.0, 0.3
    model = floor(mu)
    model.add_body(Box((0.1, 0.5, 0.5)), motion=lambda t: ((speed * t - 0.15, 0, 0.25), (1, 0, 0, 0)),
                   material=SMOOTH, name="paddle")  # fmt: skip
    model.add_body(Box((0.2, 0.2, 0.2)), mass=mass, position=(0, 0, 0.1), velocity=(speed, 0, 0), material=ROUGH,
                   name="block")  # fmt: skip
    force = lab.run(model, 0.5).contact_force("block", "paddle")[-1, 0]
    return CaseAnswer(mu * mass * G, abs(float(force)), "N")


def _landing(metre: float = 1.0, kilogram: float = 1.0, second: float = 1.0, train: float = 0.0) -> Model:
    """A box, a rod and a ball that fall on a table which moves at `train`, in units of other sizes."""
    speed = metre / second
    surface = Material(0.5, restitution=0.3, rest_speed=0.01 * speed, stick_speed=1e-4 * speed)
    model = Model(gravity=(0, 0, -G * metre / second**2))
    model.add_body(Box((4 * metre, 4 * metre, 0.2 * metre)), material=surface, name="table",
                   motion=lambda t: ((train * t, 0, -0.1 * metre), (1, 0, 0, 0)))  # fmt: skip
    parts = (
        ("box", Box((0.2 * metre, 0.15 * metre, 0.1 * metre)), (0, 0, 0.3), (1, 0.2, 0), turned((0.6, 0, 0.8), 0.4)),
        ("rod", Capsule(0.03 * metre, 0.3 * metre), (-0.5, 0.1, 0.3), (0.5, 0, 0), turned(Y, 0.9)),
        ("ball", Sphere(0.06 * metre), (0.4, 0.02, 0.07), (-1, 0, 0), turned(X, 0.0)),
    )
    for k, (name, shape, place, velocity, q) in enumerate(parts):
        model.add_body(shape, mass=(k + 1) * kilogram, position=metre * np.array(place), orientation=q,
                       velocity=speed * np.array(velocity) + [train, 0, 0], material=surface, name=name)  # fmt: skip
    return model


def _difference(lab: Lab, other: Model, metre: float = 1.0, second: float = 1.0, train: float = 0.0) -> CaseAnswer:
    """How far the bodies of another model are from where they are in the usual one after 0.6 s, relative to 1 m."""
    one, two = lab.run(_landing(), 0.6), lab.run(other, 0.6 * second, h=lab.h * second)
    apart = [one.position(n)[-1] - two.position(n)[-1] / metre for n in ("box", "rod", "ball")]
    gone = np.array([train * float(two.times[-1]), 0.0, 0.0])
    return CaseAnswer(0.0, max(float(np.linalg.norm(way + gone)) for way in apart), "m", scale=1.0)


@case(bound=1e-8)
def landing_in_millimetres(lab: Lab) -> CaseAnswer:
    """Bodies fall on a table and on one another; the same in mm, g, ms."""
    return _difference(lab, _landing(1e3, 1e3, 1e3), 1e3, 1e3)


@case(bound=1e-8)
def landing_of_heavy_bodies(lab: Lab) -> CaseAnswer:
    """The same with 10^6 times the mass."""
    return _difference(lab, _landing(kilogram=1e6))


@case(bound=1e-8)
def landing_on_a_train(lab: Lab) -> CaseAnswer:
    """The same on a table that moves at 5 m/s (Galileo)."""
    return _difference(lab, _landing(train=5.0), train=5.0)


CASES = (
    jelletts_constant, tippe_top_turns_over, top_on_ice, shaken_puck, cam_lifts, cam_force, shaken_plate_force,
    paddle_pushes, landing_in_millimetres, landing_of_heavy_bodies, landing_on_a_train,
)  # fmt: skip
