"""Which pairs of shapes are near one another: grid, sweep and prune, and shapes too large for either.

All of them end in `consider`, so they report exactly the same pairs.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import inlined, kernel


class Pairs(NamedTuple):
    """Pairs of shapes, filled from the front; kernels count on past the capacity so that the caller can grow it."""

    first: np.ndarray
    second: np.ndarray
    limit: np.ndarray
    """Contact envelope of the pair [m]: gaps below it are contacts."""


@inlined
def allowed(filters, tied, bodies, i, j):
    """Whether two shapes may collide at all: bodies, groups and masks, joints."""
    a, b = filters[i, 0], filters[j, 0]
    if a == b or filters[i, 3] + filters[j, 3] == 0:
        return False
    if (filters[i, 2] & filters[j, 1]) == 0 or (filters[j, 2] & filters[i, 1]) == 0:
        return False
    if len(tied):
        key = min(a, b) * bodies + max(a, b)
        at = np.searchsorted(tied, key)
        return at == len(tied) or tied[at] != key
    return True


@inlined
def envelope(bounds, margin, i, j, step, fall):
    """Contact envelope of two shapes [m]: gaps below it are contacts (see `Detector`)."""
    given = max(margin[i, 0], margin[j, 0])
    own = given if given >= 0 else min(margin[i, 1], margin[j, 1])
    x, y, z = bounds[i, 6] - bounds[j, 6], bounds[i, 7] - bounds[j, 7], bounds[i, 8] - bounds[j, 8]
    return own + step * (sqrt(x * x + y * y + z * z) + bounds[i, 10] + bounds[j, 10]) + fall


@inlined
def bounds_meet(bounds, i, j, limit):
    """Whether bounding balls and boxes come within `limit` [m]."""
    dx, dy, dz = bounds[i, 0] - bounds[j, 0], bounds[i, 1] - bounds[j, 1], bounds[i, 2] - bounds[j, 2]
    reach = bounds[i, 9] + bounds[j, 9] + limit
    return (
        dx * dx + dy * dy + dz * dz < reach * reach
        and abs(dx) < bounds[i, 3] + bounds[j, 3] + limit
        and abs(dy) < bounds[i, 4] + bounds[j, 4] + limit
        and abs(dz) < bounds[i, 5] + bounds[j, 5] + limit
    )


@inlined
def near_limit(margin, filters, tied, bodies, bounds, i, j, step, fall):
    """Envelope of two bounded shapes [m], or -1 when they may not collide or their bounding volumes are beyond it."""
    limit = envelope(bounds, margin, i, j, step, fall)
    if bounds_meet(bounds, i, j, limit) and allowed(filters, tied, bodies, i, j):
        return limit
    return -1.0


@kernel
def brute_force(rules, bounds, members, now, pairs):
    """All pairs among `members` (rising indices); the reference for the others."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(members)):
        for q in range(p + 1, len(members)):
            limit = near_limit(margin, filters, tied, bodies, bounds, members[p], members[q], step, fall)
            if limit >= 0:
                if k < len(first):
                    first[k], second[k], limits[k] = members[p], members[q], limit
                k += 1
    return k


