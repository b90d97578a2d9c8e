"""Carts, tables that move, blocks that are pulled, pendulums on carts."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from signorini.math.rotations import multiply, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.corners import LYING, when
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import (
    ROUGH,
    SMOOTH,
    Y,
    Z,
    floor,
    tilt,
    tilted_gravity,
    turned,
    world_spin,
    zeros,
)

POINT = 1e-9 * np.eye(3)
"""Inertia of a point mass."""


def _add_feet(model: Model, name: str, x: float, material: Material, speed: float = 0.0) -> None:
    """Two light feet under a car."""
    for y in (-0.2, 0.2):
        foot = model.add_body(Sphere(0.05), mass=1e-6, position=(x, y, 0.05), velocity=(speed, 0, 0), material=material,
                              name=f"{name}{y:+g}")  # fmt: skip
        model.add_fixed_joint("car", foot)


@case()
def block_set_on_a_cart(lab: Lab) -> CaseAnswer:
    """Block set on a moving cart on ice slides back by M v^2 / (2 mu g (M + m)) before they go on together."""
    heavy, light, speed, mu = 3.0, 1.0, 2.0, 0.3
    model = Model()
    model.add_fixed_body(HalfSpace(), material=SMOOTH)
    model.add_body(Box((3, 0.4, 0.1)), mass=heavy, position=(0, 0, 0.05), velocity=(speed, 0, 0), material=ROUGH,
                   name="cart")  # fmt: skip
    model.add_body(Box((0.1, 0.1, 0.1)), mass=light, position=(0.5, 0, 0.15), material=Material(mu), name="block")
    run = lab.run(model, 1.2)
    way = run.position("cart")[-1, 0] - run.position("block")[-1, 0] + 0.5
    return CaseAnswer(heavy * speed**2 / (2 * mu * G * (heavy + light)), float(way), "m")


@case()
def cart_brakes_with_its_front_wheels(lab: Lab) -> CaseAnswer:
    """Cart with locked front wheels, the load on which grows: a = mu g b / (L - mu h); speed lost in 0.5 s."""
    mu, long, rear, high, speed, time = 0.5, 1.0, 0.6, 0.4, 3.0, 0.5
    model = floor(mu)
    model.add_body(Box((1.2, 0.4, 0.1)), mass=10.0, position=(0, 0, high), velocity=(speed, 0, 0), material=SMOOTH,
                   name="car")  # fmt: skip
    _add_feet(model, "front", long - rear, ROUGH, speed)
    _add_feet(model, "rear", -rear, SMOOTH, speed)
    lost = speed - float(lab.run(model, time).velocity("car")[-1, 0])
    return CaseAnswer(mu * G * rear / (long - mu * high) * time, lost, "m/s")


@case(bound=1e-3)
def wheelie(lab: Lab) -> CaseAnswer:
    """Torque on the rear wheel lifts the front when a = m g b / (m h + m_w R + I / R), M = (m + m_w) a R + I a / R."""
    rear, high, mass, wheel, r = 0.4, 0.5, 10.0, 2.0, 0.2
    spin = 0.5 * wheel * r
    a = mass * G * rear / (mass * high + wheel * r + spin)

    def moves(torque: float) -> bool:
        model = floor(3.0)
        model.add_body(Box((1.0, 0.4, 0.1)), mass=mass, position=(0, 0, high), material=SMOOTH, name="car")
        model.add_body(Cylinder(r, 0.3), mass=wheel, position=(-rear, 0, r), orientation=LYING, material=ROUGH,
                       name="wheel")  # fmt: skip
        hinge = model.add_revolute("car", "wheel", (-rear, 0, r), (0, 1, 0))
        model.add_motor(hinge, torque=torque)
        _add_feet(model, "front", 1.0 - rear, SMOOTH)
        return tilt(lab.run(model, 0.5), "car") > 3e-4

    return threshold((mass + wheel) * a * r + spin * a, moves, "N m")


@case(bound=1e-3)
def driven_cylinder_slips(lab: Lab) -> CaseAnswer:
    """Cylinder on a floor under a torque slips when M > 3/2 mu m g r."""
    mu, r, mass = 0.3, 0.1, 2.0

    def moves(torque: float) -> bool:
        model = floor(mu)
        model.add_body(Cylinder(r, 0.2), mass=mass, position=(0, 0, r), orientation=LYING, material=ROUGH, name="wheel")
        model.add_force("wheel", torque=(0, torque, 0))
        run = lab.run(model, 1.0)
        return float(world_spin(run, "wheel")[-1, 1] * r - run.velocity("wheel")[-1, 0]) > 1e-3

    return threshold(1.5 * mu * mass * G * r, moves, "N m")


@case(bound=1e-3)
def sliding_block_tips(lab: Lab) -> CaseAnswer:
    """Block that slides tips over its front edge when mu > width / height."""

    def moves(mu: float) -> bool:
        model = floor(mu)
        model.add_body(Box((0.1, 0.1, 0.3)), mass=1.0, position=(0, 0, 0.15), velocity=(2.5, 0, 0), material=ROUGH,
                       name="block")  # fmt: skip
        return tilt(lab.run(model, 0.6), "block") > 1e-3

    return threshold(1 / 3, moves)


@case(bound=1e-3)
def block_climbs_an_accelerated_wedge(lab: Lab) -> CaseAnswer:
    """Block on a wedge that is accelerated against it climbs when a > g (tan + mu) / (1 - mu tan)."""
    angle, mu = math.radians(20), 0.3

    def moves(a: float) -> bool:
        model, q = Model(), turned(Y, -angle)
        model.add_body(Box((4, 1, 0.1)), motion=lambda t: ((-0.5 * a * t * t, 0, 0), q), material=Material(mu),
                       name="wedge")  # fmt: skip
        model.add_body(Box((0.2, 0.2, 0.02)), mass=1.0, position=rotate(q, np.array([0, 0, 0.06])), orientation=q,
                       material=ROUGH, name="block")  # fmt: skip
        run = lab.run(model, 1.0)
        place = run.position("block") - run.position("wedge")
        return float(np.linalg.norm(place[-1] - place[5])) > 1e-4

    slope = math.tan(angle)
    return threshold(G * (slope + mu) / (1 - mu * slope), moves, "m/s2")


@case(bound=1e-3)
def middle_block_is_pulled_out(lab: Lab) -> CaseAnswer:
    """The middle of three blocks is pulled: the top one is left behind when F > 3 m g (mu_top + mu_floor)."""
    top, below, ground, mass = 0.3, 0.4, 0.1, 1.0

    def moves(force: float) -> bool:
        model = floor(ground)
        for i, mu in enumerate((below, below, top)):
            model.add_body(Box((0.3, 0.3, 0.1)), mass=mass, position=(0, 0, 0.05 + 0.1 * i), material=Material(mu),
                           name=f"block-{i}")  # fmt: skip
        model.add_force("block-1", (force, 0, 0))
        run = lab.run(model, 1.0)
        return abs(float(run.position("block-2")[-1, 0] - run.position("block-1")[-1, 0])) > 1e-4

    return threshold(3 * mass * G * (top + ground), moves, "N")


@case()
def weight_pulls_a_block(lab: Lab) -> CaseAnswer:
    """Block on a rough table, pulled by a weight over a pulley: (m2 - mu m1) g / (m1 + m2); speed after 0.5 s."""
    mass, weight, mu, time = 2.0, 1.5, 0.3, 0.5
    model = Model()
    model.add_fixed_body(Box((2, 1, 0.1)), position=(0, 0, -0.05), material=Material(mu))
    model.add_body(Box((0.2, 0.2, 0.2)), mass=mass, position=(0, 0, 0.1), material=ROUGH, name="block")
    model.add_body(Sphere(0.05), mass=weight, position=(3, 0, -1), name="weight")
    model.add_pulley_rope([("block", (0.1, 0, 0.1)), (None, (3, 0, 0.1)), ("weight", (3, 0, -1))])
    exact = (weight - mu * mass) * G / (mass + weight) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("block")[-1, 0]), "m/s")


@case()
def rope_slips_on_a_drum(lab: Lab) -> CaseAnswer:
    """Weights on a rope over a fixed drum, which slips: a = g (m1 - m2 e^(mu pi)) / (m1 + m2 e^(mu pi))."""
    mu, heavy, light, time = 0.3, 5.0, 1.0, 0.4
    model, share = Model(), math.exp(0.3 * math.pi)
    for name, mass, x in (("light", light, 0.1), ("heavy", heavy, -0.1)):
        model.add_body(Sphere(0.02), mass=mass, position=(x, 0, 0), name=name)
    drum = (None, (0.1, 0, 1), (-0.1, 0, 1))
    model.add_capstan(("light", (0.1, 0, 0)), drum, ("heavy", (-0.1, 0, 0)), friction=mu, wrap=math.pi)
    exact = G * (heavy - light * share) / (heavy + light * share) * time
    return CaseAnswer(exact, -float(lab.run(model, time).velocity("heavy")[-1, 2]), "m/s")


@case(friction=False)
def rope_goes_slack(lab: Lab) -> CaseAnswer:
    """Ball on a rope, v^2 = 3.5 g L at the bottom: slack at cos(a) = (v^2 - 2 g L) / (3 g L) above; highest point."""
    square = 3.5 * G
    c = (square - 2 * G) / (3 * G)
    model = Model()
    model.add_body(Sphere(0.02), mass=1.0, position=(0, 0, -1), velocity=(math.sqrt(square), 0, 0), name="ball")
    model.add_rope(None, "ball", (0, 0, 0), (0, 0, -1))
    return CaseAnswer(c + 0.5 * c * (1 - c * c), float(lab.run(model, 1.2).position("ball")[:, 2].max()), "m")


@case()
def cue_ball_swerves(lab: Lab) -> CaseAnswer:
    """Ball struck with side spin goes on a parabola while its slip lasts, then straight (masse); its place, error."""
    r, mu, time, speed, spin = 0.05, 0.2, 1.2, np.array([2.0, 0, 0]), np.array([60.0, 20, 0])
    model = floor(mu)
    model.add_body(Sphere(r), density=1000, position=(0, 0, r), velocity=speed, angular_velocity=spin, material=ROUGH,
                   name="ball")  # fmt: skip
    slip = speed + np.cross(spin, (0, 0, -r))
    size = float(np.linalg.norm(slip))
    slides = 2 * size / (7 * mu * G)
    way = speed * slides - 0.5 * mu * G * slides**2 * slip / size + (speed - 2 / 7 * slip) * (time - slides)
    place = lab.run(model, time).position("ball")
    return CaseAnswer(0.0, float(np.linalg.norm(place[-1] - place[0] - way)), "m", scale=float(np.linalg.norm(way)))


@case()
def ball_drifts_on_a_tilted_turntable(lab: Lab) -> CaseAnswer:
    """Ball rolls on a turntable that is tilted by a: drifts level at 5 g sin(a) / (2 W); way in one of its circles."""
    rate, angle, r = 10.0, 0.05, 0.05
    model = Model(gravity=tilted_gravity(angle))
    model.add_body(Cylinder(3.0, 0.1), motion=lambda t: ((0, 0, -0.05), turned(Z, rate * t)), material=ROUGH)
    model.add_body(Sphere(r), density=1000, position=(0, 0, r), material=Material(5.0), name="ball")
    time = 7 * math.pi / rate
    place = lab.run(model, time).position("ball")[-1]
    return CaseAnswer(2.5 * G * math.sin(angle) / rate * time, float(math.hypot(place[0], place[1])), "m")


@case()
def plank_on_rollers_that_turn_inwards(lab: Lab) -> CaseAnswer:
    """Plank on two rollers that turn against each other at the distance 2 a: w^2 = mu g / a; period (thin plank)."""
    mu, a, r = 0.3, 0.5, 0.1
    model = Model()
    for side in (-1, 1):

        def motion(t: float, side: int = side) -> tuple[tuple[float, float, float], np.ndarray]:
            return (side * a, 0, -r), multiply(turned(Y, -40.0 * side * t), LYING)

        model.add_body(Cylinder(r, 0.4), motion=motion, material=Material(mu), name=f"roller{side:+d}")
    model.add_body(Box((3, 0.3, 0.002)), mass=2.0, position=(0.1, 0, 0.001), material=ROUGH, name="plank")
    run = lab.run(model, 2.7)
    passed = zeros(run, run.position("plank")[:, 0])
    period = 2 * float(passed[-1] - passed[0]) / (len(passed) - 1)
    return CaseAnswer(2 * math.pi / math.sqrt(mu * G / a), period, "s")


@case(friction=False)
def ball_bounces_down_a_slope(lab: Lab) -> CaseAnswer:
    """Elastic ball bounces down a smooth slope: ways between bounces grow as 1 : 3 : 5; place of the fourth bounce."""
    angle, height, r = math.radians(20), 0.3, 0.05
    material, speed = Material(friction=0.0, restitution=1.0), math.sqrt(2 * G * height)
    model = Model(gravity=tilted_gravity(angle))
    model.add_fixed_body(HalfSpace(), material=material)
    along, up = speed * math.sin(angle), speed * math.cos(angle)
    model.add_body(Sphere(r), density=1000, position=(0, 0, r), velocity=(along, 0, up), material=material, name="ball")
    time = 6 * up / (G * math.cos(angle))
    run = lab.run(model, time + 0.05)
    exact = along * time + 0.5 * G * math.sin(angle) * time**2
    return CaseAnswer(exact, float(np.interp(time, run.times, run.position("ball")[:, 0])), "m")


@case(bound=2e-3, friction=False, order=True)
def ball_keeps_time_with_a_shaking_table(lab: Lab) -> CaseAnswer:
    """Ball, e = 0.5, meets a shaking table once per period T, at A w cos(phase) = g T / 6: flies g T^2 / 8 high."""
    e, turn, r = 0.5, 0.2, 0.02
    rate, up = 2 * math.pi / turn, 0.5 * G * turn
    size = 1.25 * G / rate**2
    phase = math.acos((1 - e) / (1 + e) * up / (size * rate))
    material, model = Material(friction=0.0, restitution=e), Model()

    def motion(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        return (0, 0, size * (math.sin(rate * t + phase) - math.sin(phase)) - 0.05), (1, 0, 0, 0)

    model.add_body(Box((1, 1, 0.1)), motion=motion, material=material)
    model.add_body(Sphere(r), mass=1.0, position=(0, 0, r), velocity=(0, 0, up), material=material, name="ball")
    run = lab.run(model, 12 * turn)
    return CaseAnswer(0.25 * up * turn, float(run.position("ball")[run.times > 8 * turn, 2].max()) - r, "m")


@case()
def plate_on_a_spring_jumps(lab: Lab) -> CaseAnswer:
    """Plates on a spring, pressed by s: M = m1 + m2 jumps by m1 k (s^2 - M^2 g^2 / k^2) / (2 g M^2)."""
    top, low, k, rest = 1.0, 2.0, 400.0, 0.5
    lifts = (top + low) * G / k
    press = 1.5 * lifts
    high = rest - top * G / k - press + 0.01
    model = floor(0.3)
    model.add_body(Box((0.2, 0.2, 0.02)), mass=low, position=(0, 0, 0.01), name="low")
    model.add_body(Box((0.2, 0.2, 0.02)), mass=top, position=(0, 0, high), name="top")
    for name in ("low", "top"):
        model.add_prismatic(None, name, axis=(0, 0, 1))
    model.add_spring("low", "top", (0, 0, 0.01), (0, 0, high), stiffness=k, length=rest)
    run = lab.run(model, 0.45)
    middle = (top * run.position("top")[:, 2] + low * run.position("low")[:, 2]) / (top + low)
    begin = (top * (rest + low * G / k) + 0.01 * (top + low)) / (top + low)
    exact = top * k * (press**2 - lifts**2) / (2 * G * (top + low) ** 2)
    return CaseAnswer(exact, float(middle.max()) - begin, "m")


@case(friction=False)
def pendulum_on_a_cart(lab: Lab) -> CaseAnswer:
    """Pendulum on a cart on rails swings faster than a fixed one: w^2 = (1 + m / M) g / L; period."""
    cart, bob, a = 2.0, 1.0, 0.02
    model = Model()
    model.add_body(Box((0.2, 0.2, 0.1)), mass=cart, name="cart")
    model.add_prismatic(None, "cart", axis=(1, 0, 0))
    model.add_body(Sphere(0.01), mass=bob, inertia=POINT, position=(math.sin(a), 0, -math.cos(a)), name="bob")
    model.add_revolute("cart", "bob", (0, 0, 0), (0, 1, 0))
    run = lab.run(model, 4.5)
    passed = zeros(run, run.position("bob")[:, 0] - run.position("cart")[:, 0])
    period = 2 * float(passed[-1] - passed[0]) / (len(passed) - 1)
    return CaseAnswer(2 * math.pi / math.sqrt((1 + bob / cart) * G), period, "s")


@case(friction=False)
def gyroscope_let_go_nods(lab: Lab) -> CaseAnswer:
    """Gyroscope let go at rest with a level axle: sinks to the sine u with (I3 w)^2 u / (2 I1 (1 - u^2)) = m g l."""
    mass, arm, r, rate = 1.0, 0.2, 0.1, 150.0
    across, along = 0.25 * mass * r * r, 0.5 * mass * r * r
    whole = across + mass * arm * arm

    def excess(u: float) -> float:
        return (along * rate) ** 2 * u / (2 * whole * (1 - u * u)) - mass * G * arm

    model = Model()
    model.add_body(Cylinder(r, 0.02), mass=mass, inertia=np.diag([across, across, along]), position=(arm, 0, 0),
                   orientation=turned(Y, 0.5 * math.pi), angular_velocity=(0, 0, rate), name="rotor")  # fmt: skip
    model.add_spherical(None, "rotor", (0, 0, 0))
    lowest = float(lab.run(model, 1.0).position("rotor")[:, 2].min())
    return CaseAnswer(arm * brentq(excess, 1e-9, 0.99), -lowest, "m")


@case()
def hoop_with_a_mass_rolls(lab: Lab) -> CaseAnswer:
    """Hoop with its own mass once more on the rim rolls from near the top: spin when that is 120 degrees on."""
    r, mass, start, end = 0.2, 1.0, math.radians(10), math.radians(120)
    exact = math.sqrt(2 * G * r * (math.cos(start) - math.cos(end)) / (2 * r * r * (2 + math.cos(end))))
    model = floor(50.0)
    hoop = mass * r * r * np.diag([0.5, 0.5, 1.0])
    model.add_body(Cylinder(r, 0.05), mass=mass, inertia=hoop, position=(0, 0, r), orientation=LYING, material=ROUGH,
                   name="hoop")  # fmt: skip
    place = (r * math.sin(start), 0, r + r * math.cos(start))
    model.add_body(Sphere(0.001), mass=mass, inertia=POINT, position=place, name="mass")
    model.add_fixed_joint("hoop", "mass")
    run = lab.run(model, 1.2)
    arm = run.position("mass") - run.position("hoop")
    return CaseAnswer(
        exact, when(np.unwrap(np.arctan2(arm[:, 0], arm[:, 2])), world_spin(run, "hoop")[:, 1], end), "rad/s"
    )


CASES = (
    block_set_on_a_cart, cart_brakes_with_its_front_wheels, wheelie, driven_cylinder_slips, sliding_block_tips,
    block_climbs_an_accelerated_wedge, middle_block_is_pulled_out, weight_pulls_a_block, rope_slips_on_a_drum,
    rope_goes_slack, cue_ball_swerves, ball_drifts_on_a_tilted_turntable, plank_on_rollers_that_turn_inwards,
    ball_bounces_down_a_slope, ball_keeps_time_with_a_shaking_table, plate_on_a_spring_jumps, pendulum_on_a_cart,
    gyroscope_let_go_nods, hoop_with_a_mass_rolls,
)  # fmt: skip
