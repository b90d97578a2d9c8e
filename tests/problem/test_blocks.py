"""Intervals and rolling blocks: projections by their properties, the certificate by its definition, lifting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from signorini.problem.certificate import Certificate, measure
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.problem.library import KnownProblem, library
from signorini.problem.library.brakes import braked_slider, flywheel, suction_cup
from signorini.problem.library.rolling import INERTIA, MASS, RADIUS, pushed_ball, spinning_ball, turning_block
from signorini.problem.lifting import Lifting

NUMBERS = st.floats(-1e3, 1e3, allow_subnormal=False)
ENDS = st.sampled_from([0.0, 1e-3, 0.5, 2.0, 1e3, np.inf])
COEFFICIENTS = st.sampled_from([0.0, 1e-3, 0.1, 0.4, 1.0, 3.0])
SPECIAL = [k for k in library() if not k.problem.cones.is_plain]


@st.composite
def products(draw: st.DrawFn, points: int = 1) -> tuple:
    """Blocks of every kind in any order, and points in their space."""
    kinds = draw(st.lists(st.sampled_from(["half-line", "coulomb", "interval", "rolling"]), min_size=1, max_size=5))
    parts = []
    for kind in kinds:
        if kind == "half-line":
            parts.append(Cones.half_lines(1))
        elif kind == "coulomb":
            parts.append(Cones.coulomb(draw(COEFFICIENTS), draw(st.integers(2, 4))))
        elif kind == "interval":
            parts.append(Cones.intervals(-draw(ENDS), draw(ENDS)))
        else:
            parts.append(Cones.rolling_contacts(draw(COEFFICIENTS), draw(COEFFICIENTS), draw(COEFFICIENTS)))
    cones = Cones.join(*parts)
    return cones, *(draw(arrays(np.float64, cones.rows, elements=NUMBERS)) for _ in range(points))


def lies_inside(cones: Cones, x: np.ndarray, slack: float) -> bool:
    """Membership in K, written out once more."""
    for k in range(cones.count):
        b = x[cones.start[k] : cones.start[k + 1]]
        parts = [(cones.friction[k], b[1:])]
        if cones.is_rolling[k]:
            parts = [(cones.friction[k], b[1:3]), (cones.spinning[k], b[3:4]), (cones.rolling[k], b[4:6])]
        if len(b) > 1 and any(np.linalg.norm(t) > c * b[0] + slack for c, t in parts):
            return False
        if b[0] < cones.low[k] - slack or b[0] > cones.high[k] + slack:
            return False
    return True


@pytest.mark.slow
@given(products(points=2))
@settings(max_examples=300)
def test_projection_is_the_nearest_point(case: tuple) -> None:
    """p = P(x) if and only if p is in K and (x - p)'(q - p) <= 0 for every q in K."""
    cones, x, y = case
    p, q = cones.project(x), cones.project(y)
    scale = 1.0 + np.linalg.norm(x) + np.linalg.norm(y)
    assert lies_inside(cones, p, 1e-12 * scale)
    assert cones.violation(p).max() <= 1e-11 * scale
    assert (x - p) @ (q - p) <= 1e-11 * scale**2
    np.testing.assert_allclose(cones.project(p), p, rtol=1e-12, atol=1e-11 * scale)


@given(products(points=2))
def test_moreau_decomposition(case: tuple) -> None:
    """Of the cones among the blocks: p - x lies in K*, perpendicular to p; products of K and K* are not negative."""
    cones, x, y = case
    p = cones.project(x)
    slip = p - x
    scale = 1.0 + np.linalg.norm(x) + np.linalg.norm(y)
    violation, inside = cones.dual_violation(slip), cones.project(y)
    for k in np.flatnonzero(~cones.is_interval):
        rows = slice(cones.start[k], cones.start[k + 1])
        assert violation[k] <= 1e-11 * scale
        assert abs(p[rows] @ slip[rows]) <= 1e-11 * scale**2
        assert inside[rows] @ slip[rows] >= -1e-11 * scale**2


