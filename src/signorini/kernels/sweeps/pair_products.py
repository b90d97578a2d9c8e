"""Products with `N = A A' + E` in the storage of `pair_sweeps`, without forming N."""

from __future__ import annotations

from signorini.kernels.compile import fused_kernel, kernel
from signorini.kernels.sweeps import compact_records
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Contacts or bodies of a part."""


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


@shared
@fused_kernel
def scatter_group(part, first, start, body, record, x, z):
    """`scatter_range` of one group."""
    scatter_range(start[first + part], start[first + part + 1], body, record, x, z)


@shared
@fused_kernel
def gather_part(part, parts, body, record, compliance, x, z, offset, out):
    """`gather_range` of one part."""
    first, last = first_of(part, parts, len(body)), first_of(part + 1, parts, len(body))
    gather_range(first, last, body, record, compliance, x, z, offset, out)


@shared
@kernel
def copy_part(part, parts, source, target):
    """target = source, rows of one part."""
    for i in range(first_of(part, parts, len(source)), first_of(part + 1, parts, len(source))):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def scatter(team, start, phases, body, record, x, start_z, z):
    """z = start_z + A' x; groups and phases are those of `pair_order`, so that the order is the same for any team."""
    parts = parts_of(len(z), LEAST)
    copy_part(team, parts, (parts, start_z, z))
    if len(team) == 0:
        scatter_range(0, len(body), body, record, x, z)
        return
    for phase in range(len(phases) - 1):
        first = phases[phase]
        scatter_group(team, phases[phase + 1] - first, (first, start, body, record, x, z))


@kernel
def product(team, start, phases, body, record, compliance, x, start_z, offset, z, out):
    """z = start_z + A' x, out = A z + E x + offset b."""
    scatter(team, start, phases, body, record, x, start_z, z)
    parts = parts_of(len(body), LEAST)
    gather_part(team, parts, (parts, body, record, compliance, x, z, offset, out))
