"""Contacts that face one another or that only pass by: slots, jaws, rails, landings."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, WEIGHTLESS, Y, Z, floor, turned, world_spin
from signorini.studies.reproduce.truth.structures import gripper

COARSE = 0.005
"""Step of the scenes that show errors of coarse steps [s]."""
FALL = 0.4
"""How long things fall [s]."""


def slot(clearance: float, mu: float = 0.5) -> Model:
    """A block between two endless walls with the same clearance [m] on either side."""
    model = Model()
    for side in (-1.0, 1.0):
        wall = (side * (0.05 + clearance), 0, 0)
        model.add_fixed_body(HalfSpace((-side, 0, 0)), position=wall, material=Material(mu), name=f"wall{side:+.0f}")
    model.add_body(Box((0.1, 0.1, 0.1)), density=1000, material=ROUGH, name="block")
    return model


def _fallen(lab: Lab, model: Model, body: str = "block") -> float:
    return -float(lab.run(model, FALL).position(body)[-1, 2])


@case(order=True)
def slot_fall(lab: Lab) -> CaseAnswer:
    """Block falls through a slot with 1 mm clearance, mu = 0.5: g t^2 / 2, as if alone."""
    return CaseAnswer(0.5 * G * FALL**2, _fallen(lab, slot(1e-3)), "m")


@case(order=True)
def tight_slot_fall(lab: Lab) -> CaseAnswer:
    """Block falls through a slot without clearance: nothing presses, so nothing rubs."""
    return CaseAnswer(0.5 * G * FALL**2, _fallen(lab, slot(0.0)), "m")


@case(order=True)
def piston_fall(lab: Lab) -> CaseAnswer:
    """Two bodies tied by a bar fall in a slot of 0.1 mm clearance: g t^2 / 2."""
    model = Model()
    for side in (-1.0, 1.0):
        wall = (side * 0.0501, 0, 0)
        model.add_fixed_body(HalfSpace((-side, 0, 0)), position=wall, material=Material(0.5), name=f"wall{side:+.0f}")
    for name, z in (("upper", 0.2), ("block", 0.0)):
        model.add_body(Sphere(0.05), density=1000, position=(0, 0, z), material=ROUGH, name=name)
    model.add_distance("upper", "block", (0, 0, 0.2), (0, 0, 0.0))
    return CaseAnswer(0.5 * G * FALL**2, _fallen(lab, model), "m")


def _slip(lab: Lab, jaw: float, mass: float = 2.0, mu: float = 0.5) -> CaseAnswer:
    """A grip with half the force that would hold: the block falls at g / 2."""
    model = gripper(mu, 0.5 * mass * G / (2 * mu), mass, jaw)
    return CaseAnswer(0.25 * G * FALL**2, _fallen(lab, model), "m")


@case(order=True)
def heavy_jaws_slip(lab: Lab) -> CaseAnswer:
    """Jaws of 20 kg squeeze 2 kg with half the force needed: slips by (g / 2) t^2 / 2."""
    return _slip(lab, 20.0)


@case(order=True)
def light_jaws_slip(lab: Lab) -> CaseAnswer:
    """The same with jaws of 0.1 kg."""
    return _slip(lab, 0.1)


@case(order=True)
def one_ton_jaws_slip(lab: Lab) -> CaseAnswer:
    """The same with jaws of 1000 kg around 1 kg."""
    return _slip(lab, 1000.0, mass=1.0)


@case(order=True)
def million_jaws_slip(lab: Lab) -> CaseAnswer:
    """The same with jaws of 1000 kg around 1 g: mass ratio 10^6."""
    return _slip(lab, 1000.0, mass=1e-3)


PHASES = (0.1, 0.4, 0.8)
"""Where in its last step a box lands, in steps."""


@case()
def oblique_landing_rebound(lab: Lab) -> CaseAnswer:
    """Inelastic box, tilted by 30 degrees, lands on an edge at 2 m/s sideways and 3 m/s down: the edge does not bounce.

    After the impact the box turns at w, and its edge, d below the centre of mass, is drawn up by w^2 d - g. Rise of the
    edge at the end of four steps after the impact beyond that, wherever in the step it touches; relative to 3 m/s.
    """
    turn, edge, speed = turned(Y, math.radians(30.0)), np.array([0.2, 0.0, -0.05]), 3.0
    rises = []
    for phase in PHASES:
        model = floor(0.3)
        drop = (3.0 + phase) * lab.h * speed
        model.add_body(Box((0.4, 0.4, 0.1)), density=1000, position=(0, 0, drop - float(rotate(turn, edge)[2])),
                       velocity=(2, 0, -speed), orientation=turn, material=ROUGH, name="box")  # fmt: skip
        run = lab.run(model, 8 * lab.h)
        arm = rotate(run.orientation("box"), np.tile(edge, (len(run.times), 1)))
        # The velocities of a step are those in its middle: so is the lever.
        lever, spin = 0.5 * (arm[-1] + arm[-2]), world_spin(run, "box")[-1]
        since = run.times[-1] - 0.5 * lab.h - (math.sqrt(speed**2 + 2 * G * drop) - speed) / G
        drawn = max(0.0, -float(spin @ spin) * lever[2] - G) * since
        rises.append(abs(float((run.velocity("box")[-1] + np.cross(spin, lever))[2]) - drawn))
    return CaseAnswer(0.0, max(rises), "m/s", scale=speed)


@case()
def edge_impact_spin(lab: Lab) -> CaseAnswer:
    """The same box lands on a smooth floor without weight: spin J x / I with J = m v / (1 + m x^2 / I).

    x is the level distance of the edge from the centre of mass; only the normal speed of the edge is lost.
    """
    turn, edge, speed = turned(Y, math.radians(30.0)), np.array([0.2, 0.0, -0.05]), 3.0
    arm = rotate(turn, edge)
    model = floor(0.0, WEIGHTLESS)
    body = model.add_body(Box((0.4, 0.4, 0.1)), density=1000, velocity=(0, 0, -speed), orientation=turn, name="box",
                          position=(0, 0, 3.4 * lab.h * speed - float(arm[2])), material=ROUGH)  # fmt: skip
    inertia, x = float(body.inertia[1, 1]), float(arm[0])
    spin = body.mass * speed * x / (inertia + body.mass * x * x)
    run = lab.run(model, 5 * lab.h)
    return CaseAnswer(spin, abs(float(world_spin(run, "box")[-1, 1])), "rad/s")


@case()
def oblique_landing_speed(lab: Lab) -> CaseAnswer:
    """Flat box without weight lands at 3 m/s and 45 degrees: keeps v_t - mu v_n of its speed along the floor.

    Coulomb impulses: the tangential one is mu times the normal one, m v_n, as long as it slides.
    """
    run = _landing(lab, 0.5, weight=0.0)
    return CaseAnswer(0.5 * 3.0 * math.sqrt(0.5), float(run.velocity("box")[-1, 0]), "m/s")


def _landing(lab: Lab, phase: float, weight: float = G) -> Run:
    """A flat box that reaches the floor in its fourth step."""
    model, speed = floor(0.5, (0.0, 0.0, -weight)), 3.0 * math.sqrt(0.5)
    height = (3.0 + phase) * lab.h * speed
    model.add_body(Box((0.4, 0.4, 0.1)), density=1000, position=(0, 0, 0.05 + height), velocity=(speed, 0, -speed),
                   material=ROUGH, name="box")  # fmt: skip
    return lab.run(model, 12 * lab.h)


def sliding_block(mu: float, speed: float, size: float = 0.1) -> Model:
    """A flat block on the floor with a speed [m/s] along x."""
    model = floor(mu)
    model.add_body(Box((4 * size, 4 * size, size)), density=1000, position=(0, 0, 0.5 * size), velocity=(speed, 0, 0),
                   material=ROUGH, name="block")  # fmt: skip
    return model


@case()
def sliding_block_stays_down(lab: Lab) -> CaseAnswer:
    """Block set sliding at 2 m/s, mu = 0.3: does not hop. Error relative to its height, 0.1 m."""
    run = lab.run(sliding_block(0.3, 2.0), 0.5)
    return CaseAnswer(0.0, float(run.position("block")[:, 2].max()) - 0.05, "m", scale=0.1)


@case()
def sliding_block_lift(lab: Lab) -> CaseAnswer:
    """The same block while it slides: no film under it. Gap after 0.3 s, relative to 0.1 mm."""
    run = lab.run(sliding_block(0.3, 2.0), 0.3)
    return CaseAnswer(0.0, abs(float(run.position("block")[-1, 2]) - 0.05), "m", scale=1e-4)


@case(order=True)
def stopping_distance(lab: Lab) -> CaseAnswer:
    """Block stops after v^2 / (2 mu g)."""
    run = lab.run(sliding_block(0.3, 2.0), 1.0)
    return CaseAnswer(2.0**2 / (2 * 0.3 * G), float(run.position("block")[-1, 0]), "m")


@case()
def stopping_time(lab: Lab) -> CaseAnswer:
    """Block stops after v / (mu g), to the step."""
    run = lab.run(sliding_block(0.3, 2.0), 1.0)
    still = np.abs(run.velocity("block")[:, 0]) < 1e-9
    return CaseAnswer(2.0 / (0.3 * G), float(run.times[np.argmax(still)]) if still.any() else math.inf, "s")


@case()
def ball_past_a_floor(lab: Lab) -> CaseAnswer:
    """Ball at 10 m/s parallel to a floor 10 mm away, no gravity, h = 5 ms: goes straight on. Relative to 10 m/s."""
    run = lab.run(_flyby(), 0.2, h=COARSE)
    return CaseAnswer(0.0, float(np.abs(run.velocity("ball") - [10, 0, 0]).max()), "m/s", scale=10.0)


@case()
def ball_past_a_floor_spin(lab: Lab) -> CaseAnswer:
    """The same ball does not start to turn. Error relative to rolling."""
    spin = world_spin(lab.run(_flyby(), 0.2, h=COARSE), "ball")
    return CaseAnswer(0.0, float(np.abs(spin).max()), "rad/s", scale=10.0 / 0.05)


def _flyby() -> Model:
    model = floor(0.5, WEIGHTLESS)
    model.add_body(Sphere(0.05), density=1000, position=(0, 0, 0.06), velocity=(10, 0, 0), material=ROUGH, name="ball")
    return model


@case()
def box_past_a_wall(lab: Lab) -> CaseAnswer:
    """Spinning box flies past a wall 5 mm away without touching it: keeps its velocity. Error relative to 5 m/s."""
    model = floor(0.8, WEIGHTLESS)
    model.add_body(Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 0.055), velocity=(5, 0, 0), material=ROUGH,
                   angular_velocity=(0, 0, 20.0), name="box")  # fmt: skip
    run = lab.run(model, 0.2)
    return CaseAnswer(0.0, float(np.abs(run.velocity("box") - [5, 0, 0]).max()), "m/s", scale=5.0)


def rail(gap: float) -> Model:
    """A slider of 2 kg on a level rail, `gap` [m] above a table, pushed by 50 N."""
    model = floor(0.5)
    place = (0, 0, 0.05 + gap)
    slider = model.add_body(Box((0.2, 0.1, 0.1)), mass=2.0, position=place, material=ROUGH, name="slider")
    model.add_prismatic(None, "slider", axis=(1, 0, 0), name="rail")
    model.add_force(slider, lambda _t, _s: (50.0, 0.0, 0.0))
    return model


@case()
def slider_above_a_table(lab: Lab) -> CaseAnswer:
    """Slider on a rail 1 mm above a table, pushed by 50 N: F t / m."""
    return CaseAnswer(25.0, float(lab.run(rail(1e-3), 1.0).velocity("slider")[-1, 0]), "m/s")


@case()
def slider_on_a_table(lab: Lab) -> CaseAnswer:
    """The same rail at gap 0 carries the slider: the table is idle and does not rub (the answer of least impulses)."""
    return CaseAnswer(25.0, float(lab.run(rail(0.0), 1.0).velocity("slider")[-1, 0]), "m/s")


@case()
def turret_on_a_floor(lab: Lab) -> CaseAnswer:
    """Turret on a vertical hinge whose base touches the floor at gap 0, driven by 2 N m: M t / J."""
    model = floor(0.5)
    body = model.add_body(Cylinder(0.2, 0.1), mass=10.0, position=(0, 0, 0.05), material=ROUGH, name="turret")
    model.add_revolute(None, "turret", position=(0, 0, 0), axis=Z, name="hinge")
    model.add_motor("hinge", torque=2.0)
    run = lab.run(model, 0.5)
    return CaseAnswer(2.0 * 0.5 / float(body.inertia[2, 2]), float(run.angular_velocity("turret")[-1, 2]), "rad/s")


@case()
def loaded_slider(lab: Lab) -> CaseAnswer:
    """Slider on a vertical guide pressed on a driven table by its weight: friction mu m g on the motor.

    A table on a slide at 0.5 m/s under a block held by a vertical slide; the block's slide carries mu m g.
    """
    mu, mass = 0.3, 4.0
    model = Model()
    model.add_body(Box((4.0, 0.5, 0.1)), mass=5.0, position=(0, 0, -0.05), material=Material(mu), name="table")
    model.add_prismatic(None, "table", axis=(1, 0, 0), name="bed")
    model.add_motor("bed", speed=0.5, name="feed")
    model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, position=(0, 0, 0.05), material=ROUGH, name="block")
    model.add_prismatic(None, "block", axis=Z, name="guide")
    run = lab.run(model, 0.4)
    return CaseAnswer(mu * mass * G, abs(float(run.joint_impulse("feed")[-1, 0])) / lab.h, "N")


CASES = (
    slot_fall, tight_slot_fall, piston_fall, heavy_jaws_slip, light_jaws_slip, one_ton_jaws_slip, million_jaws_slip,
    oblique_landing_rebound, edge_impact_spin, oblique_landing_speed, sliding_block_stays_down, sliding_block_lift,
    stopping_distance, stopping_time, ball_past_a_floor, ball_past_a_floor_spin, box_past_a_wall, slider_above_a_table,
    slider_on_a_table, turret_on_a_floor, loaded_slider,
)  # fmt: skip
