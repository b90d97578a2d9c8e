"""Servos, clutches, screws, differentials, springs, and loads on light links."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.classics import period
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, WEIGHTLESS, X, Y, Z, floor, moved, turned

SLIPPED = 1e-4
"""Larger displacements [m] count as motion."""


def _wheel(model: Model, name: str, radius: float, z: float, spin: float = 0.0) -> float:
    """A disc of 2 kg on a hinge along z; its inertia [kg m2]."""
    wheel = model.add_body(
        Cylinder(radius, 0.05), mass=2.0, position=(0, 0, z), angular_velocity=(0, 0, spin), name=name
    )
    model.add_revolute(None, name, position=(0, 0, z), axis=Z, name=f"hinge-{name}")
    return float(wheel.inertia[2, 2])


@case(friction=False)
def servo_sags(lab: Lab) -> CaseAnswer:
    """Servo of stiffness k holds an arm: it sags by s with k s = m g l cos(s)."""
    stiffness, mass, arm = 200.0, 1.0, 0.5
    model = Model()
    model.add_body(Sphere(0.05), mass=mass, position=(arm, 0, 0), name="arm")
    model.add_revolute(None, "arm", position=(0, 0, 0), axis=Y, name="hinge")
    model.add_servo("hinge", stiffness=stiffness, damping=20.0, target=0.0)
    exact = brentq(lambda s: stiffness * s - mass * G * arm * math.cos(s), 0.0, 0.2)
    return CaseAnswer(exact, float(lab.run(model, 2.0).joint_coordinate("hinge")[-1]), "rad")


@case(friction=False)
def clutch_between_wheels(lab: Lab) -> CaseAnswer:
    """Clutch of torque M between two wheels slips for w I1 I2 / ((I1 + I2) M)."""
    model, spin, torque = Model(gravity=WEIGHTLESS), 20.0, 0.5
    one, two = _wheel(model, "a", 0.2, 0.0, spin), _wheel(model, "b", 0.1, 0.1)
    model.add_revolute("a", "b", position=(0, 0, 0.05), axis=Z, name="clutch")
    model.add_brake("clutch", limit=torque)
    run = lab.run(model, 0.5)
    slip = np.abs(run.angular_velocity("a")[:, 2] - run.angular_velocity("b")[:, 2])
    return CaseAnswer(spin * one * two / ((one + two) * torque), float(run.times[np.argmax(slip < 1e-6)]), "s")


@case(bound=1e-3, friction=False)
def screw_jack(lab: Lab) -> CaseAnswer:
    """Torque on a nut lifts it from its support when M > m g p / (2 pi)."""
    mass, pitch = 10.0, 0.02

    def moves(torque: float) -> bool:
        model = Model()
        nut = model.add_body(Sphere(0.025), mass=mass, material=SMOOTH, name="nut")
        model.add_screw(None, nut, position=(0, 0, 0), axis=Z, pitch=pitch)
        model.add_fixed_body(Box((0.3, 0.3, 0.01)), position=(0, 0, -0.03), material=SMOOTH)
        model.add_force(nut, torque=(0, 0, torque))
        return float(lab.run(model, 0.6).position("nut")[-1, 2]) > 1e-6

    return threshold(mass * G * pitch / (2 * math.pi), moves, "N m")


@case(friction=False)
def differential(lab: Lab) -> CaseAnswer:
    """Differential with one wheel held: the other turns twice as fast as its case; 2 M t / (J + 4 J)."""
    model, torque, time = Model(gravity=WEIGHTLESS), 0.3, 0.5
    inertia = _wheel(model, "left", 0.1, 0.0)
    for k, name in enumerate(("right", "case")):
        _wheel(model, name, 0.1, 0.2 * (k + 1))
    model.add_coupling([("hinge-left", 1.0), ("hinge-right", 1.0), ("hinge-case", -2.0)])
    model.add_brake("hinge-left", limit=100.0)
    model.add_motor("hinge-case", torque=torque)
    found = float(lab.run(model, time).angular_velocity("right")[-1, 2])
    return CaseAnswer(2 * torque * time / (5 * inertia), found, "rad/s")


@case(friction=False, order=True)
def two_masses_on_a_spring(lab: Lab) -> CaseAnswer:
    """Two masses on a spring swing while they fly: 2 pi / sqrt(k (1 / m + 1 / M))."""
    stiffness, light, heavy = 100.0, 1.0, 3.0
    model = Model()
    for name, mass, x in (("a", light, 0.0), ("b", heavy, 0.55)):
        model.add_body(Sphere(0.05), mass=mass, position=(x, 0, 0), velocity=(1, 0, 3), name=name)
    model.add_spring("a", "b", (0, 0, 0), (0.55, 0, 0), stiffness=stiffness, length=0.5)
    exact = 2 * math.pi / math.sqrt(stiffness * (1 / light + 1 / heavy))
    run = lab.run(model, 2.6 * exact)
    return CaseAnswer(exact, period(run, np.linalg.norm(run.position("a") - run.position("b"), axis=1) - 0.5), "s")


@case(friction=False, order=True)
def box_on_a_bushing(lab: Lab) -> CaseAnswer:
    """Box turns on a bushing: 2 pi sqrt(I / k)."""
    stiffness, model = 3.0, Model(gravity=WEIGHTLESS)
    box = model.add_body(Box((0.3, 0.2, 0.1)), mass=2.0, angular_velocity=(0, 0, 1.0), name="box")
    model.add_bushing(None, box, (0, 0, 0), (1e3, 1e3, 1e3, 5.0, 5.0, stiffness))
    exact = 2 * math.pi * math.sqrt(float(box.inertia[2, 2]) / stiffness)
    run = lab.run(model, 2.7 * exact)
    return CaseAnswer(exact, period(run, run.orientation("box")[:, 3]), "s")


@case(friction=False)
def weight_on_a_damper(lab: Lab) -> CaseAnswer:
    """Weight on a damper falls at m g / c."""
    model = Model()
    model.add_body(Sphere(0.05), mass=2.0, name="weight")
    model.add_prismatic(None, "weight", axis=Z, name="rail")
    model.add_slide_spring("rail", stiffness=0.0, damping=10.0)
    return CaseAnswer(-2.0 * G / 10.0, float(lab.run(model, 2.0).velocity("weight")[-1, 2]), "m/s")


@case(friction=False, order=True)
def rubbing_hinge_swings(lab: Lab) -> CaseAnswer:
    """Wheel on a torsion spring with a rubbing hinge loses 2 M / k in each half swing; third turning point."""
    stiffness, rub, begin = 1.6, 0.05, 0.5
    model = Model(gravity=WEIGHTLESS)
    wheel = model.add_body(Cylinder(0.2, 0.05), mass=2.0, name="wheel")
    model.add_revolute(None, wheel, position=(0, 0, 0), axis=Z, friction=rub, name="hinge")
    model.add_torsion_spring("hinge", stiffness=stiffness, angle=begin)
    swing = 2 * math.pi * math.sqrt(float(wheel.inertia[2, 2]) / stiffness)
    run = lab.run(model, 1.6 * swing)
    s = run.joint_coordinate("hinge") - begin
    return CaseAnswer(begin - 6 * rub / stiffness, float(s[run.times > 1.3 * swing].max()), "rad")


@case(bound=1e-3, friction=False)
def braked_slide(lab: Lab) -> CaseAnswer:
    """Slide with a brake of force F on a slope slips when m g sin(alpha) > F."""
    mass, hold = 3.0, 12.0

    def moves(sine: float) -> bool:
        model = Model()
        model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, name="slider")
        model.add_prismatic(None, "slider", axis=(math.sqrt(1 - sine**2), 0, -sine), name="rail")
        model.add_brake("rail", limit=hold)
        return moved(lab.run(model, 0.5), "slider") > SLIPPED

    return threshold(hold / (mass * G), moves)


@case(friction=False, order=True)
def ball_in_thick_air(lab: Lab) -> CaseAnswer:
    """Ball falls against a drag that grows with the square of its speed: u tanh(g t / u)."""
    fastest, time = 5.0, 0.6
    model = Model()
    model.add_body(Sphere(0.05), mass=1.0, name="ball")
    model.add_force("ball", lambda _t, s: -G / fastest**2 * np.linalg.norm(s.velocity[0]) * s.velocity[0])
    exact = -fastest * math.tanh(G * time / fastest)
    return CaseAnswer(exact, float(lab.run(model, time).velocity("ball")[-1, 2]), "m/s")


@case(friction=False, order=True)
def planet_returns(lab: Lab) -> CaseAnswer:
    """Planet on an ellipse of eccentricity 0.3 is back after its period; distance from its start, over the axis."""
    strength, e = 4 * math.pi**2, 0.3
    model = Model(gravity=WEIGHTLESS)
    speed = math.sqrt(strength * (1 + e) / (1 - e))
    model.add_body(Sphere(0.01), mass=1.0, position=(1 - e, 0, 0), velocity=(0, speed, 0), name="planet")
    model.add_force("planet", lambda _t, s: -strength * s.position[0] / np.linalg.norm(s.position[0]) ** 3)
    path = lab.run(model, 1.0).position("planet")
    return CaseAnswer(0.0, float(np.linalg.norm(path[-1] - path[0])), "", scale=1.0)


@case(friction=False)
def heavy_ball_on_light_links(lab: Lab) -> CaseAnswer:
    """1000 kg on three links of 1 g swing as a simple pendulum: 2 pi sqrt(L / g) (1 + a^2 / 16)."""
    link, count, lean = 0.1, 3, 0.05
    down, q = np.array([math.sin(lean), 0, -math.cos(lean)]), turned(Y, -lean)
    model = Model()
    for k in range(count):
        model.add_body(
            Box((0.01, 0.01, link)), mass=1e-3, position=(k + 0.5) * link * down, orientation=q, name=f"link-{k}"
        )
        model.add_revolute(f"link-{k - 1}" if k else None, f"link-{k}", position=k * link * down, axis=Y)
    end = count * link * down
    model.add_body(Sphere(0.02), mass=1e3, inertia=(1e-3, 1e-3, 1e-3), position=end, name="ball")
    model.add_spherical(f"link-{count - 1}", "ball", position=end)
    exact = 2 * math.pi * math.sqrt(count * link / G) * (1 + lean**2 / 16)
    run = lab.run(model, 0.8 * exact)
    return CaseAnswer(exact, period(run, run.position("ball")[:, 0]), "s")


@case(order=True)
def light_rollers(lab: Lab) -> CaseAnswer:
    """Slab of 1000 kg on rollers of 1 g is pushed by F: F t / M."""
    model, radius = floor(0.6), 0.05
    model.add_body(
        Box((1.6, 0.4, 0.1)), mass=1e3, position=(0, 0, 2 * radius + 0.05), material=Material(0.6), name="slab"
    )
    for k, x in enumerate((-0.4, 0.4)):
        model.add_body(Cylinder(radius, 0.3), mass=1e-3, position=(x, 0, radius), material=ROUGH, name=f"roller-{k}",
                       orientation=turned(X, 0.5 * math.pi))  # fmt: skip
    model.add_force("slab", (1000.0, 0, 0))
    return CaseAnswer(0.5, float(lab.run(model, 0.5).velocity("slab")[-1, 0]), "m/s")


@case(bound=1e-3)
def million_on_light_slips(lab: Lab) -> CaseAnswer:
    """1000 kg on 1 g on a rough floor, pushed, slip when F > mu (M + m) g."""
    mu = 0.3

    def moves(force: float) -> bool:
        model = floor(mu)
        model.add_body(Box((0.4, 0.4, 0.05)), mass=1e-3, position=(0, 0, 0.025), material=Material(0.9), name="light")
        model.add_body(Box((0.4, 0.4, 0.4)), mass=1e3, position=(0, 0, 0.25), material=ROUGH, name="heavy")
        model.add_force("heavy", (force, 0, 0), point=(0, 0, 0.05))
        return moved(lab.run(model, 0.5), "heavy") > SLIPPED

    return threshold(mu * G * (1e3 + 1e-3), moves, "N")


CASES = (
    servo_sags, clutch_between_wheels, screw_jack, differential, two_masses_on_a_spring, box_on_a_bushing,
    weight_on_a_damper, rubbing_hinge_swings, braked_slide, ball_in_thick_air, planet_returns,
    heavy_ball_on_light_links, light_rollers, million_on_light_slips,
)  # fmt: skip
