"""Spheres, capsules and half-spaces against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from signorini.math.rotations import about, rotate
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere

from .scene import assert_mirrored, check, contacts_of, directions, quaternions, vectors

GAPS = (0.3, 1e-3, 0.0, -1e-9, -0.05)


@pytest.mark.parametrize("gap", GAPS)
def test_two_spheres(gap: float) -> None:
    direction = np.array([1.0, 2.0, -2.0]) / 3.0
    found = contacts_of((Sphere(0.3), (1.0, 2.0, 3.0)), (Sphere(0.5), (1.0, 2.0, 3.0) - (0.8 + gap) * direction))
    check(found)
    assert found.gap == pytest.approx([gap], abs=1e-15)
    assert np.allclose(found.normal, direction, atol=1e-15)
    assert np.allclose(found.point_a, (1.0, 2.0, 3.0) - 0.3 * direction, atol=1e-15)


def test_spheres_with_one_centre_are_pushed_apart_upwards() -> None:
    found = contacts_of((Sphere(0.3),), (Sphere(0.5),))
    check(found)
    assert found.normal.tolist() == [[0.0, 0.0, 1.0]]


@given(directions, vectors, quaternions, st.floats(-0.2, 0.5))
@settings(max_examples=30, deadline=None)
def test_sphere_above_any_plane(normal: np.ndarray, place: np.ndarray, turn: np.ndarray, gap: float) -> None:
    world = rotate(turn, normal)
    ball = (Sphere(0.4), place + (0.4 + gap) * world)
    plane = (HalfSpace(tuple(normal)), place, turn)
    found = contacts_of(ball, plane)
    check(found)
    assert found.gap == pytest.approx([gap], abs=1e-12)
    assert np.allclose(found.normal, world, atol=1e-12)
    assert np.allclose(found.point_b, place, atol=1e-12)
    assert_mirrored(found, contacts_of(plane, ball))


@given(vectors, vectors, quaternions)
@settings(max_examples=30, deadline=None)
def test_sphere_and_capsule(centre: np.ndarray, place: np.ndarray, turn: np.ndarray) -> None:
    ball, rod = (Sphere(0.3), 2 * centre), (Capsule(0.2, 1.0), place, turn)
    found = contacts_of(ball, rod)
    check(found)
    axis = rotate(turn, np.array([0.0, 0.0, 1.0]))
    nearest = place + np.clip(axis @ (2 * centre - place), -0.5, 0.5) * axis
    assert found.gap == pytest.approx([np.linalg.norm(nearest - 2 * centre) - 0.5], abs=1e-12)
    assert_mirrored(found, contacts_of(rod, ball))


@given(vectors, quaternions, vectors, quaternions)
@settings(max_examples=40, deadline=None)
def test_two_capsules(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> None:
    one, two = (Capsule(0.2, 1.0), 2 * p, q), (Capsule(0.1, 1.6), r, s)
    found = contacts_of(one, two)
    check(found)
    assume(found.gap.min() > -0.25)  # axes that cross have no normal
    u, v = rotate(q, np.array([0.0, 0.0, 1.0])), rotate(s, np.array([0.0, 0.0, 1.0]))
    if found.count == 1:
        grid = np.linspace(-1, 1, 401)
        a, b = 2 * p + 0.5 * grid[:, None] * u, r + 0.8 * grid[:, None] * v
        least = np.linalg.norm(a[:, None] - b[None], axis=2).min()
        assert least - 0.3 - 6e-3 < found.gap[0] <= least - 0.3 + 1e-12
    # The two points of nearly parallel axes are taken across the axis of the first capsule: swapping moves them
    # and tilts the normals by the angle, and changes the gaps by its square.
    angle = float(np.linalg.norm(np.cross(u, v))) if found.count == 2 else 0.0
    slack = {"tolerance": 1e-9 + 3 * angle**2, "points": 2e-6 + 3 * angle, "normals": 1e-6 + angle}
    assert_mirrored(found, contacts_of(two, one), **slack)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("flip", [0.0, np.pi])
def test_parallel_capsules_touch_at_both_ends_of_their_overlap(gap: float, flip: float) -> None:
    lying = about(np.array([0.0, 1.0, 0.0]), np.pi / 2)
    other = about(np.array([0.0, 1.0, 0.0]), np.pi / 2 + flip)
    found = contacts_of((Capsule(0.2, 1.0), (0.3, 0, 0.3 + gap), lying), (Capsule(0.1, 2.0), (-0.5, 0, 0), other))
    check(found)
    assert found.gap == pytest.approx([gap, gap], abs=1e-12)
    assert np.sort(found.point_b[:, 0]) == pytest.approx([-0.2, 0.5], abs=1e-12)


@pytest.mark.parametrize("gap", GAPS)
def test_capsule_lying_on_a_plane(gap: float) -> None:
    lying = about(np.array([0.0, 1.0, 0.0]), np.pi / 2)
    found = contacts_of((Capsule(0.2, 1.0), (0, 0, 0.2 + gap), lying), (HalfSpace(),))
    check(found)
    assert found.gap == pytest.approx([gap, gap], abs=1e-12)
    assert np.sort(found.point_a[:, 0]) == pytest.approx([-0.5, 0.5])


@given(vectors, quaternions)
@settings(max_examples=30, deadline=None)
def test_corners_of_a_box_above_a_plane(place: np.ndarray, turn: np.ndarray) -> None:
    box = (Box((0.4, 0.6, 1.0)), place, turn)
    found = contacts_of(box, (HalfSpace(),))
    check(found)
    corners = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.3, 0.3) for z in (-0.5, 0.5)])
    assert np.sort(found.gap) == pytest.approx(np.sort((place + rotate(turn, corners))[:, 2]), abs=1e-12)
    near = contacts_of(box, (HalfSpace(),), margin=0.05)
    assert near.count == int((found.gap < 0.05).sum())


@given(vectors, quaternions)
@settings(max_examples=30, deadline=None)
def test_cylinder_above_a_plane(place: np.ndarray, turn: np.ndarray) -> None:
    found = contacts_of((Cylinder(0.3, 1.0), place, turn), (HalfSpace(),))
    check(found)
    angle = np.linspace(0, 2 * np.pi, 3601)
    rim = np.stack((0.3 * np.cos(angle), 0.3 * np.sin(angle), np.full(len(angle), 0.5)), axis=1)
    lowest = min((place + rotate(turn, sign * rim))[:, 2].min() for sign in (-1, 1))
    assert found.gap.min() == pytest.approx(lowest, abs=1e-6 + 2e-4 * 0.3)
    local = rotate(turn * np.array([1, -1, -1, -1]), found.point_a - place)
    on_rim = np.isclose(np.hypot(local[:, 0], local[:, 1]), 0.3)
    assert on_rim[np.argmin(found.gap)]
    assert on_rim.all() if found.share is None else (found.share > 0).all()
    assert np.allclose(abs(local[:, 2]), 0.5)


@pytest.mark.parametrize("gap", GAPS)
def test_cylinder_stands_on_its_face_and_lies_on_two_points(gap: float) -> None:
    standing = contacts_of((Cylinder(0.3, 1.0), (0, 0, 0.5 + gap)), (HalfSpace(),), margin=0.35)
    check(standing)
    assert standing.gap == pytest.approx([gap] * standing.count, abs=1e-12)
    assert standing.share is not None
    radius = np.hypot(*standing.point_a[:, :2].T)
    moments = [float((standing.share * radius**power).sum()) for power in (0, 1, 2)]
    assert moments == pytest.approx([1.0, 2 / 3 * 0.3, 0.5 * 0.3**2])
    assert np.allclose(standing.point_a[:, :2].mean(axis=0), 0.0)
    lying = about(np.array([1.0, 0.0, 0.0]), np.pi / 2)
    on_side = contacts_of((Cylinder(0.3, 1.0), (0, 0, 0.3 + gap), lying), (HalfSpace(),), margin=0.2 + abs(gap))
    check(on_side)
    assert on_side.gap[on_side.gap < gap + 0.1] == pytest.approx([gap] * 2, abs=1e-12)
    assert np.sort(on_side.point_a[on_side.gap < gap + 0.1, 1]) == pytest.approx([-0.5, 0.5])


@given(st.floats(-9, -0.5), st.floats(0, 6.3))
@settings(max_examples=50, deadline=None)
def test_lowest_point_of_a_leaning_cylinder_is_exact_at_any_tilt(power: float, way: float) -> None:
    turn = about(np.array([np.cos(way), np.sin(way), 0.0]), 10.0**power)
    found = contacts_of((Cylinder(0.3, 1.0), (0, 0, 0.5), turn), (HalfSpace(),))
    axis = rotate(turn, np.array([0.0, 0.0, 1.0]))
    lowest = 0.5 - 0.5 * axis[2] - 0.3 * np.hypot(axis[0], axis[1])
    assert found.gap.min() == pytest.approx(lowest, abs=1e-10)
