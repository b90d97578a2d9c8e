"""Iterative refinement: one loop for all solvers that factor an approximation of their matrix."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from signorini.math.sparse import Array

Parts = tuple[Array, ...]
"""Blocks of unknowns or of right-hand sides."""


def refined(
    solve: Callable[..., Parts],
    residual: Callable[..., Parts],
    right: Parts,
    accuracy: float,
    refinements: int,
    worth_while: float = 0.5,
    first: Parts | None = None,
) -> Parts:
    """The answer of `solve(*right)`, corrected by solving for its residual, at most so many times.

    `residual(*right, *answer)` is the residual of the exact equations. Refinement ends when its largest entry is at
    most `accuracy`, or has not shrunk at least by the factor `worth_while`. `first` is the first answer, where it is
    known already.
    """
    answer = change = solve(*right) if first is None else first
    last = math.inf
    for _ in range(refinements):
        right = residual(*right, *change)
        size = max(map(largest, right))
        if size <= accuracy or not size < worth_while * last:
            break
        last = size
        change = solve(*right)
        answer = tuple(old + new for old, new in zip(answer, change, strict=True))
    return answer


def largest(x: Array) -> float:
    """`max |x|`, 0 for an empty x."""
    return float(np.abs(x).max(initial=0.0))
