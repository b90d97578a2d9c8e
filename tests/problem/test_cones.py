"""Products of cones: the projection by its defining properties, on all dimensions and friction coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from signorini.problem.cones import Cones
from signorini.problem.errors import ProblemError

NUMBERS = st.floats(-1e3, 1e3, allow_subnormal=False)


@st.composite
def cones_and_points(draw: st.DrawFn, points: int = 1) -> tuple:
    """Blocks of dimension 1 to 4 with any friction coefficient, mu = 0 among them, and points in their space."""
    count = draw(st.integers(1, 5))
    dims = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    mu = draw(st.lists(st.sampled_from([0.0, 0.1, 0.4, 1.0, 3.0]), min_size=count, max_size=count))
    cones = Cones(np.array(dims), np.array(mu))
    return cones, *(draw(arrays(np.float64, cones.rows, elements=NUMBERS)) for _ in range(points))


def blocks(cones: Cones, x: np.ndarray) -> list[np.ndarray]:
    return np.split(x, cones.start[1:-1])


def in_cone(cones: Cones, x: np.ndarray, slack: float) -> bool:
    return all(
        b[0] >= -slack and np.linalg.norm(b[1:]) <= mu * b[0] + slack
        for b, mu in zip(blocks(cones, x), cones.friction, strict=True)
    )


def in_dual(cones: Cones, x: np.ndarray, slack: float) -> bool:
    return all(
        b[0] >= mu * np.linalg.norm(b[1:]) - slack for b, mu in zip(blocks(cones, x), cones.friction, strict=True)
    )


@given(cones_and_points())
def test_moreau_decomposition(case: tuple) -> None:
    """x = P_K(x) - P_K*(-x) with perpendicular parts, so x - P_K(x) lies in the polar cone -K*."""
    cones, x = case
    p = cones.project(x)
    slack = 1e-12 * (1.0 + np.linalg.norm(x)) * 4.0
    assert in_cone(cones, p, slack)
    assert in_dual(cones, p - x, slack)
    for part, rest in zip(blocks(cones, p), blocks(cones, x - p), strict=True):
        assert abs(part @ rest) <= 1e-12 * (1.0 + np.linalg.norm(x) ** 2)


@given(cones_and_points(points=2))
def test_projection_is_non_expansive(case: tuple) -> None:
    cones, x, y = case
    distance = np.linalg.norm(cones.project(x) - cones.project(y))
    assert distance <= np.linalg.norm(x - y) * (1.0 + 1e-12) + 1e-9


@given(cones_and_points())
def test_projection_keeps_what_is_inside(case: tuple) -> None:
    cones, x = case
    once = cones.project(x)
    np.testing.assert_allclose(cones.project(once), once, rtol=1e-13, atol=1e-12)
    assert cones.violation(once).max() <= 1e-10


@given(cones_and_points(points=2))
def test_dual_cone_has_no_negative_product(case: tuple) -> None:
    """Projections give all of K, and x - P_K(x) all of -K*: their products are never negative."""
    cones, x, y = case
    inside, dual = cones.project(x), cones.project(y) - y
    assert cones.dual_violation(dual).max() <= 1e-9
    for a, b in zip(blocks(cones, inside), blocks(cones, dual), strict=True):
        assert a @ b >= -1e-9 * (1.0 + np.linalg.norm(a) * np.linalg.norm(b))


@given(cones_and_points())
@settings(max_examples=50)
def test_violations_agree_with_membership(case: tuple) -> None:
    cones, x = case
    for k, (b, mu) in enumerate(zip(blocks(cones, x), cones.friction, strict=True)):
        tangent = np.linalg.norm(b[1:])
        assert (cones.violation(x)[k] == 0.0) == (b[0] >= 0.0 and tangent <= mu * b[0])
        assert (cones.dual_violation(x)[k] == 0.0) == (b[0] >= mu * tangent)


def test_projection_by_hand() -> None:
    cones = Cones.coulomb([0.5, 0.5, 0.5])
    x = np.array([1.0, 0.3, 0.0, -1.0, 1.0, 0.0, 1.0, 0.0, 2.0])
    # Inside; in the polar cone (-1 + 0.5 <= 0); on the side: (1 + 0.5 * 2)/1.25 = 1.6, tangent 0.8.
    np.testing.assert_allclose(cones.project(x), [1.0, 0.3, 0.0, 0.0, 0.0, 0.0, 1.6, 0.0, 0.8])


def test_friction_of_zero_is_a_half_line() -> None:
    cones = Cones.coulomb([0.0, 0.0])
    np.testing.assert_array_equal(cones.project(np.array([2.0, 5.0, -1.0, -3.0, 1.0, 1.0])), [2, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(cones.dual_violation(np.array([0.0, 9.0, 9.0, -2.0, 0.0, 0.0])), [0.0, 2.0])


def test_half_lines_have_no_friction() -> None:
    assert Cones(np.array([1, 3]), np.array([0.7, 0.7])).friction.tolist() == [0.0, 0.7]


def test_join_and_starts() -> None:
    cones = Cones.join(Cones.half_lines(2), Cones.coulomb(0.3), Cones.coulomb([0.1], dimension=2))
    assert cones.dims.tolist() == [1, 1, 3, 2]
    assert cones.start.tolist() == [0, 1, 2, 5, 7]
    assert cones.block_of_row.tolist() == [0, 1, 2, 2, 2, 3, 3]
    assert cones.rows == 7
    assert Cones.half_lines(0).rows == 0


@pytest.mark.parametrize(
    ("dims", "mu", "message"),
    [
        ([3, 3], [0.1], "2 dimensions but 1 friction"),
        ([3, 0], [0.1, 0.1], "cone 1 has dimension 0"),
        ([3], [-0.1], "contact 0 has friction coefficient -0.1"),
        ([3, 3], [0.1, np.nan], "contact 1 has friction coefficient nan"),
        ([3], [np.inf], "friction coefficient inf"),
    ],
)
def test_bad_cones_are_refused(dims: list[int], mu: list[float], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Cones(np.array(dims), np.array(mu))


@pytest.mark.parametrize("method", ["project", "violation", "dual_violation"])
def test_vectors_of_wrong_length_are_refused(method: str) -> None:
    with pytest.raises(ProblemError, match="4 entries, expected 3"):
        getattr(Cones.coulomb(0.5), method)(np.zeros(4))


def test_cones_cannot_be_changed() -> None:
    cones = Cones.coulomb([0.5])
    with pytest.raises(ValueError, match="read-only"):
        cones.friction[0] = 1.0


def test_unchecked_cones_are_plain_coulomb_cones() -> None:
    friction = np.array([0.0, 0.3, 1.5])
    fast, slow = Cones.unchecked(friction), Cones.coulomb(friction)
    for name in ("dims", "friction", "low", "high", "rolling", "spinning", "start", "is_interval", "is_rolling"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
        assert not fast.friction.flags.writeable
    assert (fast.rows, fast.count, fast.is_plain) == (slow.rows, slow.count, slow.is_plain)
    friction[0] = 7.0
    assert fast.friction[0] == 0.0
