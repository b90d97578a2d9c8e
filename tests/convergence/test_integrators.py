"""Orders of convergence of all integrators, by one test on one constrained problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.stepping.heavy_top import errors, heavy_top

import signorini as sg
from signorini.integrators import HHT, ImplicitEuler, Newmark, Trapezoidal

CONSTRAINED: dict[str, tuple[Any, float, float]] = {
    "dvi": ("dvi", 1.0, 1.25e-3),
    "implicit Euler": (ImplicitEuler(), 1.0, 1.25e-3),
    "Newmark, damped": (Newmark(gamma=0.6, beta=0.3025), 1.0, 5e-3),
    "HHT -0.05": (HHT(alpha=-0.05), 2.0, 1e-2),
    "HHT -0.3": (HHT(alpha=-0.3), 2.0, 1e-2),
}
"""Name -> integrator, order, step [s]."""
FREE: dict[str, tuple[Any, float, float]] = {
    **CONSTRAINED,
    "trapezoidal": (Trapezoidal(), 2.0, 1e-2),
    "Newmark, undamped": (Newmark(gamma=0.5, beta=0.25), 2.0, 1e-2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONSTRAINED)
def test_order_with_a_joint(name: str) -> None:
    integrator, order, h = CONSTRAINED[name]
    coarse, fine = (errors(heavy_top(), integrator, step, joint=True) for step in (h, h / 2))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", FREE)
def test_order_without_joints(name: str) -> None:
    """A free body: its centre of mass is on a parabola, which schemes of second order follow exactly."""
    integrator, order, h = FREE[name]
    coarse, fine = (errors(heavy_top(joint=False), integrator, step, joint=False) for step in (h, h / 2))
    if name == "dvi":  # turns freely, to second order; velocities are those of the middle of a step, half a step late
        assert np.log2(coarse / fine)[[0, 1]] == pytest.approx([1.0, 2.0], abs=0.15)
        assert np.log2(coarse / fine)[3] > 1.85
        return
    assert np.log2(coarse / fine)[[1, 3]] == pytest.approx(order, abs=0.15)
    if order == 2.0:
        assert max(fine[[0, 2]]) < 1e-10


def test_trapezoidal_rule_is_undamped_newmark() -> None:
    ends = []
    for integrator in (
        Trapezoidal(),
        Newmark(gamma=0.5, beta=0.25),
        HHT(alpha=0.0),
    ):
        sim = sg.Simulation(heavy_top(joint=False), step=0.01, integrator=integrator)
        for _ in range(20):
            sim.advance()
        ends.append(np.concatenate((sim.state.position[0], sim.state.orientation[0], sim.state.angular_velocity[0])))
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)
    assert ends[2] == pytest.approx(ends[0], abs=1e-9)
