"""Hertz's law in hard contact: force over indentation, and colliding balls against the closed form."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.pair_material import combined
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError
from signorini.simulation.simulation import Simulation

YOUNG, POISSON, R, DENSITY, G = 2e9, 0.3, 0.05, 2000.0, 9.81
MASS = DENSITY * 4 / 3 * math.pi * R**3
MODULUS = YOUNG / (1 - POISSON**2)
"""E* against something rigid [Pa]."""


@pytest.mark.parametrize("h", [2e-3, 2e-4])
@pytest.mark.parametrize("floor", [None, YOUNG])
def test_ball_at_rest_sinks_by_the_power_two_thirds_of_its_weight(h: float, floor: float | None) -> None:
    model = Model()
    model.add_fixed_body(HalfSpace(), material=Material(0.0, young=floor, poisson=POISSON))
    elastic = Material(0.0, young=YOUNG, poisson=POISSON, damping=2000.0)
    model.add_body(Sphere(R), density=DENSITY, position=(0, 0, R), material=elastic, name="ball")
    run = Simulation(model, step=h).run(150 * h)
    stiffness = 4 / 3 * (MODULUS if floor is None else 0.5 * MODULUS) * math.sqrt(R)
    assert R - run.position("ball")[-1, 2] == pytest.approx((MASS * G / stiffness) ** (2 / 3), rel=1e-3)


def test_colliding_balls_meet_the_closed_form() -> None:
    speed = 1.0
    stiffness, mass = 4 / 3 * 0.5 * MODULUS * math.sqrt(0.5 * R), 0.5 * MASS
    deepest = (5 * mass * (2 * speed) ** 2 / (4 * stiffness)) ** 0.4
    time = 2.9432 * deepest / (2 * speed)
    h, elastic = time / 200, Material(0.0, young=YOUNG, poisson=POISSON)
    model = Model(gravity=(0, 0, 0))
    for side in (-1, 1):
        model.add_body(Sphere(R), density=DENSITY, position=(side * R * (1 + 1e-9), 0, 0), material=elastic,
                       velocity=(-side * speed, 0, 0), name=f"ball{side}")  # fmt: skip
    run = Simulation(model, step=h).run(1.3 * time)
    v = run.velocity("ball1")[:, 0]
    force, apart = np.diff(v) * MASS / h, run.position("ball1")[:, 0] - run.position("ball-1")[:, 0]
    assert 2 * R - apart.min() == pytest.approx(deepest, rel=0.015)
    assert force.max() == pytest.approx(stiffness * deepest**1.5, rel=0.02)
    assert np.count_nonzero(force > 1e-6 * force.max()) * h == pytest.approx(time, rel=0.01)
    # The implicit step damps: 2.7 % of the speed at 200 steps per collision.
    assert v[-1] == pytest.approx(speed, rel=0.03)
    energy = sum(run.diagnostics[name] for name in ("kinetic", "contact_energy"))
    assert energy.max() <= MASS * speed**2 * (1 + 1e-9)


def test_moduli_of_two_surfaces_add_up_as_springs_in_a_row() -> None:
    pair = combined(Material(young=1e9, poisson=0.25), Material(young=3e9, poisson=0.4)).material
    assert pair.plane_strain_modulus == pytest.approx(1 / ((1 - 0.25**2) / 1e9 + (1 - 0.4**2) / 3e9))
    alone = combined(Material(young=1e9, poisson=0.25), Material()).material
    assert alone.plane_strain_modulus == pytest.approx(1e9 / (1 - 0.25**2))


def test_flat_bodies_and_other_laws_are_refused() -> None:
    model = Model()
    model.add_fixed_body(HalfSpace(), material=Material(young=1e9), name="floor")
    model.add_body(Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 0.05), name="brick")
    with pytest.raises(ModelError, match="neither is a ball"):
        Simulation(model, step=1e-3).run(0.01)
    with pytest.raises(ModelError, match="young and restitution are given"):
        Material(young=1e9, restitution=0.5)
    with pytest.raises(ModelError, match="touches one with compliance"):
        combined(Material(young=1e9), Material(compliance=1e-6))
    with pytest.raises(ModelError, match="expected > 0 Pa"):
        Material(young=1e9, poisson=0.6)


BOND = 4.0
"""F_c [N]."""


def glued_ball(h: float, force: Callable[[float], float], height: float = 0.0, **law: float) -> Simulation:
    """A ball on a sticky floor, without weight, drawn up by `force(time)`."""
    model = Model(gravity=(0, 0, 0))
    sticky = Material(0.0, young=YOUNG, poisson=POISSON, cohesion=BOND, **law)
    model.add_fixed_body(
        HalfSpace(), material=Material(0.0, cohesion=BOND, cohesion_range=law.get("cohesion_range", 0))
    )
    model.add_body(Sphere(R), density=DENSITY, position=(0, 0, R + height), material=sticky, name="ball")
    model.add_force("ball", lambda t, s: (0, 0, force(t)))
    return Simulation(model, step=h)


@pytest.mark.parametrize("h", [2e-3, 2e-4])
@pytest.mark.parametrize("load", [0.0, 0.9 * BOND, -2.0 * BOND])
def test_bond_presses_a_ball_in_beside_its_load(h: float, load: float) -> None:
    sim = glued_ball(h, lambda t: load, damping=2000.0)
    run = sim.run(150 * h)
    stiffness = 4 / 3 * MODULUS * math.sqrt(R)
    assert R - run.position("ball")[-1, 2] == pytest.approx(((BOND - load) / stiffness) ** (2 / 3), rel=1e-3)
    step = sim.advance()
    assert step.impulses[0, 0] / h == pytest.approx(-load, abs=1e-3 * BOND)


def test_elastic_ball_comes_off_at_the_force_of_the_bond() -> None:
    h, rate = 1e-3, 20.0
    sim = glued_ball(h, lambda t: rate * t, damping=200.0)
    run = sim.run(1.3 * BOND / rate)
    z = run.position("ball")[:, 2] - R
    off = np.flatnonzero(z > 0)[0] * h
    assert off == pytest.approx(BOND / rate, abs=5 * h)
    depth = ((BOND - rate * 0.5 * off) / (4 / 3 * MODULUS * math.sqrt(R))) ** (2 / 3)
    assert -z[round(0.5 * off / h)] == pytest.approx(depth, rel=0.02)


def test_drawn_bond_of_an_elastic_ball_swallows_its_work() -> None:
    """The bond of range r takes `F_c r` of the kinetic energy, and the spring gives back what it took."""
    h, reach, speed = 4e-6, 2e-4, 0.1
    model = Model(gravity=(0, 0, 0))
    bond = {"cohesion": BOND, "cohesion_range": reach}
    model.add_fixed_body(HalfSpace(), material=Material(0.0, **bond))
    model.add_body(Sphere(R), density=DENSITY, position=(0, 0, R), material=Material(0.0, young=YOUNG, **bond),
                   velocity=(0, 0, -speed), name="ball")  # fmt: skip
    run = Simulation(model, step=h).run(8e-3)
    lost = 0.5 * MASS * (speed**2 - run.velocity("ball")[-1, 2] ** 2)
    assert run.position("ball")[-1, 2] > R + reach
    # The implicit step damps the collision by a few per cent besides.
    assert BOND * reach < lost < BOND * reach + 0.06 * 0.5 * MASS * speed**2
    energy = run.diagnostics["kinetic"] + run.diagnostics["contact_energy"]
    assert energy.max() <= 0.5 * MASS * speed**2 * (1 + 1e-6)
