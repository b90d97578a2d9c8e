"""Assembly of `K = H + A' P A` with small blocks P: patterns once, values often."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.block_rows import add_three_rows_transposed, three_rows_times
from signorini.kernels.linalg.delassus_blocks import turn_both_sides


@kernel
def transpose_blocks(column_start, columns, count):
    """For every column the blocks that touch it: (touch_start, block, local column)."""
    touch_start = np.zeros(count + 1, dtype=np.int64)
    for k in range(len(columns)):
        touch_start[columns[k] + 1] += 1
    for c in range(count):
        touch_start[c + 1] += touch_start[c]
    fill = touch_start.copy()
    block = np.empty(len(columns), dtype=np.int64)
    local = np.empty(len(columns), dtype=np.int64)
    for i in range(len(column_start) - 1):
        for k in range(column_start[i], column_start[i + 1]):
            at = fill[columns[k]]
            block[at] = i
            local[at] = k - column_start[i]
            fill[columns[k]] += 1
    return touch_start, block, local


@kernel
def condensed_pattern(h_indptr, h_indices, column_start, columns, touch, upper, capacity):
    """Pattern of H + A'A, the diagonal always stored, the upper triangle alone or both: (indptr, indices)."""
    touch_start, touch_block, touch_local = touch
    n = len(h_indptr) - 1
    seen = np.full(n, -1, dtype=np.int64)
    indptr = np.zeros(n + 1, dtype=np.int32)
    indices = np.empty(capacity, dtype=np.int32)
    used = 0
    for row in range(n):
        first = used
        seen[row] = row
        indices[used] = row
        used += 1
        for k in range(h_indptr[row], h_indptr[row + 1]):
            column = h_indices[k]
            if (column > row or not upper) and seen[column] != row:
                seen[column] = row
                indices[used] = column
                used += 1
        for t in range(touch_start[row], touch_start[row + 1]):
            i = touch_block[t]
            for k in range(column_start[i] + (touch_local[t] + 1 if upper else 0), column_start[i + 1]):
                column = columns[k]
                if seen[column] != row:
                    seen[column] = row
                    indices[used] = column
                    used += 1
        indices[first:used] = np.sort(indices[first:used])
        indptr[row + 1] = used
    return indptr, indices[:used].copy()


@kernel
def condensed_positions(indptr, indices, h_indptr, h_indices, column_start, columns, touch, pair_start, upper):
    """Where the entries of H and the pairs of columns of every block land in the pattern's data; -1 for lower ones."""
    touch_start, touch_block, touch_local = touch
    where = np.zeros(len(indptr) - 1, dtype=np.int64)
    h_position = np.full(len(h_indices), -1, dtype=np.int64)
    pair_position = np.empty(pair_start[-1], dtype=np.int64)
    for row in range(len(indptr) - 1):
        for k in range(indptr[row], indptr[row + 1]):
            where[indices[k]] = k
        for k in range(h_indptr[row], h_indptr[row + 1]):
            if h_indices[k] >= row or not upper:
                h_position[k] = where[h_indices[k]]
        for t in range(touch_start[row], touch_start[row + 1]):
            i, a = touch_block[t], touch_local[t]
            width = column_start[i + 1] - column_start[i]
            first = a if upper else 0
            base = pair_start[i] + a * width - first * (first + 1) // 2
            for b in range(first, width):
                pair_position[base + b] = where[columns[column_start[i] + b]]
    return h_position, pair_position


@kernel
def add_matrix(position, data, out):
    """out[position] += data where the position is not negative."""
    for k in range(len(position)):
        if position[k] >= 0:
            out[position[k]] += data[k]


@kernel
def _add_three_rows(width, offset, values, w0, w1, w2, pair, pair_position, out):
    """The rows of a usual contact at once: every entry of `out` is touched once."""
    for a in range(width):
        f0 = w0 * values[offset + a]
        f1 = w1 * values[offset + width + a]
        f2 = w2 * values[offset + 2 * width + a]
        for b in range(a, width):
            at = offset + b
            out[pair_position[pair]] += f0 * values[at] + f1 * values[at + width] + f2 * values[at + 2 * width]
            pair += 1


@kernel
def add_congruence(start, column_start, value_start, values, weight, pair_start, pair_position, out):
    """out += sum over rows of weight[row] a a' (upper triangle), for diagonal P."""
    for i in range(len(start) - 1):
        width = column_start[i + 1] - column_start[i]
        row = start[i]
        if start[i + 1] - row == 3:
            _add_three_rows(
                width, value_start[i], values, weight[row], weight[row + 1], weight[row + 2],
                pair_start[i], pair_position, out,
            )  # fmt: skip
            continue
        for row in range(start[i], start[i + 1]):
            offset = value_start[i] + (row - start[i]) * width
            pair = pair_start[i]
            for a in range(width):
                factor = weight[row] * values[offset + a]
                for b in range(a, width):
                    out[pair_position[pair]] += factor * values[offset + b]
                    pair += 1


