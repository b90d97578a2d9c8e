"""Rows of a Jacobian grouped in blocks: each block is a small dense matrix over its own list of columns.

Layout: block i has the rows start[i]..start[i+1]-1 and the columns columns[column_start[i]:column_start[i+1]];
its values are stored row by row from values[value_start[i]].
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.simd.simd6 import add_three_rows, three_dots


@kernel
def count_columns(start, indptr, indices, columns):
    """Number of distinct columns of each block of a CSR matrix with that many columns; shape (blocks + 1,), summed."""
    seen = np.full(columns, -1, dtype=np.int64)
    column_start = np.zeros(len(start), dtype=np.int64)
    for i in range(len(start) - 1):
        count = 0
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            if seen[indices[k]] != i:
                seen[indices[k]] = i
                count += 1
        column_start[i + 1] = column_start[i] + count
    return column_start


@kernel
def gather(start, indptr, indices, data, factor, column_start, value_start, columns, values):
    """Fill the block layout from a CSR matrix, every row times its factor; columns of a block are sorted."""
    total = 0
    for k in range(len(indices)):
        total = max(total, indices[k] + 1)
    where = np.full(total, -1, dtype=np.int64)
    for i in range(len(start) - 1):
        base, end = column_start[i], column_start[i + 1]
        count, rising = 0, True
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            column = indices[k]
            if where[column] < 0:
                where[column] = count
                columns[base + count] = column
                rising = rising and (count == 0 or columns[base + count - 1] < column)
                count += 1
        if not rising:
            columns[base:end] = np.sort(columns[base:end])
            for k in range(base, end):
                where[columns[k]] = k - base
        width = end - base
        for row in range(start[i], start[i + 1]):
            offset = value_start[i] + (row - start[i]) * width
            for k in range(indptr[row], indptr[row + 1]):
                values[offset + where[indices[k]]] = factor[row] * data[k]
        for k in range(base, end):
            where[columns[k]] = -1


@kernel
def sixes_of(start, indptr, indices, pair):
    """The one or two groups of six columns that each block of a CSR matrix touches, the second -1 where there is none.

    Returns the number of columns of all blocks together, -1 when one touches more groups or none.
    """
    total = 0
    for i in range(len(start) - 1):
        low = high = -1
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            group = indices[k] // 6
            if low < 0:
                low = high = group
            elif low == high and group != low:
                low, high = min(low, group), max(low, group)
            elif group != low and group != high:
                return -1
        if low < 0:
            return -1
        pair[i, 0] = low
        pair[i, 1] = high if high != low else -1
        total += 6 if high == low else 12
    return total


@kernel
def gather_sixes(start, indptr, indices, data, factor, pair, column_start, value_start, columns, values):
    """Fill the block layout with whole groups of six columns, every row times its factor."""
    column_start[0] = value_start[0] = 0
    for i in range(len(start) - 1):
        width = 6 if pair[i, 1] < 0 else 12
        base, offset = column_start[i], value_start[i]
        for k in range(width):
            columns[base + k] = 6 * pair[i, k // 6] + k % 6
        shift_low, shift_high = -6 * pair[i, 0], 6 - 6 * pair[i, 1]
        for row in range(start[i], start[i + 1]):
            for k in range(indptr[row], indptr[row + 1]):
                column = indices[k]
                low = column // 6 == pair[i, 0]
                values[offset + column + (shift_low if low else shift_high)] = factor[row] * data[k]
            offset += width
        column_start[i + 1] = base + width
        value_start[i + 1] = offset


@kernel
def number_columns(columns, place):
    """place = number of each column among those that occur in `columns`, -1 for the others; how many occur."""
    for k in range(len(columns)):
        place[columns[k]] = 0
    count = 0
    for c in range(len(place)):
        if place[c] == 0:
            place[c] = count
            count += 1
    return count


@kernel
def of_bodies(columns, base, end):
    """Whether the (rising) columns of a block come in sixes, as those of rigid bodies do."""
    sixes = (end - base) % 6 == 0
    for k in range(base, end - 5, 6):
        sixes = sixes and columns[k + 5] == columns[k] + 5
    return sixes


@kernel
def three_rows_times(columns, base, end, values, offset, x):
    """A block of three rows times x."""
    width = end - base
    s0, s1, s2 = 0.0, 0.0, 0.0
    if of_bodies(columns, base, end):
        for k in range(0, width, 6):
            t0, t1, t2 = three_dots(values, offset + k, width, x, columns[base + k])
            s0, s1, s2 = s0 + t0, s1 + t1, s2 + t2
        return s0, s1, s2
    for k in range(width):
        entry = x[columns[base + k]]
        s0 += values[offset + k] * entry
        s1 += values[offset + width + k] * entry
        s2 += values[offset + 2 * width + k] * entry
    return s0, s1, s2


@kernel
def add_three_rows_transposed(columns, base, end, values, offset, x0, x1, x2, out):
    """out += A'x of a block of three rows."""
    width = end - base
    if of_bodies(columns, base, end):
        for k in range(0, width, 6):
            add_three_rows(values, offset + k, width, x0, x1, x2, out, columns[base + k])
        return
    for k in range(width):
        at = offset + k
        out[columns[base + k]] += values[at] * x0 + values[at + width] * x1 + values[at + 2 * width] * x2


