"""Identities of contacts: parts come back, and order is that of the parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signorini.kernels.collision import identity
from signorini.kernels.collision.table import COLUMNS, Found, gather, put
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import SOLO

parts = st.integers(0, identity.MOST_PARTS - 1)
features = st.integers(0, identity.FEATURE_MASK)


@kernel
def made(first, second, feature):
    key = identity.identity_of(first, second, feature)
    return key, identity.first_part(key), identity.second_part(key), identity.pair_of(key)


@given(parts, parts, features)
def test_parts_come_back(first: int, second: int, feature: int) -> None:
    key, one, two, pair = made(first, second, feature)
    assert (one, two, key & identity.FEATURE_MASK) == (first, second, feature)
    assert pair == identity.pair_key(first, second)
    assert 0 <= key < 2**63


@given(st.tuples(parts, parts, features), st.tuples(parts, parts, features))
def test_order_is_that_of_parts_and_features(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    assert (made(*one)[0] < made(*other)[0]) == (one < other)


def test_a_large_feature_does_not_spill_into_the_parts() -> None:
    assert made(3, 5, identity.FEATURE_MASK + 2)[:3] == made(3, 5, 1)[:3]


@pytest.mark.parametrize("swapped", [False, True])
def test_the_smaller_shape_becomes_a_and_equal_identities_are_distinguished(swapped: bool) -> None:
    found = Found(np.empty(2, dtype=np.int64), np.empty((2, COLUMNS)))
    i, j, sign = (7, 2, -1.0) if swapped else (2, 7, 1.0)
    for k in range(2):
        put(found, k, i, j, 4, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.25)
    np.testing.assert_array_equal(found.data[0, 6:], [0.0, 0.0, sign, 0.25, 0.0])
    np.testing.assert_allclose(found.data[0, 2] - found.data[0, 5], sign * 0.25)
    bodies, friction = np.arange(10) * 10, np.linspace(0.1, 1.0, 10)
    a, b, keys = (np.empty(2, dtype=np.int64) for _ in range(3))
    points, gaps, mu, share = [np.empty((2, 3)) for _ in range(3)], np.empty(2), np.empty(2), np.empty(2)
    ends = (points[0], points[1])
    gather(SOLO, found, np.arange(2), (bodies, friction), (a, b), ends, points[2], (gaps, mu, share), keys)
    assert a.tolist() == [20, 20]
    assert b.tolist() == [70, 70]
    assert np.diff(keys).tolist() == [1]
    np.testing.assert_allclose(mu, friction[2])
