"""Bodies that roll or slide off others, fall from rest, meet steps and kerbs, and glance off one another."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, WEIGHTLESS, X, Y, floor, turned, world_spin

R = 0.1
"""Of balls and cylinders [m]."""
DOME = 0.9
"""Radius of the dome [m]."""
START = 0.2
"""Angle from the vertical at which a ball is let go on the dome [rad]."""


def _off_the_dome(lab: Lab, material: Material) -> float:
    """Horizontal speed of a ball long after it has left a dome [m/s]."""
    model = Model()
    model.add_fixed_body(Sphere(DOME), material=material, name="dome")
    far = DOME + R
    model.add_body(Sphere(R), density=1000, position=(far * math.sin(START), 0, far * math.cos(START)), material=ROUGH,
                   name="ball")  # fmt: skip
    return float(lab.run(model, 1.0).velocity("ball")[-1, 0])


@case(friction=False, order=True)
def dome_smooth(lab: Lab) -> CaseAnswer:
    """Ball slides off a smooth dome: leaves at cos(a) = 2/3 cos(a0); horizontal speed afterwards.

    v^2 = 2 g (R + r) (cos(a0) - cos(a)), and the dome pushes no more when v^2 = g (R + r) cos(a).
    """
    cosine = 2 / 3 * math.cos(START)
    return CaseAnswer(math.sqrt(G * (DOME + R) * cosine) * cosine, _off_the_dome(lab, SMOOTH), "m/s")


@case(order=True)
def dome_rough(lab: Lab) -> CaseAnswer:
    """Ball rolls off a rough dome: leaves at cos(a) = 10/17 cos(a0); horizontal speed afterwards.

    v^2 = 10/7 g (R + r) (cos(a0) - cos(a)).
    """
    cosine = 10 / 17 * math.cos(START)
    return CaseAnswer(math.sqrt(G * (DOME + R) * cosine) * cosine, _off_the_dome(lab, ROUGH), "m/s")


@case(friction=False, order=True)
def ladder_leaves_the_wall(lab: Lab) -> CaseAnswer:
    """Ladder slides down a smooth wall on a smooth floor: leaves it at 2/3 of its height; horizontal speed afterwards.

    w^2 = 3 g / L (sin(a0) - sin(a)); the wall pushes no more at sin(a) = 2/3 sin(a0), where v_x = L / 2 w sin(a).
    """
    length, radius, start = 1.0, 0.01, math.radians(60.0)
    model = Model()
    model.add_fixed_body(HalfSpace(), material=SMOOTH, name="floor")
    model.add_fixed_body(HalfSpace((1, 0, 0)), material=SMOOTH, name="wall")
    place = (0.5 * length * math.cos(start) + radius, 0, 0.5 * length * math.sin(start) + radius)
    # The capsule's axis is z: leaned towards -x, its top at the wall.
    model.add_body(Capsule(radius, length), mass=1.0, inertia=np.diag([1 / 12, 1 / 12, 1e-4]), position=place,
                   name="rod", orientation=turned(Y, start - 0.5 * math.pi), material=SMOOTH)  # fmt: skip
    high = math.sin(start)
    return CaseAnswer(
        high / 3 * math.sqrt(G * length * high), float(lab.run(model, 0.62).velocity("rod")[-1, 0]), "m/s"
    )


@case(order=True)
def pencil_falls(lab: Lab) -> CaseAnswer:
    """Rod falls about its rough foot from 10 degrees off the vertical: time to 60 degrees.

    w^2 = 3 g / L (cos(a0) - cos(a)).
    """
    length, radius = 0.5, 0.005
    begin, end = math.radians(10.0), math.radians(60.0)
    model = floor(1e3)
    # The foot is a ball that rolls: its radius is small, and the inertia is chosen for the contact point at 10 degrees.
    place = (0.5 * length * math.sin(begin), 0, 0.5 * length * math.cos(begin) + radius)
    model.add_body(Capsule(radius, length), mass=1.0, inertia=np.diag([length**2 / 12, length**2 / 12, 1e-6]),
                   name="rod", position=place, orientation=turned(Y, begin), material=ROUGH)  # fmt: skip

    def time(a: float) -> float:
        # Rolling on the ball: kinetic energy I + m ((L/2)^2 + r^2 + r L cos(a)).
        inertia = length**2 / 12 + 0.25 * length**2 + radius**2 + radius * length * math.cos(a)
        return math.sqrt(inertia / (G * length * (math.cos(begin) - math.cos(a))))

    exact = quad(lambda s: 2 * s * time(begin + s * s), 0.0, math.sqrt(end - begin))[0]
    run = lab.run(model, 1.2 * exact)
    q = run.orientation("rod")
    angle = 2 * np.arctan2(q[:, 2], q[:, 0])
    return CaseAnswer(exact, float(np.interp(end, angle, run.times)), "s")


@case()
def sliding_rod_force(lab: Lab) -> CaseAnswer:
    """Rod slides on its lower end at 60 degrees, mu = 0.3 (below Painleve's): N = m g / (1 + 3 cos (cos - mu sin)).

    The lower end trails the centre of mass in the direction of sliding; force in the first step, point contact.
    """
    length, radius, lean, mu = 1.0, 1e-4, math.radians(60.0), 0.3
    model = floor(mu)
    place = (-0.5 * length * math.cos(lean), 0, 0.5 * length * math.sin(lean) + radius)
    model.add_body(Capsule(radius, length), mass=1.0, inertia=np.diag([1 / 12, 1 / 12, 1e-6]), position=place,
                   velocity=(3.0, 0, 0), orientation=turned(Y, lean - 0.5 * math.pi), material=ROUGH,
                   name="rod")  # fmt: skip
    # Friction acts along -x on the end at +x of the centre: with the arm, it turns the rod into the floor's push.
    c, s = math.cos(lean), math.sin(lean)
    exact = G / (1 + 3 * c * (c - mu * s))
    run = lab.run(model, 2 * lab.h)
    return CaseAnswer(exact, -float(run.contact_force("floor", "rod")[1][2]), "N")


@case()
def cylinder_meets_a_step(lab: Lab) -> CaseAnswer:
    """Rolling cylinder strikes a step of height s: spin w (1 - 2 s / (3 R)) about its edge, without weight.

    The edge sticks from mu = 0.14 on; from 0.42 on cylinder, floor and edge may also jam.
    """
    step, speed, mu = 0.03, 1.0, 0.3
    model = floor(mu, WEIGHTLESS)
    model.add_fixed_body(Box((1.0, 1.0, 2 * step)), position=(0.5, 0, 0), material=Material(mu), name="step")
    reach = math.sqrt(R**2 - (R - step) ** 2)
    model.add_body(Cylinder(R, 0.2), density=1000, position=(-reach - 0.011, 0, R), velocity=(speed, 0, 0),
                   orientation=turned(X, 0.5 * math.pi), angular_velocity=(0, 0, -speed / R), material=ROUGH,
                   name="roll")  # fmt: skip
    run = lab.run(model, 0.03)
    return CaseAnswer(speed / R * (1 - 2 * step / (3 * R)), float(world_spin(run, "roll")[-1, 1]), "rad/s")


@case()
def block_meets_a_kerb(lab: Lab) -> CaseAnswer:
    """Cube that slides on ice strikes a rough kerb of height s: turns about its edge, without weight.

    Momentum m v (a / 2 - s) about it, inertia m a^2 / 6 + m (a^2 / 4 + (a / 2 - s)^2).
    """
    side, kerb, speed = 0.2, 0.01, 1.0
    model = floor(0.0, WEIGHTLESS)
    model.add_fixed_body(Box((0.4, 1.0, 2 * kerb)), position=(0.2, 0, 0), material=ROUGH, name="kerb")
    model.add_body(Box((side, side, side)), mass=1.0, position=(-0.5 * side - 0.007, 0, 0.5 * side),
                   velocity=(speed, 0, 0), material=ROUGH, name="cube")  # fmt: skip
    arm = 0.5 * side - kerb
    exact = speed * arm / (side**2 / 6 + 0.25 * side**2 + arm**2)
    return CaseAnswer(exact, float(world_spin(lab.run(model, 0.02), "cube")[-1, 1]), "rad/s")


def _cut(lab: Lab, angle: float) -> np.ndarray:
    """Velocity of the object ball after a cut with smooth, elastic balls [m/s]."""
    model = Model(gravity=WEIGHTLESS)
    elastic = Material(friction=0.0, restitution=1.0)
    aside = 2 * R * math.sin(angle)
    model.add_body(Sphere(R), mass=1.0, position=(-0.5, aside, 0), velocity=(3, 0, 0), material=elastic, name="cue")
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, 0), material=elastic, name="object")
    return np.asarray(lab.run(model, 0.3).velocity("object")[-1])


@case(friction=False)
def billiard_cut_speed(lab: Lab) -> CaseAnswer:
    """Ball strikes another off centre by 50 degrees: that one leaves at v cos(a)."""
    angle = math.radians(50.0)
    return CaseAnswer(3 * math.cos(angle), float(np.linalg.norm(_cut(lab, angle))), "m/s")


@case(friction=False)
def billiard_cut_angle(lab: Lab) -> CaseAnswer:
    """In the direction of the line of centres."""
    angle = math.radians(50.0)
    v = _cut(lab, angle)
    return CaseAnswer(angle, float(math.atan2(-v[1], v[0])), "rad")


@case()
def super_ball(lab: Lab) -> CaseAnswer:
    """Super-ball with backspin turns its slip round: v' = v - 4/7 (v - r w)."""
    bouncy = Material(friction=2.0, restitution=1.0, tangential_restitution=1.0)
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace(), material=bouncy, name="floor")
    spin = -5.0
    model.add_body(Sphere(R), density=1000, position=(0, 0, R + 0.01), velocity=(1.0, 0, -2.0), material=bouncy,
                   name="ball", angular_velocity=(0, spin, 0))  # fmt: skip
    return CaseAnswer(1.0 - 4 / 7 * (1.0 - R * spin), float(lab.run(model, 0.05).velocity("ball")[-1, 0]), "m/s")


