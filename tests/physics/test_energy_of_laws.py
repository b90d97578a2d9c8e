"""No law makes energy: bodies thrown into a box lose some with every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping.dvi import Gaps

from .laws import LAWS

pytestmark = pytest.mark.slow  # whole simulations


def thrown(law: dict[str, Any], seed: int, gravity: float, impact: Any) -> Model:
    """Four balls of random size, mass, velocity and spin in a box; all pairs follow the law."""
    rng = np.random.default_rng(seed)
    model = Model(gravity=(0, 0, -gravity), impact=impact)
    wall, ball = Material(friction=0.9), Material(friction=0.8)
    model.add_box_container(size=(0.7, 0.7, 0.7), material=wall, lid=True)
    for k in range(4):
        place = (0.17 + 0.34 * (k % 2), 0.17 + 0.34 * (k // 2), 0.17 + rng.uniform(0, 0.25))
        model.add_body(
            Sphere(rng.uniform(0.08, 0.16)), density=rng.uniform(300, 3000), position=place, material=ball,
            velocity=1.5 * rng.normal(size=3), angular_velocity=10.0 * rng.normal(size=3),
        )  # fmt: skip
    for other in (wall, ball):
        model.set_pair_material(ball, other, Material(**law))
    return model


def energies(model: Model, h: float, gaps: Gaps) -> np.ndarray:
    """Of all steps [J], as shares of the kinetic energy at the start."""
    solver = InteriorPoint(tolerance=1e-10)
    run = Simulation(model, step=h, solver=solver, on_failure="fallback", gaps=gaps).run(25 * h)
    total = sum(run.diagnostics[part] for part in ("kinetic", "potential", "contact_energy"))
    return np.asarray(total / run.diagnostics["kinetic"][0])


CASES = {
    "seed": st.integers(0, 10**6),
    "gravity": st.sampled_from([0.0, 9.81]),
    "impact": st.sampled_from(["newton", "poisson"]),
    "h": st.sampled_from([2e-3, 1e-2]),
}
SPRINGS_IN_THE_MIDDLE = ("compliant", "damped", "yield", "rolling yield")
"""Laws whose springs a curved step takes in its middle: energy is right to second order in h there."""


@pytest.mark.parametrize("name", list(LAWS))
@settings(max_examples=3)
@given(**CASES)
def test_energy_never_grows(name: str, seed: int, gravity: float, impact: str, h: float) -> None:
    gaps: Gaps = "linear" if name in SPRINGS_IN_THE_MIDDLE else "curved"
    energy = energies(thrown(LAWS[name], seed, gravity, impact), h, gaps)
    if LAWS[name].get("restitution", 0.0) > 0.0:
        # A bounce at its instant gives back what the step before it had lost: no step may end above the start.
        assert energy.max() <= energy[0] + 1e-8
    else:
        assert np.diff(energy).max() <= 1e-8


@pytest.mark.parametrize("name", SPRINGS_IN_THE_MIDDLE)
@settings(max_examples=3)
@given(**CASES)
def test_springs_in_the_middle_of_the_step_hardly_gain(
    name: str, seed: int, gravity: float, impact: str, h: float
) -> None:
    """Of 160 such scenes one passes its start, by 0.5 %: (omega h)^2 is about 0.1 there at the smaller step."""
    energy = energies(thrown(LAWS[name], seed, gravity, impact), h, "curved")
    assert energy.max() <= energy[0] + 1e-2
