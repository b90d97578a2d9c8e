"""Counters and averages of granular flow against what can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.analyses import crossings, grid_averages
from signorini.problem.errors import ModelError

G = 9.81


@pytest.fixture(scope="module")
def falling() -> sg.Run:
    """Five balls of 1 to 5 kg, 0.2 m apart, that fall freely from rest."""
    model = sg.Model()
    for k in range(5):
        model.add_body(sg.Sphere(0.05), mass=k + 1.0, position=(0.01 * k, 0, 1.0 + 0.2 * k))
    return sg.Simulation(model, step=0.001).run(0.7)


def test_balls_that_fall_through_a_plane_are_counted(falling: sg.Run) -> None:
    found = crossings(falling, (0, 0, 0.5), (0, 0, -1))
    times = [np.sqrt(2 * (0.5 + 0.2 * k) / G) for k in range(5)]
    assert found.body.tolist() == [0, 1, 2, 3, 4]
    assert found.time == pytest.approx(times, abs=2e-3)
    assert found.count == 5
    assert found.total_mass == 15.0
    assert found.passed()[[0, -1]].tolist() == [0.0, 15.0]
    assert found.flow(0.0, 0.35) == pytest.approx(1.0 / 0.35)
    assert crossings(falling, (0, 0, 0.5), (0, 0, 1)).total_mass == -15.0


def test_a_disc_counts_what_passes_within_its_radius(falling: sg.Run) -> None:
    assert crossings(falling, (0, 0, 0.5), (0, 0, -1), radius=0.025).body.tolist() == [0, 1, 2]


def test_times_and_cells_that_make_no_sense_are_refused(falling: sg.Run) -> None:
    with pytest.raises(ModelError, match="expected begin < end"):
        crossings(falling, (0, 0, 0), (0, 0, 1)).flow(1.0, 0.5)
    with pytest.raises(ModelError, match="three numbers of cells"):
        grid_averages(falling, (0, 0, 0), (1, 1, 1), (1, 0, 1))
    with pytest.raises(ModelError, match="none of the run's"):
        grid_averages(falling, (0, 0, 0), (1, 1, 1), (1, 1, 1), slice(9000, None))


def test_velocity_and_density_are_those_of_the_bodies_in_a_cell(falling: sg.Run) -> None:
    frame = slice(100, 101)
    found = grid_averages(falling, (-1, -1, 0.0), (2, 2, 2.0), (1, 1, 1), frame)
    assert found.count[0, 0, 0] == 5
    assert found.density[0, 0, 0] == pytest.approx(15.0 / 8.0)
    assert found.velocity[0, 0, 0] == pytest.approx([0, 0, -G * 0.1], abs=1e-9)
    assert np.abs(found.stress).max() < 1e-9
    empty = grid_averages(falling, (5, 5, 5), (1, 1, 1), (1, 1, 1), frame)
    assert np.isnan(empty.velocity).all()
    assert empty.density[0, 0, 0] == 0.0


def test_bodies_of_different_speeds_have_kinetic_stress() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(0.3, 0, 0), velocity=(3, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(-0.3, 0, 0), velocity=(-1, 0, 0))
    found = grid_averages(sg.Simulation(model, step=1e-3).run(2e-3), (-1, -1, -1), (2, 2, 2), (1, 1, 1))
    assert found.velocity[0, 0, 0] == pytest.approx([1, 0, 0])
    assert found.kinetic_stress[0, 0, 0, 0, 0] == pytest.approx(-2 * 2.0 * 2.0**2 / 8.0)
    assert found.pressure[0, 0, 0] == pytest.approx(2.0 / 3.0)


def test_a_column_of_balls_bears_its_weight() -> None:
    """In a cell per ball, the stress is half its own weight and that of those above, over the cross-section."""
    radius, mass, count = 0.05, 0.5, 4
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    for k in range(count):
        model.add_body(sg.Sphere(radius), mass=mass, position=(0, 0, radius * (2 * k + 1)))
    run = sg.Simulation(model, step=0.005).run(0.05)
    found = grid_averages(run, (-0.1, -0.1, 0.0), (0.2, 0.2, 2 * radius * count), (1, 1, count))
    expected = -(np.arange(count)[::-1] + 0.5) * mass * G / 0.04
    assert found.contact_stress[0, 0, :, 2, 2] == pytest.approx(expected, rel=1e-6)
    assert np.abs(found.stress[0, 0, :, :2, :]).max() < 1e-6
