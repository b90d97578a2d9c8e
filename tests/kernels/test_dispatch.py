"""Kernels that kernels call are linked into them; machine code of their own is made when Python calls them."""

from __future__ import annotations

import gc

import numpy as np

from signorini.kernels.compile import fused_kernel, kernel


@kernel
def _square(x):
    return x * x


@kernel
def _sum_of_squares(values):
    total = 0.0
    for value in values:
        total += _square(value)
    return total


@kernel
def _twice(values):
    return 2.0 * _sum_of_squares(values)


@fused_kernel
def _multiply_add(a, b, c):
    return a * b + c


@kernel
def _rounded_twice(a, b, c):
    return a * b + c


@kernel
def _calls_fused(a, b, c):
    return _multiply_add(a, b, c)


@kernel
def _calls_plain(a, b, c):
    return _rounded_twice(a, b, c)


def test_called_kernels_get_machine_code_only_when_python_calls_them() -> None:
    values = np.array([1.0, 2.0, 3.0])
    assert _twice(values) == 28.0
    if _twice.stats.cache_misses:  # compiled now, not loaded from disk
        assert len(_square.linked.overloads) == len(_sum_of_squares.linked.overloads) == 1
    assert not _square.overloads
    assert not _sum_of_squares.overloads
    assert _square(3.0) == 9.0
    assert _sum_of_squares(values) == 14.0
    assert _square.overloads
    assert _sum_of_squares.overloads


def test_linked_kernels_keep_their_arithmetic() -> None:
    """A fused product rounds once wherever it is called from, a plain one twice."""
    a, c = 1.0 + 2.0**-30, -1.0
    assert _calls_fused(a, a, c) == _multiply_add(a, a, c)
    assert _calls_plain(a, a, c) == _rounded_twice(a, a, c) == a * a + c


@kernel
def _shifted(x, by):
    return x + by


@kernel
def _calls_with_literals(x):
    return _shifted(x, 1) + _shifted(x, 2) + _shifted(x, int(x))


def test_values_of_arguments_make_no_copies_of_a_kernel() -> None:
    assert _calls_with_literals(2.0) == 11.0
    if _calls_with_literals.stats.cache_misses:
        assert len(_shifted.linked.overloads) == 1


def test_garbage_is_collected_again_after_a_compilation() -> None:
    @kernel
    def fresh(x):
        return x + 1.0

    assert gc.isenabled()
    fresh(1.0)
    assert gc.isenabled()
