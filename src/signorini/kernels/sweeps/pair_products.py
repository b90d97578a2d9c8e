"""Products with `N = A A' + E` in the storage of `pair_sweeps`, without forming N."""

from __future__ import annotations

from signorini.kernels.compile import fused_kernel, kernel, parallel_kernel, prange
from signorini.kernels.sweeps import compact_records


@fused_kernel
def scatter_range(first, last, body, record, x, z):
    """z += A' x over contacts first..last-1."""
    if record.shape[1] == compact_records.WIDTH:
        compact_records.scatter_range(first, last, body, record, x, z)
        return
    for i in range(first, last):
        a, b = body[i, 0], body[i, 1]
        A = record[i]
        n, s, t = x[i, 0], x[i, 1], x[i, 2]
        for j in range(6):
            z[a, j] += A[j] * n + A[12 + j] * s + A[24 + j] * t
        for j in range(6):
            z[b, j] += A[6 + j] * n + A[18 + j] * s + A[30 + j] * t


@fused_kernel
def gather_range(first, last, body, record, compliance, x, z, offset, out):
    """out = A z + E x, plus `offset` times b, over contacts first..last-1."""
    if record.shape[1] == compact_records.WIDTH:
        compact_records.gather_range(first, last, body, record, z, offset, out)
        return
    soft = len(compliance) > 0
    for i in range(first, last):
        a, b = body[i, 0], body[i, 1]
        A = record[i]
        z0, z1, z2, z3, z4, z5 = z[a, 0], z[a, 1], z[a, 2], z[a, 3], z[a, 4], z[a, 5]
        y0, y1, y2, y3, y4, y5 = z[b, 0], z[b, 1], z[b, 2], z[b, 3], z[b, 4], z[b, 5]
        for k in range(3):
            q = 12 * k
            u = (((A[q] * z0 + A[q + 4] * z4) + A[q + 8] * y2) + ((A[q + 1] * z1 + A[q + 5] * z5) + A[q + 9] * y3)) + (
                ((A[q + 2] * z2 + A[q + 6] * y0) + A[q + 10] * y4) + ((A[q + 3] * z3 + A[q + 7] * y1) + A[q + 11] * y5)
            )
            if soft:
                u += compliance[i, k] * x[i, k]
            out[i, k] = u + offset * A[36 + k]


@kernel
def product(body, record, compliance, x, start_z, offset, z, out):
    """z = start_z + A' x, out = A z + E x + offset b; one thread."""
    z[:] = start_z
    scatter_range(0, len(body), body, record, x, z)
    gather_range(0, len(body), body, record, compliance, x, z, offset, out)


@parallel_kernel
def parallel_product(start, parts, body, record, compliance, x, start_z, offset, z, out):
    """The same by all threads, with the same bits."""
    z[:] = start_z
    for p in prange(parts):
        scatter_range(start[p], start[p + 1], body, record, x, z)
    for p in prange(parts + 1):
        scatter_range(start[parts + p], start[parts + p + 1], body, record, x, z)
    scatter_range(start[2 * parts + 1], start[2 * parts + 2], body, record, x, z)
    for g in prange(len(start) - 1):
        gather_range(start[g], start[g + 1], body, record, compliance, x, z, offset, out)
