"""The tangent operator against the exponential map itself."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.math.rotations import conjugate, exponential, logarithm, multiply
from signorini.math.tangent import inverse_tangent


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.0999, 0.1001, 0.7, 2.0, 3.1])
def test_inverse_tangent_inverts_the_derivative_of_the_exponential(angle: float) -> None:
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    s, eps = angle * axis, 1e-6
    T = np.empty((3, 3))
    for k in range(3):
        ds = eps * np.eye(3)[k]
        T[:, k] = logarithm(multiply(conjugate(exponential(s - ds)), exponential(s + ds))) / (2 * eps)
    assert inverse_tangent(s) @ T == pytest.approx(np.eye(3), abs=2e-9)


def test_series_and_closed_form_meet() -> None:
    axis = np.array([0.3, 0.4, np.sqrt(0.75)])
    below, above = (0.1 - 1e-9) * axis, (0.1 + 1e-9) * axis
    assert inverse_tangent(below) == pytest.approx(inverse_tangent(above), abs=1e-9)


def test_many_at_a_time() -> None:
    s = np.random.default_rng(1).normal(size=(5, 3))
    assert inverse_tangent(s).shape == (5, 3, 3)
    assert inverse_tangent(s)[3] == pytest.approx(inverse_tangent(s[3]), abs=0)
