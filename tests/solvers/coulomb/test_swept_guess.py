"""Newton's method from a guess that sweeps improve on first."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.base import Monitor
from signorini.solvers.coulomb import outer_loop
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.form import exact_form
from signorini.solvers.coulomb.newton_phase import NewtonPhase
from signorini.solvers.coulomb.rules import FIRST_SWEEPS, GUESS_SWEEPS
from signorini.solvers.coulomb.search import Budget, Iterate, Search
from signorini.solvers.coulomb.sweep_phase import Sweeps
from signorini.solvers.coulomb.systems import make_system
from signorini.solvers.first_order import make_pair_dual

from ..first_order_problems import random_problem

TOLERANCE = 1e-8


def phase_of(problem: ContactProblem, guess: Iterate) -> tuple[NewtonPhase, Search]:
    """Newton's method with cheap sweeps, and a search that knows the guess."""
    form, pairs, budget = exact_form(problem), make_pair_dual(problem, "anisotropic"), Budget(1000)
    assert form is not None
    assert pairs is not None
    search = Search(problem, Monitor(TOLERANCE, 1000, np.inf), budget, guess, TOLERANCE)
    search.see(guess, search.measure(guess), counts=False)
    newton = ExactNewton(form, make_system(form, "auto"), 1e-8, budget)
    return NewtonPhase(newton, search, Sweeps(form, pairs), True), search


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_repair_a_guess_that_is_wrong_at_one_contact(seed: int) -> None:
    """All but one contact know their impulse: sweeps leave next to nothing to the path."""
    problem = random_problem(seed, contacts=40)
    answer = sg.Coulomb(tolerance=1e-10).solve(problem)
    impulse = answer.contact_impulse.copy()
    k = 3 * int(np.argmax(impulse[::3]))
    impulse[k : k + 3] = 0.0
    guess = Iterate(impulse, np.zeros(0))
    swept, search = phase_of(problem, guess)
    assert search.error > 1e-3
    swept.run_swept(60, TOLERANCE)
    plain, other = phase_of(problem, guess)
    plain.run(60, TOLERANCE)
    assert search.error <= TOLERANCE
    assert other.error <= TOLERANCE
    lam = search.best.contact_impulse
    assert measure(problem, problem.velocity_of(lam, np.zeros(0)), lam, np.zeros(0), law="coulomb").error <= TOLERANCE
    assert swept.newton.factorisations < plain.newton.factorisations


@pytest.mark.parametrize(("large", "first"), [(10**9, GUESS_SWEEPS), (1, FIRST_SWEEPS)])
def test_a_solve_with_a_guess_begins_with_sweeps(monkeypatch: pytest.MonkeyPatch, large: int, first: int) -> None:
    """With a guess there are sweeps before the first factorisation, more in large problems; without one, none."""
    asked: list[int] = []
    swept = Sweeps.swept

    def noted(self: Sweeps, x: np.ndarray, sweeps: int) -> tuple[np.ndarray, float]:
        asked.append(sweeps)
        return swept(self, x, sweeps)

    monkeypatch.setattr(Sweeps, "swept", noted)
    monkeypatch.setattr(outer_loop, "is_dense", lambda problem: False)
    monkeypatch.setattr(outer_loop, "LARGE", large)
    problem = random_problem(2, contacts=40)
    answer = sg.Coulomb().solve(problem)
    assert answer.status.ok
    assert first not in asked[:1]
    asked.clear()
    again = sg.Coulomb().solve(problem, sg.Guess(contact_impulse=0.9 * answer.contact_impulse))
    assert again.status.ok
    assert asked[0] == first
