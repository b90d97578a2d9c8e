"""Balls, cylinders and discs that roll, slip, draw and follow; belts."""

from __future__ import annotations

import math

import numpy as np

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, X, floor, slope, turned, world_spin

MU, R = 0.2, 0.1
SPEED = 2.0


def _thrown(lab: Lab, duration: float, spin: float = 0.0, speed: float = SPEED) -> Run:
    """A ball set on the floor with a speed and a spin about y."""
    model = floor(MU)
    model.add_body(Sphere(R), density=1000, position=(0, 0, R), velocity=(speed, 0, 0), angular_velocity=(0, spin, 0),
                   material=ROUGH, name="ball")  # fmt: skip
    return lab.run(model, duration)


@case()
def sliding_ball_rolls(lab: Lab) -> CaseAnswer:
    """Ball set sliding ends rolling at 5/7 of its speed.

    Angular momentum about the floor: m v r = 7/5 m v' r.
    """
    return CaseAnswer(5 / 7 * SPEED, float(_thrown(lab, 0.6).velocity("ball")[-1, 0]), "m/s")


@case(order=True)
def sliding_ball_distance(lab: Lab) -> CaseAnswer:
    """It slides for 12 v^2 / (49 mu g), then rolls: place after 0.6 s.

    Sliding lasts t = 2 v / (7 mu g).
    """
    t = 2 * SPEED / (7 * MU * G)
    exact = 12 * SPEED**2 / (49 * MU * G) + 5 / 7 * SPEED * (0.6 - t)
    return CaseAnswer(exact, float(_thrown(lab, 0.6).position("ball")[-1, 0]), "m")


@case()
def sliding_ball_time(lab: Lab) -> CaseAnswer:
    """It starts to roll after 2 v / (7 mu g), to the step."""
    run = _thrown(lab, 0.6)
    slip = run.velocity("ball")[:, 0] - R * world_spin(run, "ball")[:, 1]
    return CaseAnswer(2 * SPEED / (7 * MU * G), float(run.times[np.argmax(np.abs(slip) < 1e-6)]), "s")


@case()
def spinning_ball_starts(lab: Lab) -> CaseAnswer:
    """Ball set down with spin w ends rolling at 2/7 w r."""
    return CaseAnswer(2 / 7 * 30 * R, float(_thrown(lab, 0.8, spin=30.0, speed=0.0).velocity("ball")[-1, 0]), "m/s")


@case()
def backspin_returns(lab: Lab) -> CaseAnswer:
    """Ball thrown with backspin w = 5 v / r comes back: v' = 5/7 v - 2/7 w r."""
    exact = 5 / 7 * SPEED - 2 / 7 * 5 * SPEED
    return CaseAnswer(exact, float(_thrown(lab, 2.2, spin=-5 * SPEED / R).velocity("ball")[-1, 0]), "m/s")


def _billiard(lab: Lab, spin: float) -> tuple[float, float]:
    """Speeds of cue ball and object ball long after a full hit without friction between them."""
    model = floor(MU)
    balls = [
        model.add_body(Sphere(R), density=1000, position=(x, 0, R), velocity=(v, 0, 0), angular_velocity=(0, w, 0),
                       material=ROUGH, name=name)
        for name, x, v, w in (("cue", 0.0, SPEED, spin), ("object", 2.0 * R + 0.01, 0.0, 0.0))
    ]  # fmt: skip
    model.set_pair_material(balls[0], balls[1], Material(friction=0.0, restitution=1.0))
    run = lab.run(model, 0.7)
    cue, other = (float(run.velocity(name)[-1, 0]) for name in ("cue", "object"))
    return cue, other


@case()
def billiard_follow(lab: Lab) -> CaseAnswer:
    """Rolling cue ball stops in a full hit and follows at 2/7 v."""
    return CaseAnswer(2 / 7 * SPEED, _billiard(lab, SPEED / R)[0], "m/s")


@case()
def billiard_object_ball(lab: Lab) -> CaseAnswer:
    """The object ball takes all the speed and rolls on at 5/7 v."""
    return CaseAnswer(5 / 7 * SPEED, _billiard(lab, SPEED / R)[1], "m/s")


