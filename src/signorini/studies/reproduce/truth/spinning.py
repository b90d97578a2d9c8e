"""Tops, tumbling bodies, discs and feet that turn."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipk

from signorini.math.rotations import multiply, rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, WEIGHTLESS, X, Z, floor, turned, world_spin


@case()
def cylinder_spins_on_its_foot(lab: Lab) -> CaseAnswer:
    """Cylinder spins upright on its foot, mu = 0.3: the torque is 2/3 mu m g r, so w = w0 - 4/3 mu g t / r.

    Uniform pressure over the foot; speed lost in 0.1 s.
    """
    r, spin, time = 0.1, 20.0, 0.1
    model = floor(0.3)
    model.add_body(Cylinder(r, 0.1), density=1000, position=(0, 0, 0.05), angular_velocity=(0, 0, spin), name="foot",
                   material=ROUGH)  # fmt: skip
    lost = spin - float(lab.run(model, time).angular_velocity("foot")[-1, 2])
    return CaseAnswer(4 / 3 * 0.3 * G / r * time, lost, "rad/s")


def _disc_friction(ratio: float) -> tuple[float, float]:
    """Force / (mu N) and torque / (mu N r) that resist a disc under even pressure that slides at v = `ratio` w r."""
    radius, angle = np.sqrt((np.arange(80) + 0.5) / 80), 2 * np.pi * (np.arange(160) + 0.5) / 160
    x, y = np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))
    along, across = ratio - y, x
    speed = np.hypot(along, across)
    return float((along / speed).mean()), float(((x * across - y * along) / speed).mean())


@case()
def foot_slides_and_spins(lab: Lab) -> CaseAnswer:
    """Cylinder slides at 1 m/s and spins at 10 rad/s on its foot, mu = 0.3: how far it gets.

    Even pressure: dv/dt = -mu g F(v / (w r)), dw/dt = -2 mu g T(v / (w r)) / r with the integrals F and T of friction
    over a disc; sliding and spinning end together.
    """
    r, mu, dt = 0.1, 0.3, 5e-4
    v, spin, way = 1.0, 10.0, 0.0
    while v > 1e-3:
        force, torque = _disc_friction(v / (spin * r))
        middle = (v - 0.5 * dt * mu * G * force, spin - dt * mu * G * torque / r)
        force, torque = _disc_friction(middle[0] / (middle[1] * r))
        way += dt * middle[0]
        v, spin = v - dt * mu * G * force, spin - 2 * dt * mu * G * torque / r
    model = floor(mu)
    model.add_body(Cylinder(r, 0.02), density=1000, position=(0, 0, 0.01), velocity=(1, 0, 0), name="foot",
                   angular_velocity=(0, 0, 10), material=ROUGH)  # fmt: skip
    return CaseAnswer(way, float(lab.run(model, 0.5).position("foot")[-1, 0]), "m")


@case(bound=1e-6)
def leaning_foot_settles(lab: Lab) -> CaseAnswer:
    """Cylinder let go with a lean of 0.05 to 1.01 mrad comes to rest on its foot and stays: its lean, relative."""
    left = 0.0
    for lean in (5e-5, 9.9e-5, 1.01e-4, 9.9e-4, 1.01e-3):
        model = floor(0.5)
        model.add_body(Cylinder(0.05, 0.2), density=1000, position=(0, 0, 0.1 + 0.05 * math.sin(lean)), name="foot",
                       orientation=turned((0.8, 0.6, 0.0), lean), material=ROUGH)  # fmt: skip
        axle = rotate(lab.run(model, 0.3).orientation("foot"), np.array(Z))
        left = max(left, float(np.hypot(axle[-50:, 0], axle[-50:, 1]).max()) / lean)
    return CaseAnswer(0.0, left, "", scale=1.0)


def _rolling_disc(lab: Lab, lean: float, spin: float, yaw: float, duration: float) -> tuple[Model, Run]:
    """A disc that rolls on its rim, leaning by `lean` [rad] from upright, with spins about its axle and the vertical.

    The centre's velocity is that of rolling: v = w x (centre - contact).
    """
    radius, thick = 0.1, 0.01
    model = floor(1.0)
    # Axle along y at the start, then leaned about x; the lowest point is on the rim at the lower side of the disc.
    q = multiply(turned(X, lean), turned(X, -0.5 * math.pi))
    axle = rotate(q, np.array([0.0, 0.0, 1.0]))
    down = np.array([0.0, 0.0, -1.0])
    across = down - (down @ axle) * axle
    across /= np.linalg.norm(across)
    side = math.copysign(1.0, float(down @ axle)) if abs(down @ axle) > 1e-12 else 0.0
    contact = radius * across + side * 0.5 * thick * axle
    w = spin * axle + yaw * np.array([0.0, 0.0, 1.0])
    velocity = np.cross(w, -contact)
    model.add_body(Cylinder(radius, thick), density=7800, position=-contact * [0, 0, 1], orientation=q, name="disc",
                   velocity=velocity, angular_velocity=rotate(q * [1, -1, -1, -1], w), material=ROUGH)  # fmt: skip
    return model, lab.run(model, duration)


def _energy_kept(run: Run) -> CaseAnswer:
    """Energy after the first step and at the end, relative."""
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    return CaseAnswer(1.0, float(energy[-1] / energy[0]), "")


@case(bound=1e-4, order=True)
def rolling_disc_energy(lab: Lab) -> CaseAnswer:
    """Leaning disc rolls without slip for 1 s: its energy stays (to 0.01 %)."""
    return _energy_kept(_rolling_disc(lab, math.radians(20.0), 15.0, 3.0, 1.0)[1])


@case(bound=1e-4, order=True)
def eulers_disc_energy(lab: Lab) -> CaseAnswer:
    """Euler's disc at 30 degrees to the floor turns without slip for 1 s: its energy stays (to 0.01 %).

    A thin disc with its centre at rest turns at W^2 = 4 g / (a sin(theta)); energy is kept by any rolling.
    """
    theta = math.radians(30.0)
    yaw = math.sqrt(4 * G / (0.1 * math.sin(theta)))
    return _energy_kept(_rolling_disc(lab, 0.5 * math.pi - theta, -yaw * math.cos(theta), yaw, 1.0)[1])


@case(bound=1e-4, order=True)
def rattleback_energy(lab: Lab) -> CaseAnswer:
    """Rattleback (a half-axis ellipsoid with turned inertia) rocks and rolls for 1 s: its energy stays (to 0.01 %)."""
    angle = math.radians(10.0)
    R = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1.0]])
    inertia = R @ np.diag([2e-4, 1.6e-3, 1.7e-3]) @ R.T
    model = floor(2.0)
    model.add_body(Ellipsoid((0.2, 0.05, 0.04)), mass=1.0, inertia=inertia, position=(0, 0, 0.04), material=ROUGH,
                   velocity=(0.04 * 1.0, -0.04 * 0.5, 0), angular_velocity=(0.5, 1.0, -5.0), name="stone")  # fmt: skip
    return _energy_kept(lab.run(model, 1.0))


def _top(lab: Lab, tilt: float, duration: float) -> tuple[Array, float]:
    """A gyroscope on a ball joint at the origin: directions of its axle and its exact slow precession [rad/s]."""
    mass, arm, spin = 1.0, 0.1, 150.0
    model = Model()
    q = turned((0.0, 1.0, 0.0), tilt)
    body = model.add_body(Cylinder(0.08, 0.02), mass=mass, position=rotate(q, np.array([0, 0, arm])), orientation=q,
                          material=ROUGH, name="top")  # fmt: skip
    J, axial = float(body.inertia[0, 0]) + mass * arm**2, float(body.inertia[2, 2])
    # Steady precession W: J cos W^2 - axial s W + m g l = 0 with s the spin about the axle in space.
    a, b, c = J * math.cos(tilt), -axial * spin, mass * G * arm
    W = -c / b if abs(a) < 1e-15 else (-b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
    w = rotate(q, np.array([0.0, 0.0, spin - W * math.cos(tilt)])) + np.array([0.0, 0.0, W])
    model = Model()
    place = rotate(q, np.array([0, 0, arm]))
    model.add_body(Cylinder(0.08, 0.02), mass=mass, position=place, orientation=q, velocity=np.cross(w, place),
                   angular_velocity=rotate(q * [1, -1, -1, -1], w), name="top")  # fmt: skip
    model.add_spherical(None, "top", position=(0, 0, 0))
    return rotate(lab.run(model, duration).orientation("top"), np.array(Z)), W


@case(friction=False, order=True)
def gyroscope_precession(lab: Lab) -> CaseAnswer:
    """Gyroscope with a level axle precesses at m g l / (I3 w): angle after 1 s."""
    axle, W = _top(lab, 0.5 * math.pi, 1.0)
    angle = np.unwrap(np.arctan2(axle[:, 1], axle[:, 0]))
    return CaseAnswer(W, float(angle[-1] - angle[0]), "rad")


@case(friction=False, order=True)
def heavy_top_tip(lab: Lab) -> CaseAnswer:
    """Heavy top at 45 degrees in steady precession: place of its axle after 1 s, relative to its length.

    J1 cos(theta) W^2 - J3 w3 W + m g l = 0 with w3 the spin about the axle in space.
    """
    tilt = 0.25 * math.pi
    axle, W = _top(lab, tilt, 1.0)
    exact = np.array([math.sin(tilt) * math.cos(W), math.sin(tilt) * math.sin(W), math.cos(tilt)])
    return CaseAnswer(0.0, float(np.linalg.norm(axle[-1] - exact)), "", scale=1.0)


@case(friction=False, order=True)
def dzhanibekov_period(lab: Lab) -> CaseAnswer:
    """Box thrown with spin near its middle axis flips over: the period of its spin is an elliptic integral.

    T = 4 K(k^2) sqrt(I1 I2 I3 / ((I3 - I2) (M^2 - 2 E I1))),
    k^2 = (I2 - I1) (2 E I3 - M^2) / ((I3 - I2) (M^2 - 2 E I1)) for M^2 > 2 E I2
    [Landau and Lifshitz, Mechanics, section 37].
    """
    model = Model(gravity=WEIGHTLESS)
    w = np.array([0.5, 20.0, 3.0])
    body = model.add_body(Box((0.4, 0.2, 0.1)), density=1000, angular_velocity=w, name="box")
    inertia = np.diag(body.inertia)
    i1, i2, i3 = (float(x) for x in inertia)
    energy2, momentum2 = float(inertia @ w**2), float(inertia**2 @ w**2)
    below, above = momentum2 - energy2 * i1, energy2 * i3 - momentum2
    assert momentum2 > energy2 * i2
    k2 = (i2 - i1) * above / ((i3 - i2) * below)
    period = 4 * float(ellipk(k2)) * math.sqrt(i1 * i2 * i3 / ((i3 - i2) * below))
    run = lab.run(model, 1.6 * period)
    spin = run.angular_velocity("box")[:, 1]
    turns = np.flatnonzero(spin[1:] * spin[:-1] < 0)
    at = run.times[turns] + (run.times[turns + 1] - run.times[turns]) * spin[turns] / (spin[turns] - spin[turns + 1])
    return CaseAnswer(period, 2 * float(at[1] - at[0]) if len(at) > 1 else math.nan, "s")


@case(friction=False, order=True)
def thrown_disc_wobble(lab: Lab) -> CaseAnswer:
    """Free symmetric disc: in the body its spin turns at (I3 - I1) / I1 w3: angle after 1 s."""
    model = Model(gravity=WEIGHTLESS)
    body = model.add_body(Cylinder(0.1, 0.02), density=1000, angular_velocity=(1.0, 0.0, 10.0), name="disc")
    rate = (float(body.inertia[2, 2]) / float(body.inertia[0, 0]) - 1.0) * 10.0
    w = lab.run(model, 1.0).angular_velocity("disc")
    angle = np.unwrap(np.arctan2(w[:, 1], w[:, 0]))
    return CaseAnswer(rate, float(angle[-1] - angle[0]), "rad")


@case(friction=False, order=True)
def thrown_disc_momentum(lab: Lab) -> CaseAnswer:
    """Angular momentum of the same disc stays where it points: drift after 1 s, relative."""
    model = Model(gravity=WEIGHTLESS)
    body = model.add_body(Cylinder(0.1, 0.02), density=1000, angular_velocity=(1.0, 0.0, 10.0), name="disc")
    run = lab.run(model, 1.0)
    L = rotate(run.orientation("disc"), run.angular_velocity("disc") @ body.inertia)
    return CaseAnswer(0.0, float(np.linalg.norm(L[-1] - L[0])), "", scale=float(np.linalg.norm(L[0])))


@case()
def spinning_ball_goes_on(lab: Lab) -> CaseAnswer:
    """Ball spinning about the vertical on a point contact does not slow: no lever. Error relative to its spin."""
    model = floor(0.5)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 0.1), angular_velocity=(0, 0, 20), material=ROUGH,
                   name="ball")  # fmt: skip
    return CaseAnswer(20.0, float(world_spin(lab.run(model, 0.5), "ball")[-1, 2]), "rad/s")


CASES = (
    cylinder_spins_on_its_foot, foot_slides_and_spins, leaning_foot_settles,
    rolling_disc_energy, eulers_disc_energy, rattleback_energy, gyroscope_precession,
    heavy_top_tip, dzhanibekov_period, thrown_disc_wobble, thrown_disc_momentum, spinning_ball_goes_on,
)  # fmt: skip
