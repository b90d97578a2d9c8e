"""Signed distances of all shapes: closed forms at chosen points, gradients and convexity everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model.lens import Lens

import signorini as sg
from signorini.collision.distance_table import distances_of
from signorini.kernels.skin.distance import distance, lowest_on_line, lowest_on_triangle, nearest_on_lines
from signorini.model.shapes.shape import Shape

CORNERS = np.array([[0.3, 0, 0], [-0.2, 0.3, 0], [-0.2, -0.3, 0], [0, 0, 0.4], [0, 0, -0.3]])
SHAPES: list[tuple[Shape, list[tuple[tuple[float, float, float], float]]]] = [
    (sg.Sphere(0.5), [((0, 0, 0), -0.5), ((0, 3, 4), 4.5)]),
    (sg.Capsule(0.2, 1.0), [((0, 0, 0.3), -0.2), ((0.5, 0, 0.4), 0.3), ((0, 0, 1.0), 0.3)]),
    (sg.Box((1.0, 2.0, 3.0)), [((0.1, 0, 0), -0.4), ((0.5 + 3, 1 + 4, 0), 5.0)]),
    (sg.Cylinder(0.5, 2.0), [((0, 0, 0.9), -0.1), ((0.5 + 3, 0, 1 + 4), 5.0), ((0, 0.7, 0), 0.2)]),
    (sg.Cone(0.3, 0.8), [((0, 0, 0.6), 0.2), ((0.1, 0, -0.5), 0.1), ((0, 0, -0.3), -0.1)]),
    (sg.Ellipsoid((0.3, 0.5, 0.7)), [((1.0, 0, 0), 0.7), ((0, -0.8, 0), 0.3), ((0, 0, 0.9), 0.2)]),
    (sg.HalfSpace((0, 3, 4)), [((1, 0, 0), 0.0), ((0, 3, 4), 5.0)]),
    (sg.ConvexHull(CORNERS), [((0, 0, 0.9), 0.5), ((0, 0, -1.3), 1.0)]),
    (Lens(0.5, 0.3), [((0, 0, 1.2), 1.0)]),
]


def value(shape: Shape, x: np.ndarray) -> tuple[float, np.ndarray]:
    phi, *gradient = distance(distances_of([shape])[0], 0, *(float(c) for c in x))
    return phi, np.array(gradient)


@pytest.mark.parametrize(("shape", "known"), SHAPES, ids=lambda s: type(s).__name__)
def test_known_distances(shape: Shape, known: list[tuple[tuple[float, float, float], float]]) -> None:
    for point, expected in known:
        assert value(shape, np.array(point))[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("shape", "known"), SHAPES, ids=lambda s: type(s).__name__)
def test_gradients_are_unit_vectors_and_distances_are_convex(shape: Shape, known: object) -> None:
    table, _ = distances_of([shape])
    rng, eps = np.random.default_rng(0), 1e-6
    agree = 0
    for _ in range(60):
        x, y = rng.normal(size=(2, 3))
        phi, *n = distance(table, 0, *x)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-9)
        around = [[distance(table, 0, *(x + side * eps * e))[0] for side in (1, -1)] for e in np.eye(3)]
        slope = [(ahead - behind) / (2 * eps) for ahead, behind in around]
        agree += np.allclose(slope, n, atol=1e-4)
        middle = distance(table, 0, *(0.5 * (x + y)))[0]
        assert middle <= 0.5 * (phi + distance(table, 0, *y)[0]) + 1e-8
    assert agree >= 57  # but for points on creases


def test_surfaces_have_no_distance() -> None:
    _, known = distances_of([sg.HeightField(np.zeros((2, 2)), 1.0), sg.Sphere(1.0)])
    assert known.tolist() == [False, True]


@pytest.mark.parametrize(("shape", "known"), SHAPES, ids=lambda s: type(s).__name__)
def test_lowest_points_of_lines_and_triangles(shape: Shape, known: object) -> None:
    if isinstance(shape, sg.HalfSpace):
        return  # lines and triangles are lowest at corners, which are looked at one by one
    table, _ = distances_of([shape])
    away = np.array([0.0, 0.0, 1.8])
    rng = np.random.default_rng(1)
    for _ in range(5):
        a, b, c = rng.uniform(-1, 1, (3, 3)) + away
        w = lowest_on_line(table, 0, a, b)
        least = min(distance(table, 0, *(a + t * (b - a)))[0] for t in np.linspace(0, 1, 201))
        assert distance(table, 0, *(a + w * (b - a)))[0] <= least + 1e-4
        v, w = lowest_on_triangle(table, 0, a, b, c)
        assert min(v, w, 1 - v - w) >= -1e-12


def test_nearest_points_of_lines() -> None:
    a, b = np.array([-1.0, 0, 0]), np.array([1.0, 0, 0])
    assert nearest_on_lines(a, b, np.array([0.5, -1, 1]), np.array([0.5, 1, 1])) == pytest.approx((0.75, 0.5))
    assert nearest_on_lines(a, b, np.array([3.0, 1, 0]), np.array([4.0, 1, 0])) == pytest.approx((1.0, 0.0))
    assert nearest_on_lines(a, b, np.array([0.5, 1, 0]), np.array([0.5, 1, 0]))[0] == pytest.approx(0.75)


def test_lowest_point_of_a_line_near_the_end_of_a_cylinder() -> None:
    """Over an end face the point nearest to the axis is not the lowest one."""
    table, _ = distances_of([sg.Cylinder(0.5, 2.0)])
    rng = np.random.default_rng(3)
    weights = np.linspace(0.0, 1.0, 2001)
    for _ in range(200):
        a = rng.normal(size=3) * 0.4 + [0, 0, 1.0]
        b = a + rng.normal(size=3) * 0.8
        sampled = min(distance(table, 0, *(a + w * (b - a)))[0] for w in weights)
        found = a + lowest_on_line(table, 0, a, b) * (b - a)
        assert distance(table, 0, *found)[0] <= sampled + 1e-8


def test_lowest_point_of_a_triangle_below_a_tilted_cylinder() -> None:
    """Below a tilted end face the rim is lowest, not the middle."""
    table, _ = distances_of([sg.Cylinder(0.5, 2.0)])
    rng = np.random.default_rng(4)
    grid = np.linspace(-0.6, 0.6, 121)
    for _ in range(30):
        tilt, turn, height = rng.uniform(0.02, 1.5), rng.uniform(0, 2 * np.pi), rng.uniform(-0.05, 0.3)
        n = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
        rim = np.array([0.5 * np.cos(turn), 0.5 * np.sin(turn), 1.0])
        u = np.cross(n, [0.0, 0.3, 1.0])
        u /= np.linalg.norm(u)
        w = np.cross(n, u)
        middle = rim + height * n
        a, b, c = (middle + 4.0 * (np.cos(t) * u + np.sin(t) * w) for t in (0.1, 2.2, 4.3))
        sampled = min(distance(table, 0, *(middle + x * u + y * w))[0] for x in grid for y in grid)
        v, w = lowest_on_triangle(table, 0, a, b, c)
        found = a + v * (b - a) + w * (c - a)
        assert distance(table, 0, *found)[0] <= sampled + 1e-8
