"""A flywheel with a brake: stops in finite time and then holds against a torque below the limit, exactly."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.scenes import SCENES

pytestmark = pytest.mark.slow  # whole simulations


@pytest.mark.parametrize("solver", ["interior-point", "projected-sor", "apgd"])
def test_brake_stops_the_wheel_and_holds_it_exactly(solver: str) -> None:
    scene = SCENES["flywheel"]
    simulation = sg.Simulation(scene.build(), step=scene.step, solver=sg.make_solver(solver, tolerance=1e-10))
    steps = round(scene.duration / scene.step)
    speed = np.array([np.abs(simulation.advance().state.angular_velocity).max() for _ in range(steps)])
    still = np.flatnonzero(speed == 0.0)
    assert len(still)
    assert np.all(speed[still[0] :] == 0.0)
    assert len(still) > 10
    # Brake 20 N m against a torque of 5 N m; the last step takes what is left.
    inertia = 0.5 * (7800.0 * np.pi * 0.2**2 * 0.05) * 0.2**2
    slower = -np.diff(speed[still[0] - 100 : still[0]])
    np.testing.assert_allclose(slower, (20.0 - 5.0) * scene.step / inertia, rtol=1e-6)
