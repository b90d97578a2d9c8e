"""Steps whose second-order terms contradict one another are posed again to first order.

How joints and contacts bend is predicted with the velocities before the step. Where something is hit, joints do not
move on like that. A few contacts follow all the same; where there are more contacts than degrees of freedom, their
second-order terms may contradict the joints by more than the tolerance, and which contacts open would be decided by
noise. Gaps and joints along straight paths agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini.assembly.bend import Bend
from signorini.assembly.masses import Masses
from signorini.stepping.contact_model import Detected, StepSolution

TO_FIRST_ORDER = "to first order, because joints and contacts contradict one another to second order"
"""The reason in `Step.way` of such a step."""


@dataclass(frozen=True, eq=False)
class FirstOrderRetry:
    """For models with joints, and solvers whose failure means a hard problem (see `solvers.is_decisive`)."""

    masses: Masses

    def applies(self, detected: Detected, answer: StepSolution) -> bool:
        """Whether a problem of joints and contacts to second order was not solved."""
        return detected.bend is not None and detected.contacts.rigid > 0 and not answer.solution.status.ok

    def straightened(self, detected: Detected) -> Detected:
        """The same along straight paths; joints are closed in the positions alone."""
        assert detected.bend is not None
        joints, limits = np.zeros_like(detected.bend.joints), np.zeros_like(detected.bend.limits)
        return replace(detected, bend=Bend(joints, limits, None, stiff=True, tumbling=self.masses.wobbling))
