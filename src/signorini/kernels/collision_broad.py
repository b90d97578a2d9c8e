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
    return own + step * (sqrt(x * x + y * y + z * z) + (bounds[i, 10] + bounds[j, 10])) + fall


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
def widest_envelope(bounds, margin, members, step, fall):
    """Bound of the envelope of any member with a half-space at rest [m]: what is higher needs no closer look."""
    widest = 0.0
    for p in range(len(members)):
        i = members[p]
        speed = sqrt(bounds[i, 6] ** 2 + bounds[i, 7] ** 2 + bounds[i, 8] ** 2)
        widest = max(widest, max(margin[i, 0], margin[i, 1]) + step * (speed + bounds[i, 10]) + fall)
    return widest


@kernel
def half_spaces_against_all(rules, bounds, planes, normals, pivots, members, now, pairs):
    """Half-spaces against all bounded shapes.

    normals (planes, 4): outward normal and offset, world. pivots (planes, 4): its origin [m] and angular
    speed [rad/s]: far from the origin the plane moves the faster.
    """
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    widest_member = widest_envelope(bounds, margin, members, step, fall)
    k = 0
    for p in range(len(planes)):
        s = planes[p]
        nx, ny, nz, offset = normals[p, 0], normals[p, 1], normals[p, 2], normals[p, 3]
        x, y, z, spin = pivots[p, 0], pivots[p, 1], pivots[p, 2], pivots[p, 3]
        speed = sqrt(bounds[s, 6] ** 2 + bounds[s, 7] ** 2 + bounds[s, 8] ** 2)
        widest = np.inf if spin > 0 else max(margin[s, 0], 0.0) + widest_member + step * speed
        for q in range(len(members)):
            i = members[q]
            height = height_above(bounds, i, nx, ny, nz, offset)
            if height >= widest:
                continue
            limit = envelope(bounds, margin, i, s, step, fall)
            if spin > 0:
                dx, dy, dz = bounds[i, 0] - x, bounds[i, 1] - y, bounds[i, 2] - z
                limit += step * spin * (sqrt(dx * dx + dy * dy + dz * dz) + bounds[i, 9])
            if height < limit and allowed(filters, tied, bodies, i, s):
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
    at = floor((x - low) / cell)
    return at if at < size else at % size


@kernel
def fill_cells(bounds, size, members, low, cell, cells):
    """Counting sort of `members` by cell: (start of each cell, members in the order of cells, their balls).

    The balls are (x, y, z, size) in that order: neighbours in space become neighbours in memory.
    """
    start = np.zeros(cells[0] * cells[1] * cells[2] + 1, np.int64)
    keys, order = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
    for p in range(len(members)):
        x = cell_coordinate(bounds[members[p], 0], low[0], cell, cells[0])
        y = cell_coordinate(bounds[members[p], 1], low[1], cell, cells[1])
        z = cell_coordinate(bounds[members[p], 2], low[2], cell, cells[2])
        keys[p] = (z * cells[1] + y) * cells[0] + x
        start[keys[p] + 1] += 1
    for key in range(len(start) - 1):
        start[key + 1] += start[key]
    fill = start[:-1].copy()
    ball = np.empty((len(members), 4))
    for p in range(len(members)):
        at, i = fill[keys[p]], members[p]
        fill[keys[p]] += 1
        order[at] = i
        ball[at, 0], ball[at, 1], ball[at, 2], ball[at, 3] = bounds[i, 0], bounds[i, 1], bounds[i, 2], size[i]
    return start, order, ball


@inlined
def neighbour_range(at, size):
    """First cell and number of cells to visit along one axis, so that no cell of a folded grid is visited twice."""
    return (0, size) if size <= 3 else (at - 1, 3)


@inlined
def folded(at, size):
    """The cell of a neighbour; the grid closes on itself, since it may be folded."""
    if at < 0:
        return at + size
    return at - size if at >= size else at