@case()
def billiard_draw(lab: Lab) -> CaseAnswer:
    """Cue ball with backspin v / r at the hit draws back at -2/7 v; before the hit friction takes 5 ms of its spin.

    Over the 10 mm before the hit it slides: v = v0 - mu g t, w = w0 + 5/2 mu g t / r with t = 10 mm / v to first order;
    exactly t from v0 t - mu g t^2 / 2 = 10 mm.
    """
    t = (SPEED - math.sqrt(SPEED**2 - 2 * MU * G * 0.01)) / (MU * G)
    spin = -SPEED / R + 2.5 * MU * G * t / R
    return CaseAnswer(2 / 7 * R * spin, _billiard(lab, -SPEED / R)[0], "m/s")


@case(order=True)
def ball_rolls_down(lab: Lab) -> CaseAnswer:
    """Ball rolls down 20 degrees: 5/7 g sin(alpha) t^2 / 2."""
    angle, time = math.radians(20.0), 0.5
    model = slope(angle, 0.5)
    model.add_body(Sphere(R), density=1000, position=(0, 0, R), material=ROUGH, name="ball")
    exact = 0.5 * 5 / 7 * G * math.sin(angle) * time**2
    return CaseAnswer(exact, float(lab.run(model, time).position("ball")[-1, 0]), "m")


@case(order=True)
def cylinder_rolls_down(lab: Lab) -> CaseAnswer:
    """Cylinder rolls down 20 degrees: 2/3 g sin(alpha) t^2 / 2."""
    angle, time = math.radians(20.0), 0.5
    model = slope(angle, 0.5)
    model.add_body(Cylinder(R, 0.2), density=1000, position=(0, 0, R), orientation=turned(X, 0.5 * math.pi),
                   material=ROUGH, name="roll")  # fmt: skip
    exact = 0.5 * 2 / 3 * G * math.sin(angle) * time**2
    return CaseAnswer(exact, float(lab.run(model, time).position("roll")[-1, 0]), "m")


@case()
def ball_slips_down(lab: Lab) -> CaseAnswer:
    """Ball slips down 45 degrees with mu = 0.1: its spin is 5/2 mu g cos(alpha) t / r."""
    angle, time = math.radians(45.0), 0.5
    model = slope(angle, 0.1)
    model.add_body(Sphere(R), density=1000, position=(0, 0, R), material=ROUGH, name="ball")
    spin = world_spin(lab.run(model, time), "ball")[-1, 1]
    return CaseAnswer(2.5 * 0.1 * G * math.cos(angle) * time / R, float(spin), "rad/s")


@case()
def block_slides_down(lab: Lab) -> CaseAnswer:
    """Block slides down 30 degrees: (sin(alpha) - mu cos(alpha)) g t."""
    angle, time = math.radians(30.0), 0.5
    model = slope(angle, 0.3)
    model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), material=ROUGH, name="block")
    exact = G * (math.sin(angle) - 0.3 * math.cos(angle)) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("block")[-1, 0]), "m/s")


@case(order=True)
def block_up_and_down(lab: Lab) -> CaseAnswer:
    """Block pushed up 30 degrees comes back slower by sqrt((tan - mu) / (tan + mu)): place after 1 s.

    Error relative to the height that it reached.
    """
    angle, mu, speed = math.radians(30.0), 0.2, 3.0
    up, down = (G * (math.sin(angle) + s * mu * math.cos(angle)) for s in (1.0, -1.0))
    rise = speed / up
    exact = -0.5 * speed * rise + 0.5 * down * (1.0 - rise) ** 2
    model = slope(angle, mu)
    model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), velocity=(-speed, 0, 0), material=ROUGH,
                   name="block")  # fmt: skip
    return CaseAnswer(exact, float(lab.run(model, 1.0).position("block")[-1, 0]), "m", scale=0.5 * speed * rise)


