"""Time that is spent on compiling."""

from __future__ import annotations

import time

import numba
import pytest

from signorini.kernels.watch import seconds_compiled
from signorini.stepping.step import Stopwatch


def test_stages_do_not_count_what_was_compiled() -> None:
    @numba.njit
    def inner(x: float) -> float:
        return x * x

    @numba.njit
    def outer(x: float) -> float:
        return inner(x) + 1.0

    watch, before, begin = Stopwatch(), seconds_compiled(), time.perf_counter()
    assert outer(2.0) == 5.0
    watch.lap("solve")
    wall, compiled = time.perf_counter() - begin, seconds_compiled() - before
    assert 0.0 < compiled <= wall
    assert watch.seconds["solve"] == pytest.approx(wall - compiled, abs=0.05 * wall)
    outer(3.0)
    assert seconds_compiled() - before == compiled
