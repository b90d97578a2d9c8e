"""Elastic bodies and compliant contacts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from signorini.fe.cable import Cable
from signorini.fe.elastic_step import ElasticStepName
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.analyses.statics import static_equilibrium
from signorini.studies.reproduce.truth.case import CaseAnswer, G, case
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.parts import WEIGHTLESS


def _beam(cells: int = 10) -> tuple[Model, SoftBody]:
    """A beam of quadratic tetrahedra along x, 1 m by 50 mm by 50 mm, clamped at x = 0."""
    model = Model()
    mesh = Mesh.box((1.0, 0.05, 0.05), (cells, 1, 1), "tetra").quadratic()
    body = SoftBody(mesh, Elastic(young=1e9, poisson=0.0, density=1000.0), mass_matrix="consistent")
    beam = model.add_flexible(body, position=(0.5, 0.0, 0.0), name="beam")
    model.hold_nodes(beam, lambda x: x[:, 0] < 1e-9)
    return model, body


@case(friction=False)
def cantilever_deflection(_lab: Lab) -> CaseAnswer:
    """Cantilever under its own weight: q L^4 / (8 E I) + q L^2 / (2 kappa G A), statics.

    Timoshenko with kappa = 5/6 and G = E / 2 (Poisson's ratio 0).
    """
    model, _ = _beam(20)
    state = static_equilibrium(model).state
    tip = model.flexibles[0].position[:, 0] > 1.0 - 1e-9
    sag = float((model.flexibles[0].position[tip, 2] - state.node_position[tip, 2]).mean())
    a, young = 0.05, 1e9
    q = 1000.0 * G * a * a
    return CaseAnswer(q / (8 * young * a**4 / 12) + q / (2 * 5 / 6 * 0.5 * young * a * a), sag, "m")


@case(friction=False)
def cantilever_period(lab: Lab) -> CaseAnswer:
    """First swing of the cantilever let go straight: (2 pi / 3.5160) sqrt(rho A L^4 / (E I)), trapezoidal rule.

    Euler and Bernoulli; shear and rotary inertia lengthen it by less than 0.3 % here. Time between extremes of the tip.
    """
    model, _ = _beam()
    a = 0.05
    period = 2 * math.pi / 3.516015 * math.sqrt(1000.0 * a * a / (1e9 * a**4 / 12))
    run = lab.run(model, 2.2 * period, "trapezoidal")
    tip = run.node_position("beam")[:, int(np.argmax(model.flexibles[0].position[:, 0])), 2]
    # The sag is (1 - cos) with small higher modes: whole periods between crossings of its middle.
    middle = tip - 0.5 * (tip.max() + tip.min())
    k = np.flatnonzero((middle[1:] < 0) & (middle[:-1] >= 0))
    at = run.times[k] + lab.h * middle[k] / (middle[k] - middle[k + 1])
    return CaseAnswer(period, float(at[1] - at[0]) if len(at) > 1 else math.nan, "s")


@case(friction=False)
def hanging_bar(_lab: Lab) -> CaseAnswer:
    """Bar hanging from its end stretches by rho g L^2 / (2 E) (statics)."""
    model = Model()
    mesh = Mesh.box((0.05, 0.05, 1.0), (1, 1, 10), "tetra")
    bar = model.add_flexible(SoftBody(mesh, Elastic(young=1e6, poisson=0.0, density=1000.0)), name="bar")
    model.hold_nodes(bar, lambda x: x[:, 2] > 0.5 - 1e-9)
    state = static_equilibrium(model).state
    low = bar.position[:, 2] < -0.5 + 1e-9
    return CaseAnswer(1000.0 * G / (2 * 1e6), float(-0.5 - state.node_position[low, 2].mean()), "m")


@case(friction=False)
def catenary_sag(_lab: Lab) -> CaseAnswer:
    """Limp cable of 1.2 m between two points 1 m apart: sag a (cosh(s / (2 a)) - 1), statics.

    2 a sinh(s / (2 a)) = length gives a.
    """
    length, span = 1.2, 1.0
    a = brentq(lambda x: 2 * x * math.sinh(span / (2 * x)) - length, 0.1, 10.0)
    x = np.linspace(-0.5, 0.5, 31) * span
    # The curve starts as a parabola of the right length; statics finds the catenary.
    depth = brentq(lambda d: _parabola_length(d, span) - length, 0.05, 1.0)
    places = np.column_stack((x + 0.5 * span, np.zeros(31), depth * ((2 * x / span) ** 2 - 1.0)))
    cable = Cable.through(places, radius=2e-3, young=1e9, density=1000.0, bending=1e-3)
    model = Model()
    rope = model.add_flexible(cable, name="rope")
    for end in (places[0], places[-1]):
        model.attach_point(rope, end)
    state = static_equilibrium(model).state
    return CaseAnswer(a * (math.cosh(span / (2 * a)) - 1.0), -float(state.node_position[::2, 2].min()), "m")


def _parabola_length(depth: float, span: float) -> float:
    x = np.linspace(-0.5, 0.5, 4001) * span
    return float(np.trapezoid(np.sqrt(1.0 + (8 * depth * x / span**2) ** 2), x))


@dataclass(frozen=True)
class _Strike:
    """An elastic bar at a wall."""

    rebound: float
    """[m/s]."""
    time: float
    """Of contact [s]."""
    force: float
    """Largest [N]."""


BAR = _Strike(rebound=1.0, time=2.0 / math.sqrt(1e3), force=1000.0 * math.sqrt(1e3) * 0.05**2)
"""Bar of 1 m, 50 mm wide, E = 1 MPa, rho = 1000 kg/m3, at 1 m/s: v, 2 L / c and rho c v A.

One wave runs to the free end and back; the wall pushes with the same force all that time.
"""


def _bar_on_wall(lab: Lab, elements: int = 50, how: ElasticStepName = "euler", h: float | None = None) -> _Strike:
    length, side, speed, h = 1.0, 0.05, 1.0, h or lab.h
    material = Elastic(young=1e6, poisson=0.0, density=1000.0)
    model = Model(gravity=WEIGHTLESS)
    model.add_fixed_body(HalfSpace((1, 0, 0)), material=Material(0.0), name="wall")
    body = SoftBody(Mesh.box((length, side, side), (elements, 1, 1), "hexahedron"), material, elastic_step=how)
    bar = model.add_flexible(body, name="bar", position=(0.5 * length, 0, 0), velocity=(-speed, 0, 0),
                             material=Material(0.0))  # fmt: skip
    run = lab.run(model, 1.6 * BAR.time, h=h)
    mass = bar.flexible.mass.diagonal().reshape(-1, 3)[:, 0]
    v = run.node_velocity("bar")[:, :, 0] @ mass / mass.sum()
    force = np.diff(v) * bar.mass / h
    pushing = force > 1e-6 * force.max()
    return _Strike(float(v[-1]), float(run.times[1:][pushing][-1]), float(force.max()))


@case(friction=False, order=True)
def bar_on_wall_rebound(lab: Lab) -> CaseAnswer:
    """Elastic bar strikes a wall: it leaves with its whole speed."""
    return CaseAnswer(BAR.rebound, _bar_on_wall(lab).rebound, "m/s")


@case(bound=0.05, friction=False)
def bar_on_wall_time(lab: Lab) -> CaseAnswer:
    """It stays at the wall for 2 L / c (within 5 %)."""
    return CaseAnswer(BAR.time, _bar_on_wall(lab).time, "s")


@case(bound=0.05, friction=False)
def bar_on_wall_force(lab: Lab) -> CaseAnswer:
    """The largest force is rho c v A (within 5 %)."""
    return CaseAnswer(BAR.force, _bar_on_wall(lab).force, "N")


def _explicit_bar(lab: Lab) -> _Strike:
    """100 elements with explicit elastic forces; a wave runs through 0.95 of an element per step at h = 2 ms."""
    return _bar_on_wall(lab, 100, "explicit", 0.15 * lab.h)


@case(friction=False)
def explicit_bar_rebound(lab: Lab) -> CaseAnswer:
    """The same bar with `elastic_step="explicit"`, 100 elements and 0.15 of the step."""
    return CaseAnswer(BAR.rebound, _explicit_bar(lab).rebound, "m/s")


@case(bound=0.05, friction=False)
def explicit_bar_force(lab: Lab) -> CaseAnswer:
    """Its largest force is rho c v A (within 5 %)."""
    return CaseAnswer(BAR.force, _explicit_bar(lab).force, "N")


@case(friction=False, order=True)
def compliant_contact_period(lab: Lab) -> CaseAnswer:
    """Ball that bobs on a contact of compliance e: 2 pi sqrt(m e); three swings."""
    compliance, mass = 1e-3, 1.0
    model = Model()
    spring = Material(friction=0.0, compliance=compliance)
    model.add_fixed_body(HalfSpace(), material=Material(friction=0.0))
    model.add_body(
        Sphere(0.1), mass=mass, position=(0, 0, 0.1 - 0.8 * mass * G * compliance), material=spring, name="b"
    )
    period = 2 * math.pi * math.sqrt(mass * compliance)
    run = lab.run(model, 3.5 * period)
    z = run.position("b")[:, 2] - 0.1 + mass * G * compliance
    k = np.flatnonzero((z[1:] < 0) & (z[:-1] >= 0))
    at = run.times[k] + lab.h * z[k] / (z[k] - z[k + 1])
    return CaseAnswer(period, float(at[2] - at[0]) / 2 if len(at) > 2 else math.nan, "s")


@case(friction=False)
def compliant_contact_sinks(lab: Lab) -> CaseAnswer:
    """The same ball with damping comes to rest m g e below."""
    model = Model()
    spring = Material(friction=0.0, compliance=1e-4, damping=100.0)
    model.add_fixed_body(HalfSpace(), material=Material(friction=0.0))
    model.add_body(Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=spring, name="b")
    return CaseAnswer(2.0 * G * 1e-4, 0.1 - float(lab.run(model, 0.5).position("b")[-1, 2]), "m")


CASES = (
    cantilever_deflection, cantilever_period, hanging_bar, catenary_sag, bar_on_wall_rebound, bar_on_wall_time,
    bar_on_wall_force, explicit_bar_rebound, explicit_bar_force, compliant_contact_period, compliant_contact_sinks,
)  # fmt: skip
