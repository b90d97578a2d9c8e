"""Mixing the rounds of a fixed-point iteration."""

import numpy as np

from signorini.kernels.linalg.anderson import Rounds, mix


def test_linear_equations_are_solved_in_as_many_rounds_as_there_are_unknowns() -> None:
    """A x = b by x <- x + (b - A x), which diverges by itself."""
    random, n = np.random.default_rng(3), 5
    A = np.eye(n) + 0.8 * random.normal(size=(n, n))
    b = random.normal(size=n)
    assert np.abs(np.linalg.eigvals(np.eye(n) - A)).max() > 1.0
    x, known = np.zeros(n), Rounds(np.empty(n), np.empty(n), np.empty((n + 1, n)), np.empty((n + 1, n)))
    for k in range(n + 1):
        error = b - A @ x
        mix(known, k, error, x + error, x)
    np.testing.assert_allclose(A @ x, b, atol=1e-9)


def test_rounds_that_tell_nothing_new_do_no_harm() -> None:
    known = Rounds(np.empty(2), np.empty(2), np.empty((3, 2)), np.empty((3, 2)))
    x, error = np.zeros(2), np.ones(2)
    for k in range(3):
        mix(known, k, error, x + 0.5 * error, x)
    assert np.isfinite(x).all()
