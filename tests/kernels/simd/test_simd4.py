"""Packs of four doubles against one number after the other."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.kernels.compile import kernel
from signorini.kernels.simd import simd4

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(3, 9))


@kernel
def read_and_write(array, i, j, out):
    simd4.store(simd4.load(array, i, j), out, i, j)


@kernel
def arithmetic(x, y, z):
    return simd4.times(x, y), simd4.plus(x, y), simd4.plus_times(z, x, y)


@kernel
def rearranged(x, number):
    return simd4.spread(number), simd4.without_last(x)


@kernel
def sums(x, y, z):
    return simd4.sums(x, y, z)


def four(k: int) -> tuple[float, ...]:
    return tuple(ROWS[k, :4].tolist())


@pytest.mark.parametrize("j", [0, 3, 5])
def test_fours_begin_anywhere_in_a_row(j: int) -> None:
    out = np.zeros_like(ROWS)
    read_and_write(ROWS, np.uint64(1), np.uint64(j), out)
    expected = np.zeros_like(ROWS)
    expected[1, j : j + 4] = ROWS[1, j : j + 4]
    np.testing.assert_array_equal(out, expected)


def test_products_and_sums() -> None:
    x, y, z = (np.array(four(k)) for k in range(3))
    for found, expected in zip(arithmetic(four(0), four(1), four(2)), (x * y, x + y, z + x * y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


def test_the_last_number_is_dropped_whatever_it_is() -> None:
    spread, three = rearranged((1.0, 2.0, 3.0, np.nan), 0.25)
    assert spread == (0.25,) * 4
    assert three == (1.0, 2.0, 3.0, 0.0)


def test_sums_of_three_fours() -> None:
    expected = [(a + b) + (c + d) for a, b, c, d in (four(0), four(1), four(2))]
    assert list(sums(four(0), four(1), four(2))) == expected
