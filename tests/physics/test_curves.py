"""Beads on wires against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

import signorini as sg
from signorini.io.model_text import from_text, to_text
from signorini.problem.errors import ModelError

G = 9.81


def bead(model: sg.Model, position: object, **options: object) -> None:
    model.add_body(None, mass=0.5, inertia=(1e-4,) * 3, position=position, name="bead", **options)  # type: ignore[arg-type]


def ring(s: float) -> tuple[float, float, float]:
    """A circle of radius 1 in the plane xz, s = 0 at the bottom."""
    return (math.sin(s), 0.0, -math.cos(s))


def cycloid(s: float) -> tuple[float, float, float]:
    """x = R (s + sin s), z = R (1 - cos s), R = 0.25, with its lowest point at s = 0."""
    return (0.25 * (s + math.sin(s)), 0.0, 0.25 * (1 - math.cos(s)))


def quarter(run: sg.Run) -> float:
    """When the bead first passes x = 0, by linear interpolation."""
    x, t = run.position("bead")[:, 0], run.times
    k = int(np.flatnonzero(x <= 0)[0])
    return float(t[k - 1] + (t[k] - t[k - 1]) * x[k - 1] / (x[k - 1] - x[k]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["function", "spline"])
def test_bead_on_a_circle_is_a_pendulum(kind: str) -> None:
    start = 1.2
    exact = math.sqrt(1.0 / G) * ellipk(math.sin(start / 2) ** 2)
    errors = []
    for h in (4e-3, 2e-3):
        model = sg.Model()
        bead(model, ring(start))
        if kind == "function":
            model.add_point_on_curve(None, "bead", ring(start), ring, interval=(-math.pi, math.pi), closed=True)
        else:
            points = [ring(s) for s in start + np.linspace(0, 2 * math.pi, 64, endpoint=False)]
            model.add_point_on_curve(None, "bead", ring(start), points, closed=True)
        run = sg.Simulation(model, step=h).run(1.2 * exact)
        errors.append(abs(quarter(run) / exact - 1))
        off = np.abs(np.linalg.norm(run.position("bead"), axis=1) - 1)
        assert off.max() < 10 * h * h  # v^2 / R h^2 / 2, and the spline
    assert errors[1] < 5e-3
    smooth = sg.Simulation(model, step=5e-3, integrator="trapezoidal").run(1.2 * exact)
    assert quarter(smooth) == pytest.approx(exact, rel=1e-4)


@pytest.mark.slow
def test_cycloid_is_a_tautochrone() -> None:
    """From any height the bead takes pi sqrt(R / g) to the lowest point."""
    exact = math.pi * math.sqrt(0.25 / G)
    for start in (0.3, 1.0, 2.5):
        model = sg.Model()
        bead(model, cycloid(start))
        model.add_point_on_curve(None, "bead", cycloid(start), cycloid, interval=(-3.0, 3.0))
        smooth = sg.Simulation(model, step=2e-3, integrator="trapezoidal").run(1.2 * exact)
        assert quarter(smooth) == pytest.approx(exact, rel=2e-4)
        run = sg.Simulation(model, step=1e-3).run(1.2 * exact)
        assert quarter(run) == pytest.approx(exact, rel=2e-3)


@pytest.mark.slow
def test_bead_on_a_helix_falls_evenly() -> None:
    """z'' = -g sin^2(a) with a the angle of the thread against the horizontal; the wire carries m v_h^2 / r aside."""
    r, rise = 0.5, 0.2  # rise per radian

    def thread(s: float) -> tuple[float, float, float]:
        return (r * math.cos(s), r * math.sin(s), rise * s)

    share = rise**2 / (r**2 + rise**2)
    model = sg.Model()
    bead(model, thread(0.0))
    joint = model.add_point_on_curve(None, "bead", thread(0.0), thread, interval=(-40.0, 1.0), name="wire")
    for integrator, h, error in (("dvi", 1e-3, 2e-3), ("trapezoidal", 2.5e-3, 2e-4)):
        run = sg.Simulation(model, step=h, integrator=integrator).run(2.0)
        fall = -0.5 * G * share * 2.0**2
        assert run.position("bead")[-1, 2] == pytest.approx(fall, rel=error)
        assert joint.parameter(run.state(-1)) == pytest.approx(fall / rise, rel=error)
        assert run.summary()["failures"] == 0
    turns = abs(fall / rise) / (2 * math.pi)
    assert turns > 2


@pytest.mark.slow
def test_bead_on_a_turning_wire() -> None:
    """A straight wire that turns at w about the origin throws the bead out: x = x0 cosh(w t)."""
    w = 3.0
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(None, mass=1.0, inertia=(1.0,) * 3, name="wire")
    model.add_revolute(None, "wire", position=(0, 0, 0), axis=(0, 0, 1), name="axle")
    model.add_motor("axle", speed=w)
    bead(model, (0.1, 0, 0), velocity=(0, 0.1 * w, 0))
    model.add_point_on_curve("wire", "bead", (0.1, 0, 0), [(-1, 0, 0), (0, 0, 0), (0.5, 0, 0), (1, 0, 0)])
    run = sg.Simulation(model, step=5e-4).run(1.0)
    assert np.linalg.norm(run.position("bead")[-1]) == pytest.approx(0.1 * math.cosh(w), rel=5e-3)


def test_open_wire_goes_on_straight() -> None:
    model = sg.Model()
    bead(model, (0, 0, 0))
    joint = model.add_point_on_curve(None, "bead", (0, 0, 0), [(-1, 0, 0), (0, 0, 0), (1, 0, 0)])
    state = model.initial_state()
    state.position[0] = (2.5, 0.2, 0.0)
    np.testing.assert_allclose(np.linalg.norm(joint.rows(state).error), 0.2, atol=1e-14)
    assert joint.parameter(state) == pytest.approx(3.5)


def test_records_and_bad_input(tmp_path: Path) -> None:
    points = [(0.0, 0, 0), (1, 0, -1), (2, 0, -1.5), (3, 1, -1.5)]
    model = sg.Model()
    bead(model, (0, 0, 0))
    model.add_point_on_curve(None, "bead", (0, 0, 0), points, name="wire")
    text = to_text(model)
    assert to_text(from_text(text)) == text
    whole = sg.Simulation(model, step=0.01).run(0.4)
    sg.Simulation(model, step=0.01).run(0.2, record=tmp_path / "run.h5")
    resumed = sg.Simulation.resume(tmp_path / "run.h5").run(0.2)
    np.testing.assert_array_equal(resumed.position("bead")[-1], whole.position("bead")[-1])
    for options, words in (
        ({"curve": points[:2]}, "three or more"),
        ({"curve": [points[0], points[0], points[1]]}, "are the same"),
        ({"curve": ring}, "interval="),
        ({"curve": ring, "interval": (1, 0)}, "begin < end"),
        ({"curve": lambda s: (0, 0, 0), "interval": (0, 1)}, "stands still"),
        ({"curve": points, "position": (0, 0.1, 0)}, "off its curve"),
    ):
        with pytest.raises(ModelError, match=words):
            model.add_point_on_curve(None, "bead", **{"position": (0, 0, 0), **options})  # type: ignore[arg-type]
    assert to_text(model) == text
