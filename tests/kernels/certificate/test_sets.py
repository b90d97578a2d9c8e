"""The sets K of the certificate against those of the solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.kernels.certificate import sets
from signorini.kernels.certificate.cones import cones_error
from signorini.math.sparse import Array
from signorini.problem import certificate_terms as terms
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem

SETS = (
    Cones.half_lines(2),
    Cones.coulomb([0.0, 0.3, 1.7]),
    Cones.coulomb([0.4, 0.0], dimension=2),
    Cones.coulomb([0.4], dimension=5),
    Cones.intervals([-1.0, -np.inf, 0.0, -np.inf, 0.0], [2.0, 0.5, 0.3, np.inf, 0.0]),
    Cones.rolling_contacts([0.5, 0.0, 0.3, 1.0], [0.1, 0.2, 0.0, 2.0], [0.05, 0.3, 0.4, 0.0]),
)
ALL = Cones.join(*SETS)
ALONE = np.empty(0, dtype=np.int64)
"""No team of threads."""


def blocks(cones: Cones) -> terms.Blocks:
    return cones.start, cones.friction, cones.low, cones.high, cones.spinning, cones.rolling


def point(cones: Cones, seed: int, size: float) -> Array:
    """Random rows, some of them zero."""
    rng = np.random.default_rng(seed)
    return size * rng.normal(size=cones.rows) * (rng.random(cones.rows) < 0.8)


def natural_map(cones: Cones, root: Array, impulse: Array, slip: Array) -> tuple[float, Array]:
    error, size = np.empty(cones.count), np.empty(cones.count)
    return float(sets.natural_map(blocks(cones), root, impulse, slip, error, size)), error


@given(st.integers(0, 10**6), st.floats(-2, 2), st.floats(-2, 2))
@settings(max_examples=200)
def test_natural_map_is_the_impulse_less_its_projection(seed: int, a: float, b: float) -> None:
    x, g = point(ALL, seed, 10.0**a), point(ALL, seed + 1, 10.0**b)
    expected = x - ALL.project(x - g)
    total, error = natural_map(ALL, np.ones(ALL.rows), x, g)
    size = np.linalg.norm(x) + np.linalg.norm(g)
    each = np.sqrt(np.add.reduceat(expected**2, ALL.start[:-1]))
    np.testing.assert_allclose(error, each, atol=1e-13 * size)
    assert total == pytest.approx(float(np.linalg.norm(expected)), abs=1e-13 * size)


@given(st.integers(0, 10**6))
@settings(max_examples=100)
def test_projection_of_rolling_blocks_is_the_nearest_point(seed: int) -> None:
    """No point of K is nearer: with p = x - g and g = 0 the natural map is the distance of x from K."""
    cones = SETS[-1]
    x, other = point(cones, seed, 1.0), cones.project(point(cones, seed + 1, 3.0))
    _, distance = natural_map(cones, np.ones(cones.rows), x, np.zeros(cones.rows))
    away = np.sqrt(np.add.reduceat((x - other) ** 2, cones.start[:-1]))
    assert np.all(distance <= away * (1 + 1e-12) + 1e-14)


@given(st.integers(0, 10**6))
@settings(max_examples=100)
def test_violations_support_and_exact_slip_agree_with_those_of_the_solvers(seed: int) -> None:
    x = point(ALL, seed, 1.0)
    assert sets.violation(blocks(ALL), x) == pytest.approx(ALL.violation(x).max(), abs=1e-14)
    assert sets.dual_violation(blocks(ALL), x) == pytest.approx(ALL.dual_violation(x).max(), abs=1e-14)
    assert sets.support(blocks(ALL), x) == pytest.approx(ALL.support(x), abs=1e-13)
    problem = ContactProblem.from_delassus(np.eye(ALL.rows), np.zeros(ALL.rows), ALL)
    np.testing.assert_allclose(terms.exact_slip(problem, x, x), problem.exact_slip(x, x), atol=1e-14)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=60)
def test_fast_way_of_cones_is_the_general_one(seed: int, exact: bool) -> None:
    cones = Cones.join(*SETS[:4])
    x, u = point(cones, seed, 1.0), point(cones, seed + 1, 1.0)
    shifted = u.copy()
    if exact:
        sets.exact_slip(blocks(cones), u, shifted)
    rho = 0.7
    fast = cones_error(ALONE, cones.start, cones.friction, rho, exact, x, u)
    assert fast == pytest.approx(natural_map(cones, np.ones(cones.rows), x, rho * shifted)[0], rel=1e-12)


@pytest.mark.parametrize("row", range(ALL.rows))
@pytest.mark.parametrize("which", ["impulse", "slip"])
def test_not_a_number_is_found_in_every_row_of_every_kind(row: int, which: str) -> None:
    vectors = {"impulse": point(ALL, 5, 1.0), "slip": point(ALL, 6, 1.0)}
    vectors[which][row] = np.nan
    total, error = natural_map(ALL, np.ones(ALL.rows), **vectors)
    assert np.isnan(total)
    assert np.isnan(error[ALL.block_of_row[row]])
    assert np.isnan(sets.violation(blocks(ALL), np.where(np.arange(ALL.rows) == row, np.nan, 0.0)))
