"""Analyses are kept for the next problem of the same pattern, and taken by one solve at a time."""

from __future__ import annotations

import numpy as np

import signorini as sg
from signorini.problem.library import library
from signorini.scenes import SCENES
from signorini.solvers.cone_newton import condensed_system, saddle_system
from signorini.solvers.linear.pattern_cache import PatternCache, key_of


def test_taken_entries_are_gone_until_they_are_put_back() -> None:
    cache: PatternCache[str] = PatternCache(capacity=2)
    cache.put(b"a", "analysis")
    assert cache.take(b"a") == "analysis"
    assert cache.take(b"a") is None


def test_the_oldest_makes_room() -> None:
    cache: PatternCache[int] = PatternCache(capacity=2)
    for number, key in enumerate((b"a", b"b", b"c")):
        cache.put(key, number)
    assert [cache.take(key) for key in (b"a", b"b", b"c")] == [None, 1, 2]


def test_keys_differ_by_values_types_shapes_and_texts() -> None:
    one = np.arange(6)
    others = [key_of(one.astype(np.int32)), key_of(one.reshape(2, 3)), key_of(one + 1), key_of(one, "x"), key_of(one)]
    assert len(set(others)) == 5
    assert key_of(one) == key_of(np.arange(6))


def test_second_solve_uses_the_analysis_of_the_first_and_gives_the_same_bits() -> None:
    problem = next(known for known in library() if known.problem.joint_rows and known.problem.contacts).problem
    solver = sg.InteriorPoint(system="condensed")
    condensed_system.PATTERNS.clear()
    first = solver.solve(problem)
    kept = next(iter(condensed_system.PATTERNS._entries.values()))
    second = solver.solve(problem)
    assert next(iter(condensed_system.PATTERNS._entries.values())) is kept
    np.testing.assert_array_equal(first.contact_impulse, second.contact_impulse)
    np.testing.assert_array_equal(first.velocity, second.velocity)


def test_steps_of_a_mechanism_share_one_analysis_and_give_the_same_bits() -> None:
    """A chain on a table: its contacts stay, so the pattern does."""
    ends, kept = [], set()
    for forget in (True, False):
        sim = sg.Simulation(SCENES["chain"].build(links=60, bars=0, height=0.015), step=0.002)
        for _ in range(4):
            if forget:
                saddle_system.PATTERNS.clear()
            sim.advance()
            kept.update(() if forget else map(id, saddle_system.PATTERNS._entries.values()))
        ends.append(sim.state)
    assert len(kept) <= 2
    np.testing.assert_array_equal(ends[0].position, ends[1].position)
    np.testing.assert_array_equal(ends[0].velocity, ends[1].velocity)
