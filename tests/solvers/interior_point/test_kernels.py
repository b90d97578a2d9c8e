"""The kernels of the interior point against plain matrices in the standard basis."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from signorini.kernels.interior import scaling as kernels
from signorini.kernels.interior import starts as interior_starts
from signorini.kernels.interior import steps as interior_steps
from signorini.math.sparse import Array
from signorini.solvers.cone_newton.rules import WARM_RULES
from signorini.solvers.cone_newton.scaling import ConePoint, Scaling

from ..interior_point.problems import inside

START = np.array([0, 1, 4, 5, 9, 12])
"""Half-lines and Lorentz cones of dimension 3 and 4, mixed."""
BLOCKS = [slice(a, b) for a, b in itertools.pairwise(START)]
SEEDS = range(6)


def jordan(a: Array, b: Array) -> Array:
    """a o b block by block."""
    out = np.empty_like(a)
    for k in BLOCKS:
        out[k] = a[k][0] * b[k] + b[k][0] * a[k]
        out[k.start] = a[k] @ b[k]
    return out


def identity_element() -> Array:
    e = np.zeros(START[-1])
    e[START[:-1]] = 1.0
    return e


def determinants(x: Array) -> Array:
    return np.array([x[k][0] if k.stop - k.start == 1 else x[k][0] ** 2 - x[k][1:] @ x[k][1:] for k in BLOCKS])


def spectral_values(x: Array) -> Array:
    """Both of each block; for half-lines the same twice."""
    return np.array([(x[k][0] - np.linalg.norm(x[k][1:]), x[k][0] + np.linalg.norm(x[k][1:])) for k in BLOCKS])


def scaling_matrix(x: Array, y: Array) -> Array:
    """W in the standard basis [Mangoni2018, section 4.14.2]."""
    W = np.zeros((START[-1], START[-1]))
    for k in BLOCKS:
        if k.stop - k.start == 1:
            W[k, k] = np.sqrt(y[k] / x[k])
            continue
        J = np.diag([1.0, *[-1.0] * (k.stop - k.start - 1)])
        root_x, root_y = np.sqrt(x[k] @ J @ x[k]), np.sqrt(y[k] @ J @ y[k])
        w = y[k] / root_y + J @ x[k] / root_x
        w /= np.sqrt(w @ J @ w)
        block = np.eye(len(w)) + np.outer(w, w) / (1.0 + w[0])
        block[0], block[:, 0] = w, w
        W[k, k] = np.sqrt(root_y / root_x) * block
    return W


def columns(function: object, size: int) -> Array:
    """The matrix of a linear function of vectors."""
    return np.column_stack([function(e) for e in np.eye(size)])  # type: ignore[operator]


def rescaled(seed: int) -> tuple[ConePoint, Array]:
    rng = np.random.default_rng(seed)
    point = ConePoint.at(START, inside(rng, START), inside(rng, START))
    point.rescale()
    return point, scaling_matrix(point.x, point.y)


def scaled_basis(scaling: Scaling) -> Array:
    """From the standard basis to that of z: the eigenbasis with its turn by 45 degrees undone."""
    R = columns(scaling.turn, START[-1])
    for k in BLOCKS:
        if k.stop - k.start > 1:
            plus, minus = R[k.start].copy(), R[k.start + 1].copy()
            R[k.start], R[k.start + 1] = (plus + minus) * np.sqrt(0.5), (plus - minus) * np.sqrt(0.5)
    return R


@pytest.mark.parametrize("seed", SEEDS)
def test_scaled_point_is_the_image_of_both(seed: int) -> None:
    point, W = rescaled(seed)
    R = scaled_basis(point.scaling)
    np.testing.assert_allclose(R.T @ point.z, W @ point.x, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(R.T @ point.z, np.linalg.solve(W, point.y), rtol=1e-12, atol=1e-13)
    assert point.barrier == pytest.approx(point.x @ point.y / len(BLOCKS), rel=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_turning_is_orthogonal_and_makes_the_scaling_diagonal(seed: int) -> None:
    point, W = rescaled(seed)
    Q = columns(point.scaling.turn, START[-1])
    np.testing.assert_allclose(Q @ Q.T, np.eye(START[-1]), atol=1e-14)
    np.testing.assert_allclose(columns(point.scaling.turn_back, START[-1]), Q.T, atol=1e-15)
    np.testing.assert_allclose(Q @ W @ W @ Q.T, np.diag(point.scaling.theta), atol=1e-12 * point.scaling.theta.max())
    R = scaled_basis(point.scaling)
    np.testing.assert_allclose(columns(point.scaling.to_scaled, START[-1]) @ Q, R @ W, atol=1e-12)
    np.testing.assert_allclose(columns(point.scaling.from_scaled, START[-1]), Q @ W @ R.T, atol=1e-12)


def test_scaling_keeps_huge_and_tiny_eigenvalues_apart() -> None:
    """Near the boundary of both cones the tiny eigenvalue keeps its digits, which no sum in the standard basis has."""
    start = np.array([0, 3])
    angle, gap_x, gap_y = 0.3, 1e-11, 1e-13
    t = np.array([np.cos(angle), np.sin(angle)])
    x, y = np.array([1.0, *(t * (1.0 - gap_x))]), np.array([1.0, *(-t * (1.0 - gap_y))])
    point = ConePoint.at(start, x, y)
    # det = 2 gap to first order, x'y = gap_x + gap_y
    point.trace[0] = 2.0 * gap_x, 2.0 * gap_y, gap_x + gap_y
    point.rescale()
    large, small, across = point.scaling.theta
    assert large * small == pytest.approx(across**2, rel=1e-10)
    assert across == pytest.approx(np.sqrt(gap_y / gap_x), rel=1e-10)
    assert small < 1e-12
    assert large > 1e9
    np.testing.assert_allclose(point.z[0] ** 2 + point.z[1] ** 2 + point.z[2] ** 2, point.trace[0, 2], rtol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_longest_step_ends_on_the_boundary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, d, e = inside(rng, START), 3.0 * rng.normal(size=START[-1]), 3.0 * rng.normal(size=START[-1])
    for longest, direction in zip(interior_steps.longest_steps(START, z, d, e), (d, e), strict=True):
        assert 0.0 < longest < np.inf
        assert spectral_values(z + 0.999999 * longest * direction).min() > 0.0
        assert spectral_values(z + 1.000001 * longest * direction).min() < 0.0
    assert interior_steps.longest_steps(START, z, z, identity_element()) == (np.inf, np.inf)


@pytest.mark.parametrize("seed", SEEDS)
def test_corrector_divides_by_the_scaled_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, dx, dy, target = inside(rng, START), rng.normal(size=START[-1]), rng.normal(size=START[-1]), 0.37
    s = np.empty_like(z)
    interior_steps.corrected(START, z, dx, dy, target, s)
    np.testing.assert_allclose(jordan(z, s), jordan(z, z) + jordan(dx, dy) - target * identity_element(), atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_direction_is_completed_by_the_linearised_complementarity(seed: int) -> None:
    """W^-1 dy = -s - W dx, and rows on the right of the linear system are -r2 - W s; a joint row has no s."""
    point, W = rescaled(seed)
    scaling, rng = point.scaling, np.random.default_rng(seed)
    dx, s, r2 = (rng.normal(size=START[-1]) for _ in range(3))
    scaled_x, scaled_y, right = np.empty_like(s), np.empty_like(s), np.empty(START[-1] + 1)
    steps = interior_steps.complete(START, scaling.frames, point.z, s, dx, scaled_x, scaled_y)
    np.testing.assert_allclose(scaled_x, scaling.to_scaled(dx), atol=1e-15)
    np.testing.assert_allclose(scaled_x + scaled_y, -s, atol=1e-14)
    assert steps == interior_steps.longest_steps(START, point.z, scaled_x, scaled_y)
    interior_steps.right_rows(START, scaling.frames, np.append(r2, 7.0), s, right)
    Q, R = columns(scaling.turn, START[-1]), scaled_basis(scaling)
    np.testing.assert_allclose(right, np.append(-r2 - Q @ W @ R.T @ s, -7.0), atol=1e-12)


@pytest.mark.parametrize("barrier", [1e-2, 1e-12])
@pytest.mark.parametrize("seed", SEEDS)
def test_central_pair_keeps_the_difference(seed: int, barrier: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=START[-1]), rng.normal(size=START[-1])
    difference, trace = x - y, np.empty((len(BLOCKS), 3))
    interior_starts.make_central(START, x, y, barrier, trace)
    np.testing.assert_allclose(x - y, difference, atol=1e-14)
    np.testing.assert_allclose(jordan(x, y), barrier * identity_element(), atol=1e-14)
    np.testing.assert_allclose(trace[:, 2], barrier)
    np.testing.assert_allclose(trace[:, :2].min(axis=1) > 0.0, True)
    np.testing.assert_allclose(trace[:, 0], determinants(x), atol=1e-14, rtol=1e-10)
    np.testing.assert_allclose(trace[:, 1], determinants(y), atol=1e-14, rtol=1e-10)
    size = np.diff(START) > 1
    np.testing.assert_allclose(trace[size, 0] * trace[size, 1], barrier**2, rtol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_centrality_corrector_moves_outliers_of_the_product(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, dx, dy = inside(rng, START), rng.normal(size=START[-1]), rng.normal(size=START[-1])
    low, high, step_x, step_y = 0.4, 1.5, 0.6, 0.5
    s = np.zeros_like(z)
    interior_steps.centre(START, z, dx, dy, step_x, step_y, low, high, s)
    product = jordan(z + step_x * dx, z + step_y * dy)
    aim = product - jordan(z, s)
    expected = np.clip(spectral_values(product), low, high)
    expected = np.maximum(expected, spectral_values(product) - high)
    np.testing.assert_allclose(np.sort(spectral_values(aim), axis=1), np.sort(expected, axis=1), atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_tracked_determinants_equal_recomputed_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    point, W = rescaled(seed)
    R = scaled_basis(point.scaling)
    for _ in range(5):
        point.rescale()
        W, R = scaling_matrix(point.x, point.y), scaled_basis(point.scaling)
        dx, dy = rng.normal(size=START[-1]), rng.normal(size=START[-1])
        scaled_x, scaled_y = R @ W @ dx, R @ np.linalg.solve(W, dy)
        longest = interior_steps.longest_steps(START, point.z, scaled_x, scaled_y)
        step_x, step_y = (min(1.0, 0.5 * length) for length in longest)
        x, y = point.x + step_x * dx, point.y + step_y * dy
        assert interior_steps.advance(
            START, point.scaling.frames, point.z, scaled_x, scaled_y, dx, dy, step_x, step_y, point.x, point.y,
            point.trace,
        )  # fmt: skip
        np.testing.assert_allclose(point.x, x, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(point.y, y, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(point.trace[:, 0], determinants(x), rtol=1e-9)
        np.testing.assert_allclose(point.trace[:, 1], determinants(y), rtol=1e-9)
        np.testing.assert_allclose(point.trace[:, 2], [x[k] @ y[k] for k in BLOCKS], rtol=1e-9)


def test_leaving_the_cone_is_noticed() -> None:
    point, _ = rescaled(0)
    out = -3.0 * point.z
    zero = np.zeros(START[-1])
    assert not interior_steps.advance(
        START, point.scaling.frames, point.z, out, zero.copy(), zero, zero, 1.0, 1.0, point.x, point.y, point.trace
    )


def project(x: Array) -> Array:
    """On the self-dual cones."""
    out = np.empty_like(x)
    for k, (small, large) in zip(BLOCKS, spectral_values(x), strict=True):
        if k.stop - k.start == 1:
            out[k] = max(float(x[k][0]), 0.0)
            continue
        length = np.linalg.norm(x[k][1:])
        up, low = max(large, 0.0), max(small, 0.0)
        out[k] = 0.5 * (up - low) / length * x[k]
        out[k.start] = 0.5 * (up + low)
    return out


@pytest.mark.parametrize("seed", range(12))
def test_projection_is_linearised_in_its_eigenbasis(seed: int) -> None:
    """`theta = (1 - tau)/tau` with the slopes tau of the projection, by central differences."""
    rng = np.random.default_rng(seed)
    x, slip = rng.normal(size=START[-1]), rng.normal(size=START[-1])
    scaling, right = Scaling.identity(START, START[-1]), np.empty(START[-1])
    interior_steps.linearise_projection(START, x, slip, scaling.frames, scaling.reflector, scaling.theta, right)
    Q = columns(scaling.turn, START[-1])
    h = 1e-6
    slopes = columns(lambda e: (project(x - slip + h * e) - project(x - slip - h * e)) / (2 * h), START[-1])
    tau = 1.0 / (1.0 + scaling.theta)
    np.testing.assert_allclose(Q @ slopes @ Q.T, np.diag(tau), atol=1e-8)
    np.testing.assert_allclose(tau * right, -Q @ (x - project(x - slip)), atol=1e-12)
    expected = max(np.linalg.norm((x - project(x - slip))[k]) for k in BLOCKS)
    assert interior_starts.natural_error(START, x, slip) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_points_are_brought_inside(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=START[-1])
    outside = interior_starts.distance_outside(START, x)
    assert outside == pytest.approx(-spectral_values(x)[:, 0].min())
    shifted, pushed, folded = x.copy(), x.copy(), x.copy()
    interior_starts.shift(START, shifted, outside + 0.1)
    assert spectral_values(shifted).min() == pytest.approx(0.1)
    interior_starts.push_into_cone(START, pushed, 0.2)
    np.testing.assert_allclose(pushed, project(x) + 0.2 * identity_element(), atol=1e-14)
    interior_starts.fold_into_cone(START, folded, 1.0)
    assert spectral_values(folded).min() >= 1.0 - 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_warm_start_keeps_its_distance_by_what_changed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    both = rng.normal(size=START[-1])
    x, y = project(both), project(both) - both
    assert interior_starts.natural_error(START, x, y) < 1e-14
    changed = y + 1e-3 * rng.normal(size=START[-1])
    error = interior_starts.natural_error(START, x, changed)
    near_x, near_y, trace = x.copy(), changed.copy(), np.empty((len(BLOCKS), 3))
    assert interior_starts.enter(START, near_x, near_y, True, WARM_RULES, trace)
    np.testing.assert_allclose(jordan(near_x, near_y), (0.5 * error) ** 2 * identity_element(), atol=1e-15)
    np.testing.assert_allclose(near_x - near_y, x - changed, atol=1e-15)
    np.testing.assert_allclose(trace[:, 2], (0.5 * error) ** 2)
    assert not interior_starts.enter(START, 0.0 * x, -np.abs(y) - 1.0, True, WARM_RULES, trace), "too far to be of use"
    full = x.copy(), -np.abs(y) - 1.0
    assert interior_starts.enter(START, *full, False, WARM_RULES, trace)
    assert min(spectral_values(part).min() for part in full) > 0.0
    np.testing.assert_allclose(trace[:, 0], determinants(full[0]), rtol=1e-9, atol=1e-15)


def test_trace_of_a_point() -> None:
    rng = np.random.default_rng(0)
    x, y, trace = inside(rng, START), inside(rng, START), np.empty((len(BLOCKS), 3))
    kernels.initial_trace(START, x, y, trace)
    np.testing.assert_allclose(trace[:, 0], determinants(x), rtol=1e-12)
    np.testing.assert_allclose(trace[:, 1], determinants(y), rtol=1e-12)
