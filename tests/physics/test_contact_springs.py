"""Balls on contacts that are springs without dampers: they come back as fast as they came."""

from __future__ import annotations

import math

import pytest

import signorini as sg
from signorini.simulation.run import Run


def struck(step: float, compliance: float, damping: float = 0.0) -> Run:
    """A ball of 1 kg flies into a floor at 1 m/s without weight."""
    model = sg.Model(gravity=(0, 0, 0))
    smooth = sg.Material(friction=0.0)
    model.add_fixed_body(sg.HalfSpace(), material=smooth)
    spring = sg.Material(friction=0.0, compliance=compliance, damping=damping)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.11), velocity=(0, 0, -1), material=spring, name="ball")
    return sg.Simulation(model, step=step).run(0.3)


@pytest.mark.parametrize("step", [0.001, 0.002, 0.005])
def test_springs_give_back_what_they_took(step: float) -> None:
    """To second order in the step, and never more than 1e-3 of it is missing or too much on the way."""
    run = struck(step, 1e-3)
    assert float(run.velocity("ball")[-1, 2]) == pytest.approx(1.0, abs=200 * step**2)
    rows = run.diagnostics
    energy = rows["kinetic"] + rows["potential"] + rows["contact_energy"]
    assert float(abs(energy - 0.5).max()) < 200 * step**2


def test_dampers_take_their_share() -> None:
    """Ratio 0.1: the contact parts when spring and damper cancel each other (a contact does not pull)."""
    zeta, k = 0.1, 1e3
    run = struck(0.0005, 1.0 / k, 2 * zeta * math.sqrt(k))
    end = math.acos(2 * zeta * zeta - 1) / math.sqrt(1 - zeta * zeta)
    assert float(run.velocity("ball")[-1, 2]) == pytest.approx(math.exp(-zeta * end), rel=2e-3)


def test_contacts_too_stiff_for_the_step_do_not_bounce() -> None:
    """They go over to implicit Euler, which leaves e / (e + h^2 / m) of the speed."""
    run = struck(0.005, 1e-7)
    assert 0.0 <= float(run.velocity("ball")[-1, 2]) < 1.01 * 1e-7 / (1e-7 + 0.005**2)
