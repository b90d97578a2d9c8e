"""What the compiled loop of the exact law works with: the numbers that steer it and its arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel


class ExactRules(NamedTuple):
    """What steers the solve; values in `solvers/coulomb/rules.py`. Errors are relative to the size of slips."""

    tolerance: float
    """Error that ends the solve."""
    most_factorisations: int
    accuracy: float
    """Residual of a linear solve, relative to its right-hand side, that needs no refinement."""
    familiar: float
    """Error of a guess from which semismooth steps are tried."""
    finish_below: float
    """Error of the path from which semismooth steps are tried."""
    finish_again: float
    """Factor by which the error must shrink before they are tried again."""
    gain: float
    """Factor by which a semismooth step must shrink the error."""
    recentre: float
    """Least centring while less than all of the derivative is counted."""
    short: float
    """Steps shorter than this count less of the derivative,"""
    long: float
    """steps longer than this count more of it again."""
    lift: float
    """A restart begins this many times its error away from the boundary."""
    most_restarts: int
    cold: float
    """Without a guess, bodies begin this share of the error of no impulses away from the boundary."""
    good: float
    """Error of a guess that is taken as it is; better ones than asked for cost a small problem next to nothing."""


@kernel
def sized(rules, size, parts, good):
    """The rules with errors in units of `size`, in which guesses are `good` enough, for one of so many parts.

    Squares of the errors of parts add up.
    """
    return ExactRules(
        rules.tolerance * size / math.sqrt(parts), rules.most_factorisations, rules.accuracy, rules.familiar * size,
        rules.finish_below * size, rules.finish_again, rules.gain, rules.recentre, rules.short, rules.long, rules.lift,
        rules.most_restarts, rules.cold, good,
    )  # fmt: skip


class Exact(NamedTuple):
    """Arrays of one solve; vectors have one entry per row."""

    trace: np.ndarray
    frames: np.ndarray
    shares: np.ndarray
    reflector: np.ndarray
    theta: np.ndarray
    tau: np.ndarray
    rest: np.ndarray
    z: np.ndarray
    x: np.ndarray
    y: np.ndarray
    slip: np.ndarray
    lawful: np.ndarray
    """u + |u_t| e."""
    along: np.ndarray
    right: np.ndarray
    dx: np.ndarray
    s: np.ndarray
    sx: np.ndarray
    sy: np.ndarray
    other_dx: np.ndarray
    other_s: np.ndarray
    other_sx: np.ndarray
    other_sy: np.ndarray
    r2: np.ndarray
    work: np.ndarray
    left: np.ndarray
    moved: np.ndarray
    best: np.ndarray
    turned: np.ndarray
    factors: np.ndarray
    pivots: np.ndarray
    ends: np.ndarray
    """(low, high) of every block; (0, inf) but for intervals."""


@kernel
def workspace(rows, blocks, square, shares):
    """Fresh arrays, matrices of `square` rows.

    `shares` of the de Saxce term's derivative are gone through while steps are short.
    """
    ends = np.zeros((blocks, 2))
    ends[:, 1] = np.inf
    return Exact(
        np.empty((blocks, 3)), np.ones((blocks, 3)), shares,
        np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows),
        np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows),
        np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows),
        np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows),
        np.empty((square, square)), np.empty((square, square)), np.empty(square, dtype=np.int64), ends,
    )  # fmt: skip