@kernel
def multiply(start, column_start, value_start, columns, values, x, out):
    """out = A x. Blocks of three rows, the usual contact, read each entry of x once."""
    for i in range(len(start) - 1):
        base, end = column_start[i], column_start[i + 1]
        offset = value_start[i]
        row = start[i]
        if start[i + 1] - row == 3:
            out[row], out[row + 1], out[row + 2] = three_rows_times(columns, base, end, values, offset, x)
            continue
        for row in range(start[i], start[i + 1]):
            total = 0.0
            for k in range(base, end):
                total += values[offset] * x[columns[k]]
                offset += 1
            out[row] = total


@kernel
def multiply_transposed(start, column_start, value_start, columns, values, x, out):
    """out += A' x. Blocks of three rows touch each entry of out once."""
    for i in range(len(start) - 1):
        base, end = column_start[i], column_start[i + 1]
        offset = value_start[i]
        row = start[i]
        if start[i + 1] - row == 3:
            add_three_rows_transposed(columns, base, end, values, offset, x[row], x[row + 1], x[row + 2], out)
            continue
        for row in range(start[i], start[i + 1]):
            factor = x[row]
            for k in range(base, end):
                out[columns[k]] += values[offset] * factor
                offset += 1


@kernel
def turn_rows(start, cones, column_start, value_start, values, scaling, reflector, out):
    """Turn the rows of the first `cones` blocks into the eigenbases of their scalings; copy the other blocks."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        width = column_start[i + 1] - column_start[i]
        offset = value_start[i]
        if i >= cones or last - first == 1:
            for k in range(offset, offset + (last - first) * width):
                out[k] = values[k]
            continue
        sign = scaling[i, 2]
        if last - first == 3:
            r1, r2 = reflector[first + 1], reflector[first + 2]
            for k in range(offset, offset + width):
                normal, one, two = values[k], values[k + width], values[k + 2 * width]
                dot = 2.0 * (r1 * one + r2 * two)
                along = sign * (one - dot * r1)
                out[k] = (normal + along) * ROOT_HALF
                out[k + width] = (normal - along) * ROOT_HALF
                out[k + 2 * width] = two - dot * r2
            continue
        for k in range(offset, offset + width):
            dot = 0.0
            for row in range(first + 1, last):
                dot += reflector[row] * values[k + (row - first) * width]
            dot *= 2.0
            for row in range(first + 1, last):
                at = k + (row - first) * width
                out[at] = values[at] - dot * reflector[row]
            along = sign * out[k + width]
            out[k + width] = (values[k] - along) * ROOT_HALF
            out[k] = (values[k] + along) * ROOT_HALF


@kernel
def csr_multiply(indptr, indices, data, x, out):
    """out = M x for a CSR matrix."""
    for row in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            total += data[k] * x[indices[k]]
        out[row] = total
