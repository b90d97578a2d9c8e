"""What all tests share: the collection of real problems, and a plain solver to try the machinery with."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import settings

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import SOLVERS
from signorini.solvers.base import Monitor, check_settings, finish, starting_impulses

ROOT = Path(__file__).resolve().parent.parent

# The first example compiles kernels, and machines are shared: no time limit per example. Continuous integration always
# tries the same examples, so that its verdict is about the change; elsewhere they are new ones every time.
settings.register_profile("signorini", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("quick", settings.get_profile("signorini"), max_examples=25)  # for `make test-fast`
settings.load_profile("signorini")


@pytest.fixture(scope="session", autouse=True)
def signals_as_in_a_terminal() -> Iterator[None]:
    """Processes inherit ignored signals: SIGINT from a job in the background, SIGHUP from nohup."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def fclib_directory() -> Path | None:
    """Where the shared FCLIB problems are, or None."""
    directory = Path(os.environ.get("SIGNORINI_FCLIB", ROOT.parent / "shared" / "fclib"))
    return directory if directory.is_dir() else None


@pytest.fixture(scope="session")
def fclib() -> Path:
    """The directory of the shared FCLIB problems; the test is skipped where it is absent."""
    directory = fclib_directory()
    if directory is None:
        pytest.skip("the FCLIB problems are absent: put them in ../shared/fclib or set SIGNORINI_FCLIB")
    return directory


@dataclass(frozen=True)
class PlainGradient:
    """Projected gradient with a fixed step: slow, short and surely right."""

    tolerance: float = 1e-8
    max_iterations: int = 20000
    time_budget: float = 10.0
    name: ClassVar[str] = "plain-gradient"

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        lam, gamma = starting_impulses(problem, guess)
        step = 1.0 / max(float(abs(problem.N).sum(axis=1).max()), 1e-300)
        size = max(float(np.linalg.norm(problem.r)), 1e-300)
        reason: Status | None = None
        while reason is None:
            new = problem.cones.project(lam - step * (problem.N @ lam + problem.r))
            # The certificate measures with a step of another length, so the loop asks for a little more.
            monitor.record(monitor.iterations + 1, 10.0 * float(np.linalg.norm(new - lam)) / (step * size))
            lam = new
            reason = monitor.verdict()
        return finish(problem, self.name, monitor, reason, lam, gamma)


@dataclass(frozen=True)
class RefusesContacts:
    """Refuses every problem with contacts."""

    tolerance: float = 1e-8
    name: ClassVar[str] = "no-contacts"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        raise SolverError(f"no-contacts solves problems without contacts, this one has {problem.contacts}")


@dataclass(frozen=True)
class Crashes:
    """Raises what a solver must not raise."""

    tolerance: float = 1e-8
    name: ClassVar[str] = "crashes"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        raise ZeroDivisionError("division by zero")


@dataclass(frozen=True)
class NotInstalled:
    """Lacks its optional dependency."""

    tolerance: float = 1e-8
    name: ClassVar[str] = "not-installed"

    def __post_init__(self) -> None:
        raise MissingExtraError("not-installed needs a library; type pip install 'signorini[oracle]'")


@pytest.fixture
def plain_solvers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, tuple[str, str]]]:
    """The registry of solvers, holding only the plain ones of this file."""
    module = sys.modules[__name__].__name__
    monkeypatch.setitem(sys.modules, module, sys.modules[__name__])
    saved = dict(SOLVERS)
    SOLVERS.clear()
    for solver in (PlainGradient, RefusesContacts, Crashes, NotInstalled):
        SOLVERS[solver.name] = (module, solver.__name__)
    yield SOLVERS
    SOLVERS.clear()
    SOLVERS.update(saved)
