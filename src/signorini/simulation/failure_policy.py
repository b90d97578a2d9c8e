"""What happens when the problem of a step is not solved to the tolerance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from signorini.model.model import Model
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SimulationError, SolverError
from signorini.problem.solution import Solution
from signorini.stepping.step import DviStep

OnFailure = Literal["raise", "warn", "fallback"]


def check_on_failure(choice: str) -> None:
    """Raise `SolverError` unless it is one of the choices."""
    if choice not in get_args(OnFailure):
        raise SolverError(f"on_failure is {choice!r}, expected one of {', '.join(get_args(OnFailure))}")


@dataclass
class FailurePolicy:
    """Checks every step by all of its solves: of its problem, of impacts, of contacts that had to yield.

    `raise` stops the simulation with a `SimulationError`; `warn` and `fallback` take the answer as it is and warn once.
    Nothing is lost: every step keeps its status.
    """

    on_failure: OnFailure
    explain: Callable[[ContactProblem, Solution], str]
    """Further information on an answer that misses its tolerance, such as the name of a joint."""
    model: Model
    """Whose bodies are named."""
    warned: bool = field(default=False)

    def __post_init__(self) -> None:
        check_on_failure(self.on_failure)

    def apply(self, step: DviStep) -> None:
        """Raise or warn, where the step was not solved."""
        if step.status.ok:
            return
        if self.on_failure == "raise":
            raise SimulationError(f"{self._story(step)}; on_failure='fallback' would ask other solvers")
        if not self.warned:
            self.warned = True
            warnings.warn(f"{self._story(step)}; later ones are counted in summary()", stacklevel=2)

    def _story(self, step: DviStep) -> str:
        failed = next(one for one in (step.solution, *step.earlier) if not one.status.ok)
        found = failed.certificate
        where = worst_place(self.model, step, found.worst_contact)
        story = (
            f"{failed.solver} {failed.status.value} (error {found.error:.1e}, {step.problem.contacts} contacts{where})"
        )
        if failed is not step.solution:
            return f"{step.problem.name}, on the way (impacts, contacts that yield): {story}"
        return f"{step.problem.name}: {story}{self.explain(step.problem, step.solution)}"


def worst_place(model: Model, step: DviStep, worst: int) -> str:
    """Bodies and place of the contact with the largest error; empty where it is a limit or a brake, or unknown."""
    contacts = step.contacts
    if not 0 <= worst < contacts.count:
        return ""
    first, second = (model.name_of(int(side[worst])) for side in (contacts.body_a, contacts.body_b))
    place = ", ".join(f"{x:.4g}" for x in contacts.point_b[worst])
    return f", worst between {first!r} and {second!r} at ({place}) m"
