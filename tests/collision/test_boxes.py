"""Boxes against spheres, capsules and one another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings

from signorini.collision.manifold import Posed, contacts_between
from signorini.math.rotations import about, conjugate, matrix, rotate
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere

from .scene import assert_mirrored, check, contacts_of, quaternions, vectors

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

GAPS = (0.05, 1e-3, 1e-9, 0.0, -1e-9, -0.02)
SHALLOW = -0.05
"""Deeper than this there may be several ways out that are nearly as short."""
UNIT = Box((1.0, 1.0, 1.0))


def oracle(one: tuple[Shape, np.ndarray, np.ndarray], two: tuple[Shape, np.ndarray, np.ndarray]) -> float:
    """Signed distance by the general narrow phase."""
    posed = (Posed.of(shape.convex_form(), np.asarray(at, float), matrix(turn)) for shape, at, turn in (one, two))
    return contacts_between(next(posed), next(posed), np.inf)[1]


@given(vectors, vectors, quaternions)
@settings(max_examples=40, deadline=None)
def test_sphere_and_box(centre: np.ndarray, place: np.ndarray, turn: np.ndarray) -> None:
    half = np.array([0.2, 0.3, 0.5])
    ball, box = (Sphere(0.15), centre), (Box((0.4, 0.6, 1.0)), place, turn)
    found = contacts_of(ball, box)
    check(found)
    local = rotate(conjugate(turn), centre - place)
    outside = np.linalg.norm(np.maximum(abs(local) - half, 0))
    inside = min(0.0, float((abs(local) - half).max()))
    assert found.gap == pytest.approx([outside + inside - 0.15], abs=1e-12)
    on_box = rotate(conjugate(turn), found.point_b[0] - place)
    assert (abs(on_box) <= half + 1e-12).all()
    assert np.isclose(abs(on_box), half).any()
    assert_mirrored(found, contacts_of(box, ball))


@example(  # the nearest end lies just beside the face
    np.array((1.0, 0.375, 0.0)),
    np.array([0.0, -0.37082364, -0.68459749, 0.6275477]),
    np.array((0.0, 0.3359375, 0.0)),
    np.array([0.0, 0.0, 0.0, 1.0]),
)
@given(vectors, quaternions, vectors, quaternions)
@settings(max_examples=40, deadline=None)
def test_capsule_and_box(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> None:
    rod, box = (Capsule(0.15, 0.8), p, q), (Box((0.4, 0.6, 1.0)), r, s)
    found = contacts_of(rod, box)
    check(found)
    exact = oracle((Capsule(0.15, 0.8), p, q), (Box((0.4, 0.6, 1.0)), r, s))
    assume(exact > SHALLOW)
    assert found.gap.min() == pytest.approx(exact, abs=2e-4)
    assert_mirrored(found, contacts_of(box, rod))


@pytest.mark.parametrize("gap", GAPS)
def test_capsule_lying_on_a_box(gap: float) -> None:
    lying = about(np.array([0.0, 1.0, 0.0]), np.pi / 2)
    found = contacts_of((Capsule(0.1, 1.0), (0.2, 0, 0.6 + gap), lying), (UNIT,))
    check(found)
    assert found.gap == pytest.approx([gap, gap], abs=1e-12)
    assert np.sort(found.point_b[:, 0]) == pytest.approx([-0.3, 0.5])


def separating_distance(*boxes: tuple[Box, np.ndarray, np.ndarray]) -> float:
    """Minus the depth of two boxes that overlap: the least over normals of faces and products of edges."""
    (one, two), (p, q) = ([rotate(turn, axis) for axis in np.eye(3)] for _, _, turn in boxes), (b[1] for b in boxes)
    half = [0.5 * np.array(box.size) for box, _, _ in boxes]
    axes = [*one, *two, *(np.cross(a, b) for a in one for b in two)]
    normals = [axis / np.linalg.norm(axis) for axis in axes if np.linalg.norm(axis) > 1e-9]
    reach = [half[0] @ abs(np.array(one) @ n) + half[1] @ abs(np.array(two) @ n) for n in normals]
    return float(max(abs((p - q) @ n) - r for n, r in zip(normals, reach, strict=True)))


@given(vectors, quaternions, vectors, quaternions)
@settings(max_examples=100, deadline=None)
@example(
    np.array([0.0, 0.0, 0.5]),
    np.array([0.42700631, 0.0, 0.0, 0.90424865]),
    np.array([0.0, -0.71875, 0.0]),
    np.array([0.34240529, 0.0, -0.4833957, 0.80565949]),
)
def test_two_boxes_against_the_general_search(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> None:
    one, two = (Box((0.4, 0.6, 1.0)), 1.2 * p, q), (Box((0.8, 0.5, 0.3)), r, s)
    found = contacts_of(one, two)
    check(found)
    exact = oracle(one, two)
    if exact < 0:
        # The search among polytopes may end at a face that is not the nearest; separating axes cannot.
        exact = max(exact, separating_distance(one, two))
    assume(abs(exact) > 1e-6 and exact > SHALLOW)
    tolerance = 1e-5 if exact > 0 else 0.06 * abs(exact) + 1e-5
    assert found.gap.min() == pytest.approx(exact, abs=tolerance)
    for points, (box, place, turn) in ((found.point_a, one), (found.point_b, two)):
        local = abs(rotate(conjugate(turn), points - place)) - 0.5 * np.array(box.size)
        if exact > 0:
            assert abs(local.max(axis=1)).max() < 1e-9  # on the surface
    assert_mirrored(found, contacts_of(two, one), tolerance=tolerance)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("yaw", [0.0, 1e-9, 1e-4])
def test_box_on_box_touches_at_four_corners(gap: float, yaw: float) -> None:
    turned = about(np.array([0.0, 0.0, 1.0]), yaw)
    found = contacts_of((UNIT,), (UNIT, (0.2, 0.3, 1.0 + gap), turned), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([gap] * 4, abs=1e-12)
    assert np.allclose(found.normal, (0, 0, -1), atol=1e-12)
    corners = {tuple(c) for c in found.point_a[:, :2].round(3)}
    assert corners == {(-0.3, -0.2), (0.5, -0.2), (-0.3, 0.5), (0.5, 0.5)}


def test_rotated_box_in_the_middle_of_a_larger_one() -> None:
    turn = about(np.array([0.0, 0.0, 1.0]), 0.3)
    found = contacts_of((Box((4.0, 4.0, 1.0)),), (UNIT, (0, 0, 1.0), turn), margin=0.1)
    corners = rotate(turn, np.array([[x, y, 0.0] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]))[:, :2]
    assert np.allclose(sorted(found.point_b[:, :2].tolist()), sorted(corners.tolist()))


def test_boxes_turned_by_an_eighth_touch_at_eight_points() -> None:
    found = contacts_of((UNIT,), (UNIT, (0, 0, 1.0), about(np.array([0.0, 0.0, 1.0]), np.pi / 4)), margin=0.1)
    check(found)
    assert found.count == 8
    assert np.allclose(np.hypot(found.point_a[:, 0], found.point_a[:, 1]), 0.5 / np.cos(np.pi / 8))


@pytest.mark.parametrize("gap", GAPS)
def test_crossing_edges_touch_at_one_point(gap: float) -> None:
    below = (UNIT, (0, 0, 0), about(np.array([1.0, 0.0, 0.0]), np.pi / 4))
    above = (UNIT, (0.1, 0.2, np.sqrt(2.0) + gap), about(np.array([0.0, 1.0, 0.0]), np.pi / 4))
    found = contacts_of(below, above, margin=0.1)
    check(found)
    assert found.gap == pytest.approx([gap], abs=1e-12)
    assert np.allclose(found.normal, (0, 0, -1))
    assert np.allclose(found.point_a, (0.1, 0.0, np.sqrt(0.5)), atol=1e-9)


def test_edge_on_face_touches_at_both_ends() -> None:
    tilted = about(np.array([1.0, 0.0, 0.0]), np.pi / 4)
    found = contacts_of((Box((4.0, 4.0, 1.0)),), (UNIT, (0, 0, 0.5 + np.sqrt(0.5)), tilted), margin=0.1)
    check(found)
    assert found.gap == pytest.approx([0.0, 0.0], abs=1e-12)
    assert np.sort(found.point_b[:, 0]) == pytest.approx([-0.5, 0.5])


def test_corner_to_corner() -> None:
    found = contacts_of((UNIT,), (UNIT, (1.03, 1.02, 1.06)))
    check(found)
    assert found.gap == pytest.approx([0.07])
    assert np.allclose(found.normal, -np.array([[3, 2, 6]]) / 7)
