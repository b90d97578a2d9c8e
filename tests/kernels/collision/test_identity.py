"""Identities of contacts: parts come back, and order is that of the parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signorini.kernels.collision import identity
from signorini.kernels.collision.table import Found, gather, put
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import SOLO

layouts = st.integers(identity.PART_BITS, identity.MOST_PART_BITS)
share = st.floats(0.0, 1.0, exclude_max=True)
named = st.tuples(share, share, share)


@kernel
def made(first, second, feature, bits):
    key = identity.identity_of(first, second, feature, bits)
    one, two = identity.first_part(key, bits), identity.second_part(key, bits)
    return key, one, two, identity.pair_of(key, bits), identity.pair_key(first, second, bits)


def numbers(shares: tuple[float, float, float], bits: int) -> tuple[int, int, int]:
    """First part, second part and feature at these shares of their ranges."""
    ranges = (1 << bits, 1 << bits, 1 << identity.BITS - 2 * bits - 1)
    return tuple(int(x * n) for x, n in zip(shares, ranges, strict=True))


@given(named, layouts)
def test_parts_come_back(shares: tuple[float, float, float], bits: int) -> None:
    first, second, feature = numbers(shares, bits)
    key, one, two, pair, same = made(first, second, feature, bits)
    assert (one, two, key & ((1 << identity.BITS - 2 * bits) - 1)) == (first, second, feature)
    assert pair == same
    assert 0 <= key < 2**63


@given(named, named, layouts)
def test_order_is_that_of_parts_and_features(
    shares: tuple[float, float, float], others: tuple[float, float, float], bits: int
) -> None:
    one, other = numbers(shares, bits), numbers(others, bits)
    assert (made(*one, bits)[0] < made(*other, bits)[0]) == (one < other)


@pytest.mark.parametrize("bits", [identity.PART_BITS, 24, identity.MOST_PART_BITS])
def test_a_large_feature_does_not_spill_into_the_mark_and_the_parts(bits: int) -> None:
    for beyond in (identity.swept_mark(bits), 1 << identity.BITS - 2 * bits):
        assert made(3, 5, beyond + 1, bits)[:3] == made(3, 5, 1, bits)[:3]


@pytest.mark.parametrize(
    ("parts", "bits"), [(1, 21), (1 << 21, 21), ((1 << 21) + 1, 22), (10_000_000, 24), (1 << 26, 26)]
)
def test_identities_of_usual_models_never_change_and_larger_ones_have_room(parts: int, bits: int) -> None:
    assert identity.part_bits(parts) == bits


@pytest.mark.parametrize("last", [(1 << 21) + 5, (1 << 24) + 9, (1 << 26) - 1])
def test_parts_beyond_two_and_sixteen_million_are_told_apart(last: int) -> None:
    bits = identity.part_bits(last + 1)
    ends = [0, 1, (1 << 21) - 1, 1 << 21, last - 1, last]
    pairs = [(a, b) for a in ends for b in ends if a < b]
    found = Found.of_size(3 * len(pairs), bits)
    for k, (a, b) in enumerate(pairs):
        for feature in range(3):
            put(found, 3 * k + feature, a, b, feature, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.25)
    keys = found.identity
    assert len(np.unique(keys)) == len(keys)
    assert [made(a, b, 0, bits)[0] for a, b in pairs] == keys[::3].tolist()
    assert sorted(pairs) == [divmod(int(key) >> 63 - 2 * bits, 1 << bits) for key in np.sort(keys[::3])]


@pytest.mark.parametrize("swapped", [False, True])
def test_the_smaller_shape_becomes_a_and_equal_identities_are_distinguished(swapped: bool) -> None:
    found = Found.of_size(2, identity.PART_BITS)
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
