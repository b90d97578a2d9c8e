"""Performance profiles against an example done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signorini.problem.errors import ProblemError
from signorini.studies.profile import performance_profile


def test_profile_of_a_hand_example() -> None:
    # Best times are 1, 2, 3 and none: ratios of a are 1, 2, inf, inf and of b 3, 1, 1, inf.
    profile = performance_profile({"a": [1.0, 4.0, math.inf, math.inf], "b": [3.0, 2.0, 3.0, math.inf]})
    np.testing.assert_array_equal(profile.ratios["a"], [1.0, 2.0, math.inf, math.inf])
    np.testing.assert_array_equal(profile.ratios["b"], [1.0, 1.0, 3.0, math.inf])
    np.testing.assert_array_equal(profile.share("a", [1.0, 1.9, 2.0, math.inf]), [0.25, 0.25, 0.5, 0.5])
    np.testing.assert_array_equal(profile.share("b", [0.5, 1.0, 2.9, 3.0, math.inf]), [0.0, 0.5, 0.5, 0.75, 0.75])
    assert profile.largest_ratio == 3.0


def test_nan_is_a_failure_and_ties_are_shared() -> None:
    profile = performance_profile({"a": [math.nan, 0.0], "b": [1.0, 0.0]})
    assert profile.share("a", 1.0) == 0.5
    assert profile.share("b", 1.0) == 1.0


def test_different_lists_of_problems_are_refused() -> None:
    with pytest.raises(ProblemError, match="a has 1, b has 2"):
        performance_profile({"a": [1.0], "b": [1.0, 2.0]})


def test_nothing_to_compare() -> None:
    assert performance_profile({}).largest_ratio == 1.0
    assert performance_profile({"a": []}).share("a", 1.0) == 0.0


times = st.lists(st.one_of(st.floats(1e-6, 1e3), st.just(math.inf)), min_size=3, max_size=3)


@given(st.dictionaries(st.sampled_from("abcd"), times, min_size=1), st.floats(1e-3, 1e3))
def test_profile_grows_and_does_not_depend_on_the_unit_of_time(table: dict[str, list[float]], unit: float) -> None:
    profile = performance_profile(table)
    factors = np.geomspace(1.0, 1e10, 30)
    somebody = sum(any(math.isfinite(t[k]) for t in table.values()) for k in range(3))
    assert sum(float(profile.share(s, 1.0 + 1e-9)) for s in table) >= somebody / 3 - 1e-12
    other = performance_profile({s: [unit * t for t in ts] for s, ts in table.items()})
    for solver, ts in table.items():
        shares = profile.share(solver, factors)
        assert np.all(np.diff(shares) >= 0)
        assert profile.share(solver, math.inf) == pytest.approx(sum(map(math.isfinite, ts)) / 3)
        np.testing.assert_allclose(profile.ratios[solver], other.ratios[solver], rtol=1e-12)
