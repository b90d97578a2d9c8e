"""All numbers that decide about an answer, in one call: what `problem.certificate.measure` finds at once."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.judge.cones import cones_error
from signorini.kernels.judge.numbers import larger
from signorini.kernels.judge.rows import add_product, add_transposed_product, row_errors, stationarity
from signorini.kernels.judge.sets import exact_slip, free_size, natural_map, roots


@kernel
def forces(C, D, gamma, lam, n):
    """`C' gamma + D' lambda` and the sums of the magnitudes of their terms."""
    force, size = np.zeros(n), np.zeros(n)
    add_transposed_product(C.indptr, C.indices, C.data, gamma, force, size)
    add_transposed_product(D.indptr, D.indices, D.data, lam, force, size)
    return force, size


@kernel
def joint_errors(C, b, v, prevented):
    """max |C v - b|, and the same over the row's terms and the motion that it prevents."""
    total, size, unused = -b, np.abs(b), np.empty(len(b))
    add_product(C.indptr, C.indices, C.data, v, total, size)
    add_product(C.indptr, C.indices, C.data, prevented, unused, size)
    return row_errors(total, size)


@kernel
def slip_of(D, b, v):
    """`D v - b`."""
    slip, unused = -b, np.empty(len(b))
    add_product(D.indptr, D.indices, D.data, v, slip, unused)
    return slip


@kernel
def contact_error(blocks, is_plain, diagonal, D, b, free, lam, slip, least):
    """`FclibErrors.scaled` by the exact law."""
    start, mu = blocks[0], blocks[1]
    if len(mu) == 0:
        return 0.0
    if is_plain:
        total = 0.0
        for weight in diagonal:
            total += weight
        mean = total / len(diagonal) if total > 0.0 else 1.0
        size = free_size(D.indptr, D.indices, D.data, free, b, np.ones(len(b)), least)
        return (
            mean
            * cones_error(np.empty(0, np.int64), start, mu, 1.0 / mean, True, lam, slip)
            / (size if size > 0.0 else 1.0)
        )
    root, shifted = np.empty(len(lam)), np.empty(len(lam))
    roots(blocks, diagonal, True, root)
    size = free_size(D.indptr, D.indices, D.data, free, b, root, least)
    exact_slip(blocks, slip, shifted)
    error, sizes = np.empty(len(mu)), np.empty(len(mu))
    return natural_map(blocks, root, lam, shifted, error, sizes) / (size if size > 0.0 else 1.0)


@kernel
def certificate_error(H, c, C, b_gamma, D, b_lambda, blocks, is_plain, diagonal, free, caused, pushed, answer, rules):
    """`Certificate.error` of an answer (v, lambda, gamma) by the exact law.

    `free`, `caused` and `pushed` are the velocities without impulses, with all, and by contacts alone; `rules` are
    (IDLE_ROW, IDLE_JOINTS, SLIP_ROUND_OFF).
    """
    v, lam, gamma = answer
    force, size = forces(C, D, gamma, lam, len(v))
    idle = np.empty(len(v))
    _, balance = stationarity(np.empty(0, np.int64), H.indptr, H.indices, H.data, c, v, force, size, rules[0], idle)
    prevented = np.abs(free) + np.abs(pushed) + rules[1] * idle
    _, joints = joint_errors(C, b_gamma, v, prevented)
    by_velocity = contact_error(blocks, is_plain, diagonal, D, b_lambda, free, lam, slip_of(D, b_lambda, v), rules[2])
    caused_slip = slip_of(D, b_lambda, caused)
    by_impulse = contact_error(blocks, is_plain, diagonal, D, b_lambda, free, lam, caused_slip, rules[2])
    if math.isnan(by_velocity) or math.isnan(by_impulse):
        return math.nan
    return larger(larger(min(by_velocity, by_impulse), balance), joints)
