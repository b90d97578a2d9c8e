"""Blows on rods, pendulums and boxes, bounces in corners, and bodies that rock."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from signorini.math.rotations import multiply, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, WEIGHTLESS, X, Y, Z, floor, turned, world_spin

R = 0.1
"""Of balls [m]."""
ELASTIC = Material(friction=0.0, restitution=1.0)


@case()
def oblique_bounce_aslant(lab: Lab) -> CaseAnswer:
    """Ball strikes a floor with a spin aslant to its path: friction mu (1 + e) v_n along the slip of its lowest point.

    The slip keeps its direction in the impact. Error of the velocity after it, relative to what friction changed.
    """
    mu, e = 0.15, 0.7
    material = Material(friction=mu, restitution=e)
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace(), material=material)
    v, w = np.array([3.0, 1.0, -2.0]), np.array([20.0, 10.0, 5.0])
    model.add_body(Sphere(R), density=1000, position=(0, 0, R + 0.013), velocity=v, angular_velocity=w,
                   material=material, name="ball")  # fmt: skip
    slip = (v + np.cross(w, [0.0, 0.0, -R]))[:2]
    change = mu * (1 + e) * 2.0
    exact = v[:2] - change * slip / np.linalg.norm(slip)
    found = lab.run(model, 0.05).velocity("ball")[-1, :2]
    return CaseAnswer(0.0, float(np.linalg.norm(found - exact)), "m/s", scale=change)


@case(friction=False)
def unequal_cradle(lab: Lab) -> CaseAnswer:
    """Balls of 3, 2 and 0.7 kg, a little apart: the last leaves at 4 m1 m2 v / ((m1 + m2) (m2 + m3))."""
    a, b, c = 3.0, 2.0, 0.7
    model = Model(gravity=WEIGHTLESS)
    for k, (x, mass) in enumerate(((0.0, a), (0.21, b), (0.413, c))):
        model.add_body(Sphere(R), mass=mass, position=(x, 0, 0), velocity=(0 if k else 2.0, 0, 0), material=ELASTIC,
                       name=f"ball-{k}")  # fmt: skip
    exact = 2.0 * 4 * a * b / ((a + b) * (b + c))
    return CaseAnswer(exact, float(lab.run(model, 0.05).velocity("ball-2")[-1, 0]), "m/s")


@case(bound=1e-6, friction=False)
def ball_between_walls(lab: Lab) -> CaseAnswer:
    """Elastic ball between two walls 1 m apart: after 40 bounces it is the unfolded line says; over 1 m."""
    model, speed = Model(gravity=WEIGHTLESS), 13.3
    for side in (-1.0, 1.0):
        model.add_fixed_body(HalfSpace((-side, 0, 0)), position=(side * (0.5 + R), 0, 0), material=ELASTIC)
    model.add_body(Sphere(R), mass=1.0, velocity=(speed, 0, 0), material=ELASTIC, name="ball")
    run = lab.run(model, 3.0)
    line = (0.5 + speed * float(run.times[-1])) % 2.0
    exact = line - 0.5 if line <= 1.0 else 1.5 - line
    return CaseAnswer(exact, float(run.position("ball")[-1, 0]), "m", scale=1.0)


@case(friction=False)
def rod_strikes_with_its_end(lab: Lab) -> CaseAnswer:
    """Slanting rod strikes a smooth floor with one end, e = 0.6: spin (1 + e) v x / (I / m + x^2)."""
    length, radius, lean, speed, e = 1.0, 1e-3, math.radians(35.0), 3.0, 0.6
    bouncy, drop = Material(friction=0.0, restitution=e), 0.0171
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace(), material=bouncy)
    model.add_body(Capsule(radius, length), mass=1.0, inertia=np.diag([1 / 12, 1 / 12, 1e-6]), velocity=(0, 0, -speed),
                   position=(0, 0, radius + 0.5 * length * math.sin(lean) + drop), material=bouncy, name="rod",
                   orientation=turned(Y, lean - 0.5 * math.pi))  # fmt: skip
    x = 0.5 * length * math.cos(lean)
    run = lab.run(model, drop / speed + 4 * lab.h)
    return CaseAnswer((1 + e) * speed * x / (1 / 12 + x * x), abs(float(world_spin(run, "rod")[-1, 1])), "rad/s")


def _struck_pendulum(lab: Lab, at: float, ball: Material) -> tuple[float, float, float]:
    """A ball of 0.5 kg strikes a hanging rod of 2 kg and 1 m: spin, level impulse of the hinge, inertia of the rod."""
    mass, speed, gap, thin = 2.0, 4.0, 0.013, 1e-3
    model = Model(gravity=WEIGHTLESS)
    rod = model.add_body(Box((thin, thin, 1.0)), mass=mass, position=(0, 0, -0.5), material=ball, name="rod")
    model.add_revolute(None, rod, position=(0, 0, 0), axis=Y, name="hinge")
    model.add_body(Sphere(0.05), mass=0.5, position=(-0.05 - 0.5 * thin - gap, 0, -at), velocity=(speed, 0, 0),
                   material=ball, name="ball")  # fmt: skip
    run = lab.run(model, gap / speed + 3 * lab.h)
    held = float(run.joint_impulse("hinge")[:, 0].sum())
    return abs(float(world_spin(run, "rod")[-1, 1])), held, float(rod.inertia[1, 1]) + 0.25 * mass


@case(friction=False)
def ballistic_pendulum(lab: Lab) -> CaseAnswer:
    """Ball strikes a hanging rod at 0.8 of its length without restitution: spin m v d / (I + m d^2)."""
    spin, _, inertia = _struck_pendulum(lab, 0.8, SMOOTH)
    return CaseAnswer(0.5 * 4.0 * 0.8 / (inertia + 0.5 * 0.8**2), spin, "rad/s")


@case(friction=False)
def centre_of_percussion(lab: Lab) -> CaseAnswer:
    """Rod struck at 2/3 of its length: its hinge takes no impulse; relative to that of the ball."""
    return CaseAnswer(0.0, _struck_pendulum(lab, 2 / 3, ELASTIC)[1], "N s", scale=0.5 * 4.0)


@case(friction=False)
def hinged_rod_bounces(lab: Lab) -> CaseAnswer:
    """Hinged rod strikes a peg with e = 0.5: turns back at half its rate."""
    bouncy, model = Material(friction=0.0, restitution=0.5), Model(gravity=WEIGHTLESS)
    model.add_fixed_body(Sphere(0.02), position=(0.7, 0, -0.04), material=bouncy)
    model.add_body(Box((1.0, 0.02, 0.02)), mass=1.0, position=(0.5, 0, 0), velocity=(0, 0, -1.0), material=bouncy,
                   angular_velocity=(0, 2.0, 0), name="rod")  # fmt: skip
    model.add_revolute(None, "rod", position=(0, 0, 0), axis=Y)
    return CaseAnswer(-1.0, float(world_spin(lab.run(model, 0.02), "rod")[-1, 1]), "rad/s")


@case(friction=False)
def ball_into_a_corner(lab: Lab) -> CaseAnswer:
    """Elastic ball meets three walls at once: comes back as it went. Relative to 1 m/s."""
    model = Model(gravity=WEIGHTLESS)
    for normal in (X, Y, Z):
        model.add_fixed_body(HalfSpace(normal), material=ELASTIC)
    place = (R + 0.013,) * 3
    model.add_body(Sphere(R), mass=1.0, position=place, velocity=(-1, -1, -1), material=ELASTIC, name="ball")
    v = lab.run(model, 0.05).velocity("ball")[-1]
    return CaseAnswer(0.0, float(np.abs(v - 1.0).max()), "m/s", scale=1.0)


@case(friction=False)
def box_strikes_with_a_corner(lab: Lab) -> CaseAnswer:
    """Corner of a box strikes a smooth floor, e = 0.6: J = (1 + e) v / (1/m + (r x n) I^-1 (r x n)); relative to v."""
    speed, drop = 2.0, 0.0113
    bouncy, model = Material(friction=0.0, restitution=0.6), Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace(), material=bouncy)
    q = multiply(turned(Y, 0.5), turned(X, 0.4))
    corners = np.array([(0.1 * x, 0.08 * y, 0.05 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    arms = np.array([rotate(q, corner) for corner in corners])
    arm = arms[int(np.argmin(arms[:, 2]))]
    box = model.add_body(Box((0.2, 0.16, 0.1)), density=1000, position=(0, 0, drop - arm[2]), orientation=q,
                         velocity=(0, 0, -speed), material=bouncy, name="box")  # fmt: skip
    axes = np.array([rotate(q, axis) for axis in np.eye(3)]).T
    lever = np.cross(arm, Z)
    push = 1.6 * speed / (1 / box.mass + float(lever @ np.linalg.solve(axes @ box.inertia @ axes.T, lever)))
    run = lab.run(model, drop / speed + 0.5 * lab.h)
    return CaseAnswer(push / box.mass - speed, float(run.velocity("box")[-1, 2]), "m/s", scale=speed)


@case()
def rolling_ball_meets_a_wall(lab: Lab) -> CaseAnswer:
    """Rolling ball meets a wall, e = 0.5, mu = 0.1: friction lifts it at mu (1 + e) v."""
    mu, e, speed = 0.1, 0.5, 2.0
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(
        HalfSpace((-1, 0, 0)), position=(0.113 + R, 0, 0), material=Material(friction=mu, restitution=e)
    )
    model.add_body(Sphere(R), mass=1.0, velocity=(speed, 0, 0), angular_velocity=(0, speed / R, 0), name="ball",
                   material=Material(friction=1.0, restitution=e))  # fmt: skip
    return CaseAnswer(mu * (1 + e) * speed, abs(float(lab.run(model, 0.1).velocity("ball")[-1, 2])), "m/s")


@case(friction=False, order=True)
def compliant_rebound(lab: Lab) -> CaseAnswer:
    """Ball on a contact that is a spring without a damper comes back as fast as it came."""
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace(), material=SMOOTH)
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, R + 0.01), velocity=(0, 0, -1), name="ball",
                   material=Material(friction=0.0, compliance=1e-3))  # fmt: skip
    return CaseAnswer(1.0, float(lab.run(model, 0.3).velocity("ball")[-1, 2]), "m/s")


@case(friction=False)
def rope_between_two(lab: Lab) -> CaseAnswer:
    """Two balls on a slack rope go on together when it is taut: m v / (m + M)."""
    model = Model(gravity=WEIGHTLESS)
    model.add_body(Sphere(0.05), mass=1.0, velocity=(2, 0, 0), position=(0.3, 0, 0), name="a")
    model.add_body(Sphere(0.05), mass=3.0, name="b")
    model.add_rope("a", "b", (0.3, 0, 0), (0, 0, 0), length=0.4)
    return CaseAnswer(0.5, float(lab.run(model, 0.1).velocity("b")[-1, 0]), "m/s")


@case(friction=False)
def shaken_ball_lands(lab: Lab) -> CaseAnswer:
    """Ball on a table that shakes at 1.5 g leaves it where 1.5 sin(w t) = 1, flies, and lands: time of landing."""
    rate, strength = 40.0, 1.5
    swing = strength * G / rate**2
    model = Model()
    model.add_body(Box((1, 1, 0.1)), motion=lambda t: ((0, 0, swing * math.sin(rate * t) - 0.05), (1, 0, 0, 0)),
                   material=SMOOTH, name="table")  # fmt: skip
    model.add_body(Sphere(0.05), mass=1.0, position=(0, 0, 0.05), velocity=(0, 0, swing * rate), material=SMOOTH,
                   name="ball")  # fmt: skip
    leaves = math.asin(1 / strength) / rate
    z, v = swing * math.sin(rate * leaves), swing * rate * math.cos(rate * leaves)

    def height(t: float) -> float:
        return z + v * (t - leaves) - 0.5 * G * (t - leaves) ** 2 - swing * math.sin(rate * t)

    exact = brentq(height, leaves + 0.03, leaves + 0.16)
    run = lab.run(model, exact + 0.02)
    gap = run.position("ball")[:, 2] - run.position("table")[:, 2] - 0.1
    up = np.flatnonzero(gap > 1e-5)
    return CaseAnswer(exact, float(run.times[min(up[-1] + 1, len(run.times) - 1)]) if len(up) else math.nan, "s")


@case()
def rocking_block(lab: Lab) -> CaseAnswer:
    """Block rocks from edge to edge: an impact leaves it 1 - 3/2 sin(a)^2 of its spin; angle of the next swing.

    a is the angle of its diagonal [Housner 1963]: cos(a - t1) = cos(a) + r^2 (cos(a - t0) - cos(a)).
    """
    width, height, begin = 0.1, 0.5, 0.08
    a = math.atan(width / height)
    left = 1 - 1.5 * math.sin(a) ** 2
    exact = a - math.acos(math.cos(a) + left**2 * (math.cos(a - begin) - math.cos(a)))
    model, q = floor(5.0), turned(Y, begin)
    edge = np.array([0.5 * width, 0.0, -0.5 * height])
    model.add_body(Box((width, 0.2, height)), density=1000, position=-rotate(q, edge), orientation=q, material=ROUGH,
                   name="block")  # fmt: skip
    o = lab.run(model, 0.9).orientation("block")
    return CaseAnswer(exact, -float((2 * np.arctan2(o[:, 2], o[:, 0])).min()), "rad")


@case(friction=False)
def glancing_hit(lab: Lab) -> CaseAnswer:
    """Smooth ball cuts another by 50 degrees without restitution: that one leaves at v cos(a) / 2."""
    model, a = Model(gravity=WEIGHTLESS), math.radians(50.0)
    model.add_body(Sphere(R), mass=1.0, position=(-0.5, 2 * R * math.sin(a), 0), velocity=(3, 0, 0), material=SMOOTH)
    model.add_body(Sphere(R), mass=1.0, material=SMOOTH, name="object")
    found = float(np.linalg.norm(lab.run(model, 0.3).velocity("object")[-1]))
    return CaseAnswer(1.5 * math.cos(a), found, "m/s")


CASES = (
    oblique_bounce_aslant, unequal_cradle, ball_between_walls, rod_strikes_with_its_end, ballistic_pendulum,
    centre_of_percussion, hinged_rod_bounces, ball_into_a_corner, box_strikes_with_a_corner,
    rolling_ball_meets_a_wall, compliant_rebound, rope_between_two, shaken_ball_lands, rocking_block, glancing_hit,
)  # fmt: skip
