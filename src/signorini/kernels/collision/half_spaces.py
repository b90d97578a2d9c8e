"""Half-spaces against all bounded shapes."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.broad import LEAST, Pairs, allowed, envelope, height_above
from signorini.kernels.collision.place import half_space
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared


@kernel
def widest_envelope(bounds, margin, members, step, fall):
    """Bound of the envelope of any member with a half-space at rest [m]: higher ones can be skipped."""
    widest = 0.0
    for p in range(len(members)):
        i = members[p]
        speed = sqrt(bounds[i, 6] ** 2 + bounds[i, 7] ** 2 + bounds[i, 8] ** 2)
        widest = max(widest, max(margin[i, 0], margin[i, 1]) + step * (speed + bounds[i, 10]) + fall)
    return widest


@kernel
def half_space_part(part, parts, rules, param, placed, planes, members, widest_member, now, pairs, at):
    """One half-space against one part of the members, appended to `pairs` from at[part] on, which is moved on."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    bounds, s, here, k = placed.bounds, planes[part // parts], part % parts, at[part]
    nx, ny, nz, offset = half_space(param, placed, s)
    origin, spin = placed.origin[s], placed.spin[s]
    speed = sqrt(bounds[s, 6] ** 2 + bounds[s, 7] ** 2 + bounds[s, 8] ** 2)
    widest = np.inf if spin > 0 else max(margin[s, 0], 0.0) + widest_member + step * speed
    for q in range(first_of(here, parts, len(members)), first_of(here + 1, parts, len(members))):
        i = np.uint64(members[q])
        height = height_above(bounds, i, nx, ny, nz, offset)
        if height >= widest:
            continue
        limit = envelope(bounds, margin, i, s, step, fall)
        if spin > 0:
            dx, dy, dz = bounds[i, 0] - origin[0], bounds[i, 1] - origin[1], bounds[i, 2] - origin[2]
            limit += step * spin * (sqrt(dx * dx + dy * dy + dz * dz) + bounds[i, 9])
        if height < limit and allowed(filters, tied, bodies, i, s):
            if k < len(first):
                first[k], second[k], limits[k] = min(members[q], s), max(members[q], s), limit
            k += 1
    at[part] = k


half_space_by_team = shared(half_space_part)


@kernel
def half_spaces_against_all(team, rules, param, placed, planes, members, now, pairs):
    """Half-spaces against all bounded shapes; one that turns moves the faster the farther from its origin."""
    widest = widest_envelope(placed.bounds, rules[0], members, now[0], now[1])
    parts = 1 if len(team) == 0 else max(1, parts_of(len(members), LEAST) // len(planes))
    at = np.zeros(parts * len(planes), np.int64)
    if len(team) == 0:
        k = 0
        for p in range(len(planes)):
            at[0] = k
            half_space_by_team(team, 1, (1, rules, param, placed, planes[p:], members, widest, now, pairs, at))
            k = at[0]
        return k
    none = Pairs(pairs.first[:0], pairs.second[:0], pairs.limit[:0])
    half_space_by_team(team, len(at), (parts, rules, param, placed, planes, members, widest, now, none, at))
    total = 0
    for part in range(len(at)):
        total, at[part] = total + at[part], total
    half_space_by_team(team, len(at), (parts, rules, param, placed, planes, members, widest, now, pairs, at))
    return total