@case()
def billiard_throw(lab: Lab) -> CaseAnswer:
    """Rough balls (mu = 0.06, e = 0.95), cut by 45 degrees: friction throws the other by mu (1 + e) v cos(a) / 2."""
    angle, mu, e, speed = math.radians(45.0), 0.06, 0.95, 3.0
    model, ivory = Model(gravity=WEIGHTLESS), Material(friction=mu, restitution=e)
    model.add_body(
        Sphere(R), mass=1.0, position=(-0.5, 2 * R * math.sin(angle), 0), velocity=(speed, 0, 0), material=ivory
    )
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, 0), material=ivory, name="object")
    across = lab.run(model, 0.3).velocity("object")[-1] @ np.array([math.sin(angle), math.cos(angle), 0.0])
    return CaseAnswer(0.5 * mu * (1 + e) * speed * math.cos(angle), float(across), "m/s")


@case(friction=False)
def ball_on_a_paddle(lab: Lab) -> CaseAnswer:
    """Ball at 3 m/s meets a paddle at 2 m/s, e = 0.8: leaves at 2 + 0.8 * 5 m/s."""
    model, bouncy = Model(gravity=WEIGHTLESS), Material(friction=0.0, restitution=0.8)
    model.add_body(Box((1, 1, 0.1)), motion=lambda t: ((0.0, 0.0, 2.0 * t), (1.0, 0.0, 0.0, 0.0)), material=bouncy)
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, 0.5), velocity=(0, 0, -3), material=bouncy, name="ball")
    return CaseAnswer(6.0, float(lab.run(model, 0.2).velocity("ball")[-1, 2]), "m/s")


