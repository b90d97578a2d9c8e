"""Bodies that hold, jam, climb and tip: several contacts decide together."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import conjugate, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import (
    ROUGH,
    SMOOTH,
    WEIGHTLESS,
    X,
    Y,
    Z,
    floor,
    moved,
    slope,
    tilt,
    turned,
    world_spin,
)

SLIPPED = 1e-4
"""Larger displacements [m] count as motion."""
UPRIGHT = turned(X, 0.5 * math.pi)
"""Orientation of a cylinder whose axle is y."""


@case(bound=0.02)
def painleve_rod_stops(lab: Lab) -> CaseAnswer:
    """Rod slides on its end at 45 degrees, mu = 2, beyond Painleve's 5/3: the end stops at once; its spin (2 %).

    No force solves the sliding rod: an impact without collision. u = W P + u0 with W_nn = (1 + 3 c^2) / m,
    W_tt = (1 + 3 s^2) / m, W_nt = 3 s c / m; both parts of u vanish, and the spin is 6 (c P_n + s P_t) / (m L).
    """
    length, radius, lean, speed = 1.0, 1e-4, math.radians(45.0), 10.0
    c, s = math.cos(lean), math.sin(lean)
    model = floor(2.0)
    place = (-0.5 * length * c, 0, 0.5 * length * s + radius)
    model.add_body(Capsule(radius, length), mass=1.0, inertia=np.diag([1 / 12, 1 / 12, 1e-6]), position=place,
                   velocity=(speed, 0, 0), orientation=turned(Y, lean - 0.5 * math.pi), material=ROUGH,
                   name="rod")  # fmt: skip
    share = 3 * c * s / (1 + 3 * c * c)
    drag = -speed / (1 + 3 * s * s - 3 * s * c * share)
    spin = world_spin(lab.run(model, 2 * lab.h), "rod")[-1, 1]
    return CaseAnswer(abs(6 * (s - c * share) * drag / length), abs(float(spin)), "rad/s")


@case(bound=1e-3)
def roller_nip(lab: Lab) -> CaseAnswer:
    """Roller between a floor and a slanting press is squeezed out when tan(alpha / 2) > mu, whatever presses."""
    mu, radius = 0.2, 0.05

    def moves(half: float) -> bool:
        a = 2 * math.atan(half)
        model = floor(mu, WEIGHTLESS)
        model.add_body(
            Cylinder(radius, 0.2), mass=0.5, position=(0, 0, radius), orientation=UPRIGHT, material=ROUGH, name="roll"
        )
        normal, along = np.array([math.sin(a), 0, math.cos(a)]), np.array([math.cos(a), 0, -math.sin(a)])
        place = np.array([0, 0, radius]) + (radius + 0.05) * normal - 0.25 * along
        model.add_body(Box((0.6, 0.2, 0.1)), mass=5.0, position=place, orientation=turned(Y, a),
                       material=Material(mu), name="press")  # fmt: skip
        model.add_prismatic(None, "press", axis=Z)
        model.add_force("press", (0, 0, -50.0))
        return moved(lab.run(model, 0.5), "roll") > SLIPPED

    return threshold(mu, moves)


@case(bound=1e-3)
def ladder_with_a_climber(lab: Lab) -> CaseAnswer:
    """Ladder at a smooth wall slips when a climber of weight P is higher than a share s of it.

    Rod of length L with round ends of radius r: mu (W + P) (r + L sin) = (W / 2 + P s) L cos.
    """
    mu, length, r, a, weight, climber = 0.4, 2.0, 0.02, math.radians(60.0), 100.0, 600.0
    along = np.array([math.cos(a), 0, math.sin(a)])
    hold = mu * (weight + climber) * (r + length * math.sin(a)) / (length * math.cos(a))

    def moves(share: float) -> bool:
        model = floor(mu)
        model.add_fixed_body(HalfSpace((-1, 0, 0)), material=SMOOTH, name="wall")
        foot = np.array([-r - length * math.cos(a), 0, r])
        ladder = model.add_body(Capsule(r, length), mass=weight / G, position=foot + 0.5 * length * along,
                                orientation=turned(Y, 0.5 * math.pi - a), material=ROUGH, name="ladder")  # fmt: skip
        model.add_force(ladder, (0, 0, -climber), point=foot + share * length * along)
        return moved(lab.run(model, 0.6), "ladder") > SLIPPED

    return threshold((hold - 0.5 * weight) / climber, moves)


@case(bound=1e-3)
def shoe_brake(lab: Lab) -> CaseAnswer:
    """Shoe on a lever holds a drum up to the torque mu R F a / (b + mu c).

    Lever of length a from its hinge, the shoe at b along it and c below: b N + c mu N = a F.
    """
    mu, radius, a, b, c, force, r = 0.4, 0.2, 0.5, 0.2, 0.1, 30.0, 0.02

    def moves(torque: float) -> bool:
        model = Model(gravity=WEIGHTLESS)
        model.add_body(Cylinder(radius, 0.1), mass=5.0, orientation=UPRIGHT, material=Material(mu), name="drum")
        model.add_revolute(None, "drum", position=(0, 0, 0), axis=Y, name="hinge")
        model.add_motor("hinge", torque=torque)
        model.add_body(
            Sphere(r), mass=1.0, inertia=(1e-2, 1e-2, 1e-2), position=(0, 0, radius + r), material=ROUGH, name="lever"
        )
        model.add_revolute(None, "lever", position=(-b, 0, radius + c), axis=Y)
        model.add_force("lever", (0, 0, -force), point=(a - b, 0, radius + c))
        return tilt(lab.run(model, 0.5), "drum", X) > 1e-4

    return threshold(mu * radius * force * a / (b + mu * c), moves, "N m")


PYRAMID = math.sqrt(3.0) - math.sqrt(2.0)
"""Friction that a ball on three that touch needs: the tangent of half the angle of their centres to the vertical."""


def _pyramid(lab: Lab, between: float, ground: float) -> bool:
    """Whether a ball on three others comes down."""
    radius = 0.1
    model = floor(ground)
    for k in range(3):
        angle, far = 2 * math.pi * k / 3, 2 * radius / math.sqrt(3)
        model.add_body(Sphere(radius), density=1000, material=Material(between), name=f"ball-{k}",
                       position=(far * math.cos(angle), far * math.sin(angle), radius))  # fmt: skip
    high = radius + 2 * radius * math.sqrt(2 / 3)
    model.add_body(Sphere(radius), density=1000, position=(0, 0, high), material=Material(between), name="top")
    return moved(lab.run(model, 0.6), "top") > SLIPPED


@case(bound=1e-3)
def pyramid_of_balls(lab: Lab) -> CaseAnswer:
    """Ball on three that touch: they part when mu < sqrt(3) - sqrt(2). The load is 1 / mu."""
    return threshold(1 / PYRAMID, lambda smooth: _pyramid(lab, 1 / smooth, 1.0))


@case(bound=1e-3)
def pyramid_on_ice(lab: Lab) -> CaseAnswer:
    """The floor under them slips when its mu < (sqrt(3) - sqrt(2)) / 4: a third of W to the side, 4/3 W down."""
    return threshold(4 / PYRAMID, lambda smooth: _pyramid(lab, 0.6, 1 / smooth))


@case(bound=1e-3)
def cylinder_in_a_corner(lab: Lab) -> CaseAnswer:
    """Cylinder between floor and wall turns when the torque exceeds mu W R (1 + mu) / (1 + mu^2)."""
    mu, radius, mass = 0.3, 0.1, 4.0

    def moves(torque: float) -> bool:
        model = floor(mu)
        model.add_fixed_body(HalfSpace((-1, 0, 0)), position=(radius, 0, 0), material=Material(mu), name="wall")
        roll = model.add_body(
            Cylinder(radius, 0.2), mass=mass, position=(0, 0, radius), orientation=UPRIGHT, material=ROUGH, name="roll"
        )
        model.add_force(roll, torque=(0, torque, 0))
        return tilt(lab.run(model, 0.5), "roll", X) > 1e-3

    return threshold(mu * mass * G * radius * (1 + mu) / (1 + mu * mu), moves, "N m")


@case(bound=1e-3)
def wheel_climbs_a_kerb(lab: Lab) -> CaseAnswer:
    """Wheel pulled at its axle climbs a kerb of height s when F > W sqrt(R^2 - (R - s)^2) / (R - s)."""
    radius, kerb, mass = 0.2, 0.05, 5.0
    reach = math.sqrt(radius**2 - (radius - kerb) ** 2)

    def moves(force: float) -> bool:
        model = floor(1.0)
        model.add_fixed_body(Box((0.5, 1, 2 * kerb)), position=(0.25, 0, 0), material=Material(2.0), name="kerb")
        wheel = model.add_body(Cylinder(radius, 0.1), mass=mass, position=(-reach, 0, radius), orientation=UPRIGHT,
                               material=ROUGH, name="wheel")  # fmt: skip
        model.add_force(wheel, (force, 0, 0))
        return moved(lab.run(model, 0.5), "wheel") > SLIPPED

    return threshold(mass * G * reach / (radius - kerb), moves, "N")


def _slips(lab: Lab, model: Model) -> bool:
    """Whether an upper block slips on a lower one."""
    run = lab.run(model, 0.5)
    return float(np.ptp((run.position("upper") - run.position("lower"))[:, 0])) > 2.5 * SLIPPED


@case(bound=1e-3)
def pushed_stack(lab: Lab) -> CaseAnswer:
    """Lower of two blocks pushed on a rough floor: the upper one slips when F > (mu_1 + mu_2) g (m + M)."""
    light, heavy, above, below = 2.0, 3.0, 0.4, 0.2

    def moves(force: float) -> bool:
        model = floor(below)
        lower = model.add_body(
            Box((1, 0.3, 0.1)), mass=heavy, position=(0, 0, 0.05), material=Material(above), name="lower"
        )
        model.add_body(Box((0.1, 0.1, 0.1)), mass=light, position=(0, 0, 0.15), material=ROUGH, name="upper")
        model.add_force(lower, (force, 0, 0))
        return _slips(lab, model)

    return threshold((above + below) * G * (light + heavy), moves, "N")


@case(bound=1e-3)
def pulled_upper_block(lab: Lab) -> CaseAnswer:
    """Upper of two blocks on ice pulled at its foot: it slips when F > mu m g (m + M) / M."""
    light, heavy, mu = 2.0, 3.0, 0.4

    def moves(force: float) -> bool:
        model = floor(0.0)
        model.add_body(Box((1, 0.3, 0.1)), mass=heavy, position=(0, 0, 0.05), material=Material(mu), name="lower")
        upper = model.add_body(Box((0.1, 0.1, 0.02)), mass=light, position=(0, 0, 0.11), material=ROUGH, name="upper")
        model.add_force(upper, (force, 0, 0), point=(0, 0, 0.1))
        return _slips(lab, model)

    return threshold(mu * light * G * (light + heavy) / heavy, moves, "N")


@case(bound=1e-3)
def tied_upper_block(lab: Lab) -> CaseAnswer:
    """Block under a tied one slides down a slope when m2 tan(alpha) > mu_1 m1 + mu_2 (m1 + m2)."""
    tied, free, above, below = 1.0, 4.0, 0.3, 0.2

    def moves(tangent: float) -> bool:
        model = slope(math.atan(tangent), below)
        model.add_body(Box((0.4, 0.2, 0.1)), mass=free, position=(0, 0, 0.05), material=ROUGH, name="lower")
        model.add_body(Box((0.2, 0.2, 0.05)), mass=tied, position=(0, 0, 0.125), material=Material(above), name="upper")
        model.add_rope(None, "upper", (-1.0, 0, 0.1), (-0.1, 0, 0.1))
        return moved(lab.run(model, 0.5), "lower") > SLIPPED

    return threshold((above * tied + below * (tied + free)) / free, moves)


@case(bound=1e-3)
def crate_on_a_truck(lab: Lab) -> CaseAnswer:
    """Tall crate on a truck that is pulled tips when F > (m + M) g width / height."""
    light, heavy, width, height = 2.0, 10.0, 0.1, 0.4

    def moves(force: float) -> bool:
        model = floor(0.0)
        truck = model.add_body(
            Box((2, 0.5, 0.1)), mass=heavy, position=(0, 0, 0.05), material=Material(0.9), name="truck"
        )
        model.add_body(Box((width, 0.2, height)), mass=light, position=(0, 0, 0.1 + 0.5 * height), material=ROUGH,
                       name="crate")  # fmt: skip
        model.add_force(truck, (force, 0, 0))
        return tilt(lab.run(model, 0.7), "crate") > 2e-3

    return threshold((light + heavy) * G * width / height, moves, "N")


@case(bound=1e-3)
def table_tips(lab: Lab) -> CaseAnswer:
    """Table whose feet are d from its middle tips when the load at e beyond them exceeds W d / e."""
    mass, d, e = 10.0, 0.3, 0.1

    def moves(load: float) -> bool:
        model = floor(0.6)
        feet = [(Sphere(0.02), (x * d, y * d, -0.38)) for x in (-1, 1) for y in (-1, 1)]
        table = model.add_body([*feet, (Box((0.8, 0.8, 0.02)), (0, 0, 0))], mass=mass, inertia=np.eye(3),
                               position=(0, 0, 0.4), material=ROUGH, name="table")  # fmt: skip
        model.add_force(table, (0, 0, -load), point=(d + e, 0, 0.4))
        return tilt(lab.run(model, 0.8), "table") > SLIPPED

    return threshold(mass * G * d / e, moves, "N")


@case(bound=1e-3)
def wheel_spins(lab: Lab) -> CaseAnswer:
    """Driven wheel spins when 2 M / (3 R) > mu m g."""
    mu, radius, mass, time = 0.3, 0.2, 5.0, 0.5

    def moves(torque: float) -> bool:
        model = floor(mu)
        wheel = model.add_body(Cylinder(radius, 0.1), mass=mass, position=(0, 0, radius), orientation=UPRIGHT,
                               material=ROUGH, name="wheel")  # fmt: skip
        model.add_force(wheel, torque=(0, torque, 0))
        run = lab.run(model, time)
        slip = float(world_spin(run, "wheel")[-1, 1] * radius - run.velocity("wheel")[-1, 0])
        # 0.1 % above: 3 mu g times that, and a fifth less.
        return abs(slip) > 0.8 * 3e-3 * mu * G * time

    return threshold(1.5 * radius * mu * mass * G, moves, "N m")


@case(bound=1e-3)
def tilting_table(lab: Lab) -> CaseAnswer:
    """Table that tilts slowly: a block slides from tan(alpha) = mu on; angle at which it has slid by 1 mm.

    Then s'' = g (sin - mu cos) grows as g W t (cos + mu sin): s = g W (cos + mu sin) t^3 / 6.
    """
    mu, rate, way = 0.4, 0.1, 1e-3
    model = Model()

    def motion(t: float) -> tuple[np.ndarray, np.ndarray]:
        q = turned(Y, rate * t)
        return rotate(q, np.array([0.0, 0.0, -0.05])), q

    model.add_body(Box((2, 1, 0.1)), motion=motion, material=Material(mu), name="table")
    model.add_body(Box((0.1, 0.1, 0.02)), density=1000, position=(0, 0, 0.01), velocity=(0.01 * rate, 0, 0),
                   angular_velocity=(0, rate, 0), material=ROUGH, name="block")  # fmt: skip
    run = lab.run(model, 4.6)
    slid = rotate(conjugate(run.orientation("table")), run.position("block") - run.position("table"))[:, 0]
    onset = math.atan(mu)
    late = (6 * way / (G * rate * (math.cos(onset) + mu * math.sin(onset)))) ** (1 / 3)
    at = np.flatnonzero(slid - slid[0] > way)
    return CaseAnswer(onset + rate * late, rate * float(run.times[at[0]]) if len(at) else math.inf, "rad")


CASES = (
    painleve_rod_stops, roller_nip, ladder_with_a_climber, shoe_brake, pyramid_of_balls, pyramid_on_ice,
    cylinder_in_a_corner, pushed_stack, pulled_upper_block, tied_upper_block, crate_on_a_truck, table_tips,
    wheel_climbs_a_kerb, wheel_spins, tilting_table,
)  # fmt: skip
