"""Projections and natural maps of all kinds of blocks, by what defines them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from signorini.kernels.cones import coulomb_cones, general_blocks
from signorini.math.sparse import Array

START = np.array([0, 1, 4, 6, 7, 13])
MU = np.array([0.0, 0.4, 1.3, 0.0, 0.5])
LOW = np.array([0.0, 0.0, 0.0, -2.0, 0.0])
HIGH = np.array([np.inf, np.inf, np.inf, 1.5, np.inf])
SPIN = np.array([np.nan, np.nan, np.nan, np.nan, 0.1])
ROLL = np.array([np.nan, np.nan, np.nan, np.nan, 0.2])


def blocks() -> Array:
    table = np.empty((5, 6))
    general_blocks.fill_table(MU, LOW, HIGH, SPIN, ROLL, table)
    return table


def points(seed: int, count: int) -> Array:
    """Points of the set: half-line, cone, planar cone, interval, rolling block."""
    rng = np.random.default_rng(seed)
    x = np.zeros((count, 13))
    x[:, [0, 1, 4, 7]] = rng.exponential(2.0, size=(count, 4))
    for row in x:
        for first, last, limit in ((2, 4, 0.4 * row[1]), (5, 6, 1.3 * row[4]), (8, 10, 0.5 * row[7]),
                                   (10, 11, 0.1 * row[7]), (11, 13, 0.2 * row[7])):  # fmt: skip
            part = rng.normal(size=last - first)
            row[first:last] = part / np.linalg.norm(part) * limit * rng.random()
    x[:, 6] = rng.uniform(-2.0, 1.5, size=count)
    return x


@pytest.mark.parametrize("seed", range(20))
def test_projection_makes_an_obtuse_angle_with_the_whole_set(seed: int) -> None:
    table, rng = blocks(), np.random.default_rng(100 + seed)
    x = rng.normal(scale=3.0, size=13)
    p = np.empty(13)
    general_blocks.project(START, table, x, p)
    for first, last in pairwise(START):
        away = x[first:last] - p[first:last]
        others = points(seed, 200)[:, first:last]
        assert np.max((others - p[first:last]) @ away) <= 1e-12 * (1.0 + x @ x)
    again = np.empty(13)
    general_blocks.project(START, table, p, again)
    np.testing.assert_allclose(again, p, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_natural_map_is_what_projection_leaves(seed: int) -> None:
    table, rng = blocks(), np.random.default_rng(seed)
    impulse, slip = points(seed, 1)[0], rng.normal(size=13)
    moved, error = np.empty(13), np.empty(5)
    general_blocks.project(START, table, impulse - slip, moved)
    norm = general_blocks.natural_map(START, table, np.ones(13), impulse, slip, error)
    expected = [np.linalg.norm((impulse - moved)[a:b]) for a, b in pairwise(START)]
    np.testing.assert_allclose(error, expected, rtol=1e-12, atol=1e-14)
    assert norm == pytest.approx(np.linalg.norm(expected), rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_natural_maps_of_cones_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, mu = np.array([0, 3, 6, 7]), np.array([0.3, 0.0, 0.7])
    impulse, slip = rng.normal(size=7), rng.normal(size=7)
    table, first, second = np.empty((3, 6)), np.empty(3), np.empty(3)
    general_blocks.fill_table(mu, np.zeros(3), np.full(3, np.inf), np.full(3, np.nan), np.full(3, np.nan), table)
    general_blocks.natural_map(start, table, np.ones(7), impulse, slip, first)
    coulomb_cones.natural_map(start, mu, np.ones(3), impulse, slip, np.empty(7), second)
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-14)


def test_natural_map_does_not_cancel_tiny_slips() -> None:
    """An impulse of 1e8 that sticks with a slip of 1e-12: the slip is the error, not the round-off of the impulse."""
    start, error = np.array([0, 3]), np.empty(1)
    slip = np.array([1e-12, 0.0, 0.0])
    coulomb_cones.natural_map(start, np.array([0.5]), np.ones(1), np.array([1e8, 0.0, 0.0]), slip, np.empty(3), error)
    assert error[0] == pytest.approx(1e-12, rel=1e-6)


def test_de_saxce_term_lifts_the_normal_only() -> None:
    slip = np.array([0.1, 3.0, 4.0])
    out = np.empty(3)
    coulomb_cones.add_de_saxce(np.array([0, 3]), np.array([0.2]), slip, out)
    np.testing.assert_allclose(out, [0.1 + 0.2 * 5.0, 3.0, 4.0])
