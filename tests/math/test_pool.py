"""Arrays whose memory is used again."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.math import pool
from signorini.math.pool import Pool
from signorini.math.sparse import assembled


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LARGE", 8)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_memory_is_used_again_when_all_views_are_gone() -> None:
    own = Pool()
    first = own.empty((10, 4))
    place = address(first)
    part = first[3:5]
    del first
    part[:] = 7.0
    other = own.empty((10, 4))
    other[:] = 1.0
    assert address(other) != place
    assert np.all(part == 7.0)
    del part
    assert address(own.empty((9, 4))) == place


def test_arrays_in_use_share_no_memory() -> None:
    own = Pool()
    held = [own.empty((50,), np.int32) for _ in range(2 * pool.MOST)]
    for k, array in enumerate(held):
        array[:] = k
    assert [int(array[0]) for array in held] == list(range(len(held)))
    assert all(np.all(array == array[0]) for array in held)
    assert len(own._buffers) == pool.MOST


def test_frozen_memory_can_be_written_again() -> None:
    own = Pool()
    data, columns = own.empty((90,)), own.empty((90,), np.int32)
    data[:], columns[:] = 1.0, np.arange(90)
    matrix = assembled(data, columns, np.arange(91, dtype=np.int32), (90, 90))
    assert matrix.data.base is data.base  # not copied
    assert matrix.indices.base is columns.base
    place = address(matrix.data)
    del data, columns, matrix
    again = own.empty((80,))
    assert address(again) == place
    assert place % pool.LINE == 0
    again[:] = 2.0


def test_small_arrays_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LARGE", 1 << 25)
    own = Pool()
    assert own.empty((3, 2)).shape == (3, 2)
    assert not own._buffers
