"""Penalty contacts that follow the materials of their pairs, against closed forms and beside hard contact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.assembly.geometric import nudged
from signorini.collision.detector import Detector
from signorini.integrators import HHT, Penalty
from signorini.stepping.smooth.penalty import PenaltyStep, inverse_masses
from signorini.stepping.smooth.penalty_springs import PenaltyLaws, damping_ratio

G, R = 9.81, 0.1
FALLBACK = Penalty(1e5, damping=0.5)
"""What materials that say nothing take."""


def ball(material: sg.Material, height: float = 0.0, speed: float = 0.0, gravity: float = G) -> sg.Model:
    """A ball of 1 kg on a floor that adds nothing to its material."""
    model = sg.Model(gravity=(0, 0, -gravity))
    plain = sg.Material(friction=material.friction, static_friction=material.static_friction)
    floor = model.add_fixed_body(sg.HalfSpace(), material=plain, name="floor")
    model.add_body(sg.Sphere(R), mass=1.0, position=(0, 0, R + height), velocity=(0, 0, speed), material=material,
                   name="ball")  # fmt: skip
    model.set_pair_material(floor, "ball", material)
    return model


def depth(model: sg.Model) -> float:
    found = sg.analyses.static_equilibrium(model, contact=FALLBACK)
    assert found.status.ok
    return float(R - found.state.position[1, 2])


def test_springs_of_materials_carry_weight_at_their_own_depth() -> None:
    K = 4 / 3 * 1e7 / (1 - 0.3**2) * math.sqrt(R)
    assert depth(ball(sg.Material(compliance=2e-5), -1e-5)) == pytest.approx(2e-5 * G, rel=1e-8)
    assert depth(ball(sg.Material(young=1e7), -1e-5)) == pytest.approx((G / K) ** (2 / 3), rel=1e-8)
    assert depth(ball(sg.Material(), -1e-5)) == pytest.approx(G / FALLBACK.stiffness, rel=1e-8)


def test_bonds_press_and_hold() -> None:
    """Weight and bond press together; upside down a bond carries less than itself, and no more."""
    bond = {"cohesion": 20.0, "cohesion_range": 1e-3}
    assert depth(ball(sg.Material(compliance=1e-5, **bond), -1e-5)) == pytest.approx(1e-5 * (G + 20), rel=1e-8)
    for cohesion, holds in ((1.05 * G, True), (0.95 * G, False)):
        hanging = ball(sg.Material(compliance=1e-5, damping=500.0, cohesion=cohesion, cohesion_range=1e-3), gravity=-G)
        sim = sg.Simulation(hanging, step=1e-3, integrator="hht", contact=FALLBACK)
        sim.run(0.3)
        assert (sim.state.position[1, 2] < R + 1e-3) == holds


@pytest.mark.parametrize("law", ["hooke", "hertz"])
@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_balls_leave_with_the_share_of_their_speed_that_materials_ask_for(law: str, restitution: float) -> None:
    model = ball(sg.Material(restitution=restitution), speed=-1.0, gravity=0.0)
    sim = sg.Simulation(model, step=2e-5, integrator=HHT(alpha=-0.01), contact=Penalty(1e5, law))
    sim.run(0.06)
    assert sim.state.position[1, 2] > R
    assert sim.state.velocity[1, 2] == pytest.approx(restitution, rel=5e-3)


def test_damping_ratio_of_the_limits() -> None:
    assert damping_ratio(1.0) == 0.0
    assert damping_ratio(math.exp(-2.0)) == pytest.approx(1.0, rel=1e-6)
    assert damping_ratio(0.01) > 1.0
    assert damping_ratio(1 - 1e-6) == pytest.approx(1e-6 / math.pi, rel=1e-3)


@pytest.mark.parametrize(("speed", "slides"), [(0.0, False), (0.2, True)])
def test_static_friction_holds_what_does_not_slip(speed: float, slides: bool) -> None:
    """A slope between the angles of kinetic and static friction; the block is flat, so that its corners share alike."""
    angle = math.atan(0.45)
    model = sg.Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    material = sg.Material(friction=0.3, static_friction=0.6, stick_speed=1e-3)
    model.add_fixed_body(sg.HalfSpace(), material=material, name="floor")
    model.add_body(sg.Box((0.2, 0.2, 0.02)), mass=1.0, position=(0, 0, 0.01 - G / 4e5), velocity=(speed, 0, 0),
                   material=material, name="block")  # fmt: skip
    sim = sg.Simulation(model, step=2e-3, integrator=HHT(alpha=-0.3), contact=FALLBACK)
    sim.run(0.2)
    before = sim.state.velocity[1, 0]
    sim.run(0.1)
    if slides:
        assert (sim.state.velocity[1, 0] - before) / 0.1 == pytest.approx(
            G * (math.sin(angle) - 0.3 * math.cos(angle)), rel=1e-2
        )
    else:
        assert abs(sim.state.velocity[1, 0]) < 1e-4


def test_belt_carries_a_block_along() -> None:
    model = sg.Model()
    material = sg.Material(friction=0.4)
    model.add_fixed_body(sg.Box((4, 1, 0.1)), position=(1, 0, -0.05), surface_velocity=(0.5, 0, 0), material=material)
    model.add_body(sg.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05 - G / 4e5), material=material, name="block")
    sim = sg.Simulation(model, step=1e-3, integrator=HHT(alpha=-0.3), contact=FALLBACK)
    sim.run(0.1)
    assert sim.state.velocity[1, 0] == pytest.approx(0.4 * G * 0.1, rel=0.02)
    sim.run(0.4)
    assert sim.state.velocity[1, 0] == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("height", [-2e-4, 4e-4])
@pytest.mark.parametrize("spring", [{"compliance": 1e-5, "damping": 30.0}, {"young": 1e7, "damping": 30.0}])
def test_derivatives_of_bonds_and_springs(spring: dict[str, Any], height: float) -> None:
    material = sg.Material(0.0, cohesion=5.0, cohesion_range=1e-3, **spring)
    model = ball(material, height, speed=-0.01)
    state = model.initial_state()
    laws = PenaltyLaws.of(FALLBACK, model)
    none = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    touch = PenaltyStep(laws, Detector(model), inverse_masses(model), 1e-3, *none)
    term = touch.at(state).terms[0]
    place = 6 + 2 if term.columns[0] == 0 else 2
    column, eps = int(term.columns[place]), 1e-8
    ends = [touch.at(nudged(state, column, sign * eps)).terms[0].force[place] for sign in (1, -1)]
    assert term.dq[place, place] == pytest.approx((ends[0] - ends[1]) / (2 * eps), rel=1e-5)
    assert (term.dq[place, place] > 0) == (height > 0)
    speeds = []
    for sign in (1, -1):
        moved = state.copy()
        moved.velocity[1, 2] += sign * 1e-6
        speeds.append(touch.at(moved).terms[0].force[place])
    assert term.dv[place, place] == pytest.approx((speeds[0] - speeds[1]) / 2e-6, rel=1e-6, abs=1e-9)


def test_compliant_contact_by_penalty_and_by_hard_contact() -> None:
    """The same spring and damper: a ball falls on them and comes to rest."""
    heights = []
    for options in ({"law": "convex"}, {"integrator": "hht", "contact": FALLBACK}):
        model = ball(sg.Material(0.0, compliance=1e-4, damping=20.0), height=0.01)
        run = sg.Simulation(model, step=2e-5, **options).run(0.12)  # type: ignore[arg-type]
        heights.append(run.position("ball")[:, 2])
    assert np.abs(heights[0] - heights[1]).max() < 2e-4
    assert heights[1].min() < R - 2e-3
