"""Bodies given as meshes that are not convex: they rest, roll, thread and hang as the solids do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.model.non_convex import L, hook, prism, torus

import signorini as sg

STEP = 0.005
GRAVITY = 9.81
ROUGH = sg.Material(friction=0.5)
LYING = (1.0, 1.0, 0.0, 0.0)
"""The axis z is turned to -y."""


def test_angle_at_rest_carries_its_weight() -> None:
    """Standing on one leg: impulse = weight times step, and no moment about the centre of mass."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=ROUGH)
    angle = model.add_body(sg.TriangleMesh(*prism(L)), density=1000.0, orientation=LYING, material=ROUGH)
    run = sg.Simulation(model, step=STEP).run(20 * STEP)
    found = run.contacts()
    assert found.impulse[:, 0].sum() == pytest.approx(angle.mass * GRAVITY * STEP, rel=1e-6)
    pressure = found.impulse[:, 0] @ found.contacts.point_a[:, :2] / found.impulse[:, 0].sum()
    np.testing.assert_allclose(pressure, angle.position[:2], atol=1e-6)
    # The centroid of the L: (1/2 * 1/4 + 1/4 * 3/4) / (3/4) = 5/12.
    assert angle.position[2] == pytest.approx(5 / 12)
    np.testing.assert_allclose(run.position(1)[-1], angle.position, atol=1e-9)


@pytest.mark.slow
def test_ball_rolls_over_the_seams_of_pieces() -> None:
    """Over the flat back of a mesh that is cut in three it neither rises nor loses speed."""
    outline = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (3.0, 0.5), (3.0, 0.0), (4.0, 0.0), (4.0, 1.0), (0.0, 1.0)]
    vertices, triangles = prism([(x, y) for x, y in outline])
    bridge = sg.TriangleMesh(vertices, triangles)
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=ROUGH)
    # The outline's y is up; its z runs to -y.
    model.add_body(bridge, density=1e5, orientation=LYING, material=ROUGH)
    ball = sg.Sphere(0.2)
    model.add_body(
        ball, density=10.0, position=(0.3, -0.5, 1.2), velocity=(2, 0, 0), angular_velocity=(0, 10, 0), material=ROUGH
    )
    assert len(bridge.convex_pieces()) == 3
    run = sg.Simulation(model, step=STEP).run(1.5)
    place = run.position(2)
    assert place[-1, 0] == pytest.approx(3.3, abs=1e-3)
    assert np.abs(place[:, 2] - 1.2).max() < 1e-5
    assert np.abs(run.velocity(2)[:, 0] - 2.0).max() < 1e-3


@pytest.mark.slow
def test_ring_falls_over_a_post() -> None:
    """A convex hull would lie on top of the post."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), material=ROUGH)
    model.add_fixed_body(sg.Cylinder(0.05, 0.5), position=(0, 0, 0.25), material=ROUGH)
    ring = sg.TriangleMesh(*torus(0.12, 0.03, 24, 8))
    model.add_body(ring, density=1000.0, position=(0.02, 0, 0.6), orientation=(1, 0.05, 0, 0), material=ROUGH)
    run = sg.Simulation(model, step=STEP).run(0.8)
    assert run.position(2)[-1, 2] == pytest.approx(0.03, abs=2e-3)
    assert np.linalg.norm(run.velocity(2)[-1]) < 1e-2
    assert np.hypot(*run.position(2)[:, :2].T).max() < 0.05
    # And it threads without touching air: it falls freely at first, to below the top of the post.
    fallen = 0.6 - run.position(2)[:40, 2]
    times = STEP * np.arange(1, 41) if len(run.times) == 160 else run.times[:40]
    np.testing.assert_allclose(fallen, 0.5 * GRAVITY * times * (times + STEP), atol=1e-3)


@pytest.mark.slow
def test_hook_hangs_on_a_bar() -> None:
    """Its centre of mass comes to hang below the bar; a convex hull would be pushed off."""
    model = sg.Model()
    model.add_fixed_body(sg.Cylinder(0.04, 1.0), orientation=LYING, material=ROUGH)
    hanging = model.add_body(
        sg.TriangleMesh(*hook(0.2)), density=1000.0, position=(0, 0, -0.04), material=sg.Material(friction=0.5)
    )
    run = sg.Simulation(model, step=STEP).run(1.0)
    lowest = run.position(1)[:, 2].min()
    assert lowest > hanging.position[2] - 0.03
    assert run.contacts().contacts.count >= 1
    swing = run.position(1)[100:, 0]
    assert np.abs(swing).max() < 0.5 * abs(lowest)
    assert math.isclose(np.abs(run.position(1)[:, 1]).max(), 0.0, abs_tol=1e-3)
