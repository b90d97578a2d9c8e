"""Loops shared by threads: every part once, the same bits, no matter who helps."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from signorini.kernels.compile import kernel, largest_threads
from signorini.kernels.threads import team as teams
from signorini.kernels.threads.parts import MOST_PARTS, SOLO, first_of, parts_of, shared
from signorini.kernels.threads.team import Team, team, threads, threads_in_use

MANY = 100_000


@shared
@kernel
def add_part(part, parts, x, scale, out, visits):
    """Roots of one part, times scale."""
    visits[part] += 1
    for i in range(first_of(part, parts, len(x)), first_of(part + 1, parts, len(x))):
        out[i] = scale * np.sqrt(x[i])


@kernel
def roots(team, parts, x, scale, out, visits):
    """`out = scale sqrt(x)`."""
    add_part(team, parts, (parts, x, scale, out, visits))


@pytest.mark.parametrize("parts", [1, 2, 7, 128, MOST_PARTS, MOST_PARTS + 1])
@pytest.mark.parametrize("count", [2, 3, 16])
def test_every_part_is_done_once(parts: int, count: int) -> None:
    x, three = np.random.default_rng(0).random(MANY), Team(count)
    try:
        for _ in range(20):
            out, visits = np.zeros(MANY), np.zeros(parts, dtype=np.int64)
            roots(three.wake(), parts, x, 2.0, out, visits)
            np.testing.assert_array_equal(out, 2.0 * np.sqrt(x))
            assert (visits == 1).all()
    finally:
        three.stop()


@kernel
def half_part(part, parts, x, out):
    """Halves of one part."""
    for i in range(first_of(part, parts, len(x)), first_of(part + 1, parts, len(x))):
        out[i] = 0.5 * x[i]


run_halves = shared(half_part)


@kernel
def halves(team, parts, x, out):
    """`out = x / 2`."""
    run_halves(team, parts, (parts, x, out))


def test_parts_are_compiled_into_their_callers_once() -> None:
    """Whether the caller or another thread does them: no machine code of their own."""
    out = np.zeros(4)
    halves(SOLO, 2, np.ones(4), out)
    assert (out == 0.5).all()
    if halves.stats.cache_misses:  # compiled now, not loaded from disk
        assert len(half_part.linked.overloads) == len(run_halves.linked.overloads) == 1
    assert not half_part.overloads
    assert not run_halves.overloads


def test_parts_cover_all_items_and_depend_on_their_number_alone() -> None:
    for items in (0, 1, 511, 512, 5000, 10**7):
        parts = parts_of(items, 512)
        ends = [first_of(part, parts, items) for part in range(parts + 1)]
        assert ends[0] == 0
        assert ends[-1] == items
        assert ends == sorted(ends)


def test_a_number_of_threads_holds_within_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teams, "largest_threads", lambda: 4)
    assert threads_in_use() == 1
    assert team(MANY) is SOLO
    with threads(3):
        assert threads_in_use() == 3
        assert len(team(MANY)) > 0
        assert team(10) is SOLO
        with threads(100):
            assert threads_in_use() == 4
    assert threads_in_use() == 1


def test_two_callers_at_once_get_their_own_answers() -> None:
    """The second one finds the team busy and does its loop alone."""
    shared_team, x, wrong = Team(3), np.random.default_rng(1).random(MANY), []

    def work(scale: float) -> None:
        for _ in range(100):
            out, visits = np.zeros(MANY), np.zeros(64, dtype=np.int64)
            roots(shared_team.wake(), 64, x, scale, out, visits)
            if not (visits == 1).all() or not np.array_equal(out, scale * np.sqrt(x)):
                wrong.append(scale)

    callers = [threading.Thread(target=work, args=(scale,)) for scale in (1.0, 2.0, 3.0)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    shared_team.stop()
    assert not wrong


SCRIPT = """
import os, numpy as np
from signorini.kernels.bodies.momentum import first_unsound
from signorini.kernels.threads.team import team, threads
x = np.zeros((20000, 3)); q = np.zeros((20000, 4))
with threads(2):
    assert first_unsound(team(len(x)), x, q, x, x) == -1
    child = os.fork()
    x[777] = np.nan
    assert first_unsound(team(len(x)), x, q, x, x) == 777
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_team_of_its_own() -> None:
    variables = {**os.environ, "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, env=variables)
    assert done.returncode == 0, done.stderr


def test_threads_are_as_many_as_numba_allows() -> None:
    with threads(10_000):
        assert threads_in_use() == largest_threads()
