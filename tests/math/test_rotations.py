"""Quaternions against the algebra of rotation matrices, over random rotations."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from signorini.math import rotations as rot
from signorini.math.sparse import Array

coordinates = st.floats(-10, 10, allow_nan=False)
vectors = arrays(np.float64, 3, elements=coordinates)
quaternions = (
    arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(lambda q: q @ q > 1e-4).map(lambda q: q / np.linalg.norm(q))
)


@given(quaternions)
def test_matrix_is_a_rotation(q: Array) -> None:
    R = rot.matrix(q)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert math.isclose(np.linalg.det(R), 1.0, rel_tol=1e-13)


@given(quaternions)
def test_matrix_agrees_with_scipy(q: Array) -> None:
    np.testing.assert_allclose(rot.matrix(q), Rotation.from_quat(rot.to_xyzw(q)).as_matrix(), atol=1e-14)


@given(quaternions, quaternions)
def test_product_composes(p: Array, q: Array) -> None:
    np.testing.assert_allclose(rot.matrix(rot.multiply(p, q)), rot.matrix(p) @ rot.matrix(q), atol=1e-14)


@given(quaternions, vectors)
def test_conjugate_turns_back(q: Array, v: Array) -> None:
    np.testing.assert_allclose(rot.rotate(rot.conjugate(q), rot.rotate(q, v)), v, atol=1e-13)


@given(quaternions)
def test_exponential_of_logarithm(q: Array) -> None:
    back = rot.exponential(rot.logarithm(q))
    np.testing.assert_allclose(back * np.sign(back @ q), q, atol=1e-14)


@given(vectors)
def test_logarithm_of_exponential(v: Array) -> None:
    length = float(np.linalg.norm(v))
    v = v if length < 3.0 else v * 3.0 / length
    np.testing.assert_allclose(rot.logarithm(rot.exponential(v)), v, atol=1e-13)


def test_small_and_zero_rotations() -> None:
    for size in (0.0, 1e-300, 1e-20, 1e-13, 1e-11, 1e-8, 1e-3):
        v = size * np.array([1.0, -2.0, 0.5])
        np.testing.assert_allclose(rot.logarithm(rot.exponential(v)), v, rtol=1e-12, atol=0)


def test_logarithm_is_the_short_way_round() -> None:
    q = rot.about(np.array([0.0, 0.0, 2.0]), 1.75 * math.pi)
    np.testing.assert_allclose(rot.logarithm(q), [0.0, 0.0, -0.25 * math.pi], atol=1e-14)


def test_about_turns_x_to_y() -> None:
    q = rot.about(np.array([0.0, 0.0, 3.0]), 0.5 * math.pi)
    np.testing.assert_allclose(rot.rotate(q, np.array([1.0, 0.0, 0.0])), [0.0, 1.0, 0.0], atol=1e-15)


def test_orders_of_components() -> None:
    q = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    assert rot.to_xyzw(q).tolist() == [[2.0, 3.0, 4.0, 1.0], [6.0, 7.0, 8.0, 5.0]]


def test_many_at_once_is_one_at_a_time() -> None:
    rng = np.random.default_rng(1)
    p, q, v = rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 3))
    p, q = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (p, q))
    for function, arguments in (
        (rot.multiply, (p, q)),
        (rot.rotate, (q, v)),
        (rot.exponential, (v,)),
        (rot.logarithm, (q,)),
    ):
        one = [function(*(a[k] for a in arguments)) for k in range(5)]
        np.testing.assert_allclose(function(*arguments), one, atol=1e-15)
