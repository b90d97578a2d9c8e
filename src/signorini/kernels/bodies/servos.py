"""Servos with limits: efforts at the end of a step, and which of them are at a limit there; see `stepping.servos`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel

UNDECIDED = 2
"""Stands where nothing is known yet."""
SLACK = 1e-9
"""Relative: efforts this near to the limit may count as either side of it."""
TWO_TURNS = 4.0 * math.pi


class ServoTable(NamedTuple):
    """`f = k (s* - s) + r (ds*/dt - ds/dt) + f*`, at most `limit` either way; arrays over the servos."""

    stiffness: np.ndarray
    damping: np.ndarray
    limit: np.ndarray
    ease: np.ndarray
    """J M^-1 J' of the two bodies of each, without their joints: at least as easy as it really is to move; only for
    the first guess."""
    period: np.ndarray
    """Of the coordinates [rad], 0 for none."""
    target: np.ndarray
    """s*."""
    speed: np.ndarray
    """ds*/dt."""
    effort: np.ndarray
    """f*."""
    saturation: np.ndarray
    """0 within the limit, 1 or -1 at it."""
    given: np.ndarray
    """Effort in the last step [N or N m]."""


@kernel
def _wanted(t, k, place, rate, h):
    """Effort without a limit at the end of a step that began at a place and ends at a rate."""
    error = t.target[k] - place
    if t.period[k] > 0.0:
        error -= t.period[k] * np.round(error / t.period[k])
    return t.stiffness[k] * (error - h * rate) + t.damping[k] * (t.speed[k] - rate) + t.effort[k]


@kernel
def _decide(t, k, wanted):
    """Put a servo at its limit if it exceeds it; whether that changed anything."""
    limit, own = t.limit[k], t.saturation[k]
    if abs(abs(wanted) - limit) <= SLACK * limit and own != UNDECIDED and (own == 0 or own * wanted > 0.0):
        return False
    new = (1 if wanted > 0.0 else -1) if abs(wanted) > limit else 0
    t.saturation[k] = new
    return new != own


@kernel
def guess_limits(t, place, rate, h):
    """Decide before a step is solved, by the rates at its beginning."""
    for k in range(len(place)):
        t.saturation[k] = UNDECIDED
        easing = 1.0 + t.ease[k] * (h * t.damping[k] + h * h * t.stiffness[k])
        _decide(t, k, _wanted(t, k, place[k], rate[k], h) / easing)


@kernel
def judge_limits(t, place, rate, h):
    """Efforts at the end of a step, and whether it is that of the guess; if not, the guess is changed."""
    changed = False
    for k in range(len(place)):
        wanted = _wanted(t, k, place[k], rate[k], h)
        t.given[k] = min(max(wanted, -t.limit[k]), t.limit[k])
        changed |= _decide(t, k, wanted)
    return not changed