@given(products(points=2))
def test_support_function_bounds_all_work(case: tuple) -> None:
    """sigma(-u) >= -u'q for every q in K, with equality at the projection whose residual u is."""
    cones, x, y = case
    p, q = cones.project(x), cones.project(y)
    u = p - x
    scale = 1.0 + np.linalg.norm(x) ** 2 + np.linalg.norm(y) ** 2
    assert cones.support(u) + u @ q >= -1e-11 * scale
    assert cones.support(u) + u @ p == pytest.approx(0.0, abs=1e-11 * scale)
    assert cones.dual_violation(u).max() <= 1e-11 * scale


@given(products(), st.integers(0, 100))
def test_recession_leads_nowhere_out(case: tuple, seed: int) -> None:
    cones, x = case
    d, inside = cones.recession.project(x), cones.project(np.random.default_rng(seed).normal(size=cones.rows))
    assert lies_inside(cones, inside + 1e3 * d, 1e-8 * (1.0 + np.linalg.norm(x)))


@given(products(), st.integers(0, 100))
def test_scaled_table_is_the_scaled_set(case: tuple, seed: int) -> None:
    """With one factor for the normal and one for each group of other rows."""
    from signorini.kernels.cones import general_blocks

    cones, x = case
    rng = np.random.default_rng(seed)
    factor = np.empty(cones.rows)
    for k in range(cones.count):
        groups = [1, 2, 1, 2] if cones.is_rolling[k] else [1, cones.dims[k] - 1]
        factor[cones.start[k] : cones.start[k + 1]] = np.repeat(10.0 ** rng.uniform(-2, 2, len(groups)), groups)
    p = np.empty_like(x)
    general_blocks.project(cones.start, cones.scaled_table(factor), x, p)
    assert lies_inside(cones, p / factor, 1e-9 * (1.0 + np.linalg.norm(x)))
    inside = cones.project(x) * factor
    general_blocks.project(cones.start, cones.scaled_table(factor), inside, p)
    np.testing.assert_allclose(p, inside, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(x).max()))


def test_projection_by_hand() -> None:
    interval = Cones.intervals([-1.0, -1.0, 0.0, -np.inf], [2.0, 2.0, np.inf, np.inf])
    np.testing.assert_array_equal(interval.project(np.array([-3.0, 0.5, -1.0, -9.0])), [-1.0, 0.5, 0.0, -9.0])
    # n from -1 + 0.5 * 4 + 1 * 2 = m (1 + 0.25 + 1): m = 4/3; the roll 0.1 < 2 m stays.
    rolling = Cones.rolling_contacts(0.5, 2.0, 1.0)
    p = rolling.project(np.array([-1.0, 0.0, 4.0, -2.0, 0.1, 0.0]))
    np.testing.assert_allclose(p, [4 / 3, 0.0, 2 / 3, -4 / 3, 0.1, 0.0])
    np.testing.assert_array_equal(rolling.project(np.array([-9.0, 0.0, 4.0, -2.0, 0.1, 0.0])), np.zeros(6))


