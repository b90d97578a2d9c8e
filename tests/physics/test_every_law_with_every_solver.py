"""Which solver takes which contact law: the table of the page on contact laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.solvers import make_solver

from .laws import LAWS

pytestmark = pytest.mark.slow  # whole simulations

SOLVERS = ("projected-sor", "projected-jacobi", "barzilai-borwein", "apgd", "primal-dual-barrier")
"""All that take contacts, beside the interior point."""
STEP, DURATION = 0.005, 0.08


def fallen(law: dict[str, Any], solver: str) -> Run:
    """Two balls that strike a floor and each other, slide and press."""
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(Sphere(0.1), mass=4.0, position=(0, 0, 0.11), velocity=(0.6, 0, -0.8), name="left")
    model.add_body(Sphere(0.1), mass=6.0, position=(0.21, 0.02, 0.1), velocity=(-0.4, 0, 0), name="right")
    for a, b in (("floor", "left"), ("floor", "right"), ("left", "right")):
        model.set_pair_material(a, b, Material(**law))
    return Simulation(model, step=STEP, solver=make_solver(solver, tolerance=1e-9, max_iterations=50000)).run(DURATION)


@pytest.mark.parametrize("law", list(LAWS))
def test_solvers_agree(law: str) -> None:
    expected = fallen(LAWS[law], "interior-point")
    assert expected.summary()["failures"] == 0
    assert expected.diagnostics["contacts"].max() >= 2
    for solver in SOLVERS:
        found = fallen(LAWS[law], solver)
        assert found.summary()["failures"] == 0, solver
        np.testing.assert_allclose(found.velocity()[-1], expected.velocity()[-1], atol=2e-5, err_msg=solver)
