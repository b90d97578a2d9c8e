"""The outer fixed point keeps its last good shift where an answer is useless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.solvers.coulomb.fixed_point import FixedPoint


@pytest.mark.parametrize("factor", [np.nan, np.inf, 1e200])
def test_answers_out_of_range_do_not_enter_the_acceleration(factor: float) -> None:
    """They became NaN, and then an error of numpy's least squares."""
    rng = np.random.default_rng(0)
    problem = sg.ContactProblem(
        H=np.eye(18), c=rng.standard_normal(18), D=rng.standard_normal((12, 18)),
        cones=sg.Cones.coulomb(np.full(4, 0.5)),
    )  # fmt: skip
    points = FixedPoint(problem, sg.InteriorPoint(), depth=5)
    for number in range(6):
        points.solve(None, 1e-8, 10.0)
        if number in (2, 4):
            with np.errstate(all="ignore"):
                points.last = replace(points.last, contact_impulse=points.last.contact_impulse * factor)
        with np.errstate(all="ignore"):
            points.advance()
        assert np.isfinite(points.shift).all()
        assert np.abs(points.shift).max() < 100.0
