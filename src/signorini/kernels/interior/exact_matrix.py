"""What the loops of the exact law ask of N, by its kind: a dense matrix, or the rows of rigid bodies.

A kind brings its kernels (`answers`). The type decides: a kernel that is handed over as an argument cannot be kept on
disk.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from signorini.kernels.dispatch import answers_for


class Operations(NamedTuple):
    """Kernels of one kind, with the arguments of the functions below."""

    apply: Any
    factor: Any
    solve_rows: Any
    cold: Any
    stays_idle: Any


KINDS: dict[type, Operations] = {}


def apply(N, x, out):
    """out = N x."""
    return KINDS[type(N)].apply(N, x, out)


def factor(start, N, share, delta, w):
    """Factors of `rest + tau (1 + e h')(Q'NQ + delta)`, of whose h a share counts; False where there are none.

    Turns w.along.
    """
    return KINDS[type(N)].factor(start, N, share, delta, w)


def solve_rows(start, N, share, rules, steps, w, right, dx):
    """dx for a right-hand side, both turned, refined until delta is gone."""
    return KINDS[type(N)].solve_rows(start, N, share, rules, steps, w, right, dx)


def cold(start, N, r, rules, warm, w):
    """(w.x, w.y) inside the cones without a guess; False where there is no such start."""
    return KINDS[type(N)].cold(start, N, r, rules, warm, w)


def stays_idle(start, N, slip, along):
    """Whether no impulses at all, which meet the law, are the answer to prefer; slips are those of none."""
    return KINDS[type(N)].stays_idle(start, N, slip, along)


def answers(kind: type, own: Operations) -> None:
    """Let kernels call the functions above for a kind of N."""
    KINDS[kind] = own
    own_apply, own_factor, own_solve, own_cold, own_idle = own

    def fits(N):
        return isinstance(N, types.Array) if kind is np.ndarray else getattr(N, "instance_class", None) is kind

    @answers_for(apply)
    def choose_apply(N, x, out):
        return (lambda N, x, out: own_apply(N, x, out)) if fits(N) else None

    @answers_for(factor)
    def choose_factor(start, N, share, delta, w):
        return (lambda start, N, share, delta, w: own_factor(start, N, share, delta, w)) if fits(N) else None

    @answers_for(solve_rows)
    def choose_solve(start, N, share, rules, steps, w, right, dx):
        if not fits(N):
            return None
        return lambda start, N, share, rules, steps, w, right, dx: own_solve(
            start, N, share, rules, steps, w, right, dx
        )

    @answers_for(cold)
    def choose_cold(start, N, r, rules, warm, w):
        return (lambda start, N, r, rules, warm, w: own_cold(start, N, r, rules, warm, w)) if fits(N) else None

    @answers_for(stays_idle)
    def choose_idle(start, N, slip, along):
        return (lambda start, N, slip, along: own_idle(start, N, slip, along)) if fits(N) else None
