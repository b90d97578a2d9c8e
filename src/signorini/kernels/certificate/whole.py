"""The errors that decide about an answer, in one call: what `problem.certificate.measure` evaluates at once."""

from __future__ import annotations

import math

from signorini.kernels.certificate.cones import cones_error
from signorini.kernels.certificate.numbers import larger
from signorini.kernels.certificate.rows import (
    add_product,
    add_transposed_product,
    balance_part,
    momenta_part,
    row_errors,
)
from signorini.kernels.certificate.sets import exact_slip, free_size, natural_map, roots
from signorini.kernels.compile import kernel
from signorini.kernels.stack import integers, matrix, vector, zeros


@kernel
def balance_error(H, c, v, force, size, idle_share, idle):
    """`stationarity` of few rows: |H v + c - force| over the sizes of its terms."""
    n = len(v)
    total, own, most, errors = vector(n), vector(n), vector(1), matrix(1, 2)
    momenta_part(0, 1, H.indptr, H.indices, H.data, c, v, total, own, idle, most)
    balance_part(0, 1, total, own, force, size, idle_share * most[0], idle, errors)
    return errors[0, 1]


@kernel
def joint_error(C, b, v, free, pushed, resting, most):
    """max |C v - b| over the row's terms and the motion that it prevents; of `pushed`, up to `most` times others."""
    m = len(b)
    total, size, unused, by_contacts, nothing = vector(m), vector(m), zeros(m), zeros(m), zeros(m)
    for i in range(m):
        total[i], size[i] = -b[i], abs(b[i])
    add_product(C.indptr, C.indices, C.data, v, total, size)
    add_product(C.indptr, C.indices, C.data, free, unused, size)
    add_product(C.indptr, C.indices, C.data, pushed, unused, by_contacts)
    add_product(C.indptr, C.indices, C.data, resting, unused, nothing)
    for i in range(m):
        size[i] += nothing[i] + min(by_contacts[i], most * size[i])
    return row_errors(total, size)[1]


@kernel
def put_slip(D, b, v, slip):
    """`D v - b`."""
    unused = zeros(len(b))
    for i in range(len(b)):
        slip[i] = -b[i]
    add_product(D.indptr, D.indices, D.data, v, slip, unused)


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
        ones = vector(len(b))
        ones[:] = 1.0
        size = free_size(D.indptr, D.indices, D.data, free, b, ones, least)
        return mean * cones_error(integers(0), start, mu, 1.0 / mean, True, lam, slip) / (size if size > 0.0 else 1.0)
    root, shifted = vector(len(lam)), vector(len(lam))
    roots(blocks, diagonal, zeros(len(lam)), True, root)
    size = free_size(D.indptr, D.indices, D.data, free, b, root, least)
    exact_slip(blocks, slip, shifted)
    error, sizes = vector(len(mu)), vector(len(mu))
    return natural_map(blocks, root, lam, shifted, error, sizes) / (size if size > 0.0 else 1.0)


@kernel
def certificate_error(H, c, C, b_gamma, D, b_lambda, blocks, is_plain, diagonal, free, caused, pushed, answer, rules):
    """`Certificate.error` of an answer (v, lambda, gamma) by the exact law.

    `free`, `caused` and `pushed` are the velocities without impulses, with all, and by contacts alone; `rules` are
    (IDLE_ROW, IDLE_JOINTS, SLIP_ROUND_OFF, PREVENTED).
    """
    v, lam, gamma = answer
    n = len(v)
    force, size, idle, slip = zeros(n), zeros(n), vector(n), vector(len(lam))
    add_transposed_product(C.indptr, C.indices, C.data, gamma, force, size)
    add_transposed_product(D.indptr, D.indices, D.data, lam, force, size)
    balance = balance_error(H, c, v, force, size, rules[0], idle)
    for j in range(n):
        idle[j] *= rules[1]
    joints = joint_error(C, b_gamma, v, free, pushed, idle, rules[3])
    put_slip(D, b_lambda, v, slip)
    by_velocity = contact_error(blocks, is_plain, diagonal, D, b_lambda, free, lam, slip, rules[2])
    put_slip(D, b_lambda, caused, slip)
    by_impulse = contact_error(blocks, is_plain, diagonal, D, b_lambda, free, lam, slip, rules[2])
    if math.isnan(by_velocity) or math.isnan(by_impulse):
        return math.nan
    return larger(larger(min(by_velocity, by_impulse), balance), joints)
