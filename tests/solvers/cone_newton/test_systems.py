"""All forms of the linear system, with all back ends, against each other and against a dense solve."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Status
from signorini.solvers.cone_newton.condensed_system import Condensed
from signorini.solvers.cone_newton.delassus_system import Delassus
from signorini.solvers.cone_newton.orthogonal_system import Orthogonal
from signorini.solvers.cone_newton.saddle_system import SaddlePoint
from signorini.solvers.cone_newton.scaling import ConePoint
from signorini.solvers.cone_newton.standard_form import StandardForm, couples_contacts, standard_form
from signorini.solvers.cone_newton.system import RefinedSystem, System
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.linear import available, back_end

from ..first_order_problems import random_problem
from ..interior_point.problems import changed, inside, repeated

BACK_ENDS = [name for name, state in available().items() if state == "available"]
SOLID = (1, 3)
"""Dimensions of blocks that the standard form does not split, so that compliance stays within one block."""
PROBLEMS = {
    "rigid": random_problem(0),
    "joints": random_problem(1, joints=3),
    "redundant joints": changed(
        random_problem(2, joints=2), **(lambda p: {"C": sp.vstack([p.C] * 2), "b_gamma": np.tile(p.b_gamma, 2)})(
            random_problem(2, joints=2)
        ),
    ),
    "redundant contacts": repeated(random_problem(3, joints=1), 0, 6),
    "compliant": random_problem(4, soft=True, joints=2, dims=SOLID),
    "general mass": random_problem(5, bodies=8, coupled=True, joints=2),
    "general mass, compliant": random_problem(6, bodies=8, coupled=True, soft=True, dims=SOLID),
    "few contacts": random_problem(7, bodies=8, contacts=3, coupled=True),
}  # fmt: skip


def systems(problem: ContactProblem, form: StandardForm, back: str) -> dict[str, System]:
    if form.A.width == 0:
        return {"delassus": Delassus(form, back_end(back), 1e-8)}
    return {
        "condensed": Condensed(form, back_end(back), 1e-8),
        "augmented": SaddlePoint(form, back_end(back), 1e-12, symmetric=True),
        "unsymmetric": SaddlePoint(form, back_end(back), 1e-12, symmetric=False),
        "orthogonal": Orthogonal(problem, form),
    }


def dense_solution(form: StandardForm, point: ConePoint, r1: Array, r2: Array) -> Array:
    """(dw, dx) of the exact system; cone rows of the right-hand side and of dx are turned."""
    n, m = form.A.width, form.A.rows
    A = np.column_stack([form.A.multiply(e) for e in np.eye(n)]) if n else np.zeros((m, 0))
    Q = np.column_stack([point.scaling.turn(e) for e in np.eye(m)])
    S = np.diag(point.scaling.theta)
    if form.E is not None:
        E = np.zeros((m, m))
        E[: form.cone_rows, : form.cone_rows] = form.E.toarray()
        S = S + Q @ E @ Q.T
    H = np.eye(n) if form.H is None else form.H.toarray()
    K = np.block([[H, -(Q @ A).T], [Q @ A, S]])
    return np.linalg.lstsq(K, np.concatenate([r1, r2]), rcond=None)[0]


@pytest.mark.parametrize("back", BACK_ENDS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_systems_agree_with_a_dense_solve(name: str, back: str) -> None:
    problem = PROBLEMS[name]
    rng = np.random.default_rng(0)
    forms = [standard_form(problem, delassus=False)]
    if problem.joint_rows == 0:
        forms.append(standard_form(problem, delassus=True))
    for form in forms:
        x = np.concatenate([inside(rng, form.start), rng.normal(size=form.A.rows - form.cone_rows)])
        point = ConePoint.at(form.start, x, inside(rng, form.start))
        point.rescale()
        w0, x0 = rng.normal(size=form.A.width), rng.normal(size=form.A.rows)
        # Right-hand sides of a consistent system, whatever the joints.
        r1, r2 = (-part for part in residual_of(form, point, w0, x0))
        expected = dense_solution(form, point, r1, r2)
        for system, made in systems(problem, form, back).items():
            newton = RefinedSystem(form, made, 20)
            assert newton.factor(point.scaling).ok, system
            dw, dx = newton.solve(r1, r2)
            e1, e2 = residual_of(form, point, dw, dx)
            left = np.concatenate([e1 + r1, e2 + r2])
            assert np.abs(left).max() < 1e-9 * (1 + np.abs(expected).max()), system
            np.testing.assert_allclose(dw, expected[: len(dw)], atol=1e-7, err_msg=system)
            cones = slice(0, form.cone_rows)
            np.testing.assert_allclose(dx[cones], expected[len(dw) :][cones], atol=1e-6, err_msg=system)


def residual_of(form: StandardForm, point: ConePoint, dw: Array, dx: Array) -> tuple[Array, Array]:
    """`-(H dw - A'dx)`, `-(A dw + (Theta + E) dx)`, with dx turned."""
    straight = point.scaling.turn_back(dx)
    e1 = form.A.multiply_transposed(straight) - (dw if form.H is None else form.H @ dw)
    rows = form.A.multiply(dw)
    if form.E is not None:
        rows[: form.cone_rows] += form.E @ straight[: form.cone_rows]
    return e1, -point.scaling.turn(rows) - point.scaling.theta * dx


def choices(problem: ContactProblem) -> list[str]:
    names = ["augmented", "unsymmetric"]
    if not couples_contacts(problem):
        names.append("condensed")
    if problem.joint_rows == 0:
        names.append("delassus")
    return names


@pytest.mark.slow
@pytest.mark.parametrize("back", BACK_ENDS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_system_solves(name: str, back: str) -> None:
    problem = PROBLEMS[name]
    reference = InteriorPoint().solve(problem)
    assert reference.status.ok
    for system in choices(problem):
        solution = InteriorPoint(system=system, linear=back).solve(problem)  # type: ignore[arg-type]
        assert solution.status is Status.SOLVED, f"{system}: {solution!r}"
        assert solution.iterations <= 20
        size = np.abs(reference.velocity).max()
        np.testing.assert_allclose(solution.velocity, reference.velocity, atol=1e-6 * size, err_msg=system)
        assert back in solution.detail
        assert system in solution.detail


@pytest.mark.parametrize("name", PROBLEMS)
def test_orthogonal_rows_solve(name: str) -> None:
    problem = PROBLEMS[name]
    reference = InteriorPoint().solve(problem)
    solution = InteriorPoint(system="orthogonal").solve(problem)
    assert solution.status is Status.SOLVED, f"{solution!r}"
    assert solution.iterations <= 20
    size = np.abs(reference.velocity).max()
    np.testing.assert_allclose(solution.velocity, reference.velocity, atol=1e-6 * size)
    assert "orthogonal" in solution.detail


@pytest.mark.parametrize("joints", [0, 2])
@pytest.mark.parametrize("dims", [(3,), (1, 2, 3)])
def test_compliance_that_couples_contacts(joints: int, dims: tuple[int, ...]) -> None:
    base = random_problem(8, joints=joints, dims=dims)
    root = np.random.default_rng(0).normal(size=(base.contact_rows, 5))
    problem = changed(base, E=root @ root.T)
    answers = [InteriorPoint(system=name).solve(problem) for name in ("auto", "augmented", "unsymmetric", "orthogonal")]  # type: ignore[arg-type]
    for answer in answers:
        assert answer.status.ok
        assert answer.certificate.error < 1e-9
        np.testing.assert_allclose(answer.contact_impulse, answers[0].contact_impulse, atol=1e-6)
    with pytest.raises(SolverError, match="augmented"):
        InteriorPoint(system="condensed").solve(problem)


def test_delassus_refuses_joints() -> None:
    with pytest.raises(SolverError, match="condensed"):
        InteriorPoint(system="delassus").solve(PROBLEMS["joints"])


@pytest.mark.parametrize("unsuitable", ["start", "warm_start", "system", "step_rule"])
def test_unknown_choices_are_refused(unsuitable: str) -> None:
    with pytest.raises(SolverError, match=f"no {unsuitable} 'nonsense'; choose one of"):
        InteriorPoint(**{unsuitable: "nonsense"})


@pytest.mark.parametrize("wrong", [{"fraction": 1.0}, {"fraction": "often"}, {"correctors": -1}, {"delta": 0.0}])
def test_senseless_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SolverError, match=next(iter(wrong))):
        InteriorPoint(**wrong)  # type: ignore[arg-type]
