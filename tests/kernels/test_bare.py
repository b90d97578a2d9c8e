"""Kernels that own no memory count no references; those that do, give all of it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import signorini as sg
from signorini.kernels import stack
from signorini.kernels.compile import kernel
from signorini.scenes import SCENES


@kernel
def total(x):
    """Reads alone."""
    out = 0.0
    for value in x:
        out += value
    return out


@kernel
def of_rows(x):
    """Works on views and tuples of views."""
    both = (x[0], x[1].reshape(-1))
    return total(both[0]) + total(both[1])


@kernel
def of_copy(x):
    """Makes an array, and returns none."""
    return total(np.zeros(len(x))) + total(x.copy())


@kernel
def of_sum(x):
    """Makes an array by arithmetic."""
    return total(x + x)


@kernel
def doubled(x):
    """Returns an array."""
    return 2.0 * x


@kernel
def of_doubled(x):
    """Gets an array from another kernel."""
    return total(doubled(x))


@kernel
def picked(x, places):
    """Makes an array by an array of indices."""
    return total(x[places])


@kernel
def on_stack(n):
    """Works in arrays on the stack."""
    x, y, z, places = stack.zeros(n), stack.matrix(n, 2), stack.cube(2, n, 3), stack.integers(n)
    for i in range(n):
        x[i] += i
        y[i, 1], z[1, i, 2], places[i] = x[i], 10.0 * x[i], n - 1 - i
    w = stack.vector(n)
    for i in range(n):
        w[i] = y[places[i], 1] + z[1, places[i], 2]
    return total(w) + w[0]


@kernel
def calls_all(x, places):
    """Calls all of them by their linked forms."""
    rows = of_rows(x) + of_copy(x[0]) + of_sum(x[0]) + of_doubled(x[0]) + picked(x[0], places)
    return rows + on_stack(len(places))


def counts_references(function: Any, *arguments: Any) -> bool:
    """Whether the linked form of a kernel does."""
    kinds = tuple(map(numba.typeof, arguments))
    function.linked.compile(kinds)
    return bool(function.linked.overloads[kinds].target_context.enable_nrt)


def test_answers_and_which_kernels_count_references() -> None:
    x, places = np.arange(6.0).reshape(2, 3), np.array([2, 0, 0])
    assert calls_all(x, places) == 15.0 + 3.0 + 6.0 + 6.0 + 2.0 + (33.0 + 22.0)
    assert not any((counts_references(total, x[0]), counts_references(of_rows, x), counts_references(on_stack, 3)))
    assert all(counts_references(each, x[0]) for each in (of_copy, of_sum, doubled, of_doubled))
    assert counts_references(picked, x[0], places)


@pytest.fixture
def counted_memory() -> Iterator[None]:
    """numba counts what it allocates."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("counted_memory")
@pytest.mark.parametrize("scene", ["pendulum", "walker", "gripper"])
def test_steps_give_their_memory_back(scene: str) -> None:
    sim = sg.Simulation(SCENES[scene].build(), step=SCENES[scene].step, threads=1)
    for _ in range(5):
        sim.advance()

    def kept() -> int:
        stats = rtsys.get_allocation_stats()
        return int(stats.alloc - stats.free)

    before = kept()
    for _ in range(20):
        sim.advance()
    # The last step holds its own arrays in place of those of the step before.
    assert kept() - before <= 4
