"""Products of blocks of all kinds: cones, intervals, rolling blocks (`coulomb_cones.py` is the fast path of cones).

`table` has one row per block: kind, mu, low, high, spinning, rolling (`Cones.table`). Errors are measured in scaled
variables: `root` holds one factor per row, impulses become `root * impulse`, slips `slip / root`, and `table` is that
of the scaled set (`Cones.scaled_table`).
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones import rolling_cones as rolling
from signorini.kernels.cones.coulomb_cones import natural_square, project_outside, tangent_norm
from signorini.kernels.cones.coulomb_cones import project_block as project_cone
from signorini.kernels.cones.rolling_cones import lengths, projected_normal, shrink

CONE, INTERVAL, ROLLING = 0, 1, 2
"""Kinds of blocks; a half-line is a cone."""
KIND, MU, LOW, HIGH, SPIN, ROLL = 0, 1, 2, 3, 4, 5
"""Columns of `table`."""
COLUMNS = 6
ROLLING_ROWS = rolling.ROWS


@kernel
def fill_table(mu, low, high, spinning, rolling, table):
    """The table of blocks with these parameters; lengths of rolling are nan where a block is no rolling block."""
    for i in range(len(mu)):
        is_rolling = not math.isnan(rolling[i])
        is_interval = low[i] != 0.0 or high[i] != math.inf
        table[i, KIND] = ROLLING if is_rolling else (INTERVAL if is_interval else CONE)
        table[i, MU], table[i, LOW], table[i, HIGH] = mu[i], low[i], high[i]
        table[i, SPIN] = spinning[i] if is_rolling else 0.0
        table[i, ROLL] = rolling[i] if is_rolling else 0.0


@kernel
def project_rolling(x, first, mu, spinning, rolling, out):
    """Euclidean projection of a rolling block; `out` may be `x`."""
    t, s, r = lengths(x, first)
    n = projected_normal(x[first], t, s, r, mu, spinning, rolling)
    a, b, c = shrink(t, mu * n), shrink(s, spinning * n), shrink(r, rolling * n)
    out[first] = n
    out[first + 1], out[first + 2] = a * x[first + 1], a * x[first + 2]
    out[first + 3] = b * x[first + 3]
    out[first + 4], out[first + 5] = c * x[first + 4], c * x[first + 5]


@kernel
def project_block(x, start, i, table, out):
    """Euclidean projection of block i; `out` may be `x`."""
    first, last, kind, mu = start[i], start[i + 1], table[i, KIND], table[i, MU]
    if kind == CONE:
        project_cone(x, first, last, mu, out)
    elif kind == INTERVAL:
        out[first] = min(max(x[first], table[i, LOW]), table[i, HIGH])
    else:
        project_rolling(x, first, mu, table[i, SPIN], table[i, ROLL], out)


@kernel
def project(start, table, x, out):
    """Projection on the product of blocks; `out` may be `x`."""
    for i in range(len(table)):
        k = start[i]
        if table[i, KIND] == CONE and start[i + 1] - k == 3:  # in registers: calls with arrays would dominate
            out[k], out[k + 1], out[k + 2] = project_outside(x[k], x[k + 1], x[k + 2], table[i, MU])
        else:
            project_block(x, start, i, table, out)


@kernel
def _square_of_interval(impulse, slip, low, high):
    """Of `impulse - clamp(impulse - slip)`, evaluated without subtracting a slip from a much larger impulse."""
    p = impulse - slip
    if p < low:
        error = impulse - low
    elif p > high:
        error = impulse - high
    else:
        error = slip if p == p else p
    return error * error


@kernel
def _square_of_rolling(first, mu, spin, roll, root, impulse, slip, p):
    """Of `slip + (p - P(p))`, p = impulse - slip; the second term is exactly zero in parts that P keeps."""
    t, s, r = lengths(p, first)
    n = projected_normal(p[first], t, s, r, mu, spin, roll)
    if n == 0.0:
        total = 0.0
        for k in range(first, first + ROLLING_ROWS):
            total += (root[k] * impulse[k]) ** 2
        return total
    a, b, c = shrink(t, mu * n), shrink(s, spin * n), shrink(r, roll * n)
    total = (slip[first] / root[first] + (p[first] - n)) ** 2
    for k in range(first + 1, first + ROLLING_ROWS):
        factor = a if k < first + 3 else (b if k == first + 3 else c)
        total += (slip[k] / root[k] + (1.0 - factor) * p[k]) ** 2
    return total


@kernel
def _square_of_cone(first, last, mu, root, impulse, slip, p):
    """As in `cones.natural_map`."""
    normal, tangent = p[first], tangent_norm(p, first, last)
    square = 0.0
    if normal + mu * tangent <= 0.0:
        for k in range(first, last):
            square += (root[k] * impulse[k]) ** 2
    elif tangent <= mu * normal:
        for k in range(first, last):
            square += (slip[k] / root[k]) ** 2
    else:
        outside = (tangent - mu * normal) / (1.0 + mu * mu)
        square += (slip[first] / root[first] - outside * mu) ** 2
        for k in range(first + 1, last):
            square += (slip[k] / root[k] + outside * p[k] / tangent) ** 2
    return square


@kernel
def natural_map(start, table, root, impulse, slip, error):
    """error_i = | x_i - P(x_i - g_i) | with x = root impulse, g = slip / root; returns the norm over all blocks."""
    p = np.empty(len(impulse))
    total = 0.0
    for i in range(len(table)):
        first, last, kind, mu = start[i], start[i + 1], table[i, KIND], table[i, MU]
        x, g = root[first] * impulse[first], slip[first] / root[first]
        if kind == CONE and last - first == 3:
            j, k = first + 1, first + 2
            square = natural_square(
                x, root[j] * impulse[j], root[k] * impulse[k], g, slip[j] / root[j], slip[k] / root[k], mu
            )
            error[i] = math.sqrt(square)
            total += square
            continue
        for k in range(first, last):
            p[k] = root[k] * impulse[k] - slip[k] / root[k]
        if kind == INTERVAL:
            square = _square_of_interval(x, g, table[i, LOW], table[i, HIGH])
        elif kind == ROLLING:
            square = _square_of_rolling(first, mu, table[i, SPIN], table[i, ROLL], root, impulse, slip, p)
        else:
            square = _square_of_cone(first, last, mu, root, impulse, slip, p)
        error[i] = math.sqrt(square)
        total += square
    return math.sqrt(total)


@kernel
def violations(start, table, x, out):
    """How far each block of `x` lies outside of its set, never negative."""
    for i in range(len(table)):
        first, last, block = start[i], start[i + 1], table[i]
        if block[KIND] == INTERVAL:
            inside = min(x[first] - block[LOW], block[HIGH] - x[first])
        elif block[KIND] == ROLLING:
            t, s, r = lengths(x, first)
            n = x[first]
            inside = min(min(n, block[MU] * n - t), min(block[SPIN] * n - s, block[ROLL] * n - r))
        elif last - first == 1:
            inside = x[first]
        else:
            inside = min(x[first], block[MU] * x[first] - tangent_norm(x, first, last))
        # NaN is propagated.
        out[i] = 0.0 if inside >= 0.0 else -inside


@kernel
def dual_violations(start, table, slip, out):
    """How far each block lies outside of the slips with a finite support function: K* for cones, never negative.

    An interval without an upper end forbids slips below 0, one without a lower end those above.
    """
    for i in range(len(table)):
        first, last, block = start[i], start[i + 1], table[i]
        u = slip[first]
        inside = 0.0
        if block[KIND] == INTERVAL:
            if u < 0.0 and block[HIGH] == math.inf:
                inside = u
            elif u > 0.0 and block[LOW] == -math.inf:
                inside = -u
            elif u != u:
                inside = u
        elif block[KIND] == ROLLING:
            t, s, r = lengths(slip, first)
            inside = u - block[MU] * t - block[SPIN] * s - block[ROLL] * r
        else:
            inside = u - block[MU] * tangent_norm(slip, first, last)
        out[i] = 0.0 if inside >= 0.0 else -inside


@kernel
def support(start, table, slip):
    """Support function of the intervals at -slip, `sum high (-u)_+ - low u_+` over the ends that are finite.

    For cones it is 0 on K*; `dual_violations` measures violations of it.
    """
    total = 0.0
    for i in range(len(table)):
        u = slip[start[i]]
        if table[i, KIND] == INTERVAL:
            if u > 0.0 and table[i, LOW] > -math.inf:
                total -= table[i, LOW] * u
            elif u < 0.0 and table[i, HIGH] < math.inf:
                total -= table[i, HIGH] * u
    return total


@kernel
def de_saxce_term(slip, first, last, block):
    """What the exact law adds to the normal slip of one block."""
    if block[KIND] == ROLLING:
        t, s, r = lengths(slip, first)
        return block[MU] * t + block[SPIN] * s + block[ROLL] * r
    return block[MU] * tangent_norm(slip, first, last) if block[KIND] == CONE else 0.0


@kernel
def add_de_saxce(start, table, slip, out):
    """out = slip with `mu |u_t|` (and `spinning |u_s| + rolling |u_r|`) added to each normal: the exact law."""
    for i in range(len(table)):
        first, last, block = start[i], start[i + 1], table[i]
        for k in range(first, last):
            out[k] = slip[k]
        out[first] += de_saxce_term(slip, first, last, block)
