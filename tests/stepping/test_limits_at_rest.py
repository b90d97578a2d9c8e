"""Bodies that rest on the limit of a joint, where the free motion turns nothing but round-off: steps are solved."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.integrators import NonsmoothAlpha


@pytest.mark.parametrize("limits", [(0.0, 0.5), (-0.2, 0.2)])
def test_rod_that_rests_on_its_limit(limits: tuple[float, float]) -> None:
    model = sg.Model()
    model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=1.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), limits=limits)
    sim = sg.Simulation(model, step=0.005, integrator=NonsmoothAlpha(), on_failure="raise")
    for _ in range(100):
        sim.advance()
    assert abs(sim.joints.velocity[0]) < 1e-9