@kernel
def large_against_all(rules, bounds, large, is_large, members, now, pairs):
    """Every one of `large` against all `members`; two large ones meet once."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(large)):
        i = large[p]
        for q in range(len(members)):
            j = members[q]
            if j != i and not (is_large[j] and j < i):
                limit = near_limit(margin, filters, tied, bodies, bounds, min(i, j), max(i, j), step, fall)
                if limit >= 0:
                    if k < len(first):
                        first[k], second[k], limits[k] = min(i, j), max(i, j), limit
                    k += 1
    return k


@inlined
def height_above(bounds, i, nx, ny, nz, offset):
    """Least gap [m] that the bounding volumes of shape i allow above the plane n . x = offset."""
    box = abs(nx) * bounds[i, 3] + abs(ny) * bounds[i, 4] + abs(nz) * bounds[i, 5]
    return nx * bounds[i, 0] + ny * bounds[i, 1] + nz * bounds[i, 2] - offset - min(box, bounds[i, 9])


@kernel
def half_spaces_against_all(rules, bounds, planes, normals, pivots, members, now, pairs):
    """Half-spaces against all bounded shapes.

    normals (planes, 4): outward normal and offset, world. pivots (planes, 4): its origin [m] and angular
    speed [rad/s]: far from the origin the plane moves the faster.
    """
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(planes)):
        s = planes[p]
        nx, ny, nz, offset = normals[p, 0], normals[p, 1], normals[p, 2], normals[p, 3]
        x, y, z, spin = pivots[p, 0], pivots[p, 1], pivots[p, 2], pivots[p, 3]
        for q in range(len(members)):
            i = members[q]
            limit = envelope(bounds, margin, i, s, step, fall)
            if spin > 0:
                dx, dy, dz = bounds[i, 0] - x, bounds[i, 1] - y, bounds[i, 2] - z
                limit += step * spin * (sqrt(dx * dx + dy * dy + dz * dz) + bounds[i, 9])
            if height_above(bounds, i, nx, ny, nz, offset) < limit and allowed(filters, tied, bodies, i, s):
                if k < len(first):
                    first[k], second[k], limits[k] = min(i, s), max(i, s), limit
                k += 1
    return k


@kernel
def grid_size(low, high, cell, most):
    """Cells along each axis, at least one; folded (smaller than the scene) where there would be more than `most`."""
    size = np.empty(3, np.int64)
    for c in range(3):
        size[c] = int(min(floor((high[c] - low[c]) / cell) + 1.0, 1.0e6))
    while size[0] * size[1] * size[2] > most:
        widest = 0
        for c in range(1, 3):
            if size[c] > size[widest]:
                widest = c
        size[widest] = (size[widest] + 1) // 2
    return size


@kernel
def cell_coordinate(x, low, cell, size):
    """Cell along one axis; the grid repeats beyond its size, which only adds candidates."""
    at = int(floor((x - low) / cell))
    return at if at < size else at % size


@kernel
def fill_cells(centre, size, members, low, cell, cells, coordinates, ball):
    """Counting sort of `members` by cell: (start of each cell, members in the order of cells).

    `ball` gets (x, y, z, size) of the members in that order: neighbours in space become neighbours in memory.
    """
    start = np.zeros(cells[0] * cells[1] * cells[2] + 1, np.int64)
    for p in range(len(members)):
        for c in range(3):
            coordinates[p, c] = cell_coordinate(centre[members[p], c], low[c], cell, cells[c])
        key = (coordinates[p, 2] * cells[1] + coordinates[p, 1]) * cells[0] + coordinates[p, 0]
        start[key + 1] += 1
    for key in range(len(start) - 1):
        start[key + 1] += start[key]
    fill = start[:-1].copy()
    order = np.empty(len(members), np.int64)
    for p in range(len(members)):
        key = (coordinates[p, 2] * cells[1] + coordinates[p, 1]) * cells[0] + coordinates[p, 0]
        at, i = fill[key], members[p]
        fill[key] += 1
        order[at] = i
        ball[at, 0], ball[at, 1], ball[at, 2], ball[at, 3] = centre[i, 0], centre[i, 1], centre[i, 2], size[i]
    return start, order


@kernel
def neighbour_range(at, size):
    """First cell and number of cells to visit along one axis, so that no cell of a folded grid is visited twice."""
    if size <= 3:
        return 0, size
    return at - 1, 3


@inlined
def folded(at, size):
    """The cell of a neighbour; the grid closes on itself, since it may be folded."""
    if at < 0:
        return at + size
    return at - size if at >= size else at


@inlined
def near_in_cells(ball, order, i, x, y, z, size, first, last, near, count):
    """Append to `near` the shapes above i in places first..last whose swollen balls meet that of i."""
    for q in range(first, last):
        dx, dy, dz = ball[q, 0] - x, ball[q, 1] - y, ball[q, 2] - z
        reach = ball[q, 3] + size
        # One branch, seldom taken, instead of two that cannot be foreseen.
        if (dx * dx + dy * dy + dz * dz < reach * reach) & (order[q] > i):
            near[count] = order[q]
            count += 1
    return count


@kernel
def box_of(centre, members):
    """Lowest and highest coordinates of the members' centres."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for p in range(len(members)):
        for c in range(3):
            low[c] = min(low[c], centre[members[p], c])
            high[c] = max(high[c], centre[members[p], c])
    return low, high


