"""Corners, edges, ramps and domes: where bodies slip, leave, land and go on."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import (
    ROUGH,
    SMOOTH,
    WEIGHTLESS,
    X,
    Y,
    floor,
    slope,
    tilt,
    turned,
    world_spin,
)

LYING = turned(X, 0.5 * math.pi)
"""Orientation of a cylinder whose axle is y."""


def when(angle: Array, value: Array, wanted: float) -> float:
    """The value when an angle that grows passes the wanted one, between frames by lines."""
    k = int(np.flatnonzero(angle > wanted)[0])
    return float(np.interp(wanted, angle[k - 1 : k + 1], value[k - 1 : k + 1]))


def lean(run: Run, body: str) -> Array:
    """Angle of a rod, whose axis is z, from the vertical in the x-z plane [rad]."""
    axis = rotate(run.orientation(body), np.array([0.0, 0.0, 1.0]))
    return np.arctan2(axis[:, 0], axis[:, 2])


def add_rod(model: Model, angle: float, middle: tuple[float, float, float], speed: float = 0.0) -> None:
    """A thin rod of 1 kg and 1 m that leans by `angle` [rad] from the vertical and falls."""
    model.add_body(Capsule(1e-3, 1.0), mass=1.0, inertia=np.diag([1 / 12, 1 / 12, 1e-6]), position=middle,
                   orientation=turned(Y, angle), velocity=(0, 0, -speed), material=ROUGH, name="rod")  # fmt: skip


@case(bound=1e-3)
def cylinder_in_a_right_angle(lab: Lab) -> CaseAnswer:
    """Cylinder in a rough V of 90 degrees turns when its torque exceeds sqrt(2) mu m g R / (1 + mu^2)."""
    mu, r, mass = 0.3, 0.1, 2.0

    def moves(torque: float) -> bool:
        model = Model()
        for side in (-1, 1):
            model.add_fixed_body(HalfSpace((side, 0, 1)), material=Material(mu))
        model.add_body(Cylinder(r, 0.2), mass=mass, position=(0, 0, r * math.sqrt(2)), orientation=LYING,
                       material=ROUGH, name="wheel")  # fmt: skip
        model.add_force("wheel", torque=(0, torque, 0))
        return abs(float(world_spin(lab.run(model, 0.5), "wheel")[-1, 1])) > 2e-3

    return threshold(math.sqrt(2) * mu * mass * G * r / (1 + mu * mu), moves, "N m")


@case(friction=False)
def three_smooth_cylinders_part(lab: Lab) -> CaseAnswer:
    """Smooth cylinder pushes two others apart: with the lines of centres at a, they leave at max(2 r cos(a) a').

    (1 + cos(a)^2) r a'^2 = g (cos(30 degrees) - cos(a)); their sides are free when their speed is largest.
    """
    r, start = 0.1, math.radians(30)
    c = np.cos(np.linspace(start, 0.5 * math.pi, 20001))
    fastest = float((c * c * G * (math.cos(start) - c) / (r * (1 + c * c))).max())
    model = floor(0.0)
    for x, z, name in ((-r, r, "left"), (r, r, "right"), (0.0, r + 2 * r * math.cos(start), "top")):
        model.add_body(Cylinder(r, 0.2), density=1000, position=(x, 0, z), orientation=LYING, material=SMOOTH,
                       name=name)  # fmt: skip
    return CaseAnswer(2 * r * math.sqrt(fastest), float(lab.run(model, 0.5).velocity("right")[-1, 0]), "m/s")


@case()
def point_slides_down_a_rough_dome(lab: Lab) -> CaseAnswer:
    """Body that does not turn slides over a dome: d(v^2)/da = 2 g R (sin(a) - mu cos(a)) + 2 mu v^2; at 30 degrees."""
    mu, small, begin, end = 0.2, 0.01, 1.0, math.radians(30)
    reach = 1.0 + small

    def gain(a: float, square: Array) -> Array:
        return 2 * G * reach * (math.sin(a) - mu * math.cos(a)) + 2 * mu * square

    exact = math.sqrt(solve_ivp(gain, (0, end), [begin**2], rtol=1e-10).y[0, -1])
    model = Model()
    model.add_fixed_body(Sphere(1.0), material=Material(mu))
    model.add_body(Sphere(small), mass=1.0, inertia=1e6 * np.eye(3), position=(0, 0, reach), velocity=(begin, 0, 0),
                   material=ROUGH, name="point")  # fmt: skip
    run = lab.run(model, 0.8)
    place = run.position("point")
    speed = np.linalg.norm(run.velocity("point"), axis=1)
    return CaseAnswer(exact, when(np.arctan2(place[:, 0], place[:, 2]), speed, end), "m/s")


@case()
def ball_slips_on_a_dome(lab: Lab) -> CaseAnswer:
    """Ball rolls down a dome with mu = 0.3 until 2/7 tan > mu N / (m g cos), slips, and leaves it: its spin then."""
    mu, r, start = 0.3, 0.1, math.radians(8)
    reach = 1.0 + r

    def excess(a: float) -> float:
        return 2 / 7 * math.sin(a) - mu * (math.cos(a) - 10 / 7 * (math.cos(start) - math.cos(a)))

    def slipping(_: float, y: Array) -> list[float]:
        normal = G * math.cos(y[0]) - reach * y[1] ** 2
        return [y[1], (G * math.sin(y[0]) - mu * normal) / reach, 2.5 * mu * normal / r]

    def leaves(_: float, y: Array) -> float:
        return float(G * math.cos(y[0]) - reach * y[1] ** 2)

    leaves.terminal = True  # type: ignore[attr-defined]
    slips = brentq(excess, start, 1.2)
    rate = math.sqrt(10 / 7 * G * (math.cos(start) - math.cos(slips)) / reach)
    way = solve_ivp(slipping, (0, 3), [slips, rate, rate * reach / r], events=leaves, rtol=1e-10, atol=1e-12)
    model = Model()
    model.add_fixed_body(Sphere(1.0), material=Material(mu))
    place = (reach * math.sin(start), 0, reach * math.cos(start))
    model.add_body(Sphere(r), density=1000, position=place, material=ROUGH, name="ball")
    return CaseAnswer(float(way.y[2, -1]), float(world_spin(lab.run(model, 1.6), "ball")[-1, 1]), "rad/s")


@case()
def ball_rolls_off_an_edge(lab: Lab) -> CaseAnswer:
    """Ball turns about the rough edge of a table and leaves it at cos(a) = 10/17 cos(a0); its level speed then."""
    r, start = 0.1, math.radians(10)
    model = Model()
    model.add_fixed_body(Box((1, 1, 0.2)), position=(-0.5, 0, -0.1), material=Material(10.0))
    place = (r * math.sin(start), 0, r * math.cos(start))
    model.add_body(Sphere(r), density=1000, position=place, material=ROUGH, name="ball")
    c = 10 / 17 * math.cos(start)
    exact = math.sqrt(10 / 7 * G * r * (math.cos(start) - c)) * c
    return CaseAnswer(exact, float(lab.run(model, 0.6).velocity("ball")[-1, 0]), "m/s")


@case()
def rolling_ball_meets_a_ramp(lab: Lab) -> CaseAnswer:
    """Ball rolls into a rough ramp of angle a without restitution: goes on at v (2/5 + cos(a)) / (7/5)."""
    r, speed, a = 0.1, 2.0, math.radians(35)
    model = floor(5.0, WEIGHTLESS)
    model.add_fixed_body(HalfSpace((-math.sin(a), 0, math.cos(a))), material=Material(5.0))
    model.add_body(Sphere(r), density=1000, position=(-0.5, 0, r), velocity=(speed, 0, 0),
                   angular_velocity=(0, speed / r, 0), material=ROUGH, name="ball")  # fmt: skip
    found = float(np.linalg.norm(lab.run(model, 0.4).velocity("ball")[-1]))
    return CaseAnswer(speed * (0.4 + math.cos(a)) / 1.4, found, "m/s")


@case(bound=2e-3, order=True)
def octagon_rolls_down(lab: Lab) -> CaseAnswer:
    """Octagonal prism tumbles down a slope: each impact leaves it eta of its spin, which gravity restores; mean speed.

    eta = (I + m R^2 cos(45 degrees)) / (I + m R^2); between impacts it is a pendulum about its edge.
    """
    n, r, a = 8, 0.1, math.radians(12)
    around = (np.arange(n) + 0.5) * 2 * math.pi / n
    points = np.array([(r * math.cos(x), y, r * math.sin(x)) for x in around for y in (-0.1, 0.1)])
    side, inner, square = 2 * r * math.sin(math.pi / n), r * math.cos(math.pi / n), r * r
    inertia = square / 6 * (2 + math.cos(2 * math.pi / n))  # of a regular polygon, over the mass
    eta = (inertia + square * math.cos(2 * math.pi / n)) / (inertia + square)
    rate = eta * math.sqrt(2 * G * side * math.sin(a) / ((inertia + square) * (1 - eta * eta)))

    def swing(_: float, y: Array) -> list[float]:
        return [y[1], G * r * math.sin(y[0]) / (inertia + square)]

    def lands(_: float, y: Array) -> float:
        return float(y[0] - (a + math.pi / n))

    lands.terminal = True  # type: ignore[attr-defined]
    time = float(solve_ivp(swing, (0, 5), [a - math.pi / n, rate], events=lands, rtol=1e-10, atol=1e-12).t[-1])
    model = slope(a, 3.0)
    model.add_body(ConvexHull(points), density=1000, position=(0, 0, inner), angular_velocity=(0, rate, 0),
                   velocity=(rate * inner, 0, 0.5 * rate * side), material=ROUGH, name="prism")  # fmt: skip
    run = lab.run(model, 2.5)
    x = run.position("prism")[:, 0]
    first, last = math.ceil(x[len(x) // 2] / side), math.floor(x[-1] / side)
    passed = np.interp([first * side, last * side], x, run.times)
    return CaseAnswer(side / time, (last - first) * side / float(passed[1] - passed[0]), "m/s")


@case()
def slanting_rod_lands_on_a_rough_floor(lab: Lab) -> CaseAnswer:
    """Slanting rod lands on a rough floor without restitution: turns about its tip at m v x / (I + m l^2)."""
    angle, speed = math.radians(30), 2.0
    model = floor(5.0, WEIGHTLESS)
    add_rod(model, angle, (0, 0, 0.5 * math.cos(angle) + 0.051), speed)
    spin = abs(float(world_spin(lab.run(model, 0.1), "rod")[-1, 1]))
    return CaseAnswer(speed * 0.5 * math.sin(angle) / (1 / 12 + 1 / 4), spin, "rad/s")


def _sliding_rod(mu: float, angle: float, rate: float, end: float) -> float:
    """Rate of a rod with its foot on a floor that slips back, at another angle from the vertical [rad/s]."""

    def motion(_: float, y: Array) -> list[float]:
        s, c = math.sin(y[0]), math.cos(y[0])
        lever = 6 * (s - mu * c)
        return [y[1], lever * (G - 0.5 * y[1] ** 2 * c) / (1 + 0.5 * s * lever)]

    def there(_: float, y: Array) -> float:
        return float(y[0] - end)

    there.terminal = True  # type: ignore[attr-defined]
    return float(solve_ivp(motion, (0, 2), [angle, rate], events=there, rtol=1e-10, atol=1e-12).y[1, -1])


@case()
def foot_of_a_falling_rod_slips(lab: Lab) -> CaseAnswer:
    """Rod falls from 3 degrees off the vertical, mu = 0.3: its foot slips back from 24 degrees on; rate at 33 degrees.

    F / N = 3/4 sin(a) (3 cos(a) - 2 cos(a0)) / (1 - 3/4 sin(a)^2 - 3/2 cos(a) (cos(a0) - cos(a))) while it stands.
    """
    mu, start, end = 0.3, math.radians(3), math.radians(33)

    def excess(a: float) -> float:
        s, c, fallen = math.sin(a), math.cos(a), math.cos(start) - math.cos(a)
        return (0.75 * s * c - 1.5 * fallen * s) - mu * (1 - 0.75 * s * s - 1.5 * fallen * c)

    slips = brentq(excess, math.radians(4), math.radians(30))
    rate = math.sqrt(3 * G * (math.cos(start) - math.cos(slips)))
    model = floor(mu)
    add_rod(model, start, (0.5 * math.sin(start), 0, 0.5 * math.cos(start) + 1e-3))
    run = lab.run(model, 1.2)
    found = when(lean(run, "rod"), world_spin(run, "rod")[:, 1], end)
    return CaseAnswer(_sliding_rod(mu, slips, rate, end), found, "rad/s")


@case()
def ladder_slides_down_a_rough_wall(lab: Lab) -> CaseAnswer:
    """Ladder at 35 degrees slides on floor and wall, mu = 0.2 on both: angle after 0.4 s.

    x'' = W - mu N, z'' = N + mu W - g, a'' / 12 = N (s - mu c) / 2 - W (c + mu s) / 2 with the forces N and W.
    """
    mu, start, time = 0.2, math.radians(35), 0.4

    def motion(_: float, y: Array) -> list[float]:
        s, c = 0.5 * math.sin(y[0]), 0.5 * math.cos(y[0])
        A = [[c, -1, mu], [-s, -mu, -1], [1 / 12, c + mu * s, mu * c - s]]
        return [y[1], float(np.linalg.solve(A, [y[1] ** 2 * s, y[1] ** 2 * c - G, 0.0])[0])]

    exact = solve_ivp(motion, (0, time), [start, 0], rtol=1e-10, atol=1e-12).y[0, -1] - start
    model = floor(mu)
    model.add_fixed_body(HalfSpace((1, 0, 0)), material=Material(mu), name="wall")
    add_rod(model, -start, (0.5 * math.sin(start) + 1e-3, 0, 0.5 * math.cos(start) + 1e-3))
    return CaseAnswer(float(exact), tilt(lab.run(model, time), "rod"), "rad")


CASES = (
    cylinder_in_a_right_angle, three_smooth_cylinders_part, point_slides_down_a_rough_dome,
    ball_slips_on_a_dome, ball_rolls_off_an_edge, rolling_ball_meets_a_ramp, octagon_rolls_down,
    slanting_rod_lands_on_a_rough_floor, foot_of_a_falling_rod_slips, ladder_slides_down_a_rough_wall,
)  # fmt: skip