def test_interval_that_is_a_half_line_is_plain() -> None:
    assert Cones.intervals(0.0, np.inf).is_plain
    assert not Cones.intervals(0.0, 1.0).is_plain
    mixed = Cones.join(Cones.coulomb([0.3, 0.1]), Cones.intervals(-1.0, 2.0), Cones.rolling_contacts(0.3, 0.01, 0.02))
    assert mixed.is_interval.tolist() == [False, False, True, False]
    assert mixed.is_rolling.tolist() == [False, False, False, True]
    back = mixed.take([3, 2])
    assert back.dims.tolist() == [6, 1]
    assert back.high.tolist() == [np.inf, 2.0]
    assert mixed.take([0, 1]).is_plain


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cones.intervals(1.0, 2.0), r"block 0 is the interval \[1.0, 2.0\], expected low <= 0 <= high"),
        (lambda: Cones.intervals([-1.0, np.nan], 2.0), "block 1 is the interval"),
        (lambda: Cones.intervals(-1.0, -np.inf), "expected low <= 0 <= high"),
        (lambda: Cones([3], [0.1], low=[-1.0]), "block 0 has 3 rows and the ends"),
        (lambda: Cones([1, 1], [0.0, 0.0], high=[1.0]), "2 dimensions but 1 values of high"),
        (lambda: Cones.rolling_contacts(0.3, -0.1, 0.1), "rolling friction length -0.1"),
        (lambda: Cones.rolling_contacts(0.3, 0.1, np.inf), "spinning friction length inf"),
        (lambda: Cones([6], [0.3], rolling=[0.1]), "spinning friction length nan"),
        (lambda: Cones([3], [0.3], rolling=[0.1], spinning=[0.1]), "rolling friction and 3 rows, expected 6"),
    ],
)
def test_bad_blocks_are_refused(make: object, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        make()  # type: ignore[operator]


# --- the certificate ----------------------------------------------------------------------------------------------


def measured(case: KnownProblem, dv: object = 0.0, dlam: object = 0.0) -> Certificate:
    assert case.velocity is not None
    assert case.example is not None
    return measure(case.problem, case.velocity + dv, case.example[0] + dlam, case.example[1])


@pytest.mark.parametrize("case", [k for k in SPECIAL if k.feasible], ids=lambda k: k.name)
def test_certificate_is_measured_by_its_definition(case: KnownProblem) -> None:
    """Every term once more, by dense algebra, at a point that solves nothing."""
    rng = np.random.default_rng(3)
    p, cones = case.problem, case.problem.cones
    v, lam, gamma = rng.normal(size=p.velocities), rng.normal(size=p.contact_rows), rng.normal(size=p.joint_rows)
    H, C, D, E = (m.toarray() for m in (p.H, p.C, p.D, p.E))
    found = measure(p, v, lam, gamma)
    u, inverse = D @ v - p.b_lambda + E @ lam, np.linalg.inv(H)
    w = inverse @ (D.T @ lam + C.T @ gamma - p.c)
    first = u[cones.start[:-1]]
    sigma = 0.0
    for k in np.flatnonzero(cones.is_interval):
        end = cones.low[k] if first[k] > 0 else cones.high[k]
        sigma += -end * first[k] if np.isfinite(end) else 0.0
    assert found.complementarity == pytest.approx(abs(lam @ u + sigma))
    assert found.objective_primal == pytest.approx(0.5 * v @ H @ v + p.c @ v + 0.5 * lam @ E @ lam + sigma)
    assert found.gap == pytest.approx(found.objective_primal - found.objective_dual)
    # One root per block, and one for all contacts in the measure that decides; turns are speeds by two lengths.
    N, rigid = np.diag(D @ inverse @ D.T + E), np.diag(D @ inverse @ D.T)
    rigid = N if p.is_dual_only else rigid
    block, place = cones.block_of_row, np.arange(cones.rows) - cones.start[cones.block_of_row]
    turning = cones.is_rolling[block] * (1 * (place == 3) + 2 * (place > 3))
    mean = np.array([N[(block == k) & (turning == 0)].mean() for k in block])
    lengths = np.ones(cones.rows)
    for row in np.flatnonzero(turning):
        slide, turn = ((block == block[row]) & (turning == kind) for kind in (0, turning[row]))
        lengths[row] = np.sqrt(rigid[slide].mean() / rigid[turn].mean())
    local = np.sqrt(np.where(mean > 0, mean, 1.0)) / lengths
    assert found.natural_map == pytest.approx(
        np.linalg.norm([np.linalg.norm(e) for e in natural_map_blocks(cones, local, lam, u)])
    )
    contact = ~cones.is_interval[block] & (turning == 0)
    root = local.copy()
    if contact.any():
        root[~cones.is_interval[block]] = np.sqrt(N[contact].mean())
        root /= np.where(cones.is_interval[block], 1.0, lengths)
    own = D @ w - p.b_lambda + E @ lam
    q = -D @ inverse @ p.c - p.b_lambda
    errors = [e * root[cones.start[k]] for k, e in enumerate(natural_map_blocks(cones, root, lam, own))]
    assert found.scaled == pytest.approx(np.linalg.norm(np.concatenate(errors)) / np.linalg.norm(q / root))


def natural_map_blocks(cones: Cones, root: np.ndarray, lam: np.ndarray, u: np.ndarray) -> list[np.ndarray]:
    """Errors block by block in the units of the first row, with the projection found by the scaled set's definition."""
    from signorini.kernels.cones import general_blocks

    x, p = root * lam, np.empty_like(lam)
    general_blocks.project(cones.start, cones.scaled_table(root), x - u / root, p)
    return [(x - p)[a:b] / root[a] for a, b in zip(cones.start[:-1], cones.start[1:], strict=True)]


def test_tampered_brakes_are_caught() -> None:
    slipping, sticking = flywheel(), flywheel(speed=0.2)
    for case in (slipping, sticking, suction_cup(50.0, False, ""), braked_slider(1.0, "")):
        assert measured(case).error < 1e-14
    beyond = measured(slipping, dlam=np.array([-0.1]))
    assert beyond.cone_violation == pytest.approx(0.1)
    assert beyond.natural_map == pytest.approx(0.1)
    assert beyond.scaled > 1e-2
    # Inside of its interval while the wheel turns: no violation, but no solution either.
    lazy = measured(slipping, dlam=np.array([0.1]))
    assert lazy.cone_violation == 0.0
    assert lazy.error > 1e-2
    assert lazy.complementarity > 1e-2
    assert lazy.gap > 1e-2
    creeping = measured(sticking, dv=np.array([1e-3]))
    assert creeping.natural_map > 1e-4
    assert creeping.error > 1e-4
    wrong_way = measure(slipping.problem, slipping.velocity, -slipping.contact_impulse, np.zeros(0))  # type: ignore[operator]
    assert wrong_way.error > 0.1


def test_tampered_rolls_are_caught() -> None:
    sliding = turning_block((0.5, 3.0, 2.0), (0.3, 0.01, 0.02), "")
    held = pushed_ball(2.0, 0.02, 0.0, "")
    assert measured(sliding).error < 1e-14
    assert measured(held).error < 1e-14
    for row, outside in ((1, -0.6), (2, -0.8), (3, -1.0), (4, -0.8), (5, 0.6)):
        # Farther against the slip than its limit allows, by a thousandth of it.
        over = measured(sliding, dlam=1e-3 * outside * np.eye(6)[row])
        assert over.cone_violation > 1e-4
        assert over.error > 1e-6
        # Less than the limit while it slips.
        lazy = measured(sliding, dlam=-1e-3 * outside * np.eye(6)[row])
        assert lazy.cone_violation == pytest.approx(0.0, abs=1e-15)
        assert lazy.error > 1e-6
    for row in range(6):
        assert measured(held, dv=1e-3 * np.eye(6)[row]).error > 1e-6
    sinking = measured(sliding, dv=-0.01 * np.eye(6)[0])
    assert sinking.dual_violation == pytest.approx(0.01)
    assert measured(sliding, dlam=-np.eye(6)[0]).cone_violation >= 0.6


def test_exact_law_of_rolling_has_no_lift() -> None:
    """A ball that rolls on the floor without leaving it: wrong for the relaxation, right for the exact law."""
    d, force, fall, h = 0.02, 5.0, 0.0981, 0.01
    problem = pushed_ball(force, d, 0.0, "").problem
    omega = (h * force * RADIUS - d * MASS * fall) / (INERTIA + MASS * RADIUS**2)
    tangent = MASS * RADIUS * omega - h * force
    lam = np.array([MASS * fall, tangent, 0.0, 0.0, 0.0, -d * MASS * fall])
    found = measure(problem, np.array([RADIUS * omega, 0.0, 0.0, 0.0, omega, 0.0]), lam, np.zeros(0))
    assert found.stationarity_relative < 1e-13
    assert found.coulomb.scaled < 1e-13
    assert found.convex.scaled > 1e-4
    assert found.dual_violation == pytest.approx(d * omega)
    with pytest.raises(ValueError, match="soft"):
        spinning_ball(30.0, 0.01, "", compliance=1.0)


def test_slip_against_an_infinite_end_is_a_dual_violation() -> None:
    case = suction_cup(20.0, False, "")
    assert measured(case, dv=np.array([-0.1])).dual_violation == pytest.approx(0.1)
    assert measured(case, dv=np.array([0.1])).dual_violation == 0.0
    assert measured(case, dv=np.array([0.1])).error > 1e-2


@pytest.mark.parametrize("which", range(2))
def test_not_a_number_is_never_good(which: int) -> None:
    case = braked_slider(1.0, "")
    vectors = [np.array(case.velocity), np.array(case.contact_impulse)]
    vectors[which][-1] = np.nan
    assert np.isnan(measure(case.problem, *vectors, np.zeros(0)).error)


@pytest.mark.parametrize(
    "case", [k for k in SPECIAL if k.feasible and not k.problem.is_dual_only], ids=lambda k: k.name
)
def test_scaled_error_does_not_depend_on_the_units_of_single_rows(case: KnownProblem) -> None:
    """A brake may count in degrees, a roll in minutes of arc: the error stays what it was."""
    p, cones, rng = case.problem, case.problem.cones, np.random.default_rng(5)
    factor = np.ones(cones.rows)
    for k in np.flatnonzero(cones.is_interval | cones.is_rolling):
        first = cones.start[k]
        factor[first if cones.is_interval[k] else slice(first + 3, first + 6)] = 57.3
    other = ContactProblem(
        H=p.H,
        c=p.c,
        C=p.C,
        b_gamma=p.b_gamma,
        D=p.D.multiply(factor[:, None]).tocsr(),
        b_lambda=p.b_lambda * factor,
        cones=Cones(
            cones.dims,
            cones.friction,
            cones.low / factor[cones.start[:-1]],
            cones.high / factor[cones.start[:-1]],
            cones.rolling / 57.3,
            cones.spinning / 57.3,
        ),
        E=p.E.multiply(factor[:, None]).multiply(factor).tocsr(),
    )
    v, lam = rng.normal(size=p.velocities), rng.normal(size=p.contact_rows)
    gamma = rng.normal(size=p.joint_rows)
    one, two = measure(p, v, lam, gamma), measure(other, v, lam / factor, gamma)
    assert two.error == pytest.approx(one.error, rel=1e-9)
    assert two.scaled == pytest.approx(one.scaled, rel=1e-9)
    assert two.objective_primal == pytest.approx(one.objective_primal, rel=1e-9)
    assert two.complementarity == pytest.approx(one.complementarity, rel=1e-9)


# --- lifting ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(products(points=2))
def test_lifting_keeps_the_set(case: tuple) -> None:
    """Impulses in K become impulses in K' and come back; slips come back whatever the velocities without mass."""
    cones, x, slip = case
    lift = Lifting.of(cones)
    assert lift.cones.is_plain
    impulse = cones.project(x)
    lifted = lift.impulses(impulse)
    scale = 1.0 + np.abs(x).max() + np.abs(lift.base).max(initial=0.0)
    assert lift.cones.violation(lifted).max(initial=0.0) <= 1e-11 * scale
    back = lift.base + lift.S.T @ lifted
    back[lift.free] = impulse[lift.free]
    np.testing.assert_allclose(back, impulse, atol=1e-12 * scale)
    np.testing.assert_allclose(lift.Z.T @ lifted, lift.cost, atol=1e-12 * scale)
    rows = lift.S @ slip + lift.Z @ np.arange(1.0, 1.0 + lift.Z.shape[1])
    seen = np.asarray(abs(lift.U).sum(axis=1) > 0).reshape(-1)
    np.testing.assert_allclose((lift.U @ rows)[seen], slip[seen], atol=1e-12 * scale)


@pytest.mark.slow
@given(products())
def test_least_velocities_without_mass(case: tuple) -> None:
    """At u = P(x) - x they bring the lifted slips into K'*, perpendicular to the lifted impulses."""
    cones, x = case
    lift = Lifting.of(cones)
    impulse = cones.project(x)
    u = impulse - x
    lifted, rows = lift.impulses(impulse), lift.S @ u + lift.Z @ lift.velocities(u)
    scale = 1.0 + np.abs(x).max() ** 2
    assert lift.cones.dual_violation(rows).max(initial=0.0) <= 1e-11 * scale
    assert lifted @ rows == pytest.approx(0.0, abs=1e-10 * scale)