@kernel
def neighbours(centre, size, members, cell, start_guess):
    """For each member the later ones whose swollen balls (radius `size`) meet its own, as (start, list)."""
    low, high = box_of(centre, members)
    cells = grid_size(low, high, cell, 2 * len(members) + 64)
    coordinates, ball = np.empty((len(members), 3), np.int64), np.empty((len(members), 4))
    start, order = fill_cells(centre, size, members, low, cell, cells, coordinates, ball)
    found, near = np.empty(len(members) + 1, np.int64), np.empty(start_guess, np.int64)
    k = 0
    for p in range(len(members)):
        found[p] = k
        if k + len(members) > len(near):
            near = np.concatenate((near, np.empty(len(near) + len(members), np.int64)))
        i = members[p]
        x, y, z, s = centre[i, 0], centre[i, 1], centre[i, 2], size[i]
        x0, nx = neighbour_range(coordinates[p, 0], cells[0])
        y0, ny = neighbour_range(coordinates[p, 1], cells[1])
        z0, nz = neighbour_range(coordinates[p, 2], cells[2])
        inside = x0 >= 0 and x0 + nx <= cells[0]
        for dz in range(nz):
            layer = folded(z0 + dz, cells[2]) * cells[1]
            for dy in range(ny):
                row = (layer + folded(y0 + dy, cells[1])) * cells[0]
                if inside:
                    first, last = start[row + x0], start[row + x0 + nx]
                    k = near_in_cells(ball, order, i, x, y, z, s, first, last, near, k)
                else:
                    for dx in range(nx):
                        at = row + folded(x0 + dx, cells[0])
                        k = near_in_cells(ball, order, i, x, y, z, s, start[at], start[at + 1], near, k)
    found[len(members)] = k
    return found, near


@kernel
def sort_few(values, first, last):
    """Insertion sort of values[first:last]: the few partners of one shape."""
    for k in range(first + 1, last):
        value, m = values[k], k - 1
        while m >= first and values[m] > value:
            values[m + 1] = values[m]
            m -= 1
        values[m + 1] = value


@kernel
def grid_pairs(rules, bounds, size, members, cell, now, pairs):
    """Pairs among `members` by cell lists, sorted by first and second; `cell` bounds the sum of two swollen sizes."""
    start, near = neighbours(bounds, size, members, cell, 8 * len(members))
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(members)):
        sort_few(near, start[p], start[p + 1])
        for q in range(start[p], start[p + 1]):
            limit = near_limit(margin, filters, tied, bodies, bounds, members[p], near[q], step, fall)
            if limit >= 0:
                if k < len(first):
                    first[k], second[k], limits[k] = members[p], near[q], limit
                k += 1
    return k


@kernel
def sweep_pairs(rules, bounds, ordered, ends, now, pairs):
    """Pairs among `ordered`, whose swollen boxes ends[:, (low x, y, z, high x, y, z)] rise by the first column.

    The first column is the axis of the sweep, whichever that is.
    """
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(ordered)):
        i = ordered[p]
        x, y0, z0, y1, z1 = ends[p, 3], ends[p, 1], ends[p, 2], ends[p, 4], ends[p, 5]
        for q in range(p + 1, len(ordered)):
            if ends[q, 0] > x:
                break
            if ends[q, 1] <= y1 and ends[q, 4] >= y0 and ends[q, 2] <= z1 and ends[q, 5] >= z0:
                j = ordered[q]
                limit = near_limit(margin, filters, tied, bodies, bounds, min(i, j), max(i, j), step, fall)
                if limit >= 0:
                    if k < len(first):
                        first[k], second[k], limits[k] = min(i, j), max(i, j), limit
                    k += 1
    return k
