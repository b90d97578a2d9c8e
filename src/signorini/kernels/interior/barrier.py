"""Block loops of the primal-dual barrier: friction cones as quadratic constraints.

Block i has the rows `start[i]..start[i+1]-1` of x, (normal n, tangents t). Its constraints are
`c_i = (|t|^2 - mu_i^2 n^2)/2 <= 0` with multiplier `z[0, i]` (blocks of dimension 2 and more) and `-n <= 0` with
multiplier `z[1, i]`. With g = grad c_i = (-mu^2 n, t).
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel


@kernel
def constraints(start, mu, x, c):
    """c_i in factored form, which keeps its sign near the surface of the cone; True when all are strictly met."""
    inside = True
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        normal = x[first]
        if not normal > 0.0:
            inside = False
        c[i] = -1.0
        if last - first > 1:
            square = 0.0
            for k in range(first + 1, last):
                square += x[k] * x[k]
            tangent = math.sqrt(square)
            c[i] = 0.5 * (tangent - mu[i] * normal) * (tangent + mu[i] * normal)
            if not c[i] < 0.0:
                inside = False
    return inside


@kernel
def surrogate_gap(start, x, c, z):
    """(eta, m): surrogate gap `-sum z c` over all constraints and their number [Boyd2004, section 11.7]."""
    gap = 0.0
    count = 0
    for i in range(len(c)):
        gap += z[1, i] * x[start[i]]
        count += 1
        if start[i + 1] - start[i] > 1:
            gap -= z[0, i] * c[i]
            count += 1
    return gap, count


@kernel
def dual_residual(start, mu, x, z, u, out):
    """out = u + z0 g - z1 e, the gradient of the Lagrangian in the rows of contacts."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        out[first] = u[first] - z[1, i]
        if last - first > 1:
            out[first] -= z[0, i] * mu[i] * mu[i] * x[first]
            for k in range(first + 1, last):
                out[k] = u[k] + z[0, i] * x[k]


@kernel
def centrality(start, x, c, z, target):
    """Sum of squares of `-z_j c_j - target` over all constraints."""
    total = 0.0
    for i in range(len(c)):
        total += (z[1, i] * x[start[i]] - target) ** 2
        if start[i + 1] - start[i] > 1:
            total += (z[0, i] * c[i] + target) ** 2
    return total


@kernel
def condense(start, mu, x, c, z, out):
    """Theta_i = M - B'C^-1 B of each block, row by row one block after another.

    `z0 (J + g g'/(-c)) + z1/n e e'` with J = diag(-mu^2, 1, 1): J alone is indefinite, the sum is positive definite
    (it is `z0 (-c)` times the Hessian of `-log(-c)`). The normal entry is written as a sum of positive terms.
    """
    place = 0
    for i in range(len(mu)):
        first, d = start[i], start[i + 1] - start[i]
        normal = x[first]
        if d == 1:
            out[place] = z[1, i] / normal
        else:
            scale = z[0, i] / -c[i]
            square = mu[i] * mu[i]
            # (mu n)^2 + |t|^2 = 2 (|t|^2 - c)
            tangent = 0.0
            for a in range(1, d):
                tangent += x[first + a] * x[first + a]
            out[place] = scale * square * (tangent - c[i]) + z[1, i] / normal
            for a in range(1, d):
                coupling = -scale * square * normal * x[first + a]
                out[place + a] = coupling
                out[place + a * d] = coupling
                for b in range(1, d):
                    out[place + a * d + b] = scale * x[first + a] * x[first + b]
                out[place + a * d + a] += z[0, i]
        place += d * d


@kernel
def condensed_right_hand_side(start, mu, x, c, u, target, out):
    """out = -(u - target (g/c + e/n)): minus the gradient of the barrier function; the multipliers cancel."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        out[first] = -u[first] + target / x[first]
        if last - first > 1:
            ratio = target / c[i]
            out[first] -= ratio * mu[i] * mu[i] * x[first]
            for k in range(first + 1, last):
                out[k] = -u[k] + ratio * x[k]


@kernel
def multiplier_steps(start, mu, x, c, z, dx, target, dz):
    """Steps of the multipliers that belong to dx, from the linearised centrality conditions."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        dz[1, i] = -z[1, i] + target / x[first] - z[1, i] * dx[first] / x[first]
        dz[0, i] = 0.0
        if last - first > 1:
            slope = -mu[i] * mu[i] * x[first] * dx[first]
            for k in range(first + 1, last):
                slope += x[k] * dx[k]
            dz[0, i] = -z[0, i] - (target + z[0, i] * slope) / c[i]


@kernel
def largest_step(start, mu, x, c, z, dx, dz):
    """Largest step that keeps n > 0, c < 0 and the multipliers positive (growing z0: their reciprocals)."""
    step = math.inf
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        if dx[first] < 0.0:
            step = min(step, -x[first] / dx[first])
        if dz[1, i] < 0.0:
            step = min(step, -z[1, i] / dz[1, i])
        if last - first == 1:
            continue
        if dz[0, i] != 0.0:
            step = min(step, z[0, i] / abs(dz[0, i]))
        curvature = -mu[i] * mu[i] * dx[first] * dx[first]
        slope = -mu[i] * mu[i] * x[first] * dx[first]
        for k in range(first + 1, last):
            curvature += dx[k] * dx[k]
            slope += x[k] * dx[k]
        # Smallest positive root of c + slope a + curvature/2 a^2.
        discriminant = slope * slope - 2.0 * curvature * c[i]
        if discriminant >= 0.0:
            divisor = slope + math.sqrt(discriminant)
            if divisor > 0.0:
                step = min(step, -2.0 * c[i] / divisor)
    return step


@kernel
def move_multipliers(z, dz, step, out):
    """z + step dz, but where z0 grows its reciprocal moves by the same Newton step.

    At the apex of a cone g vanishes and z0 goes to infinity like 1/|x|, so 1/z0 is what moves in a straight line.
    """
    for i in range(z.shape[1]):
        out[1, i] = z[1, i] + step * dz[1, i]
        if dz[0, i] > 0.0:
            out[0, i] = z[0, i] / (1.0 - step * dz[0, i] / z[0, i])
        else:
            out[0, i] = z[0, i] + step * dz[0, i]


@kernel
def invert_blocks(start, blocks, floor, out):
    """Inverses of symmetric positive definite blocks (packed as by `condense`) by Gauss-Jordan.

    Pivots are kept above `floor` times their diagonal entry, so that the result is positive definite in any case.
    """
    place = 0
    for i in range(len(start) - 1):
        d = start[i + 1] - start[i]
        for k in range(d * d):
            out[place + k] = blocks[place + k]
        for p in range(d):
            pivot = max(out[place + p * d + p], floor * blocks[place + p * d + p])
            out[place + p * d + p] = 1.0
            for b in range(d):
                out[place + p * d + b] /= pivot
            for a in range(d):
                if a != p:
                    factor = out[place + a * d + p]
                    out[place + a * d + p] = 0.0
                    for b in range(d):
                        out[place + a * d + b] -= factor * out[place + p * d + b]
        place += d * d


@kernel
def add_block_product(start, blocks, x, out):
    """out += blockdiag(blocks) x in the rows of contacts."""
    place = 0
    for i in range(len(start) - 1):
        first, d = start[i], start[i + 1] - start[i]
        for a in range(d):
            total = 0.0
            for b in range(d):
                total += blocks[place + a * d + b] * x[first + b]
            out[first + a] += total
        place += d * d
