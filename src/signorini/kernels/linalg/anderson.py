"""Anderson mixing: iterates of a fixed-point iteration are combined so that their residuals cancel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import row_dot, row_times

DEPENDENT = 1e-16
"""Changes of the errors that are linear combinations of earlier ones up to this share of their square are dropped."""


class Rounds(NamedTuple):
    """History of the iteration."""

    error: np.ndarray
    """Of the last round, shape (m,)."""
    result: np.ndarray
    """Result of the last round, shape (n,)."""
    errors: np.ndarray
    """Changes of the errors from round to round, made orthogonal, shape (rounds, m)."""
    results: np.ndarray
    """Changes of the results that go with them, shape (rounds, n)."""


@kernel
def mix(rounds, k, error, result, out):
    """out = the mixture of all results, weights of sum 1, whose mixed errors are least.

    Round k found `error` and leads to `result`.
    """
    errors, results, m, n = rounds.errors, rounds.results, len(error), len(result)
    if k:
        for j in range(m):
            errors[k - 1, j] = error[j] - rounds.error[j]
        for j in range(n):
            results[k - 1, j] = result[j] - rounds.result[j]
        before = row_dot(errors, k - 1, errors, k - 1, 0, m)
        for i in range(k - 1):
            size = row_dot(errors, i, errors, i, 0, m)
            share = row_dot(errors, i, errors, k - 1, 0, m) / size if size > 0.0 else 0.0
            for j in range(m):
                errors[k - 1, j] -= share * errors[i, j]
            for j in range(n):
                results[k - 1, j] -= share * results[i, j]
        if not row_dot(errors, k - 1, errors, k - 1, 0, m) > DEPENDENT * before:
            for j in range(m):
                errors[k - 1, j] = 0.0
    for j in range(m):
        rounds.error[j] = error[j]
    for j in range(n):
        rounds.result[j] = out[j] = result[j]
    for i in range(k):
        size = row_dot(errors, i, errors, i, 0, m)
        share = row_times(errors, i, error, 0, m) / size if size > 0.0 else 0.0
        for j in range(n):
            out[j] -= share * results[i, j]