@kernel
def right_side(start, column_start, value_start, columns, values, weight, r1, r2, out):
    """out = r1 + A'(weight r2): the right-hand side of the condensed system."""
    out[:] = r1
    for i in range(len(start) - 1):
        base, end = column_start[i], column_start[i + 1]
        offset, row = value_start[i], start[i]
        if start[i + 1] - row == 3:
            x0, x1, x2 = weight[row] * r2[row], weight[row + 1] * r2[row + 1], weight[row + 2] * r2[row + 2]
            add_three_rows_transposed(columns, base, end, values, offset, x0, x1, x2, out)
            continue
        for row in range(start[i], start[i + 1]):
            factor = weight[row] * r2[row]
            for k in range(end - base):
                out[columns[base + k]] += values[offset + k] * factor
            offset += end - base


@kernel
def rows_and_rest(start, column_start, value_start, columns, values, weight, r2, dw, dx, rest):
    """dx = weight (r2 - A dw), and rest += A' dx in the same pass over A."""
    for i in range(len(start) - 1):
        base, end = column_start[i], column_start[i + 1]
        offset, row = value_start[i], start[i]
        if start[i + 1] - row == 3:
            s0, s1, s2 = three_rows_times(columns, base, end, values, offset, dw)
            s0, s1, s2 = (
                (r2[row] - s0) * weight[row],
                (r2[row + 1] - s1) * weight[row + 1],
                (r2[row + 2] - s2) * weight[row + 2],
            )
            dx[row], dx[row + 1], dx[row + 2] = s0, s1, s2
            add_three_rows_transposed(columns, base, end, values, offset, s0, s1, s2, rest)
            continue
        for row in range(start[i], start[i + 1]):
            total = r2[row]
            for k in range(end - base):
                total -= values[offset + k] * dw[columns[base + k]]
            total *= weight[row]
            dx[row] = total
            for k in range(end - base):
                rest[columns[base + k]] += values[offset + k] * total
            offset += end - base


@kernel
def compliance_weights(start, cones, e_start, e_values, scaling, reflector, diagonal, out):
    """Blocks P = (diag(diagonal) + Q'EQ)^-1 of the cones, in the layout of `e_start` (row by row)."""
    for i in range(cones):
        first, last = start[i], start[i + 1]
        size = last - first
        block = np.empty((size, size))
        for a in range(size):
            for b in range(size):
                block[a, b] = e_values[e_start[i] + a * size + b]
        turn_both_sides(block, size, size, first, first, scaling[i, 2], scaling[i, 2], reflector)
        for a in range(size):
            block[a, a] += diagonal[first + a]
        inverse = np.linalg.inv(block)
        for a in range(size):
            for b in range(size):
                out[e_start[i] + a * size + b] = 0.5 * (inverse[a, b] + inverse[b, a])


@kernel
def add_block_congruence(
    start, blocks, column_start, value_start, values, squares, weight, upper, pair_start, pair_position, out
):
    """out += sum over the first `blocks` of A_i' P_i A_i, for full blocks P_i: the upper triangle alone or both."""
    largest = 1
    for i in range(blocks):
        largest = max(largest, (start[i + 1] - start[i]) * (column_start[i + 1] - column_start[i]))
    product = np.empty(largest)
    for i in range(blocks):
        size, width = start[i + 1] - start[i], column_start[i + 1] - column_start[i]
        offset, at, pair = value_start[i], squares[i], pair_start[i]
        for a in range(size):
            for c in range(width):
                total = 0.0
                for b in range(size):
                    total += weight[at + a * size + b] * values[offset + b * width + c]
                product[a * width + c] = total
        if size == 3:  # the usual contact: three terms at once
            for r in range(width):
                v0, v1, v2 = values[offset + r], values[offset + width + r], values[offset + 2 * width + r]
                first = r if upper else 0
                if v0 != 0.0 or v1 != 0.0 or v2 != 0.0:
                    for c in range(width - first):
                        p = first + c
                        out[pair_position[pair + c]] += (
                            v0 * product[p] + v1 * product[width + p] + v2 * product[2 * width + p]
                        )
                pair += width - first
            continue
        for r in range(width):
            first = r if upper else 0
            for a in range(size):
                factor = values[offset + a * width + r]
                for c in range(width - first):
                    out[pair_position[pair + c]] += factor * product[a * width + first + c]
            pair += width - first


@kernel
def multiply_blocks(start, e_start, blocks, x, out):
    """out = P x for block-diagonal P in the layout of `e_start`; rows after the last block are left alone."""
    for i in range(len(start) - 1):
        size = start[i + 1] - start[i]
        for a in range(size):
            total = 0.0
            for b in range(size):
                total += blocks[e_start[i] + a * size + b] * x[start[i] + b]
            out[start[i] + a] = total


@kernel
def equilibrate(indptr, indices, data, factor):
    """data := S data S, S = diag^(-1/2), of an upper triangle whose rows begin with the diagonal; S into `factor`."""
    for row in range(len(indptr) - 1):
        factor[row] = 1.0 / math.sqrt(data[indptr[row]])
    for row in range(len(indptr) - 1):
        for k in range(indptr[row], indptr[row + 1]):
            data[k] *= factor[row] * factor[indices[k]]
