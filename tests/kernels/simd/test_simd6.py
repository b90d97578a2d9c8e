"""Blocks of six by six on vector registers, against numpy."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.simd import simd6


@kernel
def _blocks(data, v, values, weight, sums, places):
    simd6.subtract_products(data, 0, places, 2, 36, 72)
    simd6.divide(data, 108, 144)
    simd6.subtract_transposed_times(data, 36, v, 0, 6)
    simd6.add_row_products(data, 72, v, 12, sums)
    simd6.add_weighted_rows(data, 180, values, 0, 6, 12, weight, 1)
    simd6.add_three_rows(values, 6, 12, 2.0, 3.0, 4.0, v, 18)
    return simd6.three_dots(values, 6, 12, v, 12)


@kernel
def _two_products(data, places):
    simd6.subtract_two_products(data, 0, 36, places, 2, 72, 108)


@kernel
def _each_product(data, places):
    simd6.subtract_products(data, 0, places, 2, 72, 108)
    simd6.subtract_products(data, 36, places, 2, 72, 144)


def test_two_products_at_once_are_those_one_after_another() -> None:
    data = np.random.default_rng(1).normal(size=288)
    B, places, again = data.reshape(8, 6, 6).copy(), np.array([0, 72]), data.copy()
    _two_products(data, places)
    _each_product(again, places)
    np.testing.assert_array_equal(data, again)
    for k in range(2):
        expected = B[k] - B[2].T @ B[3 + k] - B[4].T @ B[5 + k]
        np.testing.assert_allclose(data.reshape(8, 6, 6)[k], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(data[72:].reshape(6, 6, 6), B[2:])


def test_blocks_of_six_against_numpy() -> None:
    rng = np.random.default_rng(0)
    data, v, values, weight, sums = (rng.normal(size=n) for n in (216, 24, 36, 4, 36))
    B, u, rows = data.reshape(6, 6, 6).copy(), v.copy(), values.reshape(3, 12)
    expected_sums = sums + (B[2] * u[12:18]).ravel()
    places = np.array([0, 36, 7])  # the third is not asked for
    dots = _blocks(data, v, values, weight, sums, places)
    U = np.triu(B[3], 1) + np.diag(1.0 / np.diag(B[3]))
    W = np.diag(weight[1:])
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(data[:36].reshape(6, 6), B[0] - B[1].T @ B[2] - B[2].T @ B[3], **close)
    np.testing.assert_allclose(data[144:180].reshape(6, 6), np.linalg.solve(U.T, B[4]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(data[180:].reshape(6, 6), B[5] + rows[:, :6].T @ W @ rows[:, 6:], **close)
    np.testing.assert_allclose(v[:6], u[:6] - B[1].T @ u[6:12], **close)
    np.testing.assert_allclose(v[18:], u[18:] + rows[:, 6:].T @ [2.0, 3.0, 4.0], **close)
    np.testing.assert_allclose(sums, expected_sums, **close)
    np.testing.assert_allclose(dots, rows[:, 6:] @ u[12:18], **close)
