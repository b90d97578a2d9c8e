"""Stacks in which each body is ten times heavier than the one below: nothing sinks, nothing drifts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes import SCENES
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

G = 9.81


def spheres_of_one_size(count: int, ratio: float, axis: tuple[float, float, float], gap: float = 0.0) -> Model:
    """Guided spheres of radius 0.1 m along `axis`, against gravity; positions lose nothing to round-off here."""
    up = np.array(axis) / np.linalg.norm(axis)
    model = Model(gravity=tuple(-G * up))
    material = Material(friction=0.4)
    model.add_fixed_body(HalfSpace(tuple(up)), material=material)
    for level in range(count):
        place = up * (0.1 + 0.2 * level + gap * (level + 1))
        sphere = model.add_body(Sphere(0.1), mass=ratio**level, position=tuple(place), material=material)
        model.add_guide(sphere, direction=tuple(up))
    return model


def tower(count: int, ratio: float) -> Model:
    """Flat boxes with four contacts each, so that impulses are not unique."""
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=Material(friction=0.4))
    for level in range(count):
        place = (0.0, 0.0, 0.05 + 0.1 * level)
        model.add_body(Box((0.2, 0.2, 0.1)), mass=ratio**level, position=place, material=Material(friction=0.4))
    return model


def all_solved(run: Run) -> None:
    assert run.summary()["failures"] == 0
    assert run.diagnostics["residual"].max() <= 1e-8


def height_round_off(run: Run) -> float:
    """Spacing of doubles at the largest height, in radii of the smallest sphere."""
    return float(np.spacing(np.abs(run.position()).max())) / float(run.settings["smallest_radius"])


@pytest.mark.parametrize("count", [15, pytest.param(25, marks=pytest.mark.slow)])
def test_sphere_stack_holds(count: int) -> None:
    """100 steps of 50 ms as anybody would run them."""
    run = Simulation(SCENES["sphere-stack"].build(count=count, ratio=10.0), step=0.05).run(5.0)
    all_solved(run)
    summary = run.summary()
    assert summary["steps"] == 100
    assert summary["penetration_max_relative"] < 1e-6
    assert summary["penetration_max_relative"] <= 2 * height_round_off(run)
    moved = np.abs(run.position() - run.position()[0]).max() / run.settings["smallest_radius"]
    assert moved <= 4 * height_round_off(run), "no drift beyond the round-off of positions"
    assert run.diagnostics["iterations"][1:].mean() < 5


def test_beyond_doubles_spheres_sink_by_round_off_only() -> None:
    """35 spheres: one unit in the last place of the heights is 1e-5 radii of the smallest sphere."""
    run = Simulation(SCENES["sphere-stack"].build(count=35, ratio=10.0), step=0.05).run(0.5)
    assert run.summary()["penetration_max_relative"] > 1e-6
    assert run.summary()["penetration_max_relative"] <= 2 * height_round_off(run)
    assert run.diagnostics["residual"].max() <= 1e-7


@pytest.mark.parametrize("mass", [100.0, 1e6, 1e12])
def test_equal_masses(mass: float) -> None:
    run = Simulation(SCENES["sphere-stack"].build(count=15, mass=mass), step=0.05).run(0.5)
    all_solved(run)
    assert run.summary()["penetration_max_relative"] < 1e-9


@pytest.mark.parametrize(("axis", "count"), [((0.0, 0.0, 1.0), 30), ((0.3, -0.2, 1.0), 20)])
def test_stack_of_equal_size(axis: tuple[float, float, float], count: int) -> None:
    run = Simulation(spheres_of_one_size(count, 10.0, axis), step=0.02).run(0.2)
    all_solved(run)
    assert np.abs(run.position() - run.position()[0]).max() < 1e-10


def test_stack_falls_into_place() -> None:
    """Spheres start apart and hit one another; contacts open and close under loads of 1e14."""
    run = Simulation(spheres_of_one_size(15, 10.0, (0.0, 0.0, 1.0), gap=0.003), step=0.02).run(0.5)
    all_solved(run)
    heights = run.position()[-1][-15:, 2]
    np.testing.assert_allclose(heights, 0.1 + 0.2 * np.arange(15), atol=1e-9)
    assert run.summary()["penetration_max"] < 1e-9


def test_tower_of_boxes() -> None:
    run = Simulation(tower(12, 10.0), step=0.02).run(0.2)
    all_solved(run)
    assert np.abs(run.position() - run.position()[0]).max() < 1e-9
    total = run.contacts().world_impulse[:, 2]
    weight = G * 0.02 * math.fsum(10.0**level for level in range(12))
    floor = np.abs(total[:4]).sum()
    np.testing.assert_allclose(floor, weight, rtol=1e-8)
