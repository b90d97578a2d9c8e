"""Prefetching changes nothing but the time."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch, prefetch_for_write, prefetch_scalar


@kernel
def gathered(table, vector, order):
    total, last = 0.0, len(order) - 1
    for k in range(len(order)):
        ahead = np.uint64(order[min(k + 4, last)])
        prefetch(table, ahead, FIRST)
        prefetch_for_write(table, ahead, FIRST)
        prefetch_scalar(vector, ahead)
        total += table[order[k], 0] * vector[order[k]]
    return total


def test_prefetched_sums_and_untouched_arrays() -> None:
    rng = np.random.default_rng(0)
    table, vector, order = rng.normal(size=(100, 5)), rng.normal(size=100), rng.permutation(100)
    before = table.copy()
    assert np.isclose(gathered(table, vector, order), table[:, 0] @ vector)
    np.testing.assert_array_equal(table, before)
