"""The rolling block K = { mu n >= |t|, spinning n >= |s|, rolling n >= |r| }, rows (n, t, t, s, r, r).

Its dual is K* = { y_n >= mu |y_t| + spinning |y_s| + rolling |y_r| }. A coefficient 0 leaves no impulse to its rows.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

ROWS = 6
"""Rows of a rolling block."""


@kernel
def lengths(x, first):
    """(|t|, |s|, |r|) of the block that begins at row `first`."""
    t = math.sqrt(x[first + 1] * x[first + 1] + x[first + 2] * x[first + 2])
    r = math.sqrt(x[first + 4] * x[first + 4] + x[first + 5] * x[first + 5])
    return t, abs(x[first + 3]), r


@kernel
def projected_normal(n, t, s, r, mu, spinning, rolling):
    """The normal of the projection on K of a block with normal n and lengths t, s, r.

    It is the least of `(m - n)^2 + (t - mu m)_+^2 + (s - spinning m)_+^2 + (r - rolling m)_+^2` over m >= 0. Half the
    derivative is piecewise linear, increasing and concave in m, so Newton's method from the left climbs to the root
    and drops one of the three terms in every step: four steps at most, and exact.
    """
    if n + mu * t + spinning * s + rolling * r <= 0.0:
        return 0.0
    m = 0.0 if n < 0.0 else n
    for _ in range(4):
        above, below = n, 1.0
        if t > mu * m:
            above += mu * t
            below += mu * mu
        if s > spinning * m:
            above += spinning * s
            below += spinning * spinning
        if r > rolling * m:
            above += rolling * r
            below += rolling * rolling
        better = above / below
        if not better > m:
            break
        m = better
    return m


@kernel
def shrink(length, limit):
    """Factor that shortens a vector of that length to `limit`; 1 where it is short enough."""
    return limit / length if length > limit else 1.0