@inlined
def rows_around(x, y, z, cells, start, rows):
    """Places first..last of the members in the cells around one; returns the number of such rows, at most 27.

    Only members later in the order of cells are wanted: rows that end before the cell begins are left out.
    """
    x0, nx = neighbour_range(x, cells[0])
    y0, ny = neighbour_range(y, cells[1])
    z0, nz = neighbour_range(z, cells[2])
    own = start[(z * cells[1] + y) * cells[0] + x]
    whole = x0 >= 0 and x0 + nx <= cells[0]
    count = 0
    for dz in range(nz):
        layer = folded(z0 + dz, cells[2]) * cells[1]
        for dy in range(ny):
            row = (layer + folded(y0 + dy, cells[1])) * cells[0]
            for dx in range(1 if whole else nx):
                at = row + (x0 if whole else folded(x0 + dx, cells[0]))
                rows[count, 0], rows[count, 1] = start[at], start[at + (nx if whole else 1)]
                if rows[count, 1] > own and rows[count, 1] > rows[count, 0]:
                    count += 1
    return count


@kernel
def box_of(bounds, members):
    """Lowest and highest coordinates of the members' centres."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for p in range(len(members)):
        for c in range(3):
            low[c] = min(low[c], bounds[members[p], c])
            high[c] = max(high[c], bounds[members[p], c])
    return low, high


@kernel
def sort_pairs(pairs, count, shapes):
    """Sort the first `count` pairs by first and second: counting sort, then insertion among the few of each first."""
    start = np.zeros(shapes + 1, np.int64)
    for k in range(count):
        start[pairs.first[k] + 1] += 1
    for s in range(shapes):
        start[s + 1] += start[s]
    fill = start[:-1].copy()
    second, limit = np.empty(count, np.int64), np.empty(count)
    for k in range(count):
        i, j = pairs.first[k], pairs.second[k]
        at = fill[i]
        fill[i] += 1
        while at > start[i] and second[at - 1] > j:
            second[at], limit[at] = second[at - 1], limit[at - 1]
            at -= 1
        second[at], limit[at] = j, pairs.limit[k]
    for s in range(shapes):
        for k in range(start[s], start[s + 1]):
            pairs.first[k], pairs.second[k], pairs.limit[k] = s, second[k], limit[k]


@kernel
def pairs_of_cell(own, last, rows, count, ball, near):
    """Places (p, q), p < q, of members p of a cell (own..last) and q of its rows whose balls meet; their number."""
    k = 0
    for p in range(own, last):
        x, y, z, size = ball[p, 0], ball[p, 1], ball[p, 2], ball[p, 3]
        for m in range(count):
            for q in range(max(rows[m, 0], p + 1), rows[m, 1]):
                dx, dy, dz = ball[q, 0] - x, ball[q, 1] - y, ball[q, 2] - z
                reach = ball[q, 3] + size
                if dx * dx + dy * dy + dz * dz < reach * reach:
                    near[k, 0], near[k, 1] = p, q
                    k += 1
    return k


@kernel
def grid_pairs(rules, bounds, size, members, cell, now, pairs):
    """Pairs among `members` by cell lists; `cell` bounds the sum of two swollen sizes."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    low, high = box_of(bounds, members)
    cells = grid_size(low, high, cell, 2 * len(members) + 64)
    start, order, ball = fill_cells(bounds, size, members, low, cell, cells)
    # What the inner loop reads, in the order in which it reads it.
    bounds, margin, filters = bounds[order], margin[order], filters[order]
    rows, near, k, at = np.empty((27, 2), np.int64), np.empty((64, 2), np.int64), 0, -1
    for z in range(cells[2]):
        for y in range(cells[1]):
            for x in range(cells[0]):
                at += 1
                own, last = start[at], start[at + 1]
                if own == last:
                    continue
                count = rows_around(x, y, z, cells, start, rows)
                room = 0
                for m in range(count):
                    room += (last - own) * (rows[m, 1] - rows[m, 0])
                if room > len(near):
                    near = np.empty((2 * room, 2), np.int64)
                for m in range(pairs_of_cell(own, last, rows, count, ball, near)):
                    p, q = near[m, 0], near[m, 1]
                    limit = near_limit(margin, filters, tied, bodies, bounds, p, q, step, fall)
                    if limit >= 0:
                        if k < len(first):
                            i, j = order[p], order[q]
                            first[k], second[k], limits[k] = min(i, j), max(i, j), limit
                        k += 1
    if k <= len(first):
        sort_pairs(pairs, k, len(size))
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


@kernel
def kind_codes(kind, first, second, kinds, code):
    """smaller kind * kinds + larger kind of every pair; returns the code if it is one for all, else -1."""
    same = True
    for k in range(len(first)):
        a, b = kind[first[k]], kind[second[k]]
        code[k] = min(a, b) * kinds + max(a, b)
        same = same and code[k] == code[0]
    return code[0] if same else -1
