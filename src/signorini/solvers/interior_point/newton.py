"""One linear system, solved as often as an iteration needs it and refined against the exact equations."""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior.path_rules import ACCURATE
from signorini.math.sparse import Array
from signorini.solvers.interior_point.scaling import Scaling
from signorini.solvers.interior_point.standard_form import StandardForm
from signorini.solvers.interior_point.systems import System
from signorini.solvers.linear import FactorReport


class Newton:
    """`H dw - A'dx = r1`, `A dw + (Theta + E) dx = r2` in the turned basis of one scaling."""

    def __init__(self, form: StandardForm, system: System, refinements: int) -> None:
        self._form, self._system, self._refinements = form, system, refinements
        self._values = np.empty_like(form.A.values)
        self.accuracy = ACCURATE
        """Residual of the linear system at which refinement ends."""

    def factor(self, scaling: Scaling) -> FactorReport:
        """Factor at the scaling; it is used until the next call."""
        self._form.A.turned(self._form.blocks, scaling.frames, scaling.reflector, self._values)
        return self._system.factor(scaling, self._values)

    def solve(self, r1: Array, r2: Array) -> tuple[Array, Array]:
        """(dw, dx); refined until it is accurate or refinement stops paying."""
        return self._system.refined(r1, r2, self.accuracy, self._refinements)
