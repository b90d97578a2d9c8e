"""Bringing points into the interior of self-dual cones, and measuring how far they are from a solution."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.interior_point import tangent_length
from signorini.kernels.path_rules import FAR, SMALLEST_SCALE, WARM_LEAST


@kernel
def distance_outside(start, x):
    """Smallest shift along the cone axes that brings all blocks into their cones; negative when all are inside."""
    worst = -math.inf
    for i in range(len(start) - 1):
        worst = max(worst, tangent_length(x, start[i], start[i + 1]) - x[start[i]])
    return worst


@kernel
def shift(start, x, amount):
    """x += amount * e."""
    for i in range(len(start) - 1):
        x[start[i]] += amount


@kernel
def fold_into_cone(start, x, least):
    """Make every block an interior one: normal = max(least, |normal|) plus the length of the tangents."""
    for i in range(len(start) - 1):
        x[start[i]] = max(least, abs(x[start[i]])) + tangent_length(x, start[i], start[i + 1])


@kernel
def push_into_cone(start, x, margin):
    """Project every block on its cone, then add `margin` along the axis."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        tangent = tangent_length(x, first, last)
        if x[first] <= -tangent:
            for k in range(first, last):
                x[k] = 0.0
        elif x[first] < tangent:
            projected = 0.5 * (x[first] + tangent)
            for k in range(first + 1, last):
                x[k] *= projected / tangent
            x[first] = projected
        x[first] += margin


@kernel
def natural_error(start, x, y):
    """Largest `|x - P(x - y)|` over the blocks, P the projection on the self-dual cones."""
    worst = 0.0
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        normal = x[first] - y[first]
        tangent = 0.0
        for k in range(first + 1, last):
            tangent += (x[k] - y[k]) ** 2
        tangent = math.sqrt(tangent)
        # P = a (normal, tangent) with the spectral values cut at 0.
        up, low = max(normal + tangent, 0.0), max(normal - tangent, 0.0)
        along = 0.5 * (up - low) / tangent if tangent > 0.0 else 0.0
        square = (x[first] - 0.5 * (up + low)) ** 2
        for k in range(first + 1, last):
            square += (x[k] - along * (x[k] - y[k])) ** 2
        worst = max(worst, math.sqrt(square))
    return worst


@kernel
def enter(start, x, y, shifted):
    """Move the impulses x of an earlier solution, and their slips y, into the cones; False if they are no help.

    `shifted` keeps as far from the boundary as the natural-map error: what is left to do is in proportion to what has
    changed. Otherwise only by the least that keeps the scaling finite.
    """
    x_size = SMALLEST_SCALE
    y_size = SMALLEST_SCALE
    for k in range(start[-1]):
        x_size = max(x_size, abs(x[k]))
        y_size = max(y_size, abs(y[k]))
    barrier = WARM_LEAST
    if shifted:
        error = natural_error(start, x, y) / max(x_size, y_size)
        if not error <= FAR:
            return False
        barrier = max(error, WARM_LEAST)
    push_into_cone(start, x, barrier * x_size)
    push_into_cone(start, y, barrier * y_size)
    return True
