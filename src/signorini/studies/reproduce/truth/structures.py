"""Bodies that hold one another by friction: ladders, frames, wedges, ropes, piles, grips."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, SMOOTH, WEIGHTLESS, X, Y, Z, floor, moved, turned

SLIPPED = 1e-4
"""Larger displacements [m] count as motion."""


@case(bound=1e-3)
def leaning_ladder(lab: Lab) -> CaseAnswer:
    """Ladder against a rough wall: slips when it leans further than friction at both ends allows.

    Thin rod: tan(elevation) = (1 - mu^2) / (2 mu). Here a rod with round ends of radius r, so the moments about the
    lower contact are W L/2 cos = N2 (r + L sin) + mu N2 (r + L cos), N2 = mu W / (1 + mu^2). The load is
    1 / tan(elevation).
    """
    mu, length, r = 0.4, 2.0, 0.02
    push = mu / (1 + mu * mu)

    def imbalance(a: float) -> float:
        s, c = math.sin(a), math.cos(a)
        return 0.5 * length * c - push * (r + length * s) - mu * push * (r + length * c)

    critical = 1.0 / math.tan(brentq(imbalance, 0.2, 1.5))

    def moves(lean: float) -> bool:
        a = math.atan(1.0 / lean)
        model = floor(mu)
        model.add_fixed_body(HalfSpace((-1, 0, 0)), position=(0, 0, 0), material=Material(mu), name="wall")
        centre = (-r - 0.5 * length * math.cos(a), 0, r + 0.5 * length * math.sin(a))
        model.add_body(Capsule(r, length), mass=10.0, position=centre, orientation=turned(Y, 0.5 * math.pi - a),
                       material=ROUGH, name="ladder")  # fmt: skip
        return moved(lab.run(model, 0.6), "ladder") > SLIPPED

    return threshold(critical, moves)


@case(bound=1e-3)
def leaning_frame(lab: Lab) -> CaseAnswer:
    """Two rods lean on each other: the feet slip when the thrust exceeds mu W.

    Thin rods: mu = 1 / (2 tan(elevation)). With round ends of radius r the thrust is W L cos / (2 (L sin + r)).
    The load is 1 / mu.
    """
    length, r, a = 1.0, 0.02, math.radians(60.0)
    thrust = 0.5 * length * math.cos(a) / (length * math.sin(a) + r)

    def moves(smoothness: float) -> bool:
        model = floor(1.0 / smoothness)
        for side in (-1.0, 1.0):
            centre = (side * (r + 0.5 * length * math.cos(a)), 0, r + 0.5 * length * math.sin(a))
            model.add_body(Capsule(r, length), mass=2.0, position=centre, material=ROUGH,
                           orientation=turned(Y, side * (a - 0.5 * math.pi)), name=f"rod{side:+.0f}")  # fmt: skip
        return moved(lab.run(model, 0.6), "rod+1") > SLIPPED

    return threshold(1.0 / thrust, moves)


@case(bound=1e-3)
def squeezed_wedge(lab: Lab) -> CaseAnswer:
    """Wedge between a floor and a loaded platform: driven out when its angle exceeds that of friction at both faces.

    With phi = atan(mu): W tan(theta - phi) = mu (W + m g); a wedge without mass goes at theta = 2 phi. The load is
    tan(theta).
    """
    mu, mass, load = 0.25, 0.5, 40.0
    critical = math.tan(math.atan(mu) + math.atan(mu * (1 + mass * G / (load * G))))

    def moves(tangent: float) -> bool:
        theta, length, low = math.atan(tangent), 0.4, 0.05
        high = low + length * tangent
        outline = [(-0.2, 0.0), (0.2, 0.0), (0.2, low), (-0.2, high)]
        corners = [(x, y, z) for y in (-0.1, 0.1) for x, z in outline]
        model = floor(mu)
        model.add_body(ConvexHull(corners), mass=mass, material=ROUGH, name="wedge")
        normal, middle = np.array([math.sin(theta), 0.0, math.cos(theta)]), np.array([0.0, 0.0, 0.5 * (low + high)])
        model.add_body(Box((0.6, 0.2, 0.1)), mass=load, position=middle + 0.05 * normal, orientation=turned(Y, theta),
                       material=Material(mu), name="platform")  # fmt: skip
        return _wedge_moves(lab, model)

    return threshold(critical, moves)


def _wedge_moves(lab: Lab, model: Model) -> bool:
    model.add_prismatic(None, "platform", axis=Z)
    return moved(lab.run(model, 0.5), "wedge") > SLIPPED


@case(bound=1e-3)
def capstan(lab: Lab) -> CaseAnswer:
    """Chain of eight runners around a drum: slips when the ratio of the pulls exceeds that of the capstan.

    One runner turns the rope by delta: T' / T = (1 + mu tan(delta / 2)) / (1 - mu tan(delta / 2)), which tends to
    Euler's exp(mu delta) for many.
    """
    mu, count, radius, r, pull = 0.3, 8, 0.5, 0.02, 50.0
    delta = math.pi / count
    each = (1 + mu * math.tan(0.5 * delta)) / (1 - mu * math.tan(0.5 * delta))

    def moves(ratio: float) -> bool:
        model = Model(gravity=WEIGHTLESS)
        model.add_fixed_body(
            Cylinder(radius, 0.4), orientation=turned(X, 0.5 * math.pi), material=Material(mu), name="drum"
        )
        around = radius + r
        for k in range(count):
            place = (around * math.cos((k + 0.5) * delta), 0.0, around * math.sin((k + 0.5) * delta))
            model.add_body(Sphere(r), mass=0.1, position=place, material=ROUGH, name=f"r{k}")
            model.add_parallel_axes(None, f"r{k}", axis=X)
            model.add_parallel_axes(None, f"r{k}", axis=Z)
            if k:
                a, b = f"r{k - 1}", f"r{k}"
                model.add_distance(a, b, model.bodies[-2].position, model.bodies[-1].position)
        for name, at, force, way in (("r0", 0.0, pull, -1.0), (f"r{count - 1}", math.pi, pull * ratio, 1.0)):
            tangent = np.array([-math.sin(at), 0.0, math.cos(at)])
            model.add_force(name, lambda _t, _s, f=way * force * tangent: f)  # type: ignore[misc]
        return moved(lab.run(model, 0.3), "r0") > SLIPPED

    return threshold(each**count, moves)


@case(bound=1e-3)
def three_cylinders(lab: Lab) -> CaseAnswer:
    """One cylinder on two others: the pile spreads when mu < tan(15 degrees).

    Moments about the floor contact of a lower cylinder: the force of the upper one must point there, 15 degrees off the
    normal. The floor needs less (0.0893). The load is 1 / mu.
    """

    def moves(smoothness: float) -> bool:
        run = lab.run(cylinder_pile(1.0 / smoothness, 1.0 / smoothness), 0.6)
        return moved(run, "top") > SLIPPED

    return threshold(1.0 / PILE, moves)


PILE, PILE_ON_FLOOR = math.tan(math.radians(15.0)), math.tan(math.radians(15.0)) / 3.0
"""Friction that a pile of three cylinders needs between them and on the floor [-].

