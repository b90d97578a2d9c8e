"""Pictures of contact laws: what is measured lies on what is known."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.studies.law_pictures import PICTURES


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tolerance"), [("compliance", 0.07), ("rolling", 0.1), ("belt", 0.25)])
def test_curves_follow_the_closed_form(name: str, tolerance: float) -> None:
    """The tolerance is the hop with which the convex cone starts a slide, or the damping of the step."""
    for panel in PICTURES[name]():
        measured, known = panel.curves
        span = np.ptp(known.y)
        assert np.abs(measured.y - known.y).max() < tolerance * span
        assert measured.y[-1] == pytest.approx(known.y[-1], abs=0.02 * span)


@pytest.mark.slow
def test_one_ball_leaves_the_row() -> None:
    _, row = PICTURES["restitution"]()
    moved = [curve.y[-1] - curve.y[0] for curve in row.curves]
    assert moved[0] == pytest.approx(0.15, abs=0.005)
    assert moved[4] == pytest.approx(0.15, abs=0.005)
    assert np.abs(moved[1:4]).max() < 0.002


@pytest.mark.slow
def test_a_sliding_box_lifts_by_the_convex_law_alone() -> None:
    gap, speed = PICTURES["exact-coulomb"]()
    convex, lift, exact = gap.curves
    landed = convex.x > 0.2
    np.testing.assert_allclose(convex.y[landed], lift.y[landed], atol=0.02 * lift.y[0])
    assert convex.y.max() > 5 * lift.y[0]
    assert np.abs(exact.y).max() < 1e-5 * lift.y[0]
    _, closed_form, slid = speed.curves
    np.testing.assert_allclose(slid.y, closed_form.y, atol=1e-5)
