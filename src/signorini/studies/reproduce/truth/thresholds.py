"""When blocks on slopes, floors and tables start to slide, tip or roll."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, Y, floor, moved, slope, tilt, turned

MU = 0.4
SLIPPED = 1e-4
"""Larger displacements [m] count as motion; 0.1 % above a threshold of sliding a block moves 0.5 mm in 0.5 s."""
TIPPED = 2e-3
"""Larger turns count [rad]."""
SOON = 0.5
"""How long the scenes run [s]."""


@case(bound=1e-3)
def slope_slides(lab: Lab) -> CaseAnswer:
    """Block on a slope: slides when tan(alpha) > mu.

    Coulomb: along the slope m g sin(alpha) against mu m g cos(alpha).
    """

    def moves(tangent: float) -> bool:
        turn = turned(Y, math.atan(tangent))
        model = Model()
        model.add_fixed_body(HalfSpace(), orientation=turn, material=Material(MU))
        centre = rotate(turn, np.array([0.0, 0.0, 0.05]))
        model.add_body(
            Box((0.2, 0.2, 0.1)), density=1000, position=centre, orientation=turn, material=ROUGH, name="block"
        )
        return moved(lab.run(model, SOON), "block") > SLIPPED

    return threshold(MU, moves)


@case(bound=1e-3)
def pushed_block_slides(lab: Lab) -> CaseAnswer:
    """Block pushed on a floor: slides when F > mu m g."""
    mass = 5.0

    def moves(force: float) -> bool:
        model = floor(MU)
        block = model.add_body(Box((0.3, 0.3, 0.1)), mass=mass, position=(0, 0, 0.05), material=ROUGH, name="block")
        model.add_force(block, lambda _t, _s: (0.8 * force, 0.6 * force, 0.0))
        return moved(lab.run(model, SOON), "block") > SLIPPED

    return threshold(MU * mass * G, moves, "N")


@case(bound=1e-3)
def slope_tips(lab: Lab) -> CaseAnswer:
    """Tall block on a rough slope: tips when tan(alpha) > width / height.

    The weight passes through the lower edge.
    """
    width, height = 0.1, 0.3

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), 1.0)
        model.add_body(
            Box((width, 0.2, height)), density=1000, position=(0, 0, 0.5 * height), material=ROUGH, name="block"
        )
        return tilt(lab.run(model, 0.6), "block") > TIPPED

    return threshold(width / height, moves)


@case(bound=1e-3)
def pushed_block_tips(lab: Lab) -> CaseAnswer:
    """Block pushed at its top edge: tips when F height > m g width / 2."""
    width, height, mass = 0.2, 0.4, 3.0

    def moves(force: float) -> bool:
        model = floor(0.9)
        block = model.add_body(
            Box((width, 0.2, height)), mass=mass, position=(0, 0, 0.5 * height), material=ROUGH, name="block"
        )
        model.add_force(block, lambda _t, _s: ((force, 0.0, 0.0), (0.0, 0.5 * height * force, 0.0)))
        return tilt(lab.run(model, 0.7), "block") > TIPPED

    return threshold(0.5 * mass * G * width / height, moves, "N")


@case(bound=1e-3)
def overhanging_books(lab: Lab) -> CaseAnswer:
    """Four books over the edge of a table: fall when the overhang exceeds (L / 2) (1 + 1/2 + 1/3 + 1/4).

    Each book may stand out of the one below by L / (2 k), k counted from the top: the harmonic stack.
    """
    length, thick, count = 0.3, 0.04, 4
    shares = [0.5 * length / k for k in range(count, 0, -1)]  # from the lowest book

    def moves(overhang: float) -> bool:
        model = Model()
        model.add_fixed_body(Box((1.0, 0.5, 0.1)), position=(-0.5, 0, -0.05), material=Material(0.6))
        edge = 0.0
        for k, share in enumerate(shares):
            edge += share * overhang / sum(shares)
            model.add_body(Box((length, 0.2, thick)), density=800, name=f"book-{k}", material=Material(0.6),
                           position=(edge - 0.5 * length, 0, (k + 0.5) * thick))  # fmt: skip
        run = lab.run(model, 0.8)
        return max(tilt(run, f"book-{k}") for k in range(count)) > TIPPED

    return threshold(sum(shares), moves, "m")


@case(bound=1e-3)
def accelerated_table(lab: Lab) -> CaseAnswer:
    """Block on a table that accelerates: left behind when a > mu g."""

    def moves(a: float) -> bool:
        model = Model()

        def motion(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
            return (0.5 * a * t * t, 0.0, -0.05), (1.0, 0.0, 0.0, 0.0)

        model.add_body(Box((2.0, 1.0, 0.1)), motion=motion, material=Material(MU), name="table")
        model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), material=ROUGH, name="block")
        run = lab.run(model, SOON)
        slip = (run.position("block") - run.position("table"))[:, 0]
        return float(np.ptp(slip)) > 2.5 * SLIPPED

    return threshold(MU * G, moves, "m/s2")


@case(bound=1e-3)
def dragged_stack(lab: Lab) -> CaseAnswer:
    """Plank pulled from under a block on ice: the block slips when F > mu g (m + M)."""
    m, M = 2.0, 3.0

    def moves(force: float) -> bool:
        model = floor(0.0)
        plank = model.add_body(
            Box((1.0, 0.3, 0.05)), mass=M, position=(0, 0, 0.025), material=Material(MU), name="plank"
        )
        model.add_body(Box((0.1, 0.1, 0.1)), mass=m, position=(0, 0, 0.1), material=ROUGH, name="block")
        model.add_force(plank, lambda _t, _s: (force, 0.0, 0.0))
        run = lab.run(model, SOON)
        return float(np.ptp((run.position("block") - run.position("plank"))[:, 0])) > 2.5 * SLIPPED

    return threshold(MU * G * (m + M), moves, "N")


@case(bound=1e-3)
def rolling_friction_slope(lab: Lab) -> CaseAnswer:
    """Ball with rolling friction r on a slope: rolls when tan(alpha) > r / R."""
    rolling, radius = 0.01, 0.1
    tyre = Material(friction=0.9, rolling_friction=rolling)

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), 0.9)
        model.set_pair_material("floor", model.add_body(
            Sphere(radius), density=1000, position=(0, 0, radius), name="ball"), tyre)  # fmt: skip
        return moved(lab.run(model, 0.4), "ball") > 0.2 * SLIPPED

    return threshold(rolling / radius, moves)


@case(bound=1e-3)
def spinning_friction_torque(lab: Lab) -> CaseAnswer:
    """Ball twisted about the vertical with spinning friction s: turns when the torque exceeds s m g."""
    spinning, radius, mass = 0.005, 0.1, 4.0

    def moves(torque: float) -> bool:
        model = floor(0.5)
        ball = model.add_body(Sphere(radius), mass=mass, position=(0, 0, radius), name="ball")
        model.set_pair_material("floor", ball, Material(friction=0.5, spinning_friction=spinning))
        model.add_force(ball, lambda _t, _s: ((0.0, 0.0, 0.0), (0.0, 0.0, torque)))
        return tilt(lab.run(model, 0.4), "ball", (1.0, 0.0, 0.0)) > 5e-4

    return threshold(spinning * mass * G, moves, "N m")


@case(bound=1e-3)
def static_friction_slope(lab: Lab) -> CaseAnswer:
    """Block with static and kinetic friction on a slope: breaks away when tan(alpha) > mu_s."""
    static, kinetic = 0.5, 0.3

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), 1.0)
        block = model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), name="block")
        model.set_pair_material("floor", block, Material(friction=kinetic, static_friction=static))
        return moved(lab.run(model, SOON), "block") > SLIPPED

    return threshold(static, moves)


@case(bound=1e-3)
def grain_slope(lab: Lab) -> CaseAnswer:
    """Block on a slope with a grain at 30 degrees: slides when the pull leaves the ellipse of friction.

    (sin(alpha) cos(30) / mu_a)^2 + (sin(alpha) sin(30) / mu_c)^2 = cos(alpha)^2.
    """
    along, across, angle = 0.3, 0.6, math.radians(30.0)
    critical = 1.0 / math.hypot(math.cos(angle) / along, math.sin(angle) / across)

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), 1.0)
        block = model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), name="block")
        grain = Material(friction=along, cross_friction=across, direction=(math.cos(angle), math.sin(angle), 0.0))
        model.set_pair_material("floor", block, grain)
        return moved(lab.run(model, SOON), "block") > SLIPPED

    return threshold(critical, moves)


@case(bound=1e-3)
def rough_ball_slips(lab: Lab) -> CaseAnswer:
    """Ball on a slope: rolls without slip up to tan(alpha) = 7 mu / 2.

    Rolling needs the friction 2/7 m g sin(alpha). Slip is the speed of the contact point after 0.5 s.
    """
    mu, radius = 0.1, 0.1

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), mu)
        model.add_body(Sphere(radius), density=1000, position=(0, 0, radius), material=ROUGH, name="ball")
        run = lab.run(model, SOON)
        spin = rotate(run.orientation("ball")[-1], run.angular_velocity("ball")[-1])
        # 0.1 % above: a_slip = 0.1 % of 7/2 mu g cos(alpha).
        return abs(float(run.velocity("ball")[-1, 0] - radius * spin[1])) > 0.5e-3 * 3.5 * mu * G * SOON * 0.8

    return threshold(3.5 * mu, moves)


@case(bound=1e-3)
def cohesive_ceiling(lab: Lab) -> CaseAnswer:
    """Block that sticks under a ceiling by cohesion: falls when its weight exceeds the sum of its contacts.

    A sphere has one contact: m g > F_c.
    """
    cohesion = 20.0

    def moves(weight: float) -> bool:
        model = Model()
        model.add_fixed_body(HalfSpace((0, 0, -1)), material=Material(0.4, cohesion=cohesion), name="ceiling")
        glue = Material(0.4, cohesion=cohesion)
        model.add_body(Sphere(0.05), mass=weight / G, position=(0, 0, -0.05), material=glue, name="ball")
        return moved(lab.run(model, SOON), "ball") > SLIPPED

    return threshold(cohesion, moves, "N")


@case(bound=1e-3)
def held_brake(lab: Lab) -> CaseAnswer:
    """Arm on a hinge with friction: falls when m g l exceeds the torque of the brake."""
    mass, arm = 2.0, 0.4

    def moves(torque: float) -> bool:
        model = Model(gravity=(0, 0, -torque / (mass * arm)))
        model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, position=(arm, 0, 0), material=SMOOTH, name="arm")
        model.add_revolute(None, "arm", position=(0, 0, 0), axis=Y, friction=mass * G * arm)
        return moved(lab.run(model, SOON), "arm") > SLIPPED

    return threshold(mass * G * arm, moves, "N m")


CASES = (
    slope_slides, pushed_block_slides, slope_tips, pushed_block_tips, overhanging_books, accelerated_table,
    dragged_stack, rolling_friction_slope, spinning_friction_torque, static_friction_slope, grain_slope,
    rough_ball_slips, cohesive_ceiling, held_brake,
)  # fmt: skip
