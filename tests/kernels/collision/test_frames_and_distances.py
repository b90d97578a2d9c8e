"""Small kernels that all others are made of, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from signorini.kernels.collision.box import point_box
from signorini.kernels.collision.frames import into_frame, out_of_frame, rotation_entries
from signorini.kernels.collision.mesh import on_triangle, refit, triangle_point, triangles_near
from signorini.kernels.collision.pair_kernels import PAIR_KERNELS, pair_kernel
from signorini.kernels.collision.polygon import clip_segment, overlap, plane_through, signed_area, tangents
from signorini.kernels.collision.round import segment_parameters
from signorini.math.rotations import matrix

numbers = st.floats(-2.0, 2.0, allow_nan=False)
vectors = arrays(np.float64, 3, elements=numbers)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))
quaternions = (
    arrays(np.float64, 4, elements=numbers)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: q / np.linalg.norm(q))
)
SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


@given(quaternions, vectors)
def test_rotations_carry_vectors_to_the_world_and_back(q: np.ndarray, v: np.ndarray) -> None:
    r = rotation_entries(*q)
    np.testing.assert_allclose(np.reshape(r, (3, 3)), matrix(q), atol=1e-14)
    world = out_of_frame(r, *v)
    np.testing.assert_allclose(world, matrix(q) @ v, atol=1e-13)
    np.testing.assert_allclose(into_frame(r, *world), v, atol=1e-13)


@given(vectors)
def test_distance_from_a_box_and_its_gradient(x: np.ndarray) -> None:
    half = np.array([0.5, 0.8, 1.1])
    distance, *normal = point_box(*x, *half)
    outside = np.maximum(np.abs(x) - half, 0.0)
    expected = np.linalg.norm(outside) if outside.any() else (np.abs(x) - half).max()
    assert distance == pytest.approx(expected, abs=1e-14)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    # Going back along the normal ends on the surface.
    assert point_box(*(x - distance * np.array(normal)), *half)[0] == pytest.approx(0.0, abs=1e-12)


@given(directions)
def test_tangents_complete_a_right_handed_frame(n: np.ndarray) -> None:
    frame = np.vstack((np.reshape(tangents(*n), (2, 3)), n))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)


@given(vectors, arrays(np.float64, (3, 3), elements=numbers))
def test_nearest_point_of_a_triangle_is_nearer_than_any_other(p: np.ndarray, corners: np.ndarray) -> None:
    if np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0])) < 1e-2:
        return
    v, w = on_triangle(p, *corners)
    assert min(v, w, 1.0 - v - w) >= -1e-12
    nearest = np.linalg.norm(p - triangle_point(*corners, v, w))
    for a in np.linspace(0.0, 1.0, 9):
        for b in np.linspace(0.0, 1.0 - a, 9):
            assert nearest <= np.linalg.norm(p - triangle_point(*corners, a, b)) + 1e-9


@given(vectors, directions, directions)
def test_nearest_points_of_two_segments(d: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    s, t = segment_parameters(*d, *u, 0.7, *v, 0.4)
    assert abs(s) <= 0.7
    assert abs(t) <= 0.4
    nearest = np.linalg.norm(d + s * u - t * v)
    S, T = np.meshgrid(np.linspace(-0.7, 0.7, 21), np.linspace(-0.4, 0.4, 21))
    others = np.linalg.norm(d + S[..., None] * u - T[..., None] * v, axis=-1)
    # Nearly parallel segments have many nearly nearest points.
    assert nearest <= others.min() + 1e-6


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_overlap_of_two_squares(x: float, y: float) -> None:
    corners, names = overlap(SQUARE, SQUARE + np.array([x, y]))
    area = (2.0 - abs(x)) * (2.0 - abs(y))
    assert abs(signed_area(corners, len(corners))) / 2.0 == pytest.approx(area, rel=1e-6)
    assert len(set(names.tolist())) == len(names)


def test_segments_are_cut_at_the_sides_and_planes_have_slopes() -> None:
    assert clip_segment(np.array([[-2.0, 0.0], [2.0, 0.0]]), SQUARE) == pytest.approx((0.25, 0.75))
    low, high = clip_segment(np.array([[-2.0, 1.5], [2.0, 1.5]]), SQUARE)
    assert low > high
    height = 0.3 * SQUARE[:, 0] - 0.2 * SQUARE[:, 1] + 0.7
    assert plane_through(np.column_stack((SQUARE, height))) == pytest.approx((0.3, -0.2, 0.7))


def test_tree_finds_exactly_the_triangles_whose_boxes_meet() -> None:
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1, 1, (37, 1, 3)) + 0.2 * rng.uniform(-1, 1, (37, 3, 3))
    leaf = np.concatenate((rng.permutation(37), np.full(27, -1)))
    low, high, out = np.empty((128, 3)), np.empty((128, 3)), np.empty(37, dtype=np.int64)
    refit(corners.reshape(-1, 3), np.arange(111).reshape(-1, 3), leaf, low, high)
    found = 0
    for _ in range(50):
        centre, half = rng.uniform(-1, 1, 3), rng.uniform(0.0, 0.5, 3)
        near = out[: triangles_near(low, high, leaf, centre - half, centre + half, out)]
        meets = ((corners.min(axis=1) <= centre + half) & (corners.max(axis=1) >= centre - half)).all(axis=1)
        np.testing.assert_array_equal(near, np.flatnonzero(meets))
        found += len(near)
    assert found > 50


@pytest.mark.parametrize("kinds", PAIR_KERNELS)
def test_pair_kernels_exist_and_name_the_smaller_kind_first(kinds: tuple[int, int]) -> None:
    assert kinds[0] <= kinds[1]
    assert callable(pair_kernel(kinds))
