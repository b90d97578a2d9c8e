"""Heavy bodies on light ones, far beyond what N or K hold in doubles: closed forms and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.kernels.interior import steps as interior_steps
from signorini.kernels.linalg import orthogonal_rows as orthogonal
from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status
from signorini.solvers.interior_point import InteriorPoint

from ..interior_point.problems import changed, repeated

FALL = 0.4905
"""g h [m/s]."""


def chain(count: int, ratio: float, gap_rate: Array | float = 0.0, turn: Array | None = None) -> ContactProblem:
    """Masses one on top of the other, each `ratio` times the one below, three velocities each, the first axis up.

    `turn` are the axes of the contacts (normal first) in the axes of the velocities, where they are not the same.
    """
    mass = ratio ** np.arange(count)
    frame = np.eye(3) if turn is None else turn
    D = np.kron(np.eye(count) - np.eye(count, k=-1), frame)
    b = np.zeros((count, 3))
    b[:, 0] = gap_rate
    c = np.kron(mass, FALL * frame[0])
    return ContactProblem(
        H=sp.diags_array(np.repeat(mass, 3)), c=c, D=D, b_lambda=b.reshape(-1), cones=Cones.coulomb(np.full(count, 0.4))
    )


def loads(count: int, ratio: float, lifted: Array | float = 0.0) -> Array:
    """Normal impulses of the chain: what is above has to be stopped, and moved at the speeds that gaps ask for."""
    mass, speed = ratio ** np.arange(count), np.cumsum(np.broadcast_to(lifted, count))
    return np.cumsum((mass * (FALL + speed))[::-1])[::-1]


def solved(solution: Solution) -> Solution:
    assert solution.status is Status.SOLVED, f"{solution!r}: {solution.status.value}"
    return solution


def rotation(seed: int) -> Array:
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0])


@pytest.mark.parametrize(("count", "ratio"), [(15, 10.0), (25, 10.0), (35, 10.0), (4, 1e6), (2, 1e15), (2, 1e24)])
@pytest.mark.parametrize("turned", [False, True])
def test_chain_at_rest(count: int, ratio: float, turned: bool) -> None:
    turn = rotation(1) if turned else None
    if turned and ratio**count > 1e30:
        pytest.skip("normals that differ from those of the load by round-off are pushed sideways by more than the rest")
    solution = solved(InteriorPoint().solve(chain(count, ratio, turn=turn)))
    assert np.abs(solution.velocity).max() < 1e-8 * FALL
    np.testing.assert_allclose(solution.contact_impulse[::3], loads(count, ratio), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_chain_with_gaps_and_overlaps(seed: int) -> None:
    """Velocities follow from the gaps alone, impulses from the velocities."""
    rate = np.random.default_rng(seed).uniform(-1e-2, 1e-2, 20)
    problem = chain(20, 10.0, rate)
    solution = solved(InteriorPoint().solve(problem))
    normal = (problem.D @ solution.velocity)[::3]
    np.testing.assert_allclose(normal, rate, atol=1e-8 * FALL)
    np.testing.assert_allclose(solution.contact_impulse[::3], loads(20, 10.0, rate), rtol=1e-8)


def test_chain_that_is_pulled_apart() -> None:
    """The upper half flies off: the contact opens, the lower half bears itself alone."""
    base = chain(20, 10.0)
    c = base.c.copy()
    c[30:] *= -1.0
    solution = solved(InteriorPoint().solve(changed(base, c=c)))
    up = solution.velocity[::3]
    np.testing.assert_allclose(up[:10], 0.0, atol=1e-8)
    np.testing.assert_allclose(up[10:], FALL, rtol=1e-8)
    assert np.all(np.abs(solution.contact_impulse[30:]) < 1e-8 * loads(20, 10.0)[0])


@pytest.mark.parametrize("ratio", [1e7, 1e9, 1e12, 1e15])
def test_heavy_body_slides_on_a_light_one(ratio: float) -> None:
    """In the limit the light one is ground: the heavy one moves as on a fixed floor.

    From 1e9 on the answer is right, but no impulse in doubles lies on its cone as well as the certificate asks for.
    """
    pair = chain(2, ratio)
    c = pair.c.copy()
    c[3:] -= ratio * np.array([0.0, 0.7, 0.2])
    alone = ContactProblem(H=np.eye(3), c=c[3:] / ratio, D=np.eye(3), cones=Cones.coulomb([0.4]))
    expected = solved(InteriorPoint(tolerance=1e-12).solve(alone))
    found = InteriorPoint().solve(changed(pair, c=c))
    assert found.status is (Status.SOLVED if ratio < 1e8 else Status.STALLED)
    np.testing.assert_allclose(found.velocity[3:], expected.velocity, atol=1e-7)
    np.testing.assert_allclose(found.velocity[:3], 0.0, atol=1e-7)
    np.testing.assert_allclose(found.contact_impulse[3:] / ratio, expected.contact_impulse, atol=1e-7)


def test_redundant_contacts_under_a_load() -> None:
    problem = chain(12, 10.0)
    for contact in (0, 5, 11):
        problem = repeated(problem, contact, 3)
    solution = solved(InteriorPoint().solve(problem))
    assert np.abs(solution.velocity).max() < 1e-8 * FALL
    shares = solution.contact_impulse[::3]
    np.testing.assert_allclose(shares[5] + shares[15:18].sum(), loads(12, 10.0)[5], rtol=1e-9)


def test_joints_hold_what_contacts_do_not() -> None:
    """Guides across the chain, listed twice: redundant joints beside contacts of all sizes."""
    base = chain(20, 10.0)
    C = sp.csr_array(np.delete(np.eye(60), 3 * np.arange(20), axis=0))
    problem = changed(base, C=sp.vstack([C, C]), b_gamma=np.zeros(80))
    solution = solved(InteriorPoint().solve(problem))
    assert np.abs(solution.velocity).max() < 1e-8 * FALL
    np.testing.assert_allclose(solution.contact_impulse[::3], loads(20, 10.0), rtol=1e-9)


def test_the_last_step_is_the_answer_of_the_next() -> None:
    problem = chain(25, 10.0)
    first = InteriorPoint().solve(problem)
    c = problem.c * np.repeat(np.random.default_rng(0).uniform(0.9, 1.1, 25), 3)
    again = solved(InteriorPoint().solve(changed(problem, c=c), first))
    assert again.iterations <= 3
    assert "orthogonal" in again.detail
    assert np.abs(again.velocity).max() < 1e-8 * FALL


def test_iterations_of_all_attempts_count() -> None:
    solution = InteriorPoint().solve(chain(25, 10.0))
    assert np.all(np.diff(solution.history.iteration) >= 0)
    assert solution.history.iteration[-1] == solution.iterations
    limited = InteriorPoint(max_iterations=6).solve(chain(25, 10.0))
    assert limited.status is Status.ITERATION_LIMIT
    assert limited.iterations == 6


@pytest.mark.parametrize("seed", range(3))
def test_rows_become_orthonormal(seed: int) -> None:
    """`B = R'Q` with rows of very different size, some of them combinations of others."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(30, 50)) * (rng.random((30, 50)) < 0.2)
    B[20] = B[3] - 2.0 * B[7]
    B[25] = 0.0
    B *= 10.0 ** rng.uniform(-12, 12, (30, 1))
    order = np.argsort(-np.linalg.norm(B, axis=1))
    R, kept, Q = np.zeros((30, 30)), np.empty(30, dtype=np.int64), B.copy()
    rank = orthogonal.orthonormalise(Q, order, 1e-13, R, kept)
    assert rank == 28
    Q = Q[kept[:rank]]
    np.testing.assert_allclose(Q @ Q.T, np.eye(rank), atol=1e-14)
    left = R[:rank].T @ Q - B
    assert np.all(np.linalg.norm(left, axis=1) <= 1e-14 * np.linalg.norm(B, axis=1))


def test_contacts_far_inside_their_cones_stick() -> None:
    """Slopes of the projection are exactly 1 there, even if tangents are below the round-off of normals."""
    z = np.array([1e20, 1e-3, 0.0, 1e20, 0.0, 0.0, 1e3, 3e2, -4e2])
    frames, reflector, theta = np.ones((3, 3)), np.zeros(9), np.ones(9)
    arguments: list[Any] = [np.array([0, 3, 6, 9]), z, np.zeros(9), frames, reflector, theta, np.empty(9)]
    interior_steps.linearise_projection(*arguments)
    np.testing.assert_array_equal(theta, 0.0)
