"""The sets K of `Cones` as the certificate evaluates them: natural map, violations, exact slip.

A block of one row is the interval [low, high] (a half-line is [0, inf)), one whose rolling length is a number is a
rolling block of six rows (normal, tangent, tangent, spin, roll, roll), any other is the Coulomb cone
`mu n >= |t|`. `blocks` is the tuple (start, mu, low, high, spinning, rolling) of the arrays of `Cones`. Impulses x and
slips g come in units in which `x - g` makes sense.

With `p = x - g`, the natural map is `x - P_K(p) = g + (p - P_K(p))`. The right-hand side is what is computed:
subtracting from x would lose a slip below its round-off. For a cone `p - P_K(p)` is the projection on the polar cone
(Moreau), which is p itself, so that x remains, or 0, so that g remains, or a part of p along one ray.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.certificate.numbers import larger, norm, ratio
from signorini.kernels.compile import kernel
from signorini.kernels.stack import vector

ROLLING_ROWS = 6
CANCELLED = 1e-12
"""Share of N below which N - E is round-off."""


@kernel
def length(x, first, last):
    """Length of x[first:last]."""
    total = 0.0
    for k in range(first, last):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def interval_square(x, g, low, high):
    """Square of the natural map of an interval."""
    p = x - g
    if p < low:
        error = x - low
    elif p > high:
        error = x - high
    else:
        error = g if p == p else p
    return error * error


@kernel
def cone_square(x, g, rho, lift, first, last, mu):
    """Square of the natural map of a Coulomb cone, with the slip `rho g` and `rho lift` more in the normal."""
    gn, square = rho * (g[first] + lift), 0.0
    normal = x[first] - gn
    for k in range(first + 1, last):
        square += (x[k] - rho * g[k]) ** 2
    tangent, total = math.sqrt(square), 0.0
    if normal + mu * tangent <= 0.0:
        for k in range(first, last):
            total += x[k] ** 2
    elif tangent <= mu * normal:
        total = gn * gn
        for k in range(first + 1, last):
            total += (rho * g[k]) ** 2
    else:
        # The polar part of p lies along (-mu, t / |t|), and this is its tangent length.
        outside = (tangent - mu * normal) / (1.0 + mu * mu)
        total = (gn - outside * mu) ** 2
        share = outside / tangent
        for k in range(first + 1, last):
            total += (rho * g[k] + share * (x[k] - rho * g[k])) ** 2
    return total


@kernel
def spatial_cone_square(xn, xs, xt, gn, gs, gt, mu):
    """`cone_square` of a contact with three rows, by components."""
    n, s, t = xn - gn, xs - gs, xt - gt
    tangent = math.sqrt(s * s + t * t)
    if n + mu * tangent <= 0.0:
        return xn * xn + xs * xs + xt * xt
    if tangent <= mu * n:
        return gn * gn + gs * gs + gt * gt
    outside = (tangent - mu * n) / (1.0 + mu * mu)
    share = outside / tangent
    return (gn - outside * mu) ** 2 + (gs + share * s) ** 2 + (gt + share * t) ** 2


@kernel
def rolling_normal(n, t, s, r, mu, spinning, rolling):
    """The normal of the projection of a rolling block with normal n and lengths t, s, r.

    It minimises `(m - n)^2 + (t - mu m)_+^2 + (s - spinning m)_+^2 + (r - rolling m)_+^2` over m >= 0. If the limits
    that shorten their part were known, m would be `(n + sum coefficient * length) / (1 + sum coefficient^2)` over
    them. Any other choice of limits gives less, because `(.)_+` is at least its argument: m is the largest of all.
    """
    best = 0.0
    for choice in range(8):
        above, below = n, 1.0
        if choice & 1:
            above += mu * t
            below += mu * mu
        if choice & 2:
            above += spinning * s
            below += spinning * spinning
        if choice & 4:
            above += rolling * r
            below += rolling * rolling
        best = larger(best, above / below)
    return best


@kernel
def excess(p, limit, first, last, g):
    """Sum of squares of `g + (p - P(p))` in rows that the projection P shortens to the length `limit`."""
    size, total = length(p, first, last), 0.0
    share = 1.0 - limit / size if size > limit else 0.0
    for k in range(first, last):
        total += (g[k] + share * p[k]) ** 2
    return total


@kernel
def rolling_square(x, g, mu, spinning, rolling):
    """Square of the natural map of a rolling block."""
    p = vector(ROLLING_ROWS)
    for k in range(ROLLING_ROWS):
        p[k] = x[k] - g[k]
    n = rolling_normal(p[0], length(p, 1, 3), length(p, 3, 4), length(p, 4, 6), mu, spinning, rolling)
    if n == 0.0:
        return length(x, 0, ROLLING_ROWS) ** 2
    total = (g[0] + (p[0] - n)) ** 2 + excess(p, mu * n, 1, 3, g)
    return total + excess(p, spinning * n, 3, 4, g) + excess(p, rolling * n, 4, 6, g)


@kernel
def roots(blocks, diagonal, soft, common, root):
    """Root of the mean of diag N over the normal and the tangents of a block, 1 if 0.

    Impulses times `root` and slips over `root` are roots of energies. With `common`, all contacts share one mean, which
    is FCLIB's measure where there is nothing else. Spins and rolls are turned into speeds by a length of their contact
    (`turning_length`), so that all rows of contacts have one unit: a light contact makes errors in the speeds of a
    heavy one neither larger nor smaller than those in its rolling. `soft` is diag E.
    """
    start, _, low, high, _, rolling = blocks
    total, count = 0.0, 0
    for i in range(len(low)):
        first = start[i]
        end = start[i + 1] if rolling[i] != rolling[i] else first + 3
        root[first:end] = root_of(mean(diagonal, first, end))
        if low[i] == 0.0 and high[i] == math.inf:
            for k in range(first, end):
                total += diagonal[k]
            count += end - first
    shared = root_of(total / count) if count > 0 else 1.0
    for i in range(len(low)):
        first = start[i]
        end = start[i + 1] if rolling[i] != rolling[i] else first + 3
        if common and low[i] == 0.0 and high[i] == math.inf:
            root[first:end] = shared
        if end < start[i + 1]:
            root[end] = root[first] / turning_length(diagonal, soft, first, end, end + 1)
            root[end + 1 : start[i + 1]] = root[first] / turning_length(diagonal, soft, first, end + 1, start[i + 1])


@kernel
def turning_length(diagonal, soft, first, begin, last):
    """The length that makes speeds of the turns in the rows begin:last of a contact that begins at row `first`.

    It is the root of (inverse mass over inverse inertia) at the contact, about a radius of gyration: the means of diag
    `N - E` over the normal and tangents, and over the turns; of diag N where nothing moves but by compliance.
    """
    mass, inertia = mean(diagonal, first, first + 3), mean(diagonal, begin, last)
    rigid_mass, rigid_inertia = mass - mean(soft, first, first + 3), inertia - mean(soft, begin, last)
    if rigid_mass > CANCELLED * mass and rigid_inertia > CANCELLED * inertia:
        mass, inertia = rigid_mass, rigid_inertia
    return math.sqrt(mass / inertia) if mass > 0.0 and inertia > 0.0 else 1.0


@kernel
def mean(x, first, last):
    """Of x[first:last]."""
    total = 0.0
    for k in range(first, last):
        total += x[k]
    return total / (last - first)


@kernel
def root_of(mean_weight):
    """Its root, 1 where it is 0."""
    return math.sqrt(mean_weight) if mean_weight > 0.0 else 1.0


@kernel
def free_size(indptr, indices, data, velocity, b, root, least):
    """`|g_free|` of the slips `A velocity - b` over root, or `least` times that of their terms if that is more."""
    slips, sizes = 0.0, 0.0
    for i in range(len(b)):
        slip, size = -b[i], abs(b[i])
        for k in range(indptr[i], indptr[i + 1]):
            term = data[k] * velocity[indices[k]]
            slip += term
            size += abs(term)
        slips += (slip / root[i]) ** 2
        sizes += (size / root[i]) ** 2
    return larger(math.sqrt(slips), least * math.sqrt(sizes))


@kernel
def natural_map(blocks, root, impulse, slip, error, size):
    """Norm of `x - P_K(x - g)` over blocks of any kind, x = root impulse, g = slip / root, the set of x being scaled K.

    `error_i` becomes that of block i, `size_i` becomes `|x_i| + |g_i|`.
    """
    start, mu, low, high, spinning, rolling = blocks
    most = largest_block(start)
    x, g, total = vector(most), vector(most), 0.0
    for i in range(len(mu)):
        first, rows = start[i], start[i + 1] - start[i]
        for k in range(rows):
            x[k], g[k] = root[first + k] * impulse[first + k], slip[first + k] / root[first + k]
        unit = root[first]
        if rows == 1:
            square = interval_square(x[0], g[0], unit * low[i], unit * high[i])
        elif rolling[i] == rolling[i]:
            spin, roll = spinning[i] * root[first + 3] / unit, rolling[i] * root[first + 4] / unit
            square = rolling_square(x, g, mu[i], spin, roll)
        else:
            square = cone_square(x, g, 1.0, 0.0, 0, rows, mu[i])
        error[i], size[i] = math.sqrt(square), length(x, 0, rows) + length(g, 0, rows)
        total += square
    return math.sqrt(total)


@kernel
def largest_block(start):
    """Most rows of a block."""
    rows = 0
    for i in range(len(start) - 1):
        rows = max(rows, start[i + 1] - start[i])
    return rows


@kernel
def contact_errors(blocks, root, impulse, slip, round_off, error):
    """(norm of the natural map, largest relative error, where); `error` and the norm are in units of the normals.

    The error of a block is relative to its size, or to `round_off` times the largest size if that is more. Of equal
    errors the first counts, and nothing is worse than not-a-number.
    """
    start, size, floor = blocks[0], np.empty(len(error)), 0.0
    natural_map(blocks, root, impulse, slip, error, size)
    for value in size:
        floor = larger(floor, round_off * value)
    relative, worst = 0.0, 0
    for i in range(len(error)):
        value = ratio(error[i], larger(size[i], floor))
        if relative == relative and (value > relative or value != value):
            relative, worst = value, i
        error[i] /= root[start[i]]
    return norm(error), relative, worst


@kernel
def violation(blocks, impulse):
    """How far the worst block of impulses lies outside of its set, in units of its rows; never negative."""
    start, mu, low, high, spinning, rolling = blocks
    worst = 0.0
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        n = impulse[first]
        if last - first == 1:
            outside = larger(low[i] - n, n - high[i])
        elif rolling[i] == rolling[i]:
            outside = larger(-n, length(impulse, first + 1, first + 3) - mu[i] * n)
            outside = larger(outside, abs(impulse[first + 3]) - spinning[i] * n)
            outside = larger(outside, length(impulse, first + 4, first + 6) - rolling[i] * n)
        else:
            outside = larger(-n, length(impulse, first + 1, last) - mu[i] * n)
        worst = larger(worst, outside)
    return worst


@kernel
def lift(slip, first, last, mu, spinning, rolling):
    """`mu |u_t|` of one block, for a rolling block `mu |u_t| + spinning |u_s| + rolling |u_r|`, 0 for a single row."""
    if rolling == rolling:
        turning = spinning * abs(slip[first + 3]) + rolling * length(slip, first + 4, first + 6)
        return mu * length(slip, first + 1, first + 3) + turning
    return mu * length(slip, first + 1, last)


@kernel
def dual_violation(blocks, slip):
    """How far the worst block of slips lies outside of K*, `u_n >= lift`; never negative.

    An interval without an upper end forbids slips below 0, one without a lower end those above.
    """
    start, mu, low, high, spinning, rolling = blocks
    worst = 0.0
    for i in range(len(low)):
        u = slip[start[i]]
        if start[i + 1] - start[i] > 1:
            outside = lift(slip, start[i], start[i + 1], mu[i], spinning[i], rolling[i]) - u
        else:
            outside = 0.0 if u == u else u
            if u < 0.0 and high[i] == math.inf:
                outside = -u
            elif u > 0.0 and low[i] == -math.inf:
                outside = u
        worst = larger(worst, outside)
    return worst


@kernel
def support(blocks, slip):
    """Support function of the intervals at -slip, `sum high (-u)_+ - low u_+` over the ends that are finite.

    Cones have low = 0 and high = inf: theirs is 0 on K*, and `dual_violation` measures violations of it.
    """
    start, _, low, high, _, _ = blocks
    total = 0.0
    for i in range(len(low)):
        u = slip[start[i]]
        end = low[i] if u > 0.0 else high[i]
        if abs(end) < math.inf:
            total -= end * u
    return total


@kernel
def exact_slip(blocks, slip, out):
    """out = slip with the `lift` added to each normal: the exact Coulomb law in the form of de Saxce."""
    start, mu, _, _, spinning, rolling = blocks
    for i in range(len(mu)):
        for k in range(start[i], start[i + 1]):
            out[k] = slip[k]
        out[start[i]] += lift(slip, start[i], start[i + 1], mu[i], spinning[i], rolling[i])


@kernel
def work_and_size(impulse, slip, free_slip):
    """(impulse' slip, |impulse|' (|slip| + |free slip|))."""
    work, size = 0.0, 0.0
    for k in range(len(impulse)):
        work += impulse[k] * slip[k]
        size += abs(impulse[k]) * (abs(slip[k]) + abs(free_slip[k]))
    return work, size
