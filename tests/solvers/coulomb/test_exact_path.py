"""The interior path of the exact law: where its derivative is left out, and sweeps beside it."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.solvers.cone_newton.predictor_corrector import Direction
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.form import exact_form
from signorini.solvers.coulomb.path import ExactPath
from signorini.solvers.coulomb.search import Budget
from signorini.solvers.coulomb.solver import Coulomb
from signorini.solvers.coulomb.sweep_phase import Sweeps
from signorini.solvers.coulomb.systems import make_system
from signorini.solvers.first_order import make_dual, make_pair_dual

from ..first_order_problems import random_problem


def newton_of(contacts: int) -> ExactNewton:
    form = exact_form(random_problem(4, contacts=contacts))
    assert form is not None
    return ExactNewton(form, make_system(form, "auto"), 1e-8, Budget(1000))


def test_derivative_is_left_out_where_the_direction_runs_farthest() -> None:
    newton = newton_of(9)
    path = ExactPath.near(newton, np.zeros(newton.form.rows), 0.3)
    path.point.rescale()
    z, first = path.point.z, newton.form.start[4]
    scaled = 0.1 * z
    scaled[first] = 50.0 * np.linalg.norm(z)
    direction = Direction(np.zeros(0), np.zeros(newton.form.rows), z, scaled, np.zeros_like(z), 0.01, 1.0)
    assert path._discount(direction)
    assert np.flatnonzero(path._counted == 0.0).tolist() == [4]
    assert np.all(np.delete(path._counted, 4) == 1.0)
    assert not path._discount(direction), "nothing more to leave out there"


@pytest.mark.parametrize("contacts", [6, 20])
def test_path_arrives_at_the_law(contacts: int) -> None:
    newton = newton_of(contacts)
    form = newton.form
    path = ExactPath.near(newton, np.zeros(form.rows), 0.3)
    errors = []
    for _ in range(40):
        assert path.step(form.slips(path.x))
        errors.append(form.error(path.x, form.slips(path.x)))
        if errors[-1] < 1e-9:
            break
    assert errors[-1] < 1e-9


def test_sweeps_improve_on_an_answer_that_is_slightly_off() -> None:
    problem = random_problem(4, contacts=12)
    form = exact_form(problem)
    assert form is not None
    answer = Coulomb(tolerance=1e-10).solve(problem)
    x = form.standard.rows_of(answer.contact_impulse, answer.joint_impulse)
    off = x * (1.0 + 1e-4 * np.random.default_rng(0).normal(size=x.shape))
    before = form.error(off, form.slips(off))
    dual = make_pair_dual(problem, "anisotropic") or make_dual(problem, "anisotropic")
    moved, error = Sweeps(form, dual).swept(off, 100)
    assert error == pytest.approx(form.error(moved, form.slips(moved)))
    assert error < 0.1 * before
