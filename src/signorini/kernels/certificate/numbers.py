"""Arithmetic in which NaN counts as the largest number: an answer that holds one must not pass."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel


@kernel
def larger(a, b):
    """The larger of two numbers, not-a-number if one of them is."""
    return b if b > a or b != b else a


@kernel
def ratio(error, size):
    """error / size; 0 where the size is 0."""
    return 0.0 if size == 0.0 else error / size


@kernel
def norm(x):
    """Euclidean norm."""
    total = 0.0
    for value in x:
        total += value * value
    return math.sqrt(total)