@case(friction=False)
def rod_struck_off_centre(lab: Lab) -> CaseAnswer:
    """Elastic ball strikes a free rod at d from its centre: spin J d / I with J = 2 v / (1/m + 1/M + d^2 / I)."""
    mass, inertia, arm, ball, speed = 1.0, 1 / 12, 0.3, 0.5, 2.0
    model, elastic = Model(gravity=WEIGHTLESS), Material(friction=0.0, restitution=1.0)
    model.add_body(
        Box((1, 0.05, 0.05)), mass=mass, inertia=np.diag([1e-3, inertia, inertia]), material=elastic, name="rod"
    )
    model.add_body(Sphere(0.05), mass=ball, position=(arm, -0.3, 0), velocity=(0, speed, 0), material=elastic)
    push = 2 * speed / (1 / ball + 1 / mass + arm**2 / inertia)
    return CaseAnswer(push * arm / inertia, float(lab.run(model, 0.3).angular_velocity("rod")[-1, 2]), "rad/s")


CASES = (
    dome_smooth, dome_rough, ladder_leaves_the_wall, pencil_falls, sliding_rod_force, cylinder_meets_a_step,
    block_meets_a_kerb, billiard_cut_speed, billiard_cut_angle, billiard_throw, super_ball, ball_on_a_paddle,
    rod_struck_off_centre,
)  # fmt: skip
