"""Runs one case: the answer, its error, the order of the error in h, and the steps that failed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from signorini.problem.certificate import Law
from signorini.problem.errors import SignoriniError
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.studies.reproduce.truth.case import ROUND_OFF, Case, CaseAnswer
from signorini.studies.reproduce.truth.lab import Lab


@dataclass(frozen=True)
class Result:
    """What one case found with one law."""

    name: str
    exact: float
    found: float
    unit: str
    error: float
    """Relative [-]."""
    bound: float
    failed: str
    """Steps that missed the tolerance, or why the case broke, in words; empty when there is nothing to tell."""
    order: float | None = None
    """Of the error in h; None where it means nothing."""

    @property
    def holds(self) -> bool:
        """Whether the error is within the bound."""
        return self.error <= self.bound


def measured(case: Case, h: float, law: Law | None, hard: NonsmoothAlpha | str = "dvi") -> Result:
    """Run a case with a step, a law (None is the default one) and an integrator of hard contact."""
    lab = Lab(h, law, hard)
    try:
        answer, failed = case.measure(lab), lab.failed()
    except SignoriniError as error:
        answer, failed = CaseAnswer(math.nan, math.nan, scale=1.0), f"broke: {error}"
    return Result(case.name, answer.exact, answer.found, answer.unit, answer.error, case.bound, failed)


def with_order(case: Case, result: Result, h: float, other_h: float, hard: NonsmoothAlpha | str = "dvi") -> Result:
    """The result, measured with h [s], with the order of its error between that and another step."""
    other = measured(case, other_h, None, hard)
    if min(result.error, other.error) < ROUND_OFF or not math.isfinite(result.error + other.error):
        return result
    return replace(result, order=math.log(other.error / result.error) / math.log(other_h / h))
