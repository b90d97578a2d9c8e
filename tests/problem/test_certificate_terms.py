"""The linear algebra of the certificate against dense matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.math.sparse import Array
from signorini.problem.certificate import Law, measure
from signorini.problem.certificate_terms import units_of
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.library import KnownProblem, library
from signorini.solvers.coulomb import Coulomb
from signorini.solvers.interior_point import InteriorPoint


@pytest.mark.parametrize("case", [k for k in library() if k.feasible and k.problem.contacts], ids=lambda k: k.name)
def test_scaled_error_by_dense_algebra(case: KnownProblem) -> None:
    """The number that decides, from H, c, D, E, b_lambda and K alone, for blocks of all kinds and by both laws."""
    p, cones = case.problem, case.problem.cones
    rng = np.random.default_rng(7)
    lam, gamma = rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    H, C, D, E = (m.toarray() for m in (p.H, p.C, p.D, p.E))
    inverse = np.linalg.inv(H)
    rigid = np.diag(D @ inverse @ D.T)
    diagonal, turns = rigid + np.diag(E), []
    weight, contact = np.zeros(p.contact_rows), np.zeros(p.contact_rows, dtype=bool)
    for i, (first, last) in enumerate(zip(cones.start[:-1], cones.start[1:], strict=True)):
        cut = first + 3 if cones.is_rolling[i] else last
        contact[first:cut] = not cones.is_interval[i]
        weight[first:cut] = diagonal[first:cut].mean() or 1.0
        if cones.is_rolling[i]:
            turns += [(first, slice(first + 3, first + 4)), (first, slice(first + 4, last))]
    if contact.any():
        weight[contact] = diagonal[contact].mean() or 1.0
    for first, turn in turns:
        known = rigid if rigid[first : first + 3].any() and rigid[turn].any() else diagonal
        square = known[first : first + 3].mean() / known[turn].mean()
        weight[turn] = weight[first] / square
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


def rolling_balls(*radii: float, soft: float = 0.0) -> ContactProblem:
    """Balls of 1000 kg/m3 that slide, roll and spin on the floor, all at the same speeds of their surfaces.

    Lengths of friction are shares of the radius. The first contact has the compliance `soft` times its inverse mass.
    """
    H, momentum, D, mass = [], [], [], [4000.0 / 3.0 * math.pi * r**3 for r in radii]
    for r, m in zip(radii, mass, strict=True):
        inertia = 0.4 * m * r**2
        H.append(np.diag([m, m, m, inertia, inertia, inertia]))
        momentum.append(H[-1] @ np.array([1.0, 0.3, -0.5, -0.2 / r, 0.8 / r, 0.4 / r]))
        D.append(np.zeros((6, 6)))
        D[-1][[0, 1, 2], [2, 0, 1]] = 1.0
        D[-1][[1, 2], [4, 3]] = -r, r
        D[-1][[3, 4, 5], [5, 3, 4]] = 1.0
    lengths = np.array(radii)
    E = np.zeros(6 * len(radii))
    E[0] = soft / mass[0]
    cones = Cones.rolling_contacts(np.full(len(radii), 0.4), 0.02 * lengths, 0.01 * lengths)
    return ContactProblem(
        H=sp.block_diag(H), c=-np.concatenate(momentum), D=sp.block_diag(D), cones=cones, E=sp.diags_array(E)
    )


SIZES = [1e-3, 1e-2, 1.0, 30.0]


@pytest.mark.parametrize("small", SIZES)
@pytest.mark.parametrize("law", ["convex", "coulomb"])
@pytest.mark.parametrize("row", range(6))
def test_no_ball_hides_another_one(small: float, law: Law, row: int) -> None:
    """An impulse that is off by 1 % of the speed of the surface shows as 1e-3 at least, in any direction or turn,
    whatever the size of the ball and that of its neighbour."""
    p = rolling_balls(1.0, small)
    solution = Coulomb(tolerance=1e-6).solve(p) if law == "coulomb" else InteriorPoint(tolerance=1e-6).solve(p)
    assert solution.status.ok
    for ball, radius in ((0, 1.0), (1, small)):
        lam = solution.contact_impulse.copy()
        lam[6 * ball + row] += 0.01 / (radius if row >= 3 else 1.0) / p.N_diagonal[6 * ball + row]
        assert measure(p, None, lam, solution.joint_impulse, law).scaled >= 1e-3


@given(*[st.floats(-3, 3)] * 3, st.floats(-3, 0), st.sampled_from([0.0, 0.5, 1e4]), st.integers(0, 1000))
@settings(max_examples=60)
def test_rolling_is_measured_without_units(
    length: float, mass: float, time: float, ratio: float, soft: float, seed: int
) -> None:
    """Metres, kilograms and seconds are changed, turns stay in radians."""
    p, rng = rolling_balls(1.0, 10.0**ratio, soft=soft), np.random.default_rng(seed)
    metre, kilo, rate = 10.0**length, 10.0**mass, 10.0**-time
    arm = np.tile(np.repeat([metre, 1.0], 3), 2)
    per_length = sp.diags_array(1.0 / arm)
    other = ContactProblem(
        H=kilo * metre**2 * per_length @ p.H @ per_length,
        c=p.c * kilo * metre**2 * rate / arm,
        D=sp.diags_array(arm) @ p.D @ per_length,
        cones=Cones.rolling_contacts(p.cones.friction, p.cones.rolling * metre, p.cones.spinning * metre),
        E=p.E / kilo,
    )
    lam = rng.normal(size=12) * np.tile([4e3, 1e3, 1e3, 40.0, 40.0, 40.0], 2)
    for law in ("convex", "coulomb"):
        one = measure(p, None, lam, np.zeros(0), law)
        two = measure(other, None, lam * kilo * metre**2 * rate / arm, np.zeros(0), law)
        assert two.scaled == pytest.approx(one.scaled, rel=1e-9)
        assert two.worst_contact == one.worst_contact
        assert two.natural_map_relative == pytest.approx(one.natural_map_relative, rel=1e-9)


@given(st.floats(-3, 1), st.sampled_from([0.0, 0.3, 1e5]), st.integers(0, 1000))
@settings(max_examples=60)
def test_solvers_estimate_what_the_certificate_measures(ratio: float, soft: float, seed: int) -> None:
    p, rng = rolling_balls(1.0, 10.0**ratio, soft=soft), np.random.default_rng(seed)
    lam = rng.normal(size=12) * np.tile([4e3, 1e3, 1e3, 40.0, 40.0, 40.0], 2)
    slip = p.slip_of(p.velocity_of(lam), lam)
    assert p.natural_map_scale(lam, slip) == pytest.approx(measure(p, None, lam, np.zeros(0)).scaled, rel=1e-12)


def test_softness_of_a_contact_is_no_length() -> None:
    """Beside a very soft contact, which moves by its compliance, a roll of a hard one weighs as it did."""
    hard, soft = rolling_balls(1.0, 1.0), rolling_balls(1.0, 1.0, soft=1e6)
    one, two = units_of(hard), units_of(soft)
    assert one is not None
    assert two is not None
    np.testing.assert_allclose(two.root / two.root[0], one.root / one.root[0], rtol=1e-9)
