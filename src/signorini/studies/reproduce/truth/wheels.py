"""Wheels, hoops, discs and carts that roll; planks and wedges that give way under them."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from signorini.math.rotations import conjugate, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.classics import period
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import (
    ROUGH,
    WEIGHTLESS,
    X,
    Y,
    Z,
    floor,
    slope,
    tilted_gravity,
    turned,
    world_spin,
)

R = 0.1
"""Of wheels [m]."""
UPRIGHT = turned(X, 0.5 * math.pi)
"""Orientation of a cylinder whose axle is y."""


@case()
def friction_wheels(lab: Lab) -> CaseAnswer:
    """Wheel pressed on a turning one by P slips for J / (mu P) with J = w r1 / (r1^2 / I1 + r2^2 / I2)."""
    one, two, spin, mu, press = 0.1, 0.2, 30.0, 0.4, 50.0
    rubber, model = Material(mu), Model(gravity=WEIGHTLESS)
    first = model.add_body(Cylinder(one, 0.05), mass=2.0, angular_velocity=(0, 0, spin), material=rubber, name="first")
    model.add_revolute(None, first, position=(0, 0, 0), axis=Z)
    place = (one + two, 0, 0)
    second = model.add_body(Cylinder(two, 0.05), mass=3.0, position=place, material=rubber, name="second")
    model.add_body(Box((0.02, 0.02, 0.02)), mass=0.5, position=(one + two, 0, 0.2), name="carriage")
    model.add_prismatic(None, "carriage", axis=X, name="slide")
    model.add_motor("slide", force=-press)
    model.add_revolute("carriage", second, position=place, axis=Z)
    run = lab.run(model, 0.3)
    slip = run.angular_velocity("first")[:, 2] * one + run.angular_velocity("second")[:, 2] * two
    push = spin * one / (one**2 / float(first.inertia[2, 2]) + two**2 / float(second.inertia[2, 2]))
    return CaseAnswer(push / (mu * press), float(run.times[np.argmax(np.abs(slip) < 1e-6)]), "s")


@case(order=True)
def plank_rocks_on_a_drum(lab: Lab) -> CaseAnswer:
    """Plank of thickness t rocks on a drum: w^2 = g (R - t / 2) / (k^2 + t^2 / 4); period."""
    drum, thick, lean = 0.3, 0.05, 0.03
    model, q = Model(), turned(Y, lean)
    model.add_fixed_body(Cylinder(drum, 0.5), orientation=UPRIGHT, material=Material(2.0), name="drum")
    # Rolled by the lean: it touches at that angle from the top, and its middle is R lean behind.
    place = drum * np.array([math.sin(lean), 0, math.cos(lean)]) + rotate(q, np.array([-drum * lean, 0, 0.5 * thick]))
    plank = model.add_body(Box((1.0, 0.2, thick)), density=500, position=place, orientation=q, material=ROUGH,
                           name="plank")  # fmt: skip
    turn = float(plank.inertia[1, 1]) / plank.mass + 0.25 * thick**2
    exact = 2 * math.pi / math.sqrt(G * (drum - 0.5 * thick) / turn)
    run = lab.run(model, 2.3 * exact)
    return CaseAnswer(exact, period(run, run.orientation("plank")[:, 2]), "s")


@case(order=True)
def weighted_wheel_rolls(lab: Lab) -> CaseAnswer:
    """Wheel with its mass d off its axle, let go at the side: w^2 = 2 m g d / (I + m (R - d)^2) at the bottom."""
    off, mass, inertia = 0.05, 1.0, 0.004
    model = floor(5.0)
    model.add_body(Cylinder(R, 0.1), mass=mass, inertia=inertia * np.eye(3), center_of_mass=(off, 0, 0), name="wheel",
                   position=(0, 0, R), orientation=UPRIGHT, material=ROUGH)  # fmt: skip
    exact = math.sqrt(2 * mass * G * off / (inertia + mass * (R - off) ** 2))
    return CaseAnswer(exact, float(np.abs(world_spin(lab.run(model, 1.0), "wheel")[:, 1]).max()), "rad/s")


@case(order=True)
def disc_rolls_in_a_circle(lab: Lab) -> CaseAnswer:
    """Leaning disc in steady rolling is back after a turn: distance from its start, over the length of the circle.

    Spin s about its axle and W about the vertical: W z x L = r x F with F = m (W z x v + g z), v = -w x r.
    """
    radius, thick, lean, turn = 0.1, 0.002, math.radians(20.0), 4.0
    axle, up = np.array([math.cos(lean), 0, -math.sin(lean)]), np.array([math.sin(lean), 0, math.cos(lean)])
    contact, z = 0.5 * thick * axle - radius * up, np.array(Z)
    model, q = floor(5.0), turned(Y, math.atan2(axle[0], axle[2]))
    trial = Model().add_body(Cylinder(radius, thick), density=2000)
    across, along = float(trial.inertia[0, 0]), float(trial.inertia[2, 2])

    def unbalanced(spin: float) -> float:
        w = turn * z + spin * axle
        momentum = across * (w - (w @ axle) * axle) + along * (w @ axle) * axle
        force = trial.mass * (np.cross(turn * z, -np.cross(w, contact)) + G * z)
        return float((np.cross(turn * z, momentum) - np.cross(contact, force))[1])

    spins = (-60.0, -1.0) if unbalanced(-60.0) * unbalanced(-1.0) < 0 else (1.0, 60.0)
    w = turn * z + brentq(unbalanced, *spins) * axle
    velocity = -np.cross(w, contact)
    model.add_body(Cylinder(radius, thick), density=2000, position=-contact * z, orientation=q, velocity=velocity,
                   angular_velocity=rotate(conjugate(q), w), material=ROUGH, name="disc")  # fmt: skip
    time, speed = 2 * math.pi / turn, float(np.linalg.norm(velocity))
    run = lab.run(model, time)
    late = float(run.times[-1]) - time  # the last step ends beside the whole turn
    missed = float(np.linalg.norm(run.position("disc")[-1] - run.position("disc")[0] - late * velocity))
    return CaseAnswer(0.0, missed, "m", scale=speed * time)


@case(order=True)
def cylinder_on_a_free_plank(lab: Lab) -> CaseAnswer:
    """Plank on ice is pulled under a cylinder: F / (M + m / 3); its way after 0.5 s."""
    heavy, light, force, time = 3.0, 2.0, 6.0, 0.5
    model = floor(0.0)
    plank = model.add_body(Box((4, 0.4, 0.1)), mass=heavy, position=(0, 0, 0.05), material=Material(1.0), name="plank")
    model.add_body(
        Cylinder(R, 0.2), mass=light, position=(0, 0, 0.1 + R), orientation=UPRIGHT, material=ROUGH, name="roll"
    )
    model.add_force(plank, (force, 0, 0))
    exact = 0.5 * force / (heavy + light / 3) * time**2
    return CaseAnswer(exact, float(lab.run(model, time).position("plank")[-1, 0]), "m")


@case()
def cylinder_rolls_down_a_wedge(lab: Lab) -> CaseAnswer:
    """Cylinder rolls down a wedge on ice, which goes at m g sin cos / (3/2 (M + m) - m cos^2)."""
    a, heavy, light, time = math.radians(30), 2.0, 1.0, 0.4
    high = math.tan(a)
    corners = [(x, y, z) for y in (-0.2, 0.2) for x, z in ((0, 0), (1, 0), (0, high))]
    model = floor(0.0)
    model.add_body(ConvexHull(np.array(corners, dtype=float)), mass=heavy, material=Material(2.0), name="wedge")
    down, out = np.array([math.cos(a), 0, -math.sin(a)]), np.array([math.sin(a), 0, math.cos(a)])
    model.add_body(Cylinder(R, 0.2), mass=light, position=high * np.array(Z) + 0.3 * down + R * out, material=ROUGH,
                   orientation=UPRIGHT, name="roll")  # fmt: skip
    exact = -light * G * math.sin(a) * math.cos(a) / (1.5 * (heavy + light) - light * math.cos(a) ** 2) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("wedge")[-1, 0]), "m/s")


@case()
def ball_on_rails(lab: Lab) -> CaseAnswer:
    """Ball rolls down two rails: g sin(alpha) / (1 + 2/5 R^2 / h^2), h its height over the line of contacts."""
    angle, apart, rail, time = math.radians(10), 0.06, 0.01, 0.5
    model = Model(gravity=tilted_gravity(angle))
    for side in (-1, 1):
        model.add_fixed_body(
            Capsule(rail, 4.0), position=(1, side * apart, 0), orientation=turned(Y, 0.5 * math.pi), material=ROUGH
        )
    high = math.sqrt((R + rail) ** 2 - apart**2)
    model.add_body(Sphere(R), mass=1.0, position=(0, 0, high), material=Material(1.0), name="ball")
    exact = G * math.sin(angle) / (1 + 0.4 * ((R + rail) / high) ** 2) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("ball")[-1, 0]), "m/s")


@case()
def hoop_rolls_down(lab: Lab) -> CaseAnswer:
    """Hoop rolls down 20 degrees: g sin(alpha) / 2."""
    angle, time = math.radians(20), 0.5
    model = slope(angle, 0.8)
    model.add_body(Cylinder(R, 0.1), mass=1.0, inertia=R * R * np.diag([0.5, 0.5, 1.0]), position=(0, 0, R),
                   orientation=UPRIGHT, material=ROUGH, name="hoop")  # fmt: skip
    return CaseAnswer(0.5 * G * math.sin(angle) * time, float(lab.run(model, time).velocity("hoop")[-1, 0]), "m/s")


@case()
def four_wheeled_cart(lab: Lab) -> CaseAnswer:
    """Cart with two wheels driven by M each: 2 M / R / (m + 4 (m_w + I / R^2))."""
    mass, wheel_mass, torque, time = 10.0, 1.0, 0.5, 0.5
    model, inertia = floor(0.9), 0.0
    model.add_body(Box((0.6, 0.3, 0.05)), mass=mass, position=(0, 0, 0.15), material=ROUGH, name="cart")
    for k, (x, y) in enumerate(((-0.2, -0.2), (-0.2, 0.2), (0.2, -0.2), (0.2, 0.2))):
        wheel = model.add_body(Cylinder(R, 0.04), mass=wheel_mass, position=(x, y, R), orientation=UPRIGHT,
                               material=ROUGH, name=f"wheel-{k}")  # fmt: skip
        model.add_revolute("cart", wheel, position=(x, y, R), axis=Y, name=f"hinge-{k}")
        inertia = float(wheel.inertia[2, 2])
        if k < 2:
            model.add_motor(f"hinge-{k}", torque=torque)
    exact = 2 * torque / R / (mass + 4 * (wheel_mass + inertia / R**2)) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("cart")[-1, 0]), "m/s")


CASES = (
    friction_wheels, plank_rocks_on_a_drum, weighted_wheel_rolls, disc_rolls_in_a_circle, cylinder_on_a_free_plank,
    cylinder_rolls_down_a_wedge, ball_on_rails, hoop_rolls_down, four_wheeled_cart,
)  # fmt: skip
