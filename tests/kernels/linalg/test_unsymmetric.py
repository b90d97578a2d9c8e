"""Unsymmetric factorisations and the joints taken out of small problems, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.linalg import body_lu, dense_lu, joint_plane
from signorini.kernels.simd.simd6 import BLOCK
from signorini.math.sparse import Array, Indices
from signorini.solvers.cone_newton.bodies_system import BodyPattern


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_dense_lu(size: int) -> None:
    rng = np.random.default_rng(size)
    A, b = rng.normal(size=(size, size)), rng.normal(size=size)
    factors, pivots, x = A.copy(), np.empty(size, dtype=np.int64), b.copy()
    assert dense_lu.lu(factors, pivots)
    dense_lu.lu_solve(factors, pivots, x)
    np.testing.assert_allclose(A @ x, b, rtol=0.0, atol=1e-11)


def test_dense_lu_of_a_singular_matrix_fails() -> None:
    assert not dense_lu.lu(np.zeros((3, 3)), np.empty(3, dtype=np.int64))


def contacts(
    bodies: int, count: int, seed: int, stiffness: float = 3.0
) -> tuple[Indices, Indices, Indices, Array, Indices, Array, Array]:
    """Pairs of bodies, starts of rows, values and weights, values, weights, and 1 + A'MA as a dense matrix."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.permutation(bodies)[:2] if rng.random() < 0.8 else (rng.integers(bodies), -1)
                      for _ in range(count)])  # fmt: skip
    sizes, widths = rng.choice([1, 3], count, p=[0.2, 0.8]), np.where(pairs[:, 1] < 0, 6, 12)
    row, at, square = (np.concatenate(([0], np.cumsum(each))) for each in (sizes, sizes * widths, sizes**2))
    values, weights = rng.normal(size=at[-1]), 0.5 * rng.normal(size=square[-1])
    K = np.eye(6 * bodies)
    for i in range(count):
        weights[square[i] : square[i + 1]] += stiffness * np.eye(sizes[i]).reshape(-1)
        M = weights[square[i] : square[i + 1]].reshape(sizes[i], -1)
        A = values[at[i] : at[i + 1]].reshape(sizes[i], -1)
        columns = np.concatenate([6 * body + np.arange(6) for body in pairs[i] if body >= 0])
        K[np.ix_(columns, columns)] += A.T @ M @ A
    return pairs, row, at, values, square, weights, K


@pytest.mark.parametrize(("bodies", "count"), [(1, 2), (5, 10), (20, 45), (20, 400), (60, 90)])
def test_block_lu_of_bodies(bodies: int, count: int) -> None:
    if bodies == 1:
        pairs, row, at, values, square, weights, K = contacts(2, count, 3)
        bodies = 2
    else:
        pairs, row, at, values, square, weights, K = contacts(bodies, count, bodies)
    pattern = BodyPattern.of(pairs, bodies, 10**9)
    assert pattern is not None
    data = np.empty(2 * BLOCK * int(pattern.start[-1]))
    body_lu.assemble(pattern.start, row, at, values, square, weights, pattern.land, data)
    assert body_lu.factor(pattern.start, pattern.row, data)
    right, x = np.random.default_rng(0).normal(size=6 * bodies), np.empty(6 * bodies)
    body_lu.solve(pattern.start, pattern.row, data, pattern.place, right, np.empty(6 * bodies), x)
    np.testing.assert_allclose(K @ x, right, rtol=0.0, atol=1e-11)


def test_sign_of_the_determinant() -> None:
    """Matrices that are far from positive definite, of either sign."""
    signs = set()
    for seed in range(12):
        pairs, row, at, values, square, weights, K = contacts(5, 10, seed, stiffness=-0.5)
        pattern = BodyPattern.of(pairs, 5, 10**9)
        assert pattern is not None
        data = np.empty(2 * BLOCK * int(pattern.start[-1]))
        body_lu.assemble(pattern.start, row, at, values, square, weights, pattern.land, data)
        assert body_lu.factor(pattern.start, pattern.row, data)
        sign = body_lu.orientation(pattern.start, data)
        assert sign == np.linalg.slogdet(K)[0]
        signs.add(sign)
    assert signs == {1, -1}


def test_velocities_confined_to_redundant_joints() -> None:
    """The nearest velocities that meet the joints, and impulses that explain them."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(5, 9))
    A[3] = A[0] - 2.0 * A[1]
    b = A @ rng.normal(size=9)
    free, D = rng.normal(size=9), rng.normal(size=(4, 9))
    Q, R, kept, t = A.copy(), np.zeros((5, 5)), np.empty(5, dtype=np.int64), np.empty(5)
    plane, rows = np.empty(9), np.empty((4, 9))
    rank = joint_plane.confine(Q, b, free, D, 1e-10, R, kept, t, plane, rows)
    assert rank == 4
    np.testing.assert_allclose(A @ plane, b, atol=1e-12)
    np.testing.assert_allclose(plane, free + np.linalg.pinv(A) @ (b - A @ free), atol=1e-12)
    np.testing.assert_allclose(rows @ A.T, 0.0, atol=1e-12)
    impulse = np.zeros(5)
    joint_plane.joint_impulses(Q, R, kept, rank, t, free, impulse)
    np.testing.assert_allclose(free + A.T @ impulse, plane, atol=1e-12)
