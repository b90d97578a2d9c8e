"""The documents' own choices inside the interior point: same answers, their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Status
from signorini.solvers.cone_newton.predictor_corrector import PredictorCorrector
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.cone_newton.standard_form import standard_form
from signorini.solvers.cone_newton.system import RefinedSystem
from signorini.solvers.interior_point.document_path import DocumentPath, quadratic_step
from signorini.solvers.interior_point.start import cold_start
from signorini.solvers.interior_point.system_choice import make_system
from signorini.solvers.linear import back_end
from signorini.studies.reproduce.ip_redundant import table_on_legs
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.warm_up import ball_towers

VARIANTS = (
    {"centring": "mehrotra"}, {"scheme": "newton"}, {"scheme": "predictor"}, DOCUMENTS, {"residuals": "updated"},
    {"residuals": "updated", "step_rule": "split"}, {"step_length": "quadratic"}, {"system": "four-block"},
    {"system": "four-block", "finish_below": 0.0}, {"scaling": "none"}, {"scaling": "none", "system": "four-block"},
    {"scaling": "none", "start": "nocedal"}, {"scaling": "none", "start": "dapuzzo"},
    {"scaling": "none", "residuals": "updated", "step_rule": "split", "step_length": "quadratic"},
)  # fmt: skip


@pytest.mark.parametrize("settings", VARIANTS)
@pytest.mark.parametrize("towers", [1, 30])
def test_every_switch_leads_to_the_same_answer(settings: dict[str, object], towers: int) -> None:
    problem = ball_towers(towers)
    usual = sg.InteriorPoint(tolerance=1e-10).solve(problem)
    other = sg.InteriorPoint(tolerance=1e-10, **settings).solve(ball_towers(towers))  # type: ignore[arg-type]
    assert other.status.ok
    np.testing.assert_allclose(other.velocity, usual.velocity, atol=1e-7)


@pytest.mark.parametrize("settings", VARIANTS)
def test_every_switch_takes_joints_and_compliance(settings: dict[str, object]) -> None:
    if settings.get("scheme") == "predictor":
        pytest.skip("the predictor alone creeps along the boundary")
    for problem in (jointed(), table_on_legs(6, 1e-3)):
        usual = sg.InteriorPoint(tolerance=1e-9).solve(problem)
        other = sg.InteriorPoint(tolerance=1e-9, **settings).solve(problem)  # type: ignore[arg-type]
        assert usual.status.ok
        assert other.status.ok
        np.testing.assert_allclose(other.velocity, usual.velocity, atol=1e-7)


def jointed() -> ContactProblem:
    """Two masses in a row that move alike, pushed on a rough wall: x and y of each."""
    return ContactProblem(
        H=np.diag([1.0, 1.0, 3.0, 3.0]), c=[1.0, 0.3, 2.0, -0.2], C=[[1.0, 0.0, -1.0, 0.0]], b_gamma=[0.0],
        D=[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], cones=Cones([2], [0.3]),
    )  # fmt: skip


@pytest.mark.parametrize("compliance", [0.0, 1e-2])
@pytest.mark.parametrize("rule", ["common", "split"])
def test_updated_residuals_are_the_exact_ones(rule: str, compliance: float) -> None:
    """Equation 19 against products with H and D, with general H, different step lengths, compliance and a joint."""
    problem = random_problem(compliance)
    settings = sg.InteriorPoint(1e-8, residuals="updated", step_rule=rule, lift=0.0, system="augmented")  # type: ignore[arg-type]
    form = standard_form(problem)
    newton = RefinedSystem(form, make_system(settings, "augmented", problem, form, back_end()), 3)
    start = cold_start(form, newton, "robust")
    assert start is not None
    path = DocumentPath(problem, form, newton, settings).begin(start)
    lengths = []
    for _ in range(4):
        assert path.step(path.error())
        r1, slips = form.residuals(path._w, path._point.x)
        slips[: form.cone_rows] -= path._point.y
        assert path._carried is not None
        np.testing.assert_allclose(path._carried[0], r1, atol=1e-11)
        np.testing.assert_allclose(path._carried[1], slips, atol=1e-11)
        lengths.append(path._steps)
    if rule == "split":
        assert any(a != b for a, b in lengths)


def random_problem(compliance: float) -> ContactProblem:
    """Four frictional contacts and a joint among nine velocities with a full H."""
    random = np.random.default_rng(5)
    root = random.normal(size=(9, 9))
    return ContactProblem(
        H=root @ root.T + np.eye(9), c=random.normal(size=9), C=random.normal(size=(1, 9)), b_gamma=[0.3],
        D=random.normal(size=(12, 9)), b_lambda=0.2 * random.normal(size=12), cones=Cones.coulomb(np.full(4, 0.4)),
        E=compliance * np.eye(12) if compliance else None,
    )  # fmt: skip


def test_quadratic_step_ends_on_the_boundary() -> None:
    random = np.random.default_rng(7)
    start = np.array([0, 1, 4, 7])
    for _ in range(200):
        p, d = random.normal(size=7), random.normal(size=7)
        p[0] = abs(p[0]) + 0.1
        for first in (1, 4):
            p[first] = np.linalg.norm(p[first + 1 : first + 3]) + abs(p[first]) + 0.1
        length = quadratic_step(start, p, d)

        def depth(t: float, p: np.ndarray = p, d: np.ndarray = d) -> float:
            q = p + t * d
            return min(q[0], *(q[k] - np.linalg.norm(q[k + 1 : k + 3]) for k in (1, 4)))

        if np.isfinite(length):
            assert depth(length) == pytest.approx(0.0, abs=1e-9)
            assert depth(0.999 * length) > 0.0
        else:
            assert depth(1e6) > 0.0


def test_the_documents_stop_measures_in_the_units_of_the_problem() -> None:
    """Equation 38 sees masses: a problem of small ones stops sooner; our error does not see them."""
    light, heavy = (scaled(ball_towers(30), factor) for factor in (1e-4, 1e4))
    ours = [sg.InteriorPoint(1e-8, finish_below=0.0).solve(p).iterations for p in (light, heavy)]
    theirs = [sg.InteriorPoint(1e-8, stop="residuals").solve(p) for p in (light, heavy)]
    assert ours[0] == ours[1]
    assert theirs[0].iterations < theirs[1].iterations
    for solution in theirs:
        assert solution.status in (Status.SOLVED, Status.STOPPED)
        assert (solution.status is Status.SOLVED) == (solution.certificate.error <= 1e-8)
    assert theirs[0].status is Status.STOPPED


@pytest.mark.parametrize("start", ["nocedal", "dapuzzo"])
def test_without_scaling_the_documents_starts_depend_on_units(start: str) -> None:
    def iterations(scaling: str) -> list[int]:
        solver = sg.InteriorPoint(1e-8, start=start, scaling=scaling, system="unsymmetric", lift=0.0)  # type: ignore[arg-type]
        solutions = [solver.solve(scaled(ball_towers(4), factor)) for factor in (1e-6, 1.0, 1e6)]
        return [solution.iterations for solution in solutions]

    assert len(set(iterations("natural"))) == 1
    assert len(set(iterations("none"))) > 1


def scaled(problem: ContactProblem, factor: float) -> ContactProblem:
    """Masses and impulses times a factor."""
    return ContactProblem(
        H=problem.H * factor, c=problem.c * factor, D=problem.D, b_lambda=problem.b_lambda, cones=problem.cones
    )


def test_purged_rows_carry_nothing_and_change_nothing() -> None:
    one = jointed()
    rows = [[1.0, 0.0, -1.0, 0.0], [-2.0, 0.0, 2.0, 0.0]]
    twice = ContactProblem(H=one.H, c=one.c, C=rows, b_gamma=np.zeros(2), D=one.D, cones=one.cones)
    plain, purged = (sg.InteriorPoint(1e-10, purge=purge).solve(p) for p, purge in ((one, False), (twice, True)))
    assert plain.status.ok
    assert purged.status.ok
    np.testing.assert_allclose(purged.velocity, plain.velocity, atol=1e-9)
    assert np.count_nonzero(purged.joint_impulse) == 1
    assert "1 dependent joint rows purged" in purged.detail
    contradiction = ContactProblem(H=one.H, c=one.c, C=twice.C, b_gamma=[0.0, 1.0], D=one.D, cones=one.cones)
    assert sg.InteriorPoint(1e-10, purge=True).solve(contradiction).status is Status.INFEASIBLE


def test_mumps_tells_of_its_errors_in_the_log() -> None:
    pytest.importorskip("mumps")
    solver = sg.InteriorPoint(linear="mumps", system="unsymmetric", log=True, error_analysis=True, finish_below=0.0)
    log = solver.solve(ball_towers(4)).history.log
    assert (log["backward_error"][1:] < 1e-10).all()
    assert (log["condition"][1:] >= 1.0).all()
    assert (log["error_bound"][1:] > 0.0).all()
    with pytest.raises(SolverError, match="linear='mumps', log=True"):
        sg.InteriorPoint(error_analysis=True)


def test_unscaled_problems_have_saddle_points_alone() -> None:
    with pytest.raises(SolverError, match="choose augmented, unsymmetric or four-block"):
        sg.InteriorPoint(scaling="none", system="condensed").solve(ball_towers(1))


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


def test_switches_show_where_they_are_set() -> None:
    assert "purge" not in repr(sg.InteriorPoint())
    assert repr(sg.InteriorPoint(scaling="none")).endswith("scaling='none')")


def test_small_problems_have_a_log_too() -> None:
    assert "barrier" in sg.InteriorPoint(log=True).solve(ball_towers(1)).history.log