@case(order=True)
def ball_on_turntable(lab: Lab) -> CaseAnswer:
    """Ball that rolls on a turntable moves on a circle at 2/7 of the table's speed: angle of its velocity after 1 s.

    Routh: dv/dt = 2/7 W x v for a solid ball. It starts rolling: its spin has the contact point move with the table.
    """
    turn, speed, place = 4.0, 0.3, np.array([0.3, 0.0])
    model = Model()

    def motion(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        return (0.0, 0.0, -0.05), (math.cos(0.5 * turn * t), 0.0, 0.0, math.sin(0.5 * turn * t))

    model.add_body(Cylinder(2.0, 0.1), motion=motion, material=Material(1.0), name="table")
    surface = turn * np.array([-place[1], place[0]])
    velocity = np.array([0.0, speed])
    # Contact point: v + w x (-r z) = v + r (-w_y, w_x) = surface.
    slip = (surface - velocity) / R
    model.add_body(Sphere(R), density=1000, position=(*place, R), velocity=(*velocity, 0.0), material=ROUGH,
                   angular_velocity=(slip[1], -slip[0], 0.0), name="ball")  # fmt: skip
    run = lab.run(model, 1.0)
    v = run.velocity("ball")
    angle = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    return CaseAnswer(2 / 7 * turn, float(angle[-1] - angle[0]), "rad")


@case()
def ball_on_belt(lab: Lab) -> CaseAnswer:
    """Ball set on a belt of speed u ends at 2/7 u."""
    model = Model()
    model.add_fixed_body(HalfSpace(), material=Material(0.3), surface_velocity=(1.5, 0, 0), name="belt")
    model.add_body(Sphere(R), density=1000, position=(0, 0, R), material=ROUGH, name="ball")
    return CaseAnswer(2 / 7 * 1.5, float(lab.run(model, 0.5).velocity("ball")[-1, 0]), "m/s")


@case(order=True)
def block_on_belt(lab: Lab) -> CaseAnswer:
    """Block set on a belt of speed u slips for u / (mu g), by u^2 / (2 mu g): lag behind the belt."""
    speed, mu, time = 1.5, 0.3, 0.8
    model = Model()
    model.add_fixed_body(HalfSpace(), material=Material(mu), surface_velocity=(speed, 0, 0), name="belt")
    model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), material=ROUGH, name="block")
    lag = speed * time - float(lab.run(model, time).position("block")[-1, 0])
    return CaseAnswer(speed**2 / (2 * mu * G), lag, "m")


@case()
def spool_pulled(lab: Lab) -> CaseAnswer:
    """Spool pulled by a thread at radius r below its axle rolls towards the pull: a = F R (R - r) / (J + m R^2).

    Moments about the contact line.
    """
    outer, inner, force, mass, time = 0.1, 0.05, 5.0, 4.0, 0.5
    model = floor(0.6)
    spool = model.add_body(Cylinder(outer, 0.2), mass=mass, position=(0, 0, outer), material=ROUGH, name="spool",
                           orientation=turned(X, 0.5 * math.pi))  # fmt: skip
    model.add_force(spool, lambda _t, _s: ((force, 0.0, 0.0), (0.0, -inner * force, 0.0)))
    exact = force * outer * (outer - inner) / (1.5 * mass * outer**2) * time
    return CaseAnswer(exact, float(lab.run(model, time).velocity("spool")[-1, 0]), "m/s")


@case()
def grain_path(lab: Lab) -> CaseAnswer:
    """Block without friction across its path keeps the speed along it: v_y after friction took v_x.

    Grain with mu_x = 0.3 and mu_y = 0: friction has no y component, so v_y stays.
    """
    model = floor(1.0)
    block = model.add_body(Box((0.2, 0.2, 0.1)), density=1000, position=(0, 0, 0.05), velocity=(1, 1, 0), name="block")
    model.set_pair_material("floor", block, Material(friction=0.3, cross_friction=0.0, direction=(1.0, 0.0, 0.0)))
    return CaseAnswer(1.0, float(lab.run(model, 0.5).velocity("block")[-1, 1]), "m/s")


CASES = (
    sliding_ball_rolls, sliding_ball_distance, sliding_ball_time, spinning_ball_starts, backspin_returns,
    billiard_follow, billiard_object_ball, billiard_draw, ball_rolls_down, cylinder_rolls_down, ball_slips_down,
    block_slides_down, block_up_and_down, ball_on_turntable, ball_on_belt, block_on_belt, spool_pulled, grain_path,
)  # fmt: skip
