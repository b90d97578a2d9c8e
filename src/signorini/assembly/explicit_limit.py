"""The longest step of flexible bodies whose elastic forces are explicit."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array
from signorini.model.flexible_body import FlexibleBody
from signorini.problem.errors import ModelError

TOLERANCE = 1e-3
"""Relative, of the highest frequency."""


def longest_step(body: FlexibleBody) -> float:
    """2 over the highest frequency of the free body at rest [s]."""
    flexible = body.flexible
    K, M = -flexible.tangent(flexible.rest, np.zeros_like(flexible.rest))[0], flexible.mass
    start: Array = np.random.default_rng(0).standard_normal(M.shape[0])
    highest = spla.eigsh(K, k=1, M=M, which="LM", tol=TOLERANCE, v0=start, return_eigenvectors=False)[0]
    return 2.0 / math.sqrt(float(highest)) if highest > 0 else math.inf


def check_explicit(body: FlexibleBody, h: float) -> None:
    """Refuse steps at which explicit elastic forces are unstable."""
    limit = longest_step(body)
    if h > limit:
        raise ModelError(
            f"the step of {h:g} s is too long for the explicit elastic forces of {body.name!r}: its highest frequency "
            f'allows {limit:.3g} s; take a shorter step, or elastic_step="trapezoidal"'
        )