The upper one presses with N = W / 2 on each, so F = W / 2 tan(15 degrees); the floor carries 3/2 W.
"""


def cylinder_pile(mu: float, ground: float, radius: float = 0.1) -> Model:
    """Two cylinders that touch on a floor of friction `ground`, and one on top of them."""
    model = floor(ground)
    steep = math.sqrt(3.0)
    for name, x, z in (("left", -1.0, 1.0), ("right", 1.0, 1.0), ("top", 0.0, 1.0 + steep)):
        model.add_body(Cylinder(radius, 0.3), density=1000, position=(radius * x, 0, radius * z), name=name,
                       orientation=turned(X, 0.5 * math.pi), material=Material(mu))  # fmt: skip
    return model


@case(bound=1e-3)
def three_cylinders_on_ice(lab: Lab) -> CaseAnswer:
    """The same pile with enough friction between the cylinders: the floor slips when its mu < tan(15 degrees) / 3."""

    def moves(smoothness: float) -> bool:
        return moved(lab.run(cylinder_pile(0.5, 1.0 / smoothness), 0.6), "top") > SLIPPED

    return threshold(1.0 / PILE_ON_FLOOR, moves)


@case()
def three_cylinders_rest(lab: Lab) -> CaseAnswer:
    """The same pile with 10 % more friction than it needs, everywhere, rests.

    Error relative to 1 mm in 2 s.
    """
    run = lab.run(cylinder_pile(1.1 * PILE, 1.1 * PILE_ON_FLOOR), 2.0)
    return CaseAnswer(0.0, moved(run, "top"), "m", scale=1e-3)


@case(bound=1e-3)
def grip_holds(lab: Lab) -> CaseAnswer:
    """Two jaws hold a block: it slips when its weight exceeds 2 mu P."""
    mu, push = 0.5, 60.0

    def moves(weight: float) -> bool:
        model = gripper(mu, push, weight / G, jaw=1.0)
        return -float(lab.run(model, 0.5).position("block")[-1, 2]) > SLIPPED

    return threshold(2 * mu * push, moves, "N")


def gripper(mu: float, push: float, mass: float, jaw: float) -> Model:
    """Two jaws of mass `jaw` [kg] on level slides squeeze a block of `mass` [kg] with `push` [N] each."""
    model = Model()
    model.add_body(Box((0.1, 0.1, 0.1)), mass=mass, material=ROUGH, name="block")
    for name, side in (("left", -1.0), ("right", 1.0)):
        model.add_body(Box((0.1, 0.2, 2.0)), mass=jaw, position=(0.1 * side, 0, 0), material=Material(mu), name=name)
        model.add_prismatic(None, name, axis=(-side, 0, 0), name=f"slide-{name}")
        model.add_motor(f"slide-{name}", force=push)
    return model


@case(bound=1e-3)
def books_between_hands(lab: Lab) -> CaseAnswer:
    """Three blocks clamped end to end like books carried in the hands: fall when n m g > 2 mu P.

    The outer faces carry all the weight.
    """
    mu, push, count = 0.4, 100.0, 3

    def moves(weight: float) -> bool:
        model = Model()
        for k in range(count):
            model.add_body(Box((0.05, 0.3, 0.3)), mass=weight / count / G, position=(0.05 * (k - 1), 0, 0),
                           material=Material(mu), name=f"book-{k}")  # fmt: skip
        for name, side in (("left", -1.0), ("right", 1.0)):
            model.add_body(Box((0.05, 0.3, 0.3)), mass=1.0, position=(0.1 * side, 0, 0), material=Material(mu),
                           name=name)  # fmt: skip
            model.add_prismatic(None, name, axis=(-side, 0, 0), name=f"slide-{name}")
            model.add_motor(f"slide-{name}", force=push)
        return moved(lab.run(model, 0.5), "book-1") > SLIPPED

    return threshold(2 * mu * push, moves, "N")


@case()
def groove_slide(lab: Lab) -> CaseAnswer:
    """Prism that slides along a level V groove: slowed at mu g / sin(half angle).

    Each wall carries m g / (2 sin(half angle)). (At rest friction across the groove may add to that, so that the start
    of sliding is not unique; once it slides along the groove, friction has no part across.)
    """
    mu, half, speed, time = 0.3, math.radians(35.0), 3.0, 0.4
    model = Model()
    for side in (-1.0, 1.0):
        normal = (0.0, -side * math.cos(half), math.sin(half))
        model.add_fixed_body(HalfSpace(normal), material=Material(mu), name=f"wall{side:+.0f}")
    w, d = 0.1 * math.tan(half), 0.1
    corners = [(x, y, z) for x in (-0.15, 0.15) for y, z in ((0.0, 0.0), (w, d), (-w, d))]
    model.add_body(ConvexHull(corners), mass=2.0, velocity=(speed, 0, 0), material=ROUGH, name="prism")
    run = lab.run(model, time)
    return CaseAnswer(speed - mu * G * time / math.sin(half), float(run.velocity("prism")[-1, 0]), "m/s")


@case(bound=1e-3)
def pipe_clamp(lab: Lab) -> CaseAnswer:
    """Bracket on a post (a pipe clamp): holds when it is loaded further out than h / (2 mu).

    Two pads a height h apart carry N = W x / h each; 2 mu N = W at x = h / (2 mu). The load is 1 / x. It begins to turn
    about the post: from rest with pads that just touch, a fall without any pressure solves the law as well.
    """
    mu, height, mass = 0.3, 0.2, 2.0

    def moves(nearness: float) -> bool:
        x = 1.0 / nearness
        model = Model()
        model.add_fixed_body(Box((0.1, 0.2, 4.0)), material=Material(mu), name="post")
        r = 0.01
        pads = [(Sphere(r), (0.05 + r - x, y, -0.5 * height)) for y in (-0.05, 0.05)]
        pads += [(Sphere(r), (-0.05 - r - x, y, 0.5 * height)) for y in (-0.05, 0.05)]
        weights = [(Sphere(0.02), (0.0, 0.0, s * 0.05)) for s in (-1.0, 1.0)]
        # All mass is in the weights, so that the centre of mass is at a distance x from the middle of the post.
        spin, speed = (0.0, 1e-3, 0.0), (0.0, 0.0, -1e-3 * x)
        for shape, share, material, name in ((weights, 1.0, SMOOTH, "weight"), (pads, 1e-3, ROUGH, "bracket")):
            model.add_body(shape, mass=share * mass, position=(x, 0, 0), material=material, name=name,
                           velocity=speed, angular_velocity=spin)  # fmt: skip
        model.add_fixed_joint("bracket", "weight", position=(x, 0, 0))
        run = lab.run(model, 0.5)
        return float(-run.position("weight")[-1, 2]) > SLIPPED

    return threshold(_clamp(mu, height, 1e-3), moves, "1/m")


def _clamp(mu: float, height: float, share: float) -> float:
    """1 / x where the clamp slips: the pads, a share of the weight, hang at the post."""
    return (1.0 / (1.0 + share)) * 2.0 * mu / height


@case()
def frame_thrust(lab: Lab) -> CaseAnswer:
    """Two rods lean on each other at rest: the floor carries the thrust W L cos / (2 (L sin + r))."""
    length, r, a, mass = 1.0, 0.02, math.radians(60.0), 2.0
    exact = mass * G * 0.5 * length * math.cos(a) / (length * math.sin(a) + r)
    model = floor(0.8)
    for side in (-1.0, 1.0):
        centre = (side * (r + 0.5 * length * math.cos(a)), 0, r + 0.5 * length * math.sin(a))
        model.add_body(Capsule(r, length), mass=mass, position=centre, material=ROUGH,
                       orientation=turned(Y, side * (a - 0.5 * math.pi)), name=f"rod{side:+.0f}")  # fmt: skip
    run = lab.run(model, 0.2)
    found = run.contacts()
    floor_right = (found.contacts.body_a == 0) & (found.contacts.body_b == 2)
    return CaseAnswer(exact, abs(float(found.world_impulse[floor_right, 0].sum())) / lab.h, "N")


CASES = (
    leaning_ladder, leaning_frame, frame_thrust, squeezed_wedge, capstan, three_cylinders,
    three_cylinders_on_ice, three_cylinders_rest,
    grip_holds, books_between_hands, groove_slide, pipe_clamp,
)  # fmt: skip
