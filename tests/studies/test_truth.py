"""The closed-form tests of `signorini reproduce truth`: a few at once, all of them in the slow tests."""

from __future__ import annotations

import math

import pytest

from signorini.integrators import NonsmoothAlpha
from signorini.studies.reproduce.truth import THEMES, all_cases, default_law
from signorini.studies.reproduce.truth.case import CaseAnswer, case, threshold
from signorini.studies.reproduce.truth.lab import Lab
from signorini.studies.reproduce.truth.measure import measured, with_order

H = 0.002
QUICK = (
    "slope_slides", "pushed_block_slides", "leaning_ladder", "frame_thrust", "slot_fall", "heavy_jaws_slip",
    "sliding_block_stays_down", "ball_past_a_floor", "slider_above_a_table", "sliding_ball_rolls", "newtons_cradle",
    "oblique_bounce_slips", "gear_train", "released_rod_reaction",
)  # fmt: skip
"""Cases of less than a second."""
NOT_YET = {
    "rattleback_energy": "2e-4 in 1 s: the contact point runs over the curved surface within a step",
    "bar_on_wall_rebound": "implicit Euler damps the wave, which passes in 32 steps; see explicit_bar_rebound",
}
"""Case -> what stands between it and its bound under the exact law."""


@pytest.mark.parametrize("name", QUICK)
def test_quick_cases_hold_under_the_exact_law(name: str) -> None:
    result = measured(all_cases()[name], H, "coulomb")
    assert result.holds, (result.exact, result.found, result.error)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(all_cases()) - set(QUICK)))
def test_every_case_holds_under_the_exact_law(name: str, request: pytest.FixtureRequest) -> None:
    if name in NOT_YET:
        request.applymarker(pytest.mark.xfail(reason=NOT_YET[name]))
    result = measured(all_cases()[name], H, "coulomb")
    assert result.holds, (result.exact, result.found, result.error, result.failed)


@pytest.mark.parametrize("name", ["heavy_top_tip", "spring_amplitude", "friction_damped_spring"])
def test_second_order_steps_hold_where_the_first_order_step_does_not(name: str) -> None:
    result = measured(all_cases()[name], H, "coulomb", NonsmoothAlpha())
    assert result.holds, (result.exact, result.found, result.error)


def test_at_least_sixty_cases_with_names_of_their_own() -> None:
    cases = [case.name for cases in THEMES.values() for case in cases]
    assert len(cases) == len(set(cases)) >= 60
    assert all(case.measure.__doc__ for cases in THEMES.values() for case in cases)
    assert set(QUICK) | set(NOT_YET) <= set(cases)
    assert default_law() in ("convex", "coulomb")


@pytest.mark.parametrize("real", [1.0, 1.0005, 0.9995])
def test_threshold_within_a_thousandth_is_taken_as_exact(real: float) -> None:
    answer = threshold(1.0, lambda load: load > real)
    assert answer.error == 0.0


@pytest.mark.parametrize("real", [1.4, 0.6, 1.02, 0.98])
def test_threshold_elsewhere_is_found(real: float) -> None:
    answer = threshold(1.0, lambda load: load > real)
    assert answer.found == pytest.approx(real, abs=0.04)
    assert answer.error > 1e-3


def test_threshold_that_is_nowhere_fails() -> None:
    assert threshold(1.0, lambda load: False).error == math.inf
    assert threshold(1.0, lambda load: True).error == 1.0


def test_order_of_a_known_error() -> None:
    @case(order=True)
    def square(lab: Lab) -> CaseAnswer:
        """Error h^2."""
        return CaseAnswer(1.0, 1.0 + 100 * lab.h**2)

    result = with_order(square, measured(square, H, None), H, 2 * H)
    assert result.order == pytest.approx(2.0)


def test_error_is_relative_and_what_is_not_finite_fails() -> None:
    assert CaseAnswer(2.0, 2.5).error == pytest.approx(0.25)
    assert CaseAnswer(0.0, 0.5, scale=5.0).error == pytest.approx(0.1)
    assert CaseAnswer(1.0, math.nan).error == math.inf
