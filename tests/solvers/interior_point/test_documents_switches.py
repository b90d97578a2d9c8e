"""The documents' own choices inside the interior point: same answers, their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import SolverError
from signorini.solvers.cone_newton.predictor_corrector import PredictorCorrector
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.warm_up import ball_towers

VARIANTS = ({"centring": "mehrotra"}, {"scheme": "newton"}, {"scheme": "predictor"}, DOCUMENTS)


@pytest.mark.parametrize("settings", VARIANTS)
@pytest.mark.parametrize("towers", [1, 30])
def test_every_switch_leads_to_the_same_answer(settings: dict[str, object], towers: int) -> None:
    problem = ball_towers(towers)
    usual = sg.InteriorPoint(tolerance=1e-10).solve(problem)
    other = sg.InteriorPoint(tolerance=1e-10, **settings).solve(ball_towers(towers))  # type: ignore[arg-type]
    assert other.status.ok
    np.testing.assert_allclose(other.velocity, usual.velocity, atol=1e-7)


def test_centring_of_mehrotra_is_the_cube_of_what_the_predictor_leaves() -> None:
    """One half-line with x = 2, y = 0.5 and no coupling: the predictor's share is worked out by hand."""
    start = np.array([0, 1])
    point = ConePoint.at(start, np.array([2.0]), np.array([0.5]))
    point.rescale()
    moves: list[np.ndarray] = []

    def solve(right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # y + dy = 0.9 x-independent slip: dx follows from the linearised complementarity alone.
        dx = 0.2 * right
        moves.append(dx)
        return np.zeros(0), dx

    steps = PredictorCorrector(point, np.zeros(1), solve)
    predictor, length = steps.affine()
    z = point.z
    left = (z + length * predictor.scaled_x) @ (z + length * predictor.scaled_y) / (z @ z)
    assert steps._share(predictor, "mehrotra") == pytest.approx(float(left) ** 3)
    assert steps._share(predictor, "step") == pytest.approx((1.0 - length) ** 3)


def test_unknown_schemes_are_refused() -> None:
    with pytest.raises(SolverError, match="choose one of predictor-corrector, predictor, newton"):
        sg.InteriorPoint(scheme="euler")  # type: ignore[arg-type]
    with pytest.raises(SolverError, match="choose one of step, mehrotra"):
        sg.InteriorPoint(centring="none")  # type: ignore[arg-type]


def test_a_log_tells_of_every_iteration() -> None:
    problem = ball_towers(30)
    usual = sg.InteriorPoint(tolerance=1e-10).solve(problem)
    assert usual.history.log == {}
    logged = sg.InteriorPoint(tolerance=1e-10, finish_below=0.0, log=True).solve(ball_towers(30))
    np.testing.assert_allclose(logged.velocity, usual.velocity, atol=1e-7)
    history, log = logged.history, logged.history.log
    assert all(len(values) == len(history.iteration) > 3 for values in log.values())
    assert log["barrier"][-1] < 1e-6 * log["barrier"][0]
    assert log["complementarity"][-1] < 1e-6 * log["complementarity"][0]
    assert log["primal"][-1] < 1e-8
    assert np.isnan(log["centring"][0])
    assert ((log["centring"][1:] >= 0) & (log["centring"][1:] <= 1)).all()
    assert ((log["step_impulses"][1:] > 0) & (log["step_impulses"][1:] <= 1)).all()
    for part in ("factor_seconds", "solve_seconds"):
        assert (np.diff(log[part]) > 0).all(), "they add up"
    assert (log["factor_seconds"] + log["solve_seconds"] < history.seconds).all()


def test_small_problems_have_a_log_too() -> None:
    assert "barrier" in sg.InteriorPoint(log=True).solve(ball_towers(1)).history.log
