"""The energy of what swings comes and goes with h^2, and stays within the same bounds for ever."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.scenes import SCENES


def above_start(scene: str, step: float, duration: float) -> float:
    """How far the energy rises above that of the first step, relative to what moves."""
    run = sg.Simulation(SCENES[scene].build(), step=step).run(duration)
    kinetic, potential = run.diagnostics["kinetic"], run.diagnostics["potential"]
    energy = kinetic + potential
    return float((energy - energy[0]).max() / (kinetic.max() + np.ptp(potential)))


@pytest.mark.parametrize("scene", ["pendulum", "n-four-bar"])
def test_half_the_step_leaves_a_quarter(scene: str) -> None:
    step = SCENES[scene].step
    coarse, fine = above_start(scene, step, 4.0), above_start(scene, 0.5 * step, 4.0)
    assert 1e-7 < coarse < 3e-5
    assert coarse / fine == pytest.approx(4.0, rel=0.02)


def test_ten_times_as_long_brings_no_more() -> None:
    step = SCENES["pendulum"].step
    assert above_start("pendulum", step, 100.0) == pytest.approx(above_start("pendulum", step, 10.0), rel=0.01)
