"""Kernels count references of what they make alone, and give all of it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


@kernel
def halves(x, twice):
    """Returns early, holds arrays, tuples of them and their parts, and makes more in a loop."""
    parts = (x[: len(x) // 2].copy(), x[len(x) // 2 :].copy())
    if twice == 0:
        return parts[0], parts
    first = parts[0]
    for _ in range(twice):
        more = doubled(first)
        first = more
    return first, (parts[1], first)


@kernel
def of_halves(x):
    """Keeps parts of what another kernel made, beyond the variables that had it."""
    whole = halves(x, 2)
    first, rest = whole
    one = rest[0]
    whole = halves(one, 0)
    return total(first) + 100.0 * total(whole[0]) + 10000.0 * total(rest[1])


@kernel
def chosen(x, own):
    """Returns an argument, a part of it, or an array of its own."""
    if own == 0:
        return x
    y = x if own == 1 else x.copy()
    return y[1:]


@kernel
def repeated(x, count):
    """Arrays of one turn of a loop are read in the next one."""
    last, out = x, 0.0
    for i in range(count):
        new = last + 1.0
        out += total(last) - total(new)
        last = new[:-1] if i % 2 else new
    return out + total(last)


def counts(function: Any, *arguments: Any) -> tuple[int, int]:
    """How often the text of the linked form of a kernel takes references and gives them back."""
    kinds = tuple(map(numba.typeof, arguments))
    function.linked.compile(kinds)
    compiled = function.linked.overloads[kinds]
    text = compiled.library.get_llvm_str()
    name = compiled.fndesc.llvm_func_name
    body = next(part for part in re.split(r"^}", text, flags=re.MULTILINE) if re.search(rf"define[^\n]*{name}", part))
    return body.count("call void @NRT_incref"), body.count("call void @NRT_decref")


def test_answers() -> None:
    x, places = np.arange(6.0).reshape(2, 3), np.array([2, 0, 0])
    assert calls_all(x, places) == 15.0 + 3.0 + 6.0 + 6.0 + 2.0 + (33.0 + 22.0)
    # Halves 0, 1 and 2, 3 of which the first is doubled twice; then the first half of 2, 3.
    assert of_halves(np.arange(4.0)) == 4.0 + 100.0 * 2.0 + 10000.0 * 4.0
    assert repeated(np.arange(3.0), 3) == -3.0 - 3.0 - 2.0 + (3.0 + 4.0)


def test_kernels_that_own_no_memory_count_no_references() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert counts(total, x[0]) == counts(of_rows, x) == counts(on_stack, 3) == (0, 0)


def test_what_is_made_once_is_given_back_once() -> None:
    x, places = np.arange(3.0), np.array([2, 0, 0])
    assert counts(of_copy, x) == (0, 2)
    assert counts(of_doubled, x) == counts(of_sum, x) == counts(picked, x, places) == (0, 1)


@pytest.mark.usefixtures("counted_memory")
def test_memory_is_given_back() -> None:
    x, places = np.arange(6.0).reshape(2, 3), np.array([2, 0, 0])
    calls: list[Callable[[], Any]] = [
        lambda: calls_all(x, places), lambda: of_halves(x[0]), lambda: repeated(x[0], 5), lambda: halves(x[0], 0),
        lambda: halves(x[0], 3), *(lambda own=own: chosen(x[0], own) for own in range(3)),
    ]  # fmt: skip
    for call in calls:
        call()
        before = kept()
        for _ in range(3):
            call()
        assert kept() == before


def test_what_is_returned_belongs_to_the_caller() -> None:
    x = np.arange(3.0)
    assert [list(chosen(x, own)) for own in range(3)] == [[0.0, 1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    made = [halves(x, twice) for twice in (0, 1, 2) for _ in range(50)]
    assert all(list(first) == [2.0**k * 0.0] for k in range(3) for first, _ in made[50 * k : 50 * k + 50])
    assert all(list(parts[0]) == [1.0, 2.0] for _, parts in made[50:])


def kept() -> int:
    """Arrays of numba that are not given back."""
    stats = rtsys.get_allocation_stats()
    return int(stats.alloc - stats.free)


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
    before = kept()
    for _ in range(20):
        sim.advance()
    # The last step holds its own arrays in place of those of the step before.
    assert kept() - before <= 4
