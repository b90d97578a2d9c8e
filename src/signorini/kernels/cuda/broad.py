"""Where shapes are and which are near one another: a sorted grid, two passes over the neighbours of each shape.

The first pass counts the pairs of a shape, the second writes them from where the sum of the counts before it ends: the
order of pairs, and so every bit that follows, does not depend on which thread is first.
"""

from __future__ import annotations

from math import floor, sqrt

from signorini.kernels.collision import broad as cpu
from signorini.kernels.collision import place as cpu_place
from signorini.kernels.collision.table import Placement, ShapeArrays
from signorini.kernels.cuda.door import cuda, on_device

place_sphere, place_general = on_device(cpu_place.place_sphere), on_device(cpu_place.place_general)
half_space = on_device(cpu_place.half_space)
envelope, bounds_meet, compatible = on_device(cpu.envelope), on_device(cpu.bounds_meet), on_device(cpu.compatible)
height_above = on_device(cpu.height_above)


@cuda.jit
def place(shapes, centred, position, orientation, velocity, spin, placed):
    """`place` of the CPU, a thread per shape."""
    table = ShapeArrays(
        shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6], shapes[7], shapes[8], shapes[9],
        shapes[10], shapes[11], 0,
    )  # fmt: skip
    out = Placement(placed[0], placed[1], placed[2], placed[3])
    for s in range(cuda.grid(1), len(centred), cuda.gridsize(1)):
        if centred[s]:
            place_sphere(s, table, position, velocity, out)
        else:
            place_general(s, table, position, orientation, velocity, spin, out)


@cuda.jit(device=True)
def coordinate(x, low, cell, cells):
    """Cell along one axis; what lies outside of the grid counts to its border, which only adds candidates."""
    return int(min(max(floor((x - low) / cell), 0.0), cells - 1.0))


@cuda.jit
def cell_keys(bounds, members, grid, cells, keys):
    """The cell of each member; grid is (lowest x, y, z, width of a cell)."""
    for t in range(cuda.grid(1), len(members), cuda.gridsize(1)):
        i = members[t]
        x = coordinate(bounds[i, 0], grid[0], grid[3], cells[0])
        y = coordinate(bounds[i, 1], grid[1], grid[3], cells[1])
        z = coordinate(bounds[i, 2], grid[2], grid[3], cells[2])
        keys[t] = (z * cells[1] + y) * cells[0] + x


@cuda.jit(device=True)
def keep(first, second, limits, k, i, j, limit):
    """One pair, the smaller number first."""
    first[k], second[k], limits[k] = min(i, j), max(i, j), limit


@cuda.jit
def near_pairs(shapes, placed, order, ball, grid, cells, start, large, planes, now, writing, places, pairs):
    """Pairs of each member with later ones around it, with large shapes and with half-spaces.

    `order` are the members cell by cell, `ball` their bounds in that order, `start` the first place of each cell.
    Counts go to places[t], or pairs are written from places[t] on.
    """
    margin, filters, param = shapes[8], shapes[9], shapes[2]
    first, second, limits = pairs
    bounds = placed[2]
    for t in range(cuda.grid(1), len(order), cuda.gridsize(1)):
        i = order[t]
        k = places[t] if writing else 0
        x = coordinate(ball[t, 0], grid[0], grid[3], cells[0])
        y = coordinate(ball[t, 1], grid[1], grid[3], cells[1])
        z = coordinate(ball[t, 2], grid[2], grid[3], cells[2])
        for layer in range(max(z - 1, 0), min(z + 2, cells[2])):
            for line in range(max(y - 1, 0), min(y + 2, cells[1])):
                row = (layer * cells[1] + line) * cells[0]
                for u in range(max(start[row + max(x - 1, 0)], t + 1), start[row + min(x + 2, cells[0])]):
                    j = order[u]
                    dx, dy, dz = ball[t, 0] - ball[u, 0], ball[t, 1] - ball[u, 1], ball[t, 2] - ball[u, 2]
                    reach = ball[t, 11] + ball[u, 11]
                    if dx * dx + dy * dy + dz * dz < reach * reach:
                        limit = envelope(bounds, margin, i, j, now[0], now[1])
                        if bounds_meet(bounds, i, j, limit) and compatible(filters, i, j):
                            if writing:
                                keep(first, second, limits, k, i, j, limit)
                            k += 1
        for p in range(len(large)):
            j = large[p]
            limit = envelope(bounds, margin, i, j, now[0], now[1])
            if bounds_meet(bounds, i, j, limit) and compatible(filters, i, j):
                if writing:
                    keep(first, second, limits, k, i, j, limit)
                k += 1
        for p in range(len(planes)):
            j = planes[p]
            nx, ny, nz, offset = half_space(param, Placement(placed[0], placed[1], placed[2], placed[3]), j)
            limit = envelope(bounds, margin, i, j, now[0], now[1])
            if placed[3][j] > 0.0:  # one that turns moves the faster the farther from its origin
                dx, dy, dz = ball[t, 0] - placed[0][j, 0], ball[t, 1] - placed[0][j, 1], ball[t, 2] - placed[0][j, 2]
                limit += now[0] * placed[3][j] * (sqrt(dx * dx + dy * dy + dz * dz) + ball[t, 9])
            if height_above(bounds, i, nx, ny, nz, offset) < limit and compatible(filters, i, j):
                if writing:
                    keep(first, second, limits, k, i, j, limit)
                k += 1
        if not writing:
            places[t] = k
