"""Hulls with more neighbours around a corner than the collision library counts."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


def test_a_cone_of_many_sides_carries_another() -> None:
    angle = 2 * np.pi * np.arange(300) / 300
    points = np.vstack((np.column_stack((np.cos(angle), np.sin(angle), 0 * angle)), [[0, 0, 1.0]]))
    model = sg.Model()
    model.add_fixed_body(sg.ConvexHull(points * [1, 1, -1]), name="table")
    model.add_body(sg.ConvexHull(0.2 * points), density=100, position=(0.1, 0.1, 0.001), name="cone")
    run = sg.Simulation(model, step=0.01).run(0.2)
    assert run.position("cone")[-1, 2] == pytest.approx(0.2 / 4, abs=1e-6)
