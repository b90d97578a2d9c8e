"""Tangent operator of the exponential map of rotations, one or many at a time (leading axes are free)."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array

SMALL = 0.1
"""Rotation [rad] below which series are used: they are exact to round-off there, the closed forms cancel."""


def skew(v: Array) -> Array:
    """[v]x with `[v]x w = v x w`, shape (..., 3, 3)."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=np.float64), -1, 0)
    o = np.zeros_like(x)
    rows = ((o, -z, y), (z, o, -x), (-y, x, o))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def tangent(rotation_vector: Array) -> Array:
    """T(s) with `exp(s + ds) = exp(s) exp(T(s) ds)` to first order: the turn in body axes that a change of s makes.

    `T = I - (1 - cos|s|)/|s|^2 [s]x + (|s| - sin|s|)/|s|^3 [s]x^2`, shape (..., 3, 3).
    """
    a, b, _ = _coefficients(rotation_vector)
    S = skew(rotation_vector)
    return np.asarray(np.eye(3) - a * S + b * (S @ S))


def inverse_tangent(rotation_vector: Array) -> Array:
    """T(s)^-1 = `I + 1/2 [s]x + (1/|s|^2) (1 - (|s|/2) cot(|s|/2)) [s]x^2`; |s| < 2 pi."""
    _, _, c = _coefficients(rotation_vector)
    S = skew(rotation_vector)
    return np.asarray(np.eye(3) + 0.5 * S + c * (S @ S))


def _coefficients(s: Array) -> tuple[Array, Array, Array]:
    """(1 - cos)/s^2, (s - sin)/s^3, (1 - (s/2) cot(s/2))/s^2 of the angle, shape (..., 1, 1)."""
    square = np.asarray((np.asarray(s) ** 2).sum(axis=-1))[..., None, None]
    small = square < SMALL * SMALL
    safe = np.where(small, 1.0, square)
    angle = np.sqrt(safe)
    t = np.where(small, square, 0.0)
    a = np.where(small, 0.5 - t / 24 + t**2 / 720 - t**3 / 40320, (1.0 - np.cos(angle)) / safe)
    b = np.where(small, 1 / 6 - t / 120 + t**2 / 5040 - t**3 / 362880, (angle - np.sin(angle)) / (safe * angle))
    closed = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / safe
    c = np.where(small, 1 / 12 + t / 720 + t**2 / 30240 + t**3 / 1209600, closed)
    return a, b, c
