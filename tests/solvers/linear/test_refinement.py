"""Iterative refinement: it removes what an approximate factorisation leaves, and stops where that does not pay."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.solvers.linear.refinement import largest, refined

A = np.diag([1.0, 2.0, 3.0]) + 0.1
RIGHT = np.array([1.0, -2.0, 0.5])


def residual(right: Array, x: Array) -> tuple[Array]:
    return (right - A @ x,)


def test_an_approximate_inverse_becomes_an_exact_one() -> None:
    calls = []

    def solve(right: Array) -> tuple[Array]:
        calls.append(right)
        return (right / np.diag(A),)

    (x,) = refined(solve, residual, (RIGHT,), 1e-14, 100)
    np.testing.assert_allclose(A @ x, RIGHT, atol=1e-13)
    assert 3 < len(calls) < 30


def test_it_stops_where_nothing_shrinks() -> None:
    count = 0

    def solve(right: Array) -> tuple[Array]:
        nonlocal count
        count += 1
        return (np.zeros(3),)

    refined(solve, residual, (RIGHT,), 1e-14, 100)
    assert count == 2


def test_no_refinement_is_one_solve_and_a_known_first_answer_is_none() -> None:
    (x,) = refined(lambda right: (2.0 * right,), residual, (RIGHT,), 0.0, 0)
    np.testing.assert_array_equal(x, 2.0 * RIGHT)
    (x,) = refined(lambda right: (2.0 * right,), residual, (RIGHT,), 0.0, 0, first=(RIGHT,))
    np.testing.assert_array_equal(x, RIGHT)


def test_largest_of_nothing_is_zero() -> None:
    assert largest(np.zeros(0)) == 0.0
    assert largest(np.array([1.0, -3.0])) == 3.0
