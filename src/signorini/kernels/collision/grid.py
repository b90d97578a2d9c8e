"""Cell lists: pairs of shapes of similar size that are near one another, in time proportional to their number."""

from __future__ import annotations

from math import floor

import numpy as np

from signorini.kernels.collision.broad import allowed
from signorini.kernels.compile import kernel


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

    The balls are four rows, x, y, z and size, in that order: neighbours in space become neighbours in memory.
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
    ball = np.empty((4, len(members)))
    for p in range(len(members)):
        at, i = fill[keys[p]], members[p]
        fill[keys[p]] += 1
        order[at] = i
        ball[0, at], ball[1, at], ball[2, at], ball[3, at] = bounds[i, 0], bounds[i, 1], bounds[i, 2], size[i]
    return start, order, ball


@kernel
def neighbour_range(at, size):
    """First cell and number of cells to visit along one axis, so that no cell of a folded grid is visited twice."""
    return (0, size) if size <= 3 else (at - 1, 3)


@kernel
def folded(at, size):
    """The cell of a neighbour; the grid closes on itself, since it may be folded."""
    if at < 0:
        return at + size
    return at - size if at >= size else at


@kernel
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
def gather_around(own, last, rows, count, order, ball, around, shape):
    """Members of a cell (places own..last-1), then later ones in its rows: their balls and shapes; returns how many."""
    n = 0
    for m in range(-1, count):
        first, end = (own, last) if m < 0 else (max(rows[m, 0], last), rows[m, 1])
        for c in range(4):
            source, target = ball[c], around[c]
            for q in range(end - first):
                target[n + q] = source[first + q]
        for q in range(end - first):
            shape[n + q] = order[first + q]
        n += max(end - first, 0)
    return n


@kernel
def meeting(t, n, around, square, near):
    """Those of t+1..n-1 whose balls meet ball t, in `near`; their number."""
    ax, ay, az, size, apart = around[0], around[1], around[2], around[3], square
    x, y, z, r = ax[t], ay[t], az[t], size[t]
    for q in range(t + 1, n):
        dx, dy, dz, reach = ax[q] - x, ay[q] - y, az[q] - z, size[q] + r
        apart[q] = dx * dx + dy * dy + dz * dz - reach * reach
    k = 0
    for q in range(t + 1, n):
        # Branch-free: writing every candidate and counting hits costs less than a mispredicted branch.
        near[k] = q
        k += apart[q] < 0.0
    return k


@kernel
def grid_candidates(rules, bounds, size, members, cell, pairs):
    """Pairs of `members` that may collide and whose balls of radius `size` meet; `cell` is twice the largest size."""
    _, filters, tied, bodies = rules
    first, second = pairs.first, pairs.second
    low, high = box_of(bounds, members)
    cells = grid_size(low, high, cell, 2 * len(members) + 64)
    start, order, ball = fill_cells(bounds, size, members, low, cell, cells)
    rows, room, k, at = np.empty((27, 2), np.int64), 0, 0, -1
    around, square, shape, near = np.empty((4, 0)), np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
    for z in range(cells[2]):
        for y in range(cells[1]):
            for x in range(cells[0]):
                at += 1
                own, last = start[at], start[at + 1]
                if own == last:
                    continue
                count = rows_around(x, y, z, cells, start, rows)
                most = last - own
                for m in range(count):
                    most += rows[m, 1] - rows[m, 0]
                if most > room:
                    room = 2 * most
                    around, square = np.empty((4, room)), np.empty(room)
                    shape, near = np.empty(room, np.int64), np.empty(room, np.int64)
                n = gather_around(own, last, rows, count, order, ball, around, shape)
                for t in range(last - own):
                    i = shape[t]
                    for m in range(meeting(t, n, around, square, near)):
                        j = shape[near[m]]
                        if allowed(filters, tied, bodies, i, j):
                            if k < len(first):
                                first[k], second[k] = min(i, j), max(i, j)
                            k += 1
    return k
