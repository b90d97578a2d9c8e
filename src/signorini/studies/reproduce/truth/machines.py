"""Brakes, clutches, gears, racks, screws, cranks and joints that carry loads."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import rotate
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import WEIGHTLESS, X, Y, Z


def _wheel(model: Model, name: str, radius: float, place: tuple[float, float, float], spin: float = 0.0) -> float:
    """A disc of 2 kg on a vertical hinge; its inertia [kg m2]."""
    body = model.add_body(Cylinder(radius, 0.05), mass=2.0, position=place, angular_velocity=(0, 0, spin), name=name)
    model.add_revolute(None, name, position=place, axis=Z, name=f"hinge-{name}")
    return float(body.inertia[2, 2])


@case(friction=False, order=True)
def brake_stops_wheel(lab: Lab) -> CaseAnswer:
    """Brake of torque M stops a wheel after J w^2 / (2 M): angle that it turns."""
    model = Model(gravity=WEIGHTLESS)
    J = _wheel(model, "wheel", 0.2, (0, 0, 0), 10.0)
    model.add_brake("hinge-wheel", limit=0.5)
    run = lab.run(model, 1.2)
    turned = float(np.trapezoid(run.angular_velocity("wheel")[:, 2], run.times))
    return CaseAnswer(0.5 * J * 10.0**2 / 0.5, turned, "rad")


@case(friction=False)
def clutch_synchronises(lab: Lab) -> CaseAnswer:
    """Clutch of torque M driven at W: the wheel turns at M t / J until it reaches W; speed on the way."""
    model = Model(gravity=WEIGHTLESS)
    J = _wheel(model, "wheel", 0.2, (0, 0, 0))
    model.add_brake("hinge-wheel", limit=0.4, speed=20.0)
    return CaseAnswer(0.4 * 0.5 / J, float(lab.run(model, 0.5).angular_velocity("wheel")[-1, 2]), "rad/s")


@case(friction=False)
def gear_train(lab: Lab) -> CaseAnswer:
    """Torque on the first of two wheels with 20 and 40 teeth: M / (J1 + J2 (z1 / z2)^2)."""
    model = Model(gravity=WEIGHTLESS)
    J1 = _wheel(model, "small", 0.1, (0, 0, 0))
    J2 = _wheel(model, "large", 0.2, (0.3, 0, 0))
    model.add_gear("hinge-small", "hinge-large", (20, 40))
    model.add_motor("hinge-small", torque=0.1)
    return CaseAnswer(
        0.1 * 0.5 / (J1 + 0.25 * J2), float(lab.run(model, 0.5).angular_velocity("small")[-1, 2]), "rad/s"
    )


@case(friction=False)
def atwood_machine(lab: Lab) -> CaseAnswer:
    """Two weights on the racks of one pinion: (m1 - m2) g / (m1 + m2 + J / r^2)."""
    m1, m2, r, time = 3.0, 2.0, 0.1, 0.5
    model = Model()
    body = model.add_body(Cylinder(r, 0.05), mass=2.0, position=(0, 0, 0), orientation=(1, 1, 0, 0), name="pinion")
    J = float(body.inertia[2, 2])
    model.add_revolute(None, "pinion", position=(0, 0, 0), axis=Y, name="hinge")
    for name, side, mass in (("left", -1.0, m1), ("right", 1.0, m2)):
        model.add_body(Box((0.05, 0.05, 0.05)), mass=mass, position=(side * 0.2, 0, -0.5), name=name)
        model.add_prismatic(None, name, axis=Z, name=f"rail-{name}")
        model.add_rack("hinge", f"rail-{name}", radius=side * r)
    exact = -(m1 - m2) * G / (m1 + m2 + J / r**2) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("left")[-1, 2]), "m/s")


@case(friction=False)
def falling_nut(lab: Lab) -> CaseAnswer:
    """Nut falls on a smooth screw of pitch p: a = m g / (m + J (2 pi / p)^2)."""
    pitch, time = 0.2, 0.5
    model = Model()
    body = model.add_body(Cylinder(0.05, 0.05), mass=1.0, name="nut")
    model.add_screw(None, "nut", position=(0, 0, 0), axis=Z, pitch=pitch)
    exact = -G / (1.0 + float(body.inertia[2, 2]) * (2 * math.pi / pitch) ** 2) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("nut")[-1, 2]), "m/s")


@case(friction=False, order=True)
def slider_crank_piston(lab: Lab) -> CaseAnswer:
    """Crank at constant speed: the piston is at r cos(a) + sqrt(l^2 - r^2 sin(a)^2)."""
    r, length, rate, time = 0.1, 0.3, 10.0, 0.5
    model = Model(gravity=WEIGHTLESS)
    model.add_body(Box((r, 0.02, 0.02)), mass=0.5, position=(0.5 * r, 0, 0), name="crank")
    model.add_body(Box((length, 0.02, 0.02)), mass=0.5, position=(r + 0.5 * length, 0, 0), name="rod")
    model.add_body(Box((0.05, 0.05, 0.05)), mass=1.0, position=(r + length, 0, 0), name="piston")
    model.add_revolute(None, "crank", position=(0, 0, 0), axis=Y, name="shaft")
    model.add_revolute("crank", "rod", position=(r, 0, 0), axis=Y)
    model.add_spherical("rod", "piston", position=(r + length, 0, 0))
    model.add_prismatic(None, "piston", axis=X)
    model.add_motor("shaft", speed=rate)
    a = rate * time
    exact = r * math.cos(a) + math.sqrt(length**2 - (r * math.sin(a)) ** 2)
    return CaseAnswer(exact, float(lab.run(model, time).position("piston")[-1, 0]), "m", scale=2 * r)


@case(friction=False, order=True)
def cardan_joint(lab: Lab) -> CaseAnswer:
    """Cardan joint bent by 40 degrees: tan(out) = tan(in) cos(bend); angle of the output after 1 rad.

    The arm of the output stays across both the arm of the input, (0, cos a, sin a), and its own shaft; it starts in the
    plane of the shafts, and out x (0, cos a, sin a) has the parts cos(a) and sin(a) cos(bend).
    """
    bend, rate, time = math.radians(40.0), 5.0, 0.2
    model = Model(gravity=WEIGHTLESS)
    out = np.array([math.cos(bend), 0.0, math.sin(bend)])
    model.add_body(Cylinder(0.05, 0.2), mass=1.0, position=(-0.2, 0, 0), orientation=(1, 0, 1, 0), name="in")
    model.add_body(Sphere(0.05), mass=1.0, position=0.2 * out, name="out")
    model.add_revolute(None, "in", position=(-0.2, 0, 0), axis=X, name="drive")
    model.add_revolute(None, "out", position=0.2 * out, axis=out)
    # Cross: the arm fixed in the input shaft points along y, that of the output lies in the plane of both shafts.
    model.add_universal("in", "out", position=(0, 0, 0), axis_a=Y, axis_b=np.cross(out, Y))
    model.add_motor("drive", speed=rate)
    run = lab.run(model, time)
    q = run.orientation("out")[-1]
    across = rotate(q, np.array([0.0, 1.0, 0.0]))
    normal = np.cross(out, np.array([0.0, 1.0, 0.0]))
    a = rate * time
    found = math.atan2(float(across @ normal), float(across @ np.array([0.0, 1.0, 0.0])))
    return CaseAnswer(math.atan2(math.sin(a) * math.cos(bend), math.cos(a)), found, "rad")


@case(friction=False)
def motor_holds_arm(lab: Lab) -> CaseAnswer:
    """Motor that holds a level arm: torque m g l."""
    model = Model()
    model.add_body(Sphere(0.05), mass=3.0, position=(0.7, 0, 0), name="arm")
    model.add_revolute(None, "arm", position=(0, 0, 0), axis=Y, name="hinge")
    model.add_motor("hinge", angle=0.0, name="motor")
    run = lab.run(model, 0.1)
    return CaseAnswer(3.0 * G * 0.7, abs(float(run.joint_impulse("motor")[-1, 0])) / lab.h, "N m")


@case(friction=False)
def lifted_load(lab: Lab) -> CaseAnswer:
    """Motor accelerates a load upwards at a: force m (g + a)."""
    model = Model()
    model.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, name="load")
    model.add_prismatic(None, "load", axis=Z, name="rail")
    model.add_motor("rail", position=lambda t: 0.5 * 3.0 * t * t, name="lift")
    run = lab.run(model, 0.3)
    return CaseAnswer(2.0 * (G + 3.0), abs(float(run.joint_impulse("lift")[-1, 0])) / lab.h, "N")


@case(friction=False)
def arm_hits_stop(lab: Lab) -> CaseAnswer:
    """Arm on a hinge swings onto its stop and stays there: the stop carries m g l cos(a)."""
    model = Model()
    model.add_body(Sphere(0.05), mass=1.0, position=(0.5, 0, 0), name="arm")
    model.add_revolute(None, "arm", position=(0, 0, 0), axis=Y, limits=(-0.4, 0.4), name="hinge")
    run = lab.run(model, 1.0)
    return CaseAnswer(G * 0.5 * math.cos(0.4), float(run.limit_impulse("hinge")[-1].max()) / lab.h, "N m")


@case(friction=False, order=True)
def governor_speed(lab: Lab) -> CaseAnswer:
    """Two balls on hinged arms of a shaft driven at W stand at cos(a) = g / (W^2 l): height with damping, after 3 s."""
    length, rate = 0.3, 8.0
    model = Model()
    begin = math.acos(G / (rate**2 * length)) + 0.02
    place = np.array([length * math.sin(begin), 0.0, -length * math.cos(begin)])
    model.add_body(Cylinder(0.02, 0.1), mass=1.0, angular_velocity=(0, 0, rate), name="shaft")
    model.add_revolute(None, "shaft", position=(0, 0, 0), axis=Z, name="drive")
    model.add_motor("drive", speed=rate)
    model.add_body(Sphere(0.01), mass=0.5, inertia=(1e-9, 1e-9, 1e-9), position=place, angular_velocity=(0, 0, rate),
                   velocity=np.cross([0, 0, rate], place), name="ball")  # fmt: skip
    arm = model.add_revolute("shaft", "ball", position=(0, 0, 0), axis=Y, name="arm")
    model.add_torsion_spring(arm, stiffness=0.0, damping=0.2)
    z = float(lab.run(model, 3.0).position("ball")[-1, 2])
    return CaseAnswer(-G / rate**2, z, "m")


CASES = (
    brake_stops_wheel, clutch_synchronises, gear_train, atwood_machine, falling_nut, slider_crank_piston, cardan_joint,
    motor_holds_arm, lifted_load, arm_hits_stop, governor_speed,
)  # fmt: skip
