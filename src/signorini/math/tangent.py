"""Tangent operator of the exponential map of rotations, one or many at a time (leading axes are free)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from signorini.math.sparse import Array

SMALL = 0.1
"""Rotation [rad] below which series are used: they are exact to round-off there, the closed forms cancel."""


def skew(v: Array) -> Array:
    """[v]x with `[v]x w = v x w`, shape (..., 3, 3)."""
    v = np.asarray(v, dtype=np.float64)
    out = np.zeros((*v.shape, 3))
    out[..., 2, 1] = v[..., 0]
    out[..., 0, 2] = v[..., 1]
    out[..., 1, 0] = v[..., 2]
    return out - np.swapaxes(out, -1, -2)


def inverse_tangent(rotation_vector: Array) -> Array:
    """T(s)^-1 = `I + 1/2 [s]x + (1/|s|^2) (1 - (|s|/2) cot(|s|/2)) [s]x^2`; |s| < 2 pi, shape (..., 3, 3).

    T(s) is the derivative of the exponential map in body axes: `exp(s + ds) = exp(s) exp(T(s) ds)` to first order.
    """
    square = _square(rotation_vector)
    c = _by_size(square, _C, lambda t: (1.0 - 0.5 * np.sqrt(t) / np.tan(0.5 * np.sqrt(t))) / t)
    S = skew(rotation_vector)
    return np.asarray(np.eye(3) + 0.5 * S + c * (S @ S))


_C = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600)
"""Series of the last factor in |s|^2."""


def _square(s: Array) -> Array:
    return np.asarray((np.asarray(s) ** 2).sum(axis=-1))[..., None, None]


def _by_size(square: Array, series: tuple[float, ...], closed: Callable[[Array], Array]) -> Array:
    """The series for small angles, the closed form for others."""
    small = square < SMALL * SMALL
    t = np.where(small, square, 0.0)
    out = series[0] + t * (series[1] + t * (series[2] + t * series[3]))
    return out if small.all() else np.where(small, out, closed(np.where(small, 1.0, square)))
