"""Ropes that rub on drums, against Euler and Eytelwein."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.integrators import NonsmoothAlpha
from signorini.model.model import Model
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

G, H = 9.81, 0.002
MU, WRAP, LIGHT, R = 0.3, math.pi, 2.0, 0.1
RATIO = math.exp(MU * WRAP)


def weights(heavy: float, drum: bool = False, mu: float = MU) -> Model:
    """Two weights on a rope over a drum of radius R at the height 1 m; the light one at x = R is its first end."""
    model = Model()
    for name, mass, x in (("light", LIGHT, R), ("heavy", heavy, -R)):
        model.add_body(Sphere(0.02), mass=mass, position=(x, 0, 0), name=name)
    turns = None
    if drum:
        wheel = model.add_body(Cylinder(R, 0.1), mass=1.0, inertia=np.diag([0.1, 0.1, 0.02]), position=(0, 0, 1),
                               orientation=(math.sqrt(0.5), math.sqrt(0.5), 0, 0), name="drum")  # fmt: skip
        turns = (model.add_revolute(None, wheel, (0, 0, 1), (0, 1, 0), name="axle"), R)
    model.add_capstan(
        ("light", (R, 0, 0)), (None, (R, 0, 1), (-R, 0, 1)), ("heavy", (-R, 0, 0)), friction=mu, wrap=WRAP,
        drum=turns, name="rope",
    )  # fmt: skip
    return model


def tensions(run: Run) -> tuple[float, float]:
    """T1 and T2 in the last step [N]."""
    mean, half = run.friction_impulse("rope")[-1] / H
    return mean - half, mean + half


@pytest.mark.parametrize("law", ["coulomb", "convex"])
def test_it_sticks_up_to_the_exponential_of_friction_times_angle(law: str) -> None:
    run = Simulation(weights(LIGHT * RATIO * 0.999), step=H, law=law).run(0.5)  # type: ignore[arg-type]
    assert abs(run.velocity("heavy")[-1, 2]) < 1e-9
    assert tensions(run) == pytest.approx((LIGHT * G, LIGHT * RATIO * 0.999 * G), rel=1e-6)


def test_beyond_it_slips() -> None:
    run = Simulation(weights(LIGHT * RATIO * 1.001), step=H).run(0.5)
    assert run.velocity("heavy")[-1, 2] < -1e-4


@pytest.mark.parametrize("swapped", [False, True])
def test_slipping_weights_accelerate_by_the_closed_form(swapped: bool) -> None:
    heavy = 8.0 if not swapped else LIGHT / 4.0
    run = Simulation(weights(heavy), step=H).run(0.3)
    # m2 g - T2 = m2 a, T1 - m1 g = m1 a, T2 = k T1.
    big, small = max(heavy, LIGHT), min(heavy, LIGHT)
    a = (big - RATIO * small) / (big + RATIO * small) * G
    faster = "light" if swapped else "heavy"
    assert run.velocity(faster)[-1, 2] == pytest.approx(-a * 0.3, rel=1e-6)
    pull = sorted(tensions(run))
    assert pull[1] / pull[0] == pytest.approx(RATIO, rel=1e-6)
    # The rope stays taut: what one end gives, the other takes.
    drift = run.position("heavy")[-1, 2] + run.position("light")[-1, 2]
    assert abs(drift) < 1e-9


def test_without_friction_it_is_atwoods_machine() -> None:
    run = Simulation(weights(3.0, mu=0.0), step=H).run(0.3)
    assert run.velocity("heavy")[-1, 2] == pytest.approx(-G / 5 * 0.3, rel=1e-6)


def test_a_drum_that_turns_is_taken_along() -> None:
    heavy = 3.0
    run = Simulation(weights(heavy, drum=True), step=H).run(0.3)
    # It sticks: (m2 - m1) g = (m1 + m2 + J / r^2) a.
    a = (heavy - LIGHT) * G / (heavy + LIGHT + 0.02 / R**2)
    assert run.velocity("heavy")[-1, 2] == pytest.approx(-a * 0.3, rel=1e-4)
    assert abs(run.joint_rate("axle")[-1]) == pytest.approx(a * 0.3 / R, rel=1e-4)


def test_a_slack_rope_pulls_nothing_until_it_is_taut() -> None:
    model = Model()
    model.add_body(Sphere(0.02), mass=1.0, position=(R, 0, 0), name="light")
    model.add_capstan(
        ("light", (R, 0, 0)), (None, (R, 0, 1), (-R, 0, 1)), (None, (-R, 0, 0)), MU, WRAP, length=2.3, name="rope"
    )
    run = Simulation(model, step=H).run(0.6)
    early = run.times < 0.9 * math.sqrt(2 * 0.3 / G)
    assert not run.friction_impulse("rope")[early[: len(run.friction_impulse("rope"))]].any()
    assert run.position("light")[-1, 2] == pytest.approx(-0.3, abs=1e-6)


def test_other_integrators_refuse_it() -> None:
    with pytest.raises(ModelError, match="rubs on a drum"):
        Simulation(weights(3.0), step=H, integrator=NonsmoothAlpha()).run(0.01)
    with pytest.raises(ModelError, match="rubs on a drum"):
        Simulation(weights(3.0), step=H, integrator="hht").run(0.01)
