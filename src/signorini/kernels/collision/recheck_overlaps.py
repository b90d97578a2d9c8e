"""Whether shapes overlap at the end of a step with changed velocities, other than in contacts that are known.

A quick test without contact points: gaps at the end of the step, exact for spheres and half-spaces (to the first order
in the motion, as contacts have it), a lower bound for other shapes. A known contact of two spheres, or of a sphere with
a half-space, is skipped; other pairs may touch in more than one point.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.broad import allowed, height_above
from signorini.kernels.collision.conventions import SPHERE
from signorini.kernels.collision.identity import identity_of, pair_key, pair_of
from signorini.kernels.collision.place import half_space
from signorini.kernels.compile import inlined, kernel


@inlined
def relative_velocity(bounds, i, j):
    """Of the centres of two shapes, of i against j [m/s]."""
    return bounds[i, 6] - bounds[j, 6], bounds[i, 7] - bounds[j, 7], bounds[i, 8] - bounds[j, 8]


@inlined
def least_gap(kind, bounds, i, j, step):
    """Least gap of two bounded shapes, i < j, after the step [m]."""
    x, y, z = bounds[i, 0] - bounds[j, 0], bounds[i, 1] - bounds[j, 1], bounds[i, 2] - bounds[j, 2]
    u, v, w = relative_velocity(bounds, i, j)
    distance = sqrt(x * x + y * y + z * z)
    if kind[i] == SPHERE and kind[j] == SPHERE:
        # Spheres with one centre are pushed apart vertically.
        rate = (x * u + y * v + z * w) / distance if distance > 0 else w
    else:
        rate = -(sqrt(u * u + v * v + w * w) + (bounds[i, 10] + bounds[j, 10]))
    return distance - (bounds[i, 9] + bounds[j, 9]) + step * rate


@kernel
def is_known(known, bits, i, j):
    """Whether one of the rising identities is that of shapes i < j; parts have so many bits."""
    at = np.searchsorted(known, identity_of(i, j, 0, bits))
    return at < len(known) and pair_of(known[at], bits) == pair_key(i, j, bits)


@kernel
def candidates_meet(kind, bounds, candidates, apart, known, bits, step, overlap):
    """Whether one of the candidates, sorted and free to collide, may overlap by more than `overlap` [m].

    Candidates of a shape that is marked in `apart` are left out; nothing is marked in an empty array. Parts of the
    identities `known` have so many bits.
    """
    at = 0
    for p in range(len(candidates.first)):
        i, j = np.uint64(candidates.first[p]), np.uint64(candidates.second[p])
        if len(apart) and (apart[i] or apart[j]):
            continue
        key = pair_key(candidates.first[p], candidates.second[p], bits)
        while at < len(known) and pair_of(known[at], bits) < key:
            at += 1
        if at < len(known) and pair_of(known[at], bits) == key and kind[i] == SPHERE and kind[j] == SPHERE:
            continue
        if least_gap(kind, bounds, i, j, step) < -overlap:
            return True
    return False


@kernel
def large_meet(kind, rules, bounds, swelling, large, members, known, bits, step, overlap):
    """The same of every one of `large` and all `members`, swollen as in `swellings`."""
    _, filters, tied, bodies = rules
    for q in range(len(members)):
        m = members[q]
        x, y, z, size = bounds[m, 0], bounds[m, 1], bounds[m, 2], bounds[m, 9] + swelling[m]
        for p in range(len(large)):
            i, j = min(large[p], m), max(large[p], m)
            dx, dy, dz = bounds[large[p], 0] - x, bounds[large[p], 1] - y, bounds[large[p], 2] - z
            reach = bounds[large[p], 9] + swelling[large[p]] + size
            if dx * dx + dy * dy + dz * dz >= reach * reach or i == j:
                continue
            if least_gap(kind, bounds, i, j, step) >= -overlap:
                continue
            spheres = kind[i] == SPHERE and kind[j] == SPHERE
            if allowed(filters, tied, bodies, i, j) and not (spheres and is_known(known, bits, i, j)):
                return True
    return False


@kernel
def half_spaces_meet(shapes, placed, planes, members, known, bits, step, overlap):
    """The same of half-spaces and all bounded shapes; one that turns may meet anything."""
    kind, bounds = shapes.kind, placed.bounds
    for p in range(len(planes)):
        s = planes[p]
        if placed.spin[s] > 0:
            return True
        nx, ny, nz, offset = half_space(shapes.param, placed, s)
        for q in range(len(members)):
            i = members[q]
            u, v, w = relative_velocity(bounds, i, s)
            is_sphere = kind[i] == SPHERE
            rate = nx * u + ny * v + nz * w if is_sphere else -(sqrt(u * u + v * v + w * w) + bounds[i, 10])
            if height_above(bounds, i, nx, ny, nz, offset) + step * rate >= -overlap:
                continue
            touch = allowed(shapes.filters, shapes.tied, shapes.bodies, i, s)
            if touch and not (is_sphere and is_known(known, bits, min(i, s), max(i, s))):
                return True
    return False
