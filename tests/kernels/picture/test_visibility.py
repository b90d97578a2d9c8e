"""What is seen through the samples of a picture."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.picture.shade import square_wave
from signorini.kernels.picture.shadow import lit, shadow_balls, shadow_triangles
from signorini.kernels.picture.strokes import paint_strokes
from signorini.kernels.picture.visibility import draw_balls, draw_triangles, project

SLOPE = 0.01


def buffers(rows: int = 80, columns: int = 100) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((rows, columns), dtype=np.float32), np.full((rows, columns), -1, dtype=np.int32)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_ball_hides_the_farther_one(order: tuple[int, int]) -> None:
    balls = np.array([[0.0, 0.0, 10.0, 2.0], [0.0, 0.0, 5.0, 0.25]])
    nearest, item = buffers()
    draw_balls(balls[list(order)], 7, SLOPE, nearest, item)
    assert item[40, 50] == 7 + order.index(1)
    assert item[40, 62] == 7 + order.index(0)
    assert item[0, 0] == -1
    assert 1.0 / nearest[40, 50] == pytest.approx(4.75, rel=1e-3)


def test_ball_off_the_axis_is_where_its_rays_are() -> None:
    """A sample shows the ball if and only if its ray passes the centre nearer than the radius."""
    centre, radius = np.array([1.1, -0.7, 4.0]), 0.8
    nearest, item = buffers()
    draw_balls(np.array([[*centre, radius]]), 0, SLOPE, nearest, item)
    j, i = np.mgrid[:80, :100]
    rays = np.stack(((i + 0.5 - 50) * SLOPE, (40 - j - 0.5) * SLOPE, np.ones(i.shape)), axis=-1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    distance = np.linalg.norm(np.cross(rays, centre), axis=-1)
    assert np.array_equal(item == 0, distance < radius)


def test_triangle_is_seen_in_perspective() -> None:
    """A square at twice the distance covers a quarter of the samples, and distances in it are exact."""
    areas = []
    for z in (1.0, 2.0):
        a, b, c, d = np.array([[-0.2, -0.2, z], [0.2, -0.2, z], [0.2, 0.2, z], [-0.2, 0.2, z]])
        corner = np.array([[a, b, c], [a, c, d]])
        seen = np.empty_like(corner)
        project(corner, SLOPE, 80, 100, seen)
        nearest, item = buffers()
        draw_triangles(seen, 0, nearest, item)
        areas.append(np.count_nonzero(item >= 0))
        assert np.allclose(1.0 / nearest[item >= 0], z, rtol=1e-5)
    assert areas == [1600, 400]


def test_triangles_that_reach_behind_the_eye_are_left_out() -> None:
    corner = np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0]]])
    seen = np.empty_like(corner)
    project(corner, SLOPE, 80, 100, seen)
    nearest, item = buffers()
    draw_triangles(seen, 0, nearest, item)
    assert not np.any(item >= 0)


def test_shadows_lie_below_what_the_light_meets() -> None:
    height = np.full((40, 40), -np.inf, dtype=np.float32)
    shadow_balls(np.array([[20.0, 20.0, 30.0, 5.0]]), height)
    shadow_triangles(np.array([[[0.0, 0.0, 3.0], [10.0, 0.0, 3.0], [0.0, 10.0, 3.0]]]), height)
    assert height[20, 20] == pytest.approx(35.0, abs=0.2)
    assert height[2, 2] == pytest.approx(3.0)
    assert lit(20.5, 20.5, 10.0, height) == 0.0
    assert lit(20.5, 20.5, 36.0, height) == 1.0
    assert 0.0 < lit(25.0, 20.5, 10.0, height) < 1.0
    assert lit(35.0, 35.0, 0.0, height) == 1.0


@pytest.mark.parametrize(("x", "width"), [(0.3, 0.1), (1.0, 0.5), (-0.2, 0.9), (7.9, 2.3)])
def test_squares_of_a_floor_are_means(x: float, width: float) -> None:
    at = np.linspace(x - 0.5 * width, x + 0.5 * width, 20001)
    wave = np.where(np.mod(at, 2.0) < 1.0, 1.0, -1.0)
    assert square_wave(x, width) == pytest.approx(wave.mean(), abs=2e-3)


def test_strokes_cover_their_width() -> None:
    image = np.full((20, 40, 3), 255, dtype=np.uint8)
    paint_strokes(np.array([[[5.0, 10.0], [35.0, 10.0]]]), np.array([4.0]), np.array([[0.0, 0.0, 0.0, 1.0]]), image)
    dark = (255.0 - image[:, 20, 0]).sum() / 255.0
    assert dark == pytest.approx(4.0, abs=0.05)
    assert image[10, 1, 0] == 255
