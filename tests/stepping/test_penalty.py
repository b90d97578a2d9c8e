"""Contact by a penalty law against closed forms, its derivatives against differences, and beside hard contact."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import signorini as sg
from signorini.assembly.geometric import nudged
from signorini.collision.detector import Detector
from signorini.integrators import HHT, Penalty
from signorini.stepping.smooth import implicit_step
from signorini.stepping.smooth.penalty import PenaltyStep, inverse_masses
from signorini.stepping.smooth.penalty_springs import PenaltyLaws
from signorini.studies.reproduce.bending_runs import bend

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81


def ball_on_floor(height: float, speed: float = 0.0, friction: float = 0.5, sideways: float = 0.0) -> sg.Model:
    model = sg.Model()
    material = sg.Material(friction=friction)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material, name="floor")
    model.add_body(
        sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1 + height), velocity=(sideways, 0, speed), material=material,
        name="ball",
    )  # fmt: skip
    return model


@pytest.mark.parametrize(("law", "power"), [("hooke", 1.0), ("hertz", 1.5)])
def test_weight_rests_at_the_depth_of_the_law(law: str, power: float) -> None:
    k = 1e5
    found = sg.analyses.static_equilibrium(ball_on_floor(-1e-4), contact=Penalty(k, law))
    assert found.status.ok
    depth = 0.1 - found.state.position[1, 2]
    assert depth == pytest.approx((G / k) ** (1 / power), rel=1e-8)


@pytest.mark.parametrize("zeta", [0.0, 0.2])
def test_bounce_of_a_damped_spring(zeta: float) -> None:
    """Without weight a ball leaves after the time and with the speed of `m x'' + 2 zeta sqrt(m k) x' + k x = 0`.

    The spring never pulls: contact ends where the force is 0, `e = exp(-zeta/s (pi - atan2(2 zeta s, 1 - 2 zeta^2)))`
    with `s = sqrt(1 - zeta^2)` would hold for the whole cycle; the speed where force vanishes is computed here.
    """
    k, v = 1e4, 1.0
    model = ball_on_floor(0.0, -v)
    model.gravity[:] = 0.0
    w, s = math.sqrt(k), math.sqrt(1 - zeta * zeta)
    # x = v/(w s) exp(-zeta w t) sin(w s t); force k x + 2 zeta w x' = 0 first at:
    t = math.atan2(-2 * zeta * s, 1 - 2 * zeta**2) % math.pi / (w * s) if zeta else math.pi / w
    out = -v * math.exp(-zeta * w * t) * (math.cos(w * s * t) - zeta / s * math.sin(w * s * t))
    sim = sg.Simulation(model, step=t / 400, integrator=HHT(alpha=-0.01), contact=Penalty(k, damping=zeta))
    sim.run(1.5 * t)
    assert sim.state.velocity[1, 2] == pytest.approx(out, rel=5e-3)


def test_restitution_of_hertz_does_not_depend_on_speed() -> None:
    ratios = []
    for v in (0.1, 1.0):
        model = ball_on_floor(0.0, -v)
        model.gravity[:] = 0.0
        duration = 4.0 * (1.0 / 1e6) ** 0.4 * v**-0.2
        sim = sg.Simulation(
            model,
            step=duration / 500,
            integrator=HHT(alpha=-0.01),
            contact=Penalty(1e6, "hertz", damping=0.15),
        )
        sim.run(1.5 * duration)
        ratios.append(sim.state.velocity[1, 2] / v)
    assert 0.3 < ratios[0] < 0.95
    assert ratios[1] == pytest.approx(ratios[0], rel=5e-3)


@pytest.mark.parametrize("law", ["hooke", "hertz"])
@pytest.mark.parametrize("sideways", [1e-4, 2.0])
def test_derivatives(law: str, sideways: float) -> None:
    """A sphere on a plane keeps its normal and does not spin, so that the derivatives are complete."""
    model = ball_on_floor(-1e-3, speed=-0.1, sideways=sideways)
    state = model.initial_state()
    laws = PenaltyLaws.of(Penalty(1e5, law, damping=0.3), model)
    none = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    touch = PenaltyStep(laws, Detector(model), inverse_masses(model), 1e-3, *none)
    term = touch.at(state).terms[0]
    assert (np.linalg.norm(touch.at(state).force[0, :2]) >= 0.499 * abs(touch.at(state).force[0, 2])) == (sideways > 1)
    ball = slice(6, 12) if term.columns[0] == 0 else slice(0, 6)
    columns = term.columns[ball]
    eps = 1e-7
    for k, column in enumerate(columns):
        ends = [touch.at(nudged(state, int(column), sign * eps)).terms[0].force[ball][:3] for sign in (1, -1)]
        if k in (0, 1, 2):
            assert term.dq[ball, ball][:3, k] == pytest.approx((ends[0] - ends[1]) / (2 * eps), rel=1e-4, abs=0.2)
        forces = []
        for sign in (1, -1):
            moved = state.copy()
            (moved.velocity if k < 3 else moved.angular_velocity)[1, k % 3] += sign * eps
            forces.append(touch.at(moved).terms[0].force[ball])
        assert term.dv[ball, ball][:, k] == pytest.approx((forces[0] - forces[1]) / (2 * eps), rel=1e-4, abs=1e-3)


def test_block_sticks_on_a_slope_and_slides_on_a_steeper_one() -> None:
    """Below the angle of friction the tangential springs hold (no creep); above it a = g (sin - mu cos)."""
    for angle, mu in ((0.2, 0.4), (0.6, 0.4)):
        gravity = (G * math.sin(angle), 0, -G * math.cos(angle))
        model = sg.Model(gravity=gravity)
        material = sg.Material(friction=mu)
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material, name="floor")
        model.add_body(sg.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05), material=material, name="block")
        contact = Penalty(1e5, damping=0.5)
        sim = sg.Simulation(model, step=2e-3, integrator=HHT(alpha=-0.3), contact=contact)
        sim.run(0.3)
        x, v = sim.state.position[1, 0], sim.state.velocity[1, 0]
        sim.run(0.2)
        if math.tan(angle) < mu:
            assert sim.state.position[1, 0] == pytest.approx(x, abs=2e-8)
            stretch = math.sin(angle) * G / (4 * Penalty().tangential * 1e5)
            assert x == pytest.approx(stretch, rel=0.2)  # the block leans a little too
        else:
            pull = G * (math.sin(angle) - mu * math.cos(angle))
            assert (sim.state.velocity[1, 0] - v) / 0.2 == pytest.approx(pull, rel=1e-2)


def test_stiffer_penalties_approach_hard_contact() -> None:
    """The same throw: a ball lands, slides, rolls; by penalty and by hard contact."""

    def end(**options: object) -> float:
        sim = sg.Simulation(ball_on_floor(0.0, sideways=1.0, friction=0.3), **options)  # type: ignore[arg-type]
        sim.run(0.2)
        return float(sim.state.position[1, 0])

    hard = end(step=1e-3)
    soft, stiff = (end(step=2e-4, integrator="hht", contact=Penalty(k, damping=0.5)) for k in (1e4, 1e6))
    assert abs(stiff - hard) < 1e-3
    assert abs(stiff - hard) <= abs(soft - hard) + 1e-4


def test_bodies_that_touch_without_a_law_are_named() -> None:
    sim = sg.Simulation(ball_on_floor(0.001), step=1e-3, integrator="hht")
    with pytest.raises(sg.SignoriniError, match="bodies 'floor' and 'ball' overlap"):
        sim.run(1.0)
    sim = sg.Simulation(ball_on_floor(0.001), step=1e-2, integrator="hht", contact="none")
    sim.run(1.0)
    assert sim.state.position[1, 2] == pytest.approx(0.101 - 0.5 * G, rel=1e-9)


def test_newton_in_circles_is_ended_by_a_line_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flexible beam under a punch: full steps of Newton's method run in circles in one step, which then fails."""
    run = partial(bend, "penalty, implicit Euler", 0.02, (13, 2, 2))
    assert run().unsolved == 0
    monkeypatch.setattr(implicit_step, "SEARCHABLE", ())
    assert run().unsolved == 1
