"""`make bounds` runs kernels with checked indices: a read beyond an array is an error there, not a number."""

from __future__ import annotations

import os

import numpy as np
import pytest

from signorini.kernels.compile import fused_kernel, inlined, kernel
from signorini.kernels.threads.parts import shared
from signorini.kernels.threads.team import Team

CHECKED = pytest.mark.skipif(os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="indices are not checked: make bounds")


def beyond(values):  # type: ignore[no-untyped-def]
    """The number after the last one."""
    return values[len(values)]


@CHECKED
@pytest.mark.parametrize("compiled", [kernel, fused_kernel, inlined])
def test_reads_beyond_an_array_are_errors(compiled) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(IndexError):
        compiled(beyond)(np.zeros(3))


@CHECKED
def test_reads_beyond_an_array_are_errors_in_loops_of_a_team() -> None:
    @kernel
    def part_beyond(part, values):  # type: ignore[no-untyped-def]
        values[0] += values[len(values)]

    run, team = shared(part_beyond), Team(2)

    @kernel
    def whole(team, values):  # type: ignore[no-untyped-def]
        run(team, 4, (values,))

    with pytest.raises(IndexError):
        whole(team.wake(), np.zeros(3))
    team.stop()
