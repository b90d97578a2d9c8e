"""Elastic steps that keep energy: vibrations, and a bar on a wall against its closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.flexible import Cable, Mesh, SoftBody
from signorini.materials import Elastic

SPEED_OF_SOUND = math.sqrt(1e3)
"""Of the bars below, sqrt(E / rho) [m/s]."""
LENGTH, SIDE = 1.0, 0.05


def bar(elements: int, **how: Any) -> SoftBody:
    mesh = Mesh.box((LENGTH, SIDE, SIDE), (elements, 1, 1), "hexahedron")
    return SoftBody(mesh, Elastic(young=1e6, poisson=0.0, density=1000.0), **how)


def struck(elements: int, h: float, **how: Any) -> tuple[sg.Run, np.ndarray, float]:
    """The run of a bar that strikes a wall at 1 m/s, its mean velocities [m/s] and its mass [kg]."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_fixed_body(sg.HalfSpace((1, 0, 0)), material=sg.Material(0.0))
    body = bar(elements, **how)
    model.add_flexible(body, position=(0.5 * LENGTH, 0, 0), velocity=(-1, 0, 0), material=sg.Material(0.0), name="bar")
    run = sg.Simulation(model, step=h).run(3.0 * LENGTH / SPEED_OF_SOUND)
    mass = np.asarray(body.mass.sum(axis=1)).reshape(-1, 3)[:, 0]
    return run, run.node_velocity("bar")[:, :, 0] @ mass / mass.sum(), float(mass.sum())


def test_explicit_bar_rebounds_with_the_force_of_its_wave() -> None:
    h = 0.9 * LENGTH / 40 / SPEED_OF_SOUND
    run, v, mass = struck(40, h, elastic_step="explicit")
    force = np.diff(v) * mass / h
    impedance = 1000.0 * SPEED_OF_SOUND * SIDE**2
    assert v[-1] == pytest.approx(1.0, abs=0.02)
    assert force.max() == pytest.approx(impedance, rel=0.08)
    assert np.median(force[force > 0.1 * impedance]) == pytest.approx(impedance, rel=0.01)
    # The nodes at the wall stop dead: half an element's mass of the whole. Nothing else is lost.
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    assert energy[1:] / (0.5 * mass) == pytest.approx(np.full(len(energy) - 1, 1.0 - 1.0 / 80.0), abs=1e-9)


@pytest.mark.parametrize("how", ["trapezoidal", "explicit"])
def test_energy_is_kept_after_the_blow(how: Any) -> None:
    h = (3.0 if how == "trapezoidal" else 0.9) * LENGTH / 20 / SPEED_OF_SOUND
    run, _, mass = struck(20, h, elastic_step=how)
    energy = (run.diagnostics["kinetic"] + run.diagnostics["potential"]) / (0.5 * mass)
    assert np.ptp(energy[2:]) < 1e-9
    assert energy[-1] > 0.9


def test_implicit_euler_is_the_default_and_damps() -> None:
    v = struck(20, 0.002)[1]
    assert v[-1] < 0.9
    assert bar(2).elastic_weights == bar(2, elastic_step="euler").elastic_weights


def test_a_cable_swings_without_loss() -> None:
    rope = Cable.straight(1.0, 8, radius=0.01, young=1e6, density=1000.0, elastic_step="trapezoidal")
    model = sg.Model()
    body = model.add_flexible(rope, name="rope")
    model.attach_point(body, (0, 0, 0))
    run = sg.Simulation(model, step=1e-3).run(0.4)
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    assert np.ptp(energy) < 0.01 * run.diagnostics["kinetic"].max()


def test_too_long_explicit_steps_are_refused_with_their_limit() -> None:
    with pytest.raises(sg.SignoriniError, match=r"allows 0\.00\d+ s.*trapezoidal"):
        struck(20, 0.01, elastic_step="explicit")


def test_unknown_elastic_steps_are_refused() -> None:
    with pytest.raises(sg.SignoriniError, match="elastic_step is 'midpoint', expected one of euler"):
        bar(2, elastic_step="midpoint")
    with pytest.raises(sg.SignoriniError, match="elastic_step"):
        Cable.straight(1.0, 2, radius=0.01, young=1e6, density=1e3, elastic_step="midpoint")
