"""Bringing points into the interior of self-dual cones, and measuring how far they are from a solution."""

from __future__ import annotations

import math
from typing import NamedTuple

from signorini.kernels.compile import kernel
from signorini.kernels.interior.scaling import initial_trace, tangent_length


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
def project_lorentz(first, last, x):
    """Project the block that spans rows first..last-1 on its Lorentz cone, in place."""
    tangent = tangent_length(x, first, last)
    if x[first] <= -tangent:
        for k in range(first, last):
            x[k] = 0.0
    elif x[first] < tangent:
        projected = 0.5 * (x[first] + tangent)
        for k in range(first + 1, last):
            x[k] *= projected / tangent
        x[first] = projected


@kernel
def push_into_cone(start, x, margin):
    """Project every block on its cone, then add `margin` along the axis."""
    for i in range(len(start) - 1):
        project_lorentz(start[i], start[i + 1], x)
        x[start[i]] += margin


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
def _positive_part(value, barrier):
    """The p > 0 with `p - barrier / p = value`: the larger of value and 0, rounded off near 0."""
    root = math.sqrt(value * value + 4.0 * barrier)
    return 0.5 * (root + value) if value > 0.0 else 2.0 * barrier / (root - value)


@kernel
def make_central(start, x, y, barrier, trace):
    """Replace (x, y) by the central pair with the same difference: `x o y = barrier e` [Fukushima2002].

    Contacts that push or part for certain hardly move; where x and y are both small, each becomes sqrt(barrier). The
    spectral values of x follow from those of x - y one by one, so that the trace does not suffer from cancellation.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        tangent = 0.0
        for k in range(first, last):
            x[k] -= y[k]
            if k > first:
                tangent += x[k] * x[k]
        tangent = math.sqrt(tangent)
        if last - first == 1:
            x[first] = _positive_part(x[first], barrier)
            y[first] = barrier / x[first]
            trace[i, 0], trace[i, 1], trace[i, 2] = x[first], y[first], barrier
            continue
        large, small = _positive_part(x[first] + tangent, barrier), _positive_part(x[first] - tangent, barrier)
        x_along = 0.5 * (large - small) / tangent if tangent > 0.0 else 0.0
        y_along = -barrier / (large * small) * x_along
        for k in range(first + 1, last):
            y[k] = y_along * x[k]
            x[k] *= x_along
        x[first] = 0.5 * (large + small)
        y[first] = barrier / (large * small) * x[first]
        trace[i, 0], trace[i, 1], trace[i, 2] = large * small, barrier * barrier / (large * small), barrier


class WarmRules(NamedTuple):
    """Where a warm start begins."""

    smallest_scale: float
    """Least size that impulses and slips are taken to have."""
    far: float
    """With a natural-map error of this share of impulses and slips an old solution is of no use."""
    share: float
    """Distance from the boundary, as a share of the natural-map error."""
    least: float
    """Least distance from the boundary, as a share of the largest impulse and slip."""


@kernel
def enter(start, x, y, shifted, rules, trace):
    """Move the impulses x of an earlier solution, and their slips y, into the cones; False if they are no help.

    `shifted` makes them central, half as far from the boundary as the natural-map error: what is left to do is in
    proportion to what has changed. Otherwise only by the least that keeps the scaling finite. `trace` goes with them.
    """
    x_size = rules.smallest_scale
    y_size = rules.smallest_scale
    for k in range(start[-1]):
        x_size = max(x_size, abs(x[k]))
        y_size = max(y_size, abs(y[k]))
    if shifted:
        size = max(x_size, y_size)
        error = natural_error(start, x, y)
        if not error <= rules.far * size:
            return False
        make_central(start, x, y, max(rules.share * error, rules.least * size) ** 2, trace)
        return True
    push_into_cone(start, x, rules.least * x_size)
    push_into_cone(start, y, rules.least * y_size)
    initial_trace(start, x, y, trace)
    return True
