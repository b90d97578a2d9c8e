"""What one closed-form test is: a small scene, the exact answer, the measured one, and how far they may be apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from signorini.studies.reproduce.truth.lab import Lab

G = 9.81
"""Gravity of all scenes [m/s2]."""
BOUND = 0.01
"""Largest relative error of a case unless it says otherwise [-]."""
THRESHOLD_BOUND = 1e-3
"""Largest relative error of a critical value [-]."""
WIDEST = 4.0
"""A measured threshold is looked for between the critical value divided and multiplied by this."""
BISECTIONS = 6
ROUND_OFF = 1e-7
"""Errors below this have no order in h."""


@dataclass(frozen=True)
class CaseAnswer:
    """What a case found."""

    exact: float
    found: float
    unit: str = ""
    scale: float | None = None
    """What the error is relative to; None: the exact value."""

    @property
    def error(self) -> float:
        """Relative error [-]; infinite where nothing was found."""
        size = abs(self.exact) if self.scale is None else self.scale
        error = abs(self.found - self.exact) / size
        return error if math.isfinite(error) else math.inf


Measure = Callable[[Lab], CaseAnswer]


@dataclass(frozen=True)
class Case:
    """One closed-form test."""

    measure: Measure
    """Builds the scene, runs it in the lab and reads off the answer."""
    bound: float = BOUND
    """Largest relative error at h = 2 ms [-]."""
    friction: bool = True
    """Whether there is friction in it; without, the answer does not depend on the law and is measured once."""
    order: bool = False
    """Whether the order of the error in h means something."""

    @property
    def name(self) -> str:
        """That of the function."""
        return self.measure.__name__

    @property
    def title(self) -> str:
        """First line of the docstring."""
        return (self.measure.__doc__ or self.name).strip().splitlines()[0]


def case(bound: float = BOUND, friction: bool = True, order: bool = False) -> Callable[[Measure], Case]:
    """Make a case of the function below; its docstring starts with what happens and goes on with the closed form."""

    def make(measure: Measure) -> Case:
        return Case(measure, bound, friction, order)

    return make


def threshold(critical: float, moves: Callable[[float], bool], unit: str = "") -> CaseAnswer:
    """The critical value, if the scene rests 0.1 % below it and moves 0.1 % above; else where it really is.

    `moves` builds and runs the scene for one value of the load.
    """
    near = THRESHOLD_BOUND
    rests, parts = not moves(critical * (1 - near)), moves(critical * (1 + near))
    if rests and parts:
        return CaseAnswer(critical, critical, unit)
    low, high = (critical, critical * WIDEST) if rests else (critical / WIDEST, critical)
    if rests and not moves(high):
        return CaseAnswer(critical, math.inf, unit)
    if not rests and moves(low):
        return CaseAnswer(critical, 0.0, unit)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if moves(middle) else (middle, high)
    return CaseAnswer(critical, 0.5 * (low + high), unit)
