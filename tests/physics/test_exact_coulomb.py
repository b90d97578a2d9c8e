"""A sliding block: the relaxation lifts it by `h mu v`, the exact law does not."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.problem.certificate import Law
from signorini.simulation.simulation import Simulation

G, MU, STEP, SPEED, STEPS = 9.81, 0.3, 0.005, 2.0, 60


def slide(law: Law) -> tuple[float, float]:
    """Height above the floor and speed after the last step."""
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=Material(MU))
    model.add_body(
        Box((0.4, 0.4, 0.2)),
        density=1000,
        position=(0, 0, 0.1),
        velocity=(SPEED, 0, 0),
        material=Material(MU),
        name="b",
    )
    run = Simulation(model, step=STEP, law=law).run(STEPS * STEP)
    assert run.summary()["failures"] == 0
    return float(run.position("b")[-1, 2] - 0.1), float(run.velocity("b")[-1, 0])


def test_exact_law_keeps_the_block_down() -> None:
    gap, speed = slide("coulomb")
    assert abs(gap) < 1e-9
    assert speed == pytest.approx(SPEED - MU * G * STEP * STEPS, rel=1e-6)


def test_relaxation_lifts_it() -> None:
    gap, speed = slide("convex")
    assert gap == pytest.approx(STEP * MU * speed, rel=1e-3)
    assert np.isfinite(speed)
