"""Pendulums, springs and oscillators with dry friction."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipk

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.stepping.smooth.scheme import Integrator
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import ROUGH, WEIGHTLESS, X, Y, floor, zeros


def _pendulum(amplitude: float) -> tuple[Model, float]:
    """A rod on a hinge let go at an angle, and its rate for small swings [rad/s]."""
    length = 1.0
    model = Model(gravity=(G * math.sin(amplitude), 0.0, -G * math.cos(amplitude)))
    body = model.add_body(Box((0.02, 0.02, length)), mass=1.0, position=(0, 0, -0.5 * length), name="rod")
    model.add_revolute(None, "rod", position=(0, 0, 0), axis=Y)
    inertia = float(body.inertia[1, 1]) + 0.25 * length**2
    return model, math.sqrt(G * 0.5 * length / inertia)


def _swing(lab: Lab, amplitude: float) -> CaseAnswer:
    """The rod hangs at the start and gravity is turned, so that it is let go at the amplitude."""
    model, rate = _pendulum(amplitude)
    period = 4 * float(ellipk(math.sin(0.5 * amplitude) ** 2)) / rate
    run = lab.run(model, 1.1 * period)
    q = run.orientation("rod")
    angle = 2 * np.arctan2(q[:, 2], q[:, 0]) + amplitude
    at = zeros(run, angle)
    return CaseAnswer(period, 2 * float(at[1] - at[0]), "s")


@case(friction=False, order=True)
def small_swing_period(lab: Lab) -> CaseAnswer:
    """Rod pendulum at 5 degrees: 4 K(sin^2(a / 2)) sqrt(I / (m g l)), near 2 pi sqrt(2 L / (3 g))."""
    return _swing(lab, math.radians(5.0))


@case(friction=False, order=True)
def large_swing_period(lab: Lab) -> CaseAnswer:
    """Rod pendulum at 120 degrees: the same elliptic integral, 37 % longer."""
    return _swing(lab, math.radians(120.0))


@case(friction=False)
def released_rod_reaction(lab: Lab) -> CaseAnswer:
    """Rod held level and let go: in the first moment the hinge carries m g / 4."""
    model = Model()
    model.add_body(Box((1.0, 1e-3, 1e-3)), mass=2.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", position=(0, 0, 0), axis=Y, name="hinge")
    run = lab.run(model, lab.h)
    return CaseAnswer(0.25 * 2.0 * G, float(np.linalg.norm(run.joint_impulse("hinge")[-1, :3])) / lab.h, "N")


@case(friction=False, order=True)
def conical_pendulum(lab: Lab) -> CaseAnswer:
    """Ball on a rod circles at sqrt(g / (L cos(a))): angle after 2 s."""
    length, a = 1.0, math.radians(30.0)
    rate = math.sqrt(G / (length * math.cos(a)))
    model = Model()
    place = (length * math.sin(a), 0.0, -length * math.cos(a))
    model.add_body(Sphere(0.05), mass=1.0, position=place, velocity=(0, rate * place[0], 0), name="ball")
    model.add_distance(None, "ball", (0, 0, 0), place)
    p = lab.run(model, 2.0).position("ball")
    angle = np.unwrap(np.arctan2(p[:, 1], p[:, 0]))
    return CaseAnswer(2 * rate, float(angle[-1] - angle[0]), "rad")


@case(friction=False, order=True)
def double_pendulum_energy(lab: Lab) -> CaseAnswer:
    """Two rods let go level: kinetic plus potential energy stays; drift in 2 s relative to the fall 3/2 m g L."""
    model, length = Model(), 0.5
    for k, other in enumerate((None, "rod-0")):
        model.add_body(Box((length, 0.02, 0.02)), mass=1.0, position=((k + 0.5) * length, 0, 0), name=f"rod-{k}")
        model.add_revolute(other, f"rod-{k}", position=(k * length, 0, 0), axis=Y)
    run = lab.run(model, 2.0)
    energy = float(run.diagnostics["kinetic"][-1] + run.diagnostics["potential"][-1])
    return CaseAnswer(0.0, energy, "J", scale=1.5 * G * length * 1.0)


def _mass_on_spring(rate: float, damping: float = 0.0) -> Model:
    """1 kg on a slide with a spring, let go at 0.1 m."""
    model = Model(gravity=WEIGHTLESS)
    model.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, position=(1.1, 0, 0), name="mass")
    model.add_prismatic(None, "mass", axis=X)
    model.add_spring(None, "mass", (0, 0, 0), (1.1, 0, 0), stiffness=rate**2, damping=damping, length=1.0)
    return model


RATE = 2 * math.pi
"""Of the oscillators: one swing per second [rad/s]."""


def _amplitude(lab: Lab, integrator: Integrator | str) -> CaseAnswer:
    """Displacement after two whole swings."""
    run = lab.run(_mass_on_spring(RATE), 2.0, integrator)
    return CaseAnswer(0.1, float(np.abs(run.position("mass")[run.times > 1.6, 0] - 1.0).max()), "m")


@case(friction=False, order=True)
def spring_period(lab: Lab) -> CaseAnswer:
    """Mass on a spring: 2 pi sqrt(m / k), over two swings."""
    run = lab.run(_mass_on_spring(RATE), 2.4)
    at = zeros(run, run.position("mass")[:, 0] - 1.0)
    return CaseAnswer(1.0, 0.5 * float(at[4] - at[0]), "s")


@case(friction=False, order=True)
def spring_amplitude(lab: Lab) -> CaseAnswer:
    """Its amplitude stays: 0.1 m after two swings, with the step for hard contact."""
    return _amplitude(lab, "dvi")


@case(friction=False, order=True)
def spring_amplitude_hht(lab: Lab) -> CaseAnswer:
    """The same with HHT."""
    return _amplitude(lab, "hht")


@case(friction=False, order=True)
def spring_amplitude_trapezoidal(lab: Lab) -> CaseAnswer:
    """The same with the trapezoidal rule."""
    return _amplitude(lab, "trapezoidal")


@case(friction=False, order=True)
def damped_spring(lab: Lab) -> CaseAnswer:
    """Damped oscillator, ratio 0.1: amplitude exp(-zeta w t) after one damped swing (trapezoidal rule)."""
    zeta = 0.1
    period = 2 * math.pi / (RATE * math.sqrt(1 - zeta**2))
    run = lab.run(_mass_on_spring(RATE, 2 * zeta * RATE), 1.2 * period, "trapezoidal")
    found = float((run.position("mass")[int(0.8 * period / lab.h) :, 0] - 1.0).max())
    return CaseAnswer(0.1 * math.exp(-zeta * RATE * period), found, "m")


@case(order=True)
def friction_damped_spring(lab: Lab) -> CaseAnswer:
    """Mass on a spring and a rough floor: loses 2 mu m g / k in each half swing; third turning point.

    x0 = 0.2 m, mu g / w^2 = 0.0298 m for mu = 0.12: turns at -(x0 - 2 d), x0 - 4 d, -(x0 - 6 d).
    """
    start, mu = 0.2, 0.12
    d = mu * G / RATE**2
    model = floor(mu)
    model.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, position=(1.0 + start, 0, 0.05), material=ROUGH, name="mass")
    model.add_spring(None, "mass", (0, 0, 0.05), (1.0 + start, 0, 0.05), stiffness=RATE**2, length=1.0)
    x = lab.run(model, 1.7).position("mass")[:, 0] - 1.0
    return CaseAnswer(-(start - 6 * d), float(x[round(1.1 / lab.h) :].min()), "m", scale=start)


@case(order=True)
def stick_slip_breakaway(lab: Lab) -> CaseAnswer:
    """Mass on a belt, held by a spring, mu_s = 0.5, mu_k = 0.3: sticks until t = mu_s m g / (k v).

    The time is that of the largest place of the mass less the slip phase; here: when its speed first leaves that of the
    belt by 5 %.
    """
    run, speed, k = _stick_slip(lab, 0.9)
    v = run.velocity("mass")[:, 0]
    late = run.times > 0.02
    left = np.flatnonzero(late & (np.abs(v - speed) > 0.05 * speed))
    slow = _slip_onset(k, speed, 0.05)
    return CaseAnswer(0.5 * G / (k * speed) + slow, float(run.times[left[0]]) if len(left) else math.inf, "s")


@case(order=True)
def stick_slip_amplitude(lab: Lab) -> CaseAnswer:
    """The same mass: farthest place x_k + sqrt((x_s - x_k)^2 + (v / w)^2) with x = mu m g / k.

    In the slip phase it swings about x_k; it breaks away at x_s with the speed of the belt.
    """
    run, speed, k = _stick_slip(lab, 0.9)
    xs, xk = 0.5 * G / k, 0.3 * G / k
    exact = xk + math.hypot(xs - xk, speed / math.sqrt(k))
    return CaseAnswer(exact, float(run.position("mass")[:, 0].max()) - 1.0, "m")


def _stick_slip(lab: Lab, duration: float) -> tuple[Run, float, float]:
    speed, k = 0.2, 40.0
    model = Model()
    model.add_fixed_body(HalfSpace(), surface_velocity=(speed, 0, 0), name="belt")
    mass = model.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, position=(1.0, 0, 0.05), velocity=(speed, 0, 0), name="mass")
    model.set_pair_material("belt", mass, Material(friction=0.3, static_friction=0.5))
    model.add_spring(None, "mass", (0, 0, 0.05), (1.0, 0, 0.05), stiffness=k, length=1.0)
    return lab.run(model, duration), speed, k


def _slip_onset(k: float, speed: float, share: float) -> float:
    """Time after the breakaway until the speed is `share` below that of the belt [s]."""
    w, offset = math.sqrt(k), 0.2 * G / k
    # x - x_k = offset cos(w t) + speed / w sin(w t): v(t) = -offset w sin(w t) + speed cos(w t).
    t = np.linspace(0.0, 0.1, 20001)
    v = -offset * w * np.sin(w * t) + speed * np.cos(w * t)
    return float(t[np.argmax(v < (1 - share) * speed)])


@case(friction=False, order=True)
def rope_jerk(lab: Lab) -> CaseAnswer:
    """Ball falls until its rope is taut: only the speed across the rope is left; speed at the lowest point.

    Let go level with the pivot at half the rope's length: taut at depth sqrt(L^2 - (L/2)^2), where v = sqrt(2 g z); the
    part across is v sin(angle of the rope to the vertical) = v / 2.
    """
    L = 1.0
    model = Model()
    model.add_body(Sphere(0.02), mass=1.0, position=(0.5 * L, 0, 0), name="ball")
    model.add_rope(None, "ball", (0, 0, 0), (0.5 * L, 0, 0), length=L)
    z = math.sqrt(0.75) * L
    taut = 2 * G * z * 0.25
    run = lab.run(model, 1.2)
    exact = math.sqrt(taut + 2 * G * (L - z))
    return CaseAnswer(exact, float(np.linalg.norm(run.velocity("ball"), axis=1)[run.times > 0.5].max()), "m/s")


CASES = (
    small_swing_period, large_swing_period, released_rod_reaction, conical_pendulum, double_pendulum_energy,
    spring_period, spring_amplitude, spring_amplitude_hht, spring_amplitude_trapezoidal, damped_spring,
    friction_damped_spring, stick_slip_breakaway, stick_slip_amplitude, rope_jerk,
)  # fmt: skip
