"""Block diagonal matrices in CSR form: where the blocks are, their inverses, and products with the factors of these.

Block b has the rows and columns starts[b]..starts[b+1]-1.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def find_blocks(indptr, indices, largest, starts):
    """(blocks, sum of squares of their sizes); (-1, 0) when one is larger than `largest`.

    A block ends at row i when no entry above or left of there reaches beyond i. `starts` has room for n + 1 entries.
    """
    n = len(indptr) - 1
    reach = np.arange(n)
    for i in range(n):
        if indptr[i] < indptr[i + 1]:
            # Rows are sorted: the first and the last entry bound all others.
            left, right = indices[indptr[i]], indices[indptr[i + 1] - 1]
            reach[i] = max(reach[i], right)
            if left < i:
                reach[left] = max(reach[left], i)
    starts[0] = 0
    blocks, squares, first, end = 0, 0, 0, 0
    for i in range(n):
        end = max(end, reach[i])
        if end - first >= largest:
            return -1, 0
        if end == i:
            blocks += 1
            starts[blocks] = i + 1
            squares += (i + 1 - first) ** 2
            first = i + 1
            end = first
    return blocks, squares


@kernel
def cholesky(A, d):
    """Lower factor L of A[:d, :d] in place, from the lower triangle; False when A is not positive definite."""
    for j in range(d):
        pivot = A[j, j]
        for k in range(j):
            pivot -= A[j, k] * A[j, k]
        if not pivot > 0.0:
            return False
        pivot = math.sqrt(pivot)
        A[j, j] = pivot
        for i in range(j + 1, d):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / pivot
    return True


@kernel
def invert_lower(L, d):
    """L[:d, :d]^-1 in place."""
    for j in range(d):
        L[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, d):
            total = L[i, j] * L[j, j]
            for k in range(j + 1, i):
                total += L[i, k] * L[k, j]
            # The diagonal of row i is still that of L.
            L[i, j] = -total / L[i, i]


@kernel
def invert(starts, indptr, indices, data, inv_indptr, inv_indices, inv_data, fac_indptr, fac_indices, fac_data):
    """H^-1 and its factor `G = L^-T` (`G G' = H^-1`, `L L' = H`) without their zeros.

    Returns -1, or the block that is not positive definite.
    """
    largest = 0
    for b in range(len(starts) - 1):
        largest = max(largest, starts[b + 1] - starts[b])
    A = np.empty((largest, largest))
    inv_indptr[0], fac_indptr[0] = 0, 0
    inv_place, fac_place = 0, 0
    for b in range(len(starts) - 1):
        first = starts[b]
        d = starts[b + 1] - first
        for i in range(d):
            for j in range(d):
                A[i, j] = 0.0
            for k in range(indptr[first + i], indptr[first + i + 1]):
                A[i, indices[k] - first] = data[k]
        if not cholesky(A, d):
            return b
        invert_lower(A, d)
        for i in range(d):
            for j in range(d):
                total = 0.0
                for k in range(max(i, j), d):
                    total += A[k, i] * A[k, j]
                if total != 0.0:
                    inv_indices[inv_place] = first + j
                    inv_data[inv_place] = total
                    inv_place += 1
                if j >= i and A[j, i] != 0.0:
                    fac_indices[fac_place] = first + j
                    fac_data[fac_place] = A[j, i]
                    fac_place += 1
            inv_indptr[first + i + 1] = inv_place
            fac_indptr[first + i + 1] = fac_place
    return -1


@kernel
def block_of_columns(starts):
    """The block that each column belongs to."""
    block_of = np.empty(starts[-1], dtype=np.int64)
    for b in range(len(starts) - 1):
        block_of[starts[b] : starts[b + 1]] = b
    return block_of


@kernel
def count_product(starts, indptr, indices, g_indptr, g_indices, out_indptr):
    """Row pointers of D G for a block diagonal G."""
    seen = np.full(starts[-1], -1, dtype=np.int64)
    out_indptr[0] = 0
    for row in range(len(indptr) - 1):
        count = 0
        for k in range(indptr[row], indptr[row + 1]):
            for q in range(g_indptr[indices[k]], g_indptr[indices[k] + 1]):
                if seen[g_indices[q]] != row:
                    seen[g_indices[q]] = row
                    count += 1
        out_indptr[row + 1] = out_indptr[row] + count


@kernel
def product(starts, indptr, indices, data, g_indptr, g_indices, g_data, out_indices, out_data):
    """D G for a block diagonal G; one block after another, so that the rows come out sorted."""
    block_of = block_of_columns(starts)
    seen = np.full(starts[-1], -1, dtype=np.int64)
    total = np.zeros(starts[-1])
    place = 0
    for row in range(len(indptr) - 1):
        k, last = indptr[row], indptr[row + 1]
        while k < last:
            block = block_of[indices[k]]
            first, end = starts[block], starts[block + 1]
            while k < last and indices[k] < end:
                for q in range(g_indptr[indices[k]], g_indptr[indices[k] + 1]):
                    total[g_indices[q]] += data[k] * g_data[q]
                    seen[g_indices[q]] = row
                k += 1
            for column in range(first, end):
                if seen[column] == row:
                    out_indices[place] = column
                    out_data[place] = total[column]
                    total[column] = 0.0
                    place += 1
