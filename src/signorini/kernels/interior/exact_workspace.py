"""What the compiled loop of the exact law works with: the numbers that steer it and its arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class ExactRules(NamedTuple):
    """What steers the solve; values in `solvers/coulomb/rules.py`. Errors are those of `_look`."""

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


def workspace(rows: int, blocks: int, shares: np.ndarray) -> Exact:
    """Fresh arrays; `shares` of the de Saxce term's derivative are gone through while steps are short."""
    vectors = [np.zeros(rows) for _ in range(len(Exact._fields) - 6)]
    matrices = [np.empty((rows, rows)), np.empty((rows, rows)), np.empty(rows, dtype=np.int64)]
    return Exact._make([np.empty((blocks, 3)), np.ones((blocks, 3)), shares, *vectors, *matrices])
