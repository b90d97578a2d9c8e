"""Cohesion, bonds that break and heal, dents: forces at which they give, work that they swallow, what they remember."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from signorini.assembly.laws.memory import BONDED, BROKEN
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.studies.contact_cycle import DRAWN, MASS, Drive, contact_cycle

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81
BOND = 10.0


def pulled(force: Any, duration: float = 1.0, h: float = 0.02, **law: Any) -> tuple[np.ndarray, np.ndarray, Simulation]:
    """Heights and contact forces of a ball on a floor that holds it, drawn up by `force(time)`."""
    model = Model(gravity=(0, 0, 0), margin=0.02)
    material = Material(friction=0.3, cohesion=BOND, **law)
    model.add_fixed_body(HalfSpace(), material=replace(material, compliance=0.0))
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.1), material=material, name="ball")
    model.add_force("ball", lambda t, s: (0, 0, force(t)))
    sim = Simulation(model, step=h)
    rows = []
    while sim.time < duration - 1e-9:
        step = sim.advance()
        rows.append((step.state.position[1, 2] - 0.1, step.impulses[0, 0] / h if step.contacts.count else 0.0))
    return *np.array(rows).T, sim


@pytest.mark.parametrize("compliance", [0.0, 1e-5])
def test_pair_separates_exactly_at_the_cohesion_force(compliance: float) -> None:
    h = 0.02
    z, force, _ = pulled(lambda t: 20.0 * t, 0.8, h, compliance=compliance)
    applied = 20.0 * h * np.arange(len(z))  # the force of a step is that at its beginning
    held = applied <= BOND
    np.testing.assert_allclose(z[held], compliance * applied[held], atol=1e-3 * compliance * BOND + 1e-9)
    assert np.all(z[applied > BOND + 1e-9] > compliance * BOND + 1e-5)
    assert force.min() == pytest.approx(-BOND, rel=1e-7)
    assert np.all(force[z > 1e-3] == 0) or np.abs(force[z > 1e-3]).max() < 1e-6


@pytest.mark.parametrize("heals", [True, False])
def test_broken_bond_heals_or_not(heals: bool) -> None:
    """Torn off, pressed on, drawn with less than the bond: it holds again only if it heals."""

    def force(t: float) -> float:
        return 15.0 if t < 0.1 else -8.0 if t < 0.6 else 5.0

    z, _, sim = pulled(force, 1.0, heals=heals)
    torn = z[:10].max()
    assert torn > 0.01
    again = z[30:]
    assert (again.max() < 1e-6) == heals
    assert sim.checkpoint().memory is not None
    law = sim.checkpoint().memory.law
    assert law is not None
    assert law.has(BONDED if heals else BROKEN).any()


def test_bond_carries_friction_without_load() -> None:
    """The cone is moved: a box without weight holds sideways up to mu F_c."""
    for share, holds in ((0.95, True), (1.05, False)):
        model = Model(gravity=(0, 0, 0))
        material = Material(friction=0.5, cohesion=BOND)
        model.add_fixed_body(HalfSpace(), material=material)
        model.add_body(Box((0.4, 0.4, 0.02)), mass=1.0, position=(0, 0, 0.01), material=material, name="box")
        total = share * 0.5 * 4 * BOND
        model.add_force("box", lambda t, s, total=total: (total, 0, 0))
        run = Simulation(model, step=0.01).run(0.1)
        moved = run.position("box")[-1, 0]
        assert (abs(moved) < 1e-7) if holds else (moved > 1e-3)


def expected_loss(material: Material, drive: Drive) -> float:
    """Stretching at F_c, the spring that snaps, denting at F_y; the dent follows from the balance with the drive."""
    e, bond = material.compliance, material.cohesion
    loss = bond * material.cohesion_range + 0.5 * bond * bond * e
    if material.yield_force is not None:
        push = material.yield_force
        loss += push * (drive.deepest - push / drive.stiffness - push * e)
    return loss


@pytest.mark.parametrize("name", list(DRAWN))
def test_area_of_the_cycle_is_the_integral(name: str) -> None:
    drive, material = Drive(steps=300), DRAWN[name]
    cycle = contact_cycle(material, drive)
    largest = material.yield_force or drive.deepest / (1 / drive.stiffness + material.compliance)
    assert cycle.force.max() == pytest.approx(largest, rel=2e-3)
    assert cycle.force.min() == pytest.approx(-material.cohesion, rel=1e-6, abs=1e-6)
    # A spring loses k (h u)^2 / 2 per implicit step, the probe its kinetic energy where it lands on a rigid floor, and
    # a bond breaks at the end of the step in which it is stretched too far.
    stride = np.abs(np.diff(cycle.distance))
    landing = stride[np.flatnonzero(cycle.force > 1e-3)[0] - 1] / drive.step
    drawn = stride[cycle.force[1:] < -0.9 * material.cohesion].max(initial=0.0) if material.cohesion else 0.0
    spring = 0.5 * np.sum(np.diff(cycle.force[cycle.distance < 0]) ** 2) * material.compliance
    slack = spring + 0.5 * MASS * landing**2 + material.cohesion * drawn
    expected = expected_loss(material, drive)
    assert cycle.loss == pytest.approx(expected, abs=slack)
    assert slack < max(0.15 * expected, 0.01)


def test_dent_is_remembered() -> None:
    """The second push touches at the dent that the first one left."""
    law = Material(friction=0.2, compliance=1e-5, yield_force=50.0)
    drive = Drive(steps=250, farthest=2e-3)
    first = contact_cycle(law, drive)
    dent = drive.deepest - 50.0 / drive.stiffness - 50.0 * law.compliance
    assert first.plastic.min() == pytest.approx(-dent, rel=0.02)
    assert first.plastic[-1] == first.plastic.min()
    leaving = first.distance > -dent + 2e-4
    after = np.arange(len(leaving)) > first.plastic.argmin()
    assert np.abs(first.force[leaving & after]).max() < 1e-3


@pytest.mark.parametrize("friction", [0.0, 0.1])
def test_rigid_contact_yields_under_a_blow(friction: float) -> None:
    """A rigid contact that gives at F_y stops a ball of speed V after m V^2 / 2 F_y, with friction mu F_y meanwhile."""
    V, push, h = 1.0, 200.0, 5e-4
    model = Model(gravity=(0, 0, 0))
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(4.0, 0, -V), name="ball")
    model.set_pair_material("floor", "ball", Material(friction=friction, yield_force=push))
    run = Simulation(model, step=h).run(9.5 * h)
    n = np.arange(10)
    np.testing.assert_allclose(run.velocity("ball")[:10, 2], -V + push * h * n, atol=1e-7)
    np.testing.assert_allclose(run.velocity("ball")[:10, 0], 4.0 - friction * push * h * n, atol=2e-5)
    assert run.position("ball")[9, 2] - 0.1 == pytest.approx(-0.5 * V * V / push, rel=0.11)  # h V short of it
    assert max(step_forces(run, h)) <= push * (1 + 1e-8)


def step_forces(run: Run, h: float) -> list[float]:
    return [float(run.contacts(k).impulse[:, 0].max(initial=0.0)) / h for k in range(1, len(run.times))]
