"""`make bounds` runs kernels with checked indices: a read beyond an array is an error there, not a number."""

from __future__ import annotations

import os

import numpy as np
import pytest

from signorini.kernels.compile import fused_kernel, inlined, kernel, parallel_kernel


def beyond(values):  # type: ignore[no-untyped-def]
    """The number after the last one."""
    return values[len(values)]


@pytest.mark.skipif(os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="indices are not checked: make bounds")
@pytest.mark.parametrize("compiled", [kernel, fused_kernel, inlined, parallel_kernel])
def test_reads_beyond_an_array_are_errors(compiled) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(IndexError):
        compiled(beyond)(np.zeros(3))
