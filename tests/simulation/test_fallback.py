"""The fallback chain as a solver: who answers, who is passed over, and what is returned where nobody succeeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.simulation.fallback import Fallback
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.projected_sor import ProjectedSOR


@dataclass(frozen=True)
class Refuses:
    """Takes no problem."""

    name: ClassVar[str] = "refuses"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        raise SolverError("not for me")


@dataclass(frozen=True)
class Misses:
    """An answer of a given error that counts as stalled."""

    name: ClassVar[str] = "misses"
    error: float

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        found = InteriorPoint().solve(problem, guess)
        certificate = replace(found.certificate, stationarity_relative=self.error)
        return replace(found, status=Status.STALLED, certificate=certificate, solver=f"misses {self.error}")


@pytest.fixture
def problem() -> ContactProblem:
    """A ball of 1 kg that slides over a floor."""
    return ContactProblem(H=np.eye(3), c=np.array([1.0, -1.0, 0.0]), D=np.eye(3), cones=Cones.coulomb([0.4]))


def test_the_first_answer_that_is_solved_counts(problem: ContactProblem) -> None:
    found = Fallback((InteriorPoint(), Misses(1.0))).solve(problem)
    assert (found.rank, found.status, found.solver) == (0, Status.SOLVED, "interior-point")
    found = Fallback((Refuses(), Misses(1e-3), ProjectedSOR(), InteriorPoint())).solve(problem)
    assert (found.rank, found.status, found.solver) == (2, Status.SOLVED, "projected-sor")


def test_without_a_solved_one_the_least_error_counts(problem: ContactProblem) -> None:
    found = Fallback((Misses(1e-2), Misses(1e-4), Misses(np.inf), Refuses())).solve(problem)
    assert (found.rank, found.status, found.solver) == (1, Status.STALLED, "misses 0.0001")


def test_a_problem_that_nobody_takes(problem: ContactProblem) -> None:
    with pytest.raises(SolverError, match="no solver of the chain"):
        Fallback((Refuses(), Refuses())).solve(problem)


def test_a_chain_may_stand_wherever_a_solver_may(problem: ContactProblem) -> None:
    chain = Fallback((Fallback((Misses(1.0),)), InteriorPoint()))
    found = chain.solve(problem)
    assert found.status is Status.SOLVED
    assert found.rank == 1
    np.testing.assert_allclose(found.velocity, InteriorPoint().solve(problem).velocity, atol=1e-7)
