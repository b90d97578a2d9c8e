"""Functions of time at the steps of a block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.math.sparse import Array
from signorini.stepping.compiled.curvature import Curvature
from signorini.stepping.compiled.row_tables import TimedRow
from signorini.stepping.compiled.spring_tables import TimedDrive

Sample = tuple[float, float, float]
"""Target, rate and largest force."""


def schedule(timed: Sequence[TimedRow | TimedDrive], times: list[float], h: float, curvature: Curvature) -> Array:
    """(target, rate, force) of timed rows at the beginning of steps and, where paths bend, at their end."""
    out = np.zeros((2, len(times), len(timed), 3))
    for k, row in enumerate(timed):
        asked = times[:1] if row.stands_still else times
        now = row.samples(asked)
        out[0, :, k] = now
        if curvature.curved:
            out[1, :, k] = _ahead(row, asked, now, h, curvature)
    return out


def _ahead(
    row: TimedRow | TimedDrive, times: list[float], now: list[Sample], h: float, curvature: Curvature
) -> list[Sample]:
    """The same at the end of each step, usually the beginning of the next one but for round-off."""
    if row.stands_still:
        return [curvature.row_ahead(row, time + h) for time in times]
    following = [*times[1:], None]
    return [
        now[i + 1] if time + h == following[i] else curvature.row_ahead(row, time + h) for i, time in enumerate(times)
    ]
