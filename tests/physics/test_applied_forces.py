"""Forces at points of bodies against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

import signorini as sg
from signorini.io.model_text import from_text, to_text
from signorini.math.rotations import rotate

pytestmark = pytest.mark.slow  # whole simulations
G = 9.81


def rod(gravity: float = 0.0) -> sg.Model:
    """A rod of 2 kg and 1 m along x, hinged about y at its left end, the origin."""
    model = sg.Model(gravity=(0, 0, -gravity))
    model.add_body(sg.Box((1.0, 0.02, 0.02)), mass=2.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return model


def test_free_body_turns_about_its_centre_of_percussion() -> None:
    """A force across a free rod at distance d of its centre: the point I / (m d) on the other side stays."""
    model = sg.Model(gravity=(0, 0, 0))
    body = model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=2.0, name="rod")
    model.add_force("rod", (0, 0, 5.0), point=(0.3, 0, 0))
    run = sg.Simulation(model, step=1e-4).run(0.01)
    v, w = run.velocity("rod")[-1], run.angular_velocity("rod")[-1]
    assert v[2] == pytest.approx(5.0 / 2.0 * 0.01, rel=1e-9)
    still = body.inertia[1, 1] / (2.0 * 0.3)
    assert v[2] + w[1] * still == pytest.approx(0, abs=1e-6)


def test_follower_force_spins_a_hinged_rod_evenly() -> None:
    """Across the rod at its end, F L = I w': the angle is F L t^2 / 2 I."""
    model = rod()
    model.add_force("rod", (0, 0, -3.0), point=(1, 0, 0), axes="body")
    inertia = model.bodies[0].inertia[1, 1] + 2.0 * 0.25
    run = sg.Simulation(model, step=1e-3).run(1.0)
    assert run.angular_velocity("rod")[-1, 1] == pytest.approx(3.0 / inertia, rel=1e-3)
    smooth = sg.Simulation(model, step=5e-3, integrator="trapezoidal").run(1.0)
    # Second order: the error is (w h)^2 / 4.
    assert smooth.angular_velocity("rod")[-1, 1] == pytest.approx(3.0 / inertia, rel=1.4e-4)


def test_constant_force_at_the_end_swings_a_rod_like_a_pendulum() -> None:
    """Without gravity a force F along z at the end of the rod is a pendulum of m g l = F L."""
    model = rod()
    model.add_force("rod", (0, 0, -6.0), point=(1, 0, 0))
    inertia = model.bodies[0].inertia[1, 1] + 2.0 * 0.25

    def slowness(s: float) -> float:
        # theta = pi/2 - s^2 from the horizontal removes the singularity at rest.
        return 2 * s / math.sqrt(2 * 6.0 * math.sin(s * s) / inertia) if s else 2 / math.sqrt(12.0 / inertia)

    quarter = quad(slowness, 0.0, math.sqrt(math.pi / 2))[0]
    for integrator, h, error in (("dvi", 1e-3, 2e-3), ("trapezoidal", 5e-3, 1e-4)):
        run = sg.Simulation(model, step=h, integrator=integrator).run(1.5 * quarter)
        x = run.position("rod")[:, 0]
        k = int(np.flatnonzero(x < 0)[0])
        passed = run.times[k - 1] + h * x[k - 1] / (x[k - 1] - x[k])
        assert passed == pytest.approx(quarter, rel=error)


def test_statics_of_a_rod_pulled_at_its_end() -> None:
    """Hanging from its hinge and pulled sideways by F at the end: tan(angle) = 2 F / (m g)."""
    model = rod(G)
    model.add_force("rod", (4.0, 0, 0), point=(1, 0, 0))
    start = model.initial_state()
    found = sg.analyses.static_equilibrium(model, start)
    end = rotate(found.state.orientation[0], np.array([1.0, 0, 0]))
    assert math.atan2(end[0], -end[2]) == pytest.approx(math.atan(2 * 4.0 / (2.0 * G)), rel=1e-9)


def test_driven_oscillator() -> None:
    """m x'' + k x = F sin(w t) from rest: x = F / (m (w0^2 - w^2)) (sin w t - w/w0 sin w0 t)."""
    m, k, w = 1.0, 100.0, 2 * math.pi
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=m, name="ball")
    slide = model.add_prismatic(None, "ball", axis=(1, 0, 0))
    model.add_actuator(slide, lambda t, s, u: -k * s)
    model.add_force("ball", (sg.functions.Sine(2.0, 1.0), 0, 0))
    run = sg.Simulation(model, step=2e-3, integrator="trapezoidal").run(2.0)
    w0, t = math.sqrt(k / m), run.times
    exact = 2.0 / (m * (w0**2 - w**2)) * (np.sin(w * t) - w / w0 * np.sin(w0 * t))
    assert np.abs(run.position("ball")[:, 0] - exact).max() < 2e-3 * np.abs(exact).max()


def test_records_hold_forces_that_are_data(tmp_path: Path) -> None:
    model = rod(G)
    model.add_force(
        "rod", (sg.functions.Sine(2.0, 1.0), 0, 3.0), point=(1, 0, 0), torque=(0, 1, 0), axes="body", name="pull"
    )
    text = to_text(model)
    assert to_text(from_text(text)) == text
    whole = sg.Simulation(model, step=0.01).run(0.4)
    sg.Simulation(model, step=0.01).run(0.2, record=tmp_path / "run.h5")
    resumed = sg.Simulation.resume(tmp_path / "run.h5").run(0.2)
    np.testing.assert_array_equal(resumed.position("rod")[-1], whole.position("rod")[-1])
