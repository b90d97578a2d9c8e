"""Sweeps and proximal Newton steps in turn, and the proximal step itself."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.problem.certificate import measure
from signorini.solvers.base import Monitor
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.form import exact_form
from signorini.solvers.coulomb.search import Budget, Iterate, Search
from signorini.solvers.coulomb.sweep_phase import SweepPhase, Sweeps
from signorini.solvers.coulomb.systems import make_system
from signorini.solvers.first_order import make_dual

from ..first_order_problems import random_problem

TOLERANCE = 1e-8


@pytest.mark.parametrize("options", [{}, {"joints": 2}, {"soft": True}, {"coupled": True}])
def test_reaches_the_exact_law_from_no_impulses(options: dict[str, bool | int]) -> None:
    problem = random_problem(3, contacts=12, **options)
    form = exact_form(problem)
    assert form is not None
    nothing = Iterate(np.zeros(problem.contact_rows), np.zeros(problem.joint_rows))
    search = Search(problem, Monitor(TOLERANCE, 100, np.inf), Budget(1000), nothing, TOLERANCE)
    newton = ExactNewton(form, make_system(form, "auto"), 1e-8, Budget(1000))
    SweepPhase(newton, search, Sweeps(newton.form, make_dual(problem, "anisotropic"))).run(40, TOLERANCE)
    lam, gamma = search.best.contact_impulse, search.best.joint_impulse
    error = measure(problem, problem.velocity_of(lam, gamma), lam, gamma, law="coulomb").error
    assert error == pytest.approx(search.error, rel=0.1, abs=1e-10)
    assert error <= TOLERANCE


def test_proximal_step_stays_nearer() -> None:
    """A heavy weight shortens the step, a light one leaves Newton's."""
    problem = random_problem(5, contacts=12)
    form = exact_form(problem)
    assert form is not None
    newton = ExactNewton(form, make_system(form, "auto"), 1e-8, Budget(1000))
    x = np.random.default_rng(1).normal(size=form.rows)
    x[form.start[:-1]] = 10.0  # all contacts stick, so that none jumps on its cone whatever the weight
    slips = form.slips(x)
    plain, light, heavy = (newton.semismooth(x, slips, weight) for weight in (0.0, 1e-9, 1.0))
    assert plain is not None
    assert light is not None
    assert heavy is not None
    np.testing.assert_allclose(light, plain, atol=1e-5 * np.abs(plain).max())
    assert np.linalg.norm(heavy - x) < 0.9 * np.linalg.norm(plain - x)
