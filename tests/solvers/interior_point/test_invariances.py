"""Random problems of every kind: no frame, unit or order changes the answer, nor does a contact listed again."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.math.sparse import Array
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.solvers.interior_point import InteriorPoint

from ..first_order_problems import random_problem
from .problems import changed, dual, repeated

TIGHT = InteriorPoint(tolerance=1e-10)
some = settings(max_examples=25, deadline=None)


@st.composite
def problems(draw: st.DrawFn, compliant: bool = True) -> ContactProblem:
    """Mixed cones with some friction 0, with and without joints, compliance, general mass; both loops take part."""
    soft = compliant and draw(st.booleans())
    return random_problem(
        draw(st.integers(0, 10_000)),
        bodies=draw(st.integers(2, 6)),
        contacts=draw(st.integers(1, 50)),
        joints=draw(st.integers(0, 2)),
        soft=soft,
        coupled=draw(st.booleans()),
        dims=draw(st.sampled_from([(1, 2, 3), (3,), (1, 3), (2,)])),
    )


def answer(problem: ContactProblem) -> Solution:
    solution = TIGHT.solve(problem)
    assert solution.status.ok, f"{solution!r}: {solution.status.value}"
    assert solution.iterations <= 40
    return solution


def assert_same(found: Array, expected: Array) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * (1e-3 + np.abs(expected).max()))


@given(problem=problems(compliant=False), seed=st.integers(0, 100))
@some
def test_rotation_of_tangent_frames(problem: ContactProblem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = []
    for size in problem.cones.dims:
        turn = np.eye(size)
        if size > 1:
            turn[1:, 1:] = np.linalg.qr(rng.normal(size=(size - 1, size - 1)))[0]
        turns.append(turn)
    Q = sp.block_diag(turns, format="csr")
    turned = changed(problem, D=Q @ problem.D, b_lambda=Q @ problem.b_lambda)
    assert_same(answer(turned).velocity, answer(problem).velocity)


@given(problem=problems(), speed=st.floats(-9, 9), mass=st.floats(-9, 9))
@some
def test_units(problem: ContactProblem, speed: float, mass: float) -> None:
    s, m = 10.0**speed, 10.0**mass
    other = changed(
        problem,
        H=problem.H * m,
        c=problem.c * (m * s),
        b_gamma=problem.b_gamma * s,
        b_lambda=problem.b_lambda * s,
        E=problem.E / m,
    )
    one, two = answer(problem), answer(other)
    assert abs(one.iterations - two.iterations) <= 2
    assert_same(two.velocity / s, one.velocity)


@given(problem=problems(), seed=st.integers(0, 100))
@some
def test_order_of_contacts_and_velocities(problem: ContactProblem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(problem.contacts)
    start, dims = problem.cones.start, problem.cones.dims
    rows = np.concatenate([np.arange(start[i], start[i + 1]) for i in order])
    bodies = rng.permutation(problem.velocities // 6)
    columns = (6 * bodies[:, None] + np.arange(6)).reshape(-1)
    shuffled = changed(
        problem,
        H=problem.H[columns][:, columns],
        c=problem.c[columns],
        C=problem.C[:, columns],
        D=problem.D[rows][:, columns],
        b_lambda=problem.b_lambda[rows],
        cones=Cones(dims[order], problem.cones.friction[order]),
        E=problem.E[rows][:, rows],
    )
    assert_same(answer(shuffled).velocity, answer(problem).velocity[columns])


@given(problem=problems(compliant=False), times=st.integers(1, 8), data=st.data())
@some
def test_contact_listed_again(problem: ContactProblem, times: int, data: st.DataObject) -> None:
    contact = data.draw(st.integers(0, problem.contacts - 1))
    assert_same(answer(repeated(problem, contact, times)).velocity, answer(problem).velocity)


@given(problem=problems())
@some
def test_with_and_without_velocities(problem: ContactProblem) -> None:
    if problem.joint_rows:
        problem = changed(problem, C=None, b_gamma=None)
    with_velocities, without = answer(problem), answer(dual(problem))
    assert_same(problem.velocity_of(without.contact_impulse), with_velocities.velocity)
