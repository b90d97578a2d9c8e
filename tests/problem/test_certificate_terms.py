"""The sets K of the certificate against those of the solvers, and its linear algebra against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.kernels.judge import sets
from signorini.kernels.judge.cones import cones_error
from signorini.math.sparse import Array
from signorini.problem import certificate_terms as terms
from signorini.problem.certificate import measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library import KnownProblem, library

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


@pytest.mark.parametrize("case", [k for k in library() if k.feasible and k.problem.contacts], ids=lambda k: k.name)
def test_scaled_error_by_dense_algebra(case: KnownProblem) -> None:
    """The number that decides, from H, c, D, E, b_lambda and K alone, for blocks of all kinds and by both laws."""
    p, cones = case.problem, case.problem.cones
    rng = np.random.default_rng(7)
    lam, gamma = rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    H, C, D, E = (m.toarray() for m in (p.H, p.C, p.D, p.E))
    inverse = np.linalg.inv(H)
    diagonal = np.diag(D @ inverse @ D.T + E)
    weight, contact = np.zeros(p.contact_rows), np.zeros(p.contact_rows, dtype=bool)
    for i, (first, last) in enumerate(zip(cones.start[:-1], cones.start[1:], strict=True)):
        cut = first + 3 if cones.is_rolling[i] else last
        contact[first:cut] = not cones.is_interval[i]
        for part in (slice(first, cut), slice(first + 3, first + 4), slice(first + 4, last)):
            if part.start < last and (part.start == first or cones.is_rolling[i]):
                weight[part] = diagonal[part].mean() or 1.0
    if contact.any():
        weight[contact] = diagonal[contact].mean() or 1.0
    root, free = np.sqrt(weight), -inverse @ p.c
    size = max(
        float(np.linalg.norm((D @ free - p.b_lambda) / root)),
        1e-7 * float(np.linalg.norm((abs(D) @ abs(free) + abs(p.b_lambda)) / root)),
    )
    slip = D @ inverse @ (D.T @ lam + C.T @ gamma - p.c) - p.b_lambda + E @ lam
    scaled = cones_in_units(cones, root)
    for law in ("convex", "coulomb"):
        u = slip if law == "convex" else p.exact_slip(slip, lam)
        error = np.linalg.norm(root * lam - scaled.project(root * lam - u / root))
        assert measure(p, None, lam, gamma, law).scaled == pytest.approx(float(error) / (size or 1.0), rel=1e-9)


def cones_in_units(cones: Cones, root: Array) -> Cones:
    """The set of `root * impulse`."""
    first = cones.start[:-1]
    unit = root[first]
    spin, roll = (root[np.minimum(first + k, cones.rows - 1)] / unit for k in (3, 4))
    low, high = cones.low * unit, cones.high * unit
    return Cones(cones.dims, cones.friction, low, high, cones.rolling * roll, cones.spinning * spin)


@pytest.mark.parametrize(("mass", "length", "step"), [(1.0, 1.0, 0.01), (1e-6, 1e-3, 0.01), (1e6, 30.0, 1e-4)])
def test_a_brake_is_measured_against_what_its_hinge_passes_on(mass: float, length: float, step: float) -> None:
    """Gravity does not turn a bar, but one on a hinge: 1.5 g h / L in a step. What the brake leaves is its error."""
    inertia, weight = mass * length**2 / 12.0, mass * 9.81 * step
    up, turn = np.eye(2)  # velocity of the centre; turning, which lifts the centre
    hinge = up - 0.5 * length * turn
    p = ContactProblem(
        H=np.diag([mass, inertia]), c=weight * up, C=[hinge], b_gamma=[0.0], D=[turn], cones=Cones.intervals(-1e9, 1e9)
    )
    speed = -1.5 * 9.81 * step / length
    np.testing.assert_allclose(p.joined_slip, [speed], rtol=1e-3)
    for left in (1e-3, 1e-6):
        v = left * speed * np.array([0.5 * length, 1.0])
        joint = mass * v[0] + weight
        brake = inertia * v[1] + 0.5 * length * joint
        found = measure(p, v, np.array([brake]), np.array([joint]))
        assert found.stationarity_relative < 1e-12
        assert found.joint_error_relative < 1e-12
        assert found.error == pytest.approx(left, rel=1e-3)


@pytest.mark.parametrize("case", [k for k in library() if k.problem.contacts], ids=lambda k: k.name)
def test_slips_that_joints_pass_on_by_dense_algebra(case: KnownProblem) -> None:
    p = case.problem
    if not p.joint_rows:
        assert p.joined_slip is p.r
        return
    H, C, D = (m.toarray() for m in (p.H, p.C, p.D))
    free, half = -np.linalg.solve(H, p.c), np.linalg.solve(np.linalg.cholesky(H), C.T)
    impulse = np.linalg.lstsq(half.T @ half, p.b_gamma - C @ free, rcond=1e-12)[0]
    expected = D @ (free + np.linalg.solve(H, C.T @ impulse)) - p.b_lambda
    size = float(np.linalg.norm(expected)) + float(np.linalg.norm(D @ free - p.b_lambda))
    np.testing.assert_allclose(p.joined_slip, expected, atol=1e-3 * size)
