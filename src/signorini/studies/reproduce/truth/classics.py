"""Problems of textbooks in which several bodies or several laws act together."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, X, Y, Z, floor, slope, turned, zeros


def period(run: Run, values: Array) -> float:
    """Mean of a swing [s]."""
    at = zeros(run, values)
    return 2 * float((at[-1] - at[0]) / (len(at) - 1)) if len(at) > 1 else math.nan


@case(friction=False)
def block_on_a_wedge(lab: Lab) -> CaseAnswer:
    """Block slides down a smooth wedge that is free to move: it gives way at m g sin cos / (M + m sin^2)."""
    angle, heavy, light, time = math.radians(30), 2.0, 1.0, 0.3
    high = math.tan(angle)
    corners = [(x, y, z) for y in (-0.2, 0.2) for x, z in ((0, 0), (1, 0), (0, high))]
    model = floor(0.0)
    model.add_body(ConvexHull(np.array(corners, dtype=float)), mass=heavy, material=SMOOTH, name="wedge")
    down, out = np.array([math.cos(angle), 0, -math.sin(angle)]), np.array([math.sin(angle), 0, math.cos(angle)])
    model.add_body(Box((0.1, 0.1, 0.1)), mass=light, position=high * np.array(Z) + 0.3 * down + 0.05 * out,
                   orientation=turned(Y, angle), material=SMOOTH, name="block")  # fmt: skip
    gives = light * G * math.sin(angle) * math.cos(angle) / (heavy + light * math.sin(angle) ** 2)
    return CaseAnswer(-gives * time, float(lab.run(model, time).velocity("wedge")[-1, 0]), "m/s")


@case()
def half_the_speed_on_a_slope(lab: Lab) -> CaseAnswer:
    """Block pushed across a slope of tan(a) = mu ends downhill at half its speed: v + v_down stays the same."""
    angle, speed = 0.3, 1.0
    model = slope(angle, math.tan(angle))
    model.add_body(Box((0.2, 0.2, 0.02)), density=1000, position=(0, 0, 0.01), velocity=(0, speed, 0), material=ROUGH,
                   name="block")  # fmt: skip
    return CaseAnswer(speed / 2, float(np.linalg.norm(lab.run(model, 12.0).velocity("block")[-1])), "m/s")


@case(bound=0.02)
def puck_stops_sliding_and_spinning_at_once(lab: Lab) -> CaseAnswer:
    """Disc that slides and spins tends to v / (r w) = 0.653, whatever it begins with; at 1 % of its speed (2 %)."""
    radius, speed = 0.1, 1.0
    model = floor(0.3)
    model.add_body(Cylinder(radius, 0.004), density=1000, position=(0, 0, 0.002), velocity=(speed, 0, 0),
                   angular_velocity=(0, 0, 20.0), material=ROUGH, name="puck")  # fmt: skip
    run = lab.run(model, 0.7)
    v, w = np.linalg.norm(run.velocity("puck"), axis=1), np.abs(run.angular_velocity("puck")[:, 2])
    last = int(np.flatnonzero(v > 0.01 * speed)[-1])
    return CaseAnswer(0.653, float(v[last] / (radius * w[last])))


@case()
def ball_on_a_turntable_circles(lab: Lab) -> CaseAnswer:
    """Ball that rolls on a turntable circles at 2/7 of its rate: after one turn it is back. Error over the way."""
    rate, radius, place, speed = 3.0, 0.1, np.array([1.0, 0.0]), 1.0
    model = Model()
    model.add_body(Cylinder(3.0, 0.1), motion=lambda t: ((0, 0, -0.05), turned(Z, rate * t)), material=ROUGH)
    slip = rate * place[0] - speed  # of the table against the ball's centre, along y
    model.add_body(Sphere(radius), density=1000, position=(*place, radius), velocity=(0, speed, 0),
                   angular_velocity=(slip / radius, 0, 0), material=Material(2.0), name="ball")  # fmt: skip
    time = 2 * math.pi / (2 / 7 * rate)
    run = lab.run(model, time)
    missed = np.linalg.norm(run.position("ball")[-1] - run.position("ball")[0])
    return CaseAnswer(0.0, float(missed), "m", scale=speed * time)


@case(order=True)
def cylinder_on_a_pulled_plank(lab: Lab) -> CaseAnswer:
    """Cylinder rolls on a plank that is pulled at a: it follows at a / 3; speed after 0.8 s."""
    pull, time = 2.0, 0.8
    model = Model()
    model.add_body(Box((6, 1, 0.1)), motion=lambda t: ((0.5 * pull * t * t, 0, -0.05), (1, 0, 0, 0)), material=ROUGH)
    model.add_body(Cylinder(0.1, 0.3), density=1000, position=(0, 0, 0.1), orientation=turned(X, math.pi / 2),
                   material=Material(1.0), name="cylinder")  # fmt: skip
    return CaseAnswer(pull / 3 * time, float(lab.run(model, time).velocity("cylinder")[-1, 0]), "m/s")


@case()
def spool_is_pulled_by_its_thread(lab: Lab) -> CaseAnswer:
    """Thread pulled off below the axle at r: the spool follows at F (1 - r / R) / (m + I / R^2); speed after 0.8 s."""
    outer, inner, pull, mass, time = 0.2, 0.1, 2.0, 3.0, 0.8
    model = floor(2.0)
    spool = model.add_body(Cylinder(outer, 0.2), mass=mass, position=(0, 0, outer), material=ROUGH,
                           orientation=turned(X, math.pi / 2), name="spool")  # fmt: skip
    model.add_force(spool, (pull, 0, 0), torque=(0, -pull * inner, 0))
    follows = pull * (1 - inner / outer) / (mass + spool.inertia[2, 2] / outer**2)
    return CaseAnswer(follows * time, float(lab.run(model, time).velocity("spool")[-1, 0]), "m/s")


@case()
def ball_with_a_weight_rocks(lab: Lab) -> CaseAnswer:
    """Ball with its centre of mass d below its middle rocks at w^2 = m g d / (I + m (r - d)^2); period."""
    radius, below, mass, inertia, angle = 0.1, 0.03, 1.0, 0.002, 0.02
    model = floor(5.0)
    model.add_body(Sphere(radius), mass=mass, inertia=inertia * np.eye(3), center_of_mass=(0, 0, -below), name="ball",
                   position=(0, 0, radius), orientation=turned(Y, angle), material=ROUGH)  # fmt: skip
    exact = 2 * math.pi / math.sqrt(mass * G * below / (inertia + mass * (radius - below) ** 2))
    run = lab.run(model, 4 * exact)
    return CaseAnswer(exact, period(run, run.orientation("ball")[:, 2]), "s")


@case()
def ellipsoid_rocks(lab: Lab) -> CaseAnswer:
    """Ellipsoid on its flat side rocks at w^2 = m g (a^2 / c - c) / (I + m c^2); period."""
    a, c, angle = 0.2, 0.1, 0.01
    model = floor(5.0)
    high = math.hypot(c * math.cos(angle), a * math.sin(angle))
    egg = model.add_body(Ellipsoid((a, 0.15, c)), density=1000, position=(0, 0, high), orientation=turned(Y, angle),
                         material=ROUGH, name="egg")  # fmt: skip
    exact = 2 * math.pi / math.sqrt(egg.mass * G * (a * a / c - c) / (egg.inertia[1, 1] + egg.mass * c * c))
    run = lab.run(model, 4 * exact)
    return CaseAnswer(exact, period(run, run.orientation("egg")[:, 2]), "s")


CASES = (
    block_on_a_wedge, half_the_speed_on_a_slope, puck_stops_sliding_and_spinning_at_once, ball_on_a_turntable_circles,
    cylinder_on_a_pulled_plank, spool_is_pulled_by_its_thread, ball_with_a_weight_rocks, ellipsoid_rocks,
)  # fmt: skip
