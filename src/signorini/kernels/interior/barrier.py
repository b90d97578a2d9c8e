"""Block loops of the primal-dual barrier: friction cones as quadratic constraints.

Block i has the rows `start[i]..start[i+1]-1` of x, (normal n, tangents t). Its constraints are
`c_i = (|t|^2 - mu_i^2 n^2)/2 <= 0` with multiplier `z[0, i]` (blocks of dimension 2 and more) and `-n <= 0` with
multiplier `z[1, i]`. With g = grad c_i = (-mu^2 n, t).
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import ROOT_HALF


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
def condensed_right_hand_side(start, mu, x, c, target, out):
    """out = g target0/c + e target1/n: minus the gradient of the barrier terms; the multipliers cancel."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        out[first] = target[1, i] / x[first]
        if last - first > 1:
            ratio = target[0, i] / c[i]
            out[first] -= ratio * mu[i] * mu[i] * x[first]
            for k in range(first + 1, last):
                out[k] = ratio * x[k]


@kernel
def multiplier_steps(start, mu, x, c, z, dx, target, dz):
    """Steps of the multipliers that belong to dx, from the linearised centrality conditions."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        dz[1, i] = -z[1, i] + target[1, i] / x[first] - z[1, i] * dx[first] / x[first]
        dz[0, i] = 0.0
        if last - first > 1:
            slope = -mu[i] * mu[i] * x[first] * dx[first]
            for k in range(first + 1, last):
                slope += x[k] * dx[k]
            dz[0, i] = -z[0, i] - (target[0, i] + z[0, i] * slope) / c[i]


@kernel
def second_order(start, mu, x, c, z, dx, dz, target, force):
    """What a step (dx, dz) leaves of second order: target -= in the centrality conditions, force = in the gradient.

    With z0 g for a multiplier that shrinks; one that grows moves by its reciprocal (see `move_multipliers`), which
    adds `dz0^2 / z0` to it.
    """
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        target[1, i] -= dz[1, i] * dx[first]
        force[first] = 0.0
        if last - first > 1:
            square, dn = mu[i] * mu[i], dx[first]
            slope, curvature = -square * x[first] * dn, -square * dn * dn
            for k in range(first + 1, last):
                slope += x[k] * dx[k]
                curvature += dx[k] * dx[k]
            extra = dz[0, i] * dz[0, i] / z[0, i] if dz[0, i] > 0.0 else 0.0
            target[0, i] += dz[0, i] * slope + 0.5 * z[0, i] * curvature + extra * c[i]
            force[first] = -square * (dz[0, i] * dn + extra * x[first])
            for k in range(first + 1, last):
                force[k] = dz[0, i] * dx[k] + extra * x[k]


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
def add_block_product(start, blocks, transposed, x, out):
    """out += blockdiag(blocks) x in the rows of contacts, or the transposed blocks times x."""
    place = 0
    for i in range(len(start) - 1):
        first, d = start[i], start[i + 1] - start[i]
        down, right = (1, d) if transposed else (d, 1)
        for a in range(d):
            total = 0.0
            for b in range(d):
                total += blocks[place + a * down + b * right] * x[first + b]
            out[first + a] += total
        place += d * d


@kernel
def diagonalise(start, mu, x, c, z, theta, basis):
    """T and theta of each block with `T'(M - B'C^-1 B) T = diag(theta)`; T row by row, one block after another.

    In (mu n, t), with a = mu n, b = |t| and t = b w, the block of the cone has the eigenvectors (1, w)/sqrt(2),
    (1, -w)/sqrt(2) and w across, with eigenvalues z0 (a - b)/(a + b), z0 (a + b)/(a - b) and z0. The half-line adds
    the same number to all four entries of the first two; what it couples is eliminated from the larger one, so that
    nothing cancels. Blocks have three rows at most.
    """
    place = 0
    for i in range(len(mu)):
        first, d = start[i], start[i + 1] - start[i]
        half_line = z[1, i] / x[first]
        if d == 1:
            theta[first], basis[place] = half_line, 1.0
            place += 1
            continue
        v, w = x[first + 1], x[first + 2] if d == 3 else 0.0
        b = math.sqrt(v * v + w * w)
        v, w = (v / b, w / b) if b > 0.0 else (1.0, 0.0)
        ratio = -2.0 * c[i] / (mu[i] * x[first] + b) ** 2  # (a - b) / (a + b)
        large, added = z[0, i] / ratio, 0.5 * half_line / (mu[i] * mu[i])
        share = added / (large + added)
        theta[first] = z[0, i] * ratio + share * large
        theta[first + 1] = large + added
        normal, one, two = ROOT_HALF / mu[i], ROOT_HALF * v, ROOT_HALF * w
        basis[place], basis[place + 1] = (1.0 - share) * normal, normal
        basis[place + d], basis[place + d + 1] = (1.0 + share) * one, -one
        if d == 3:
            theta[first + 2] = z[0, i]
            basis[place + 6], basis[place + 7] = (1.0 + share) * two, -two
            basis[place + 2], basis[place + 5], basis[place + 8] = 0.0, -w, v
        place += d * d


@kernel
def rows_in_basis(start, column_start, value_start, values, basis, out):
    """out = T'A, block by block."""
    place = 0
    for i in range(len(start) - 1):
        d, width, offset = start[i + 1] - start[i], column_start[i + 1] - column_start[i], value_start[i]
        if d == 3:
            t = basis[place : place + 9]
            for k in range(offset, offset + width):
                u, v, w = values[k], values[k + width], values[k + 2 * width]
                out[k] = t[0] * u + t[3] * v + t[6] * w
                out[k + width] = t[1] * u + t[4] * v + t[7] * w
                out[k + 2 * width] = t[2] * u + t[5] * v + t[8] * w
        else:
            for k in range(offset, offset + width):
                for a in range(d):
                    total = 0.0
                    for b in range(d):
                        total += basis[place + b * d + a] * values[k + b * width]
                    out[k + a * width] = total
        place += d * d
