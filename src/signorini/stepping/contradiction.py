"""Steps whose second-order terms contradict one another are taken to first order.

How joints and contacts bend is foreseen with the velocities before the step. Where something is hit, joints do not move
on like that. A few contacts follow all the same; where there are more contacts than ways to move, what is asked of them
may contradict the joints by more than the tolerance, and which contacts open would be decided by noise. Gaps and joints
along straight paths agree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.assembly.bend import Bend
from signorini.assembly.masses import Masses
from signorini.model.layout import Layout
from signorini.solvers.base import Solver
from signorini.solvers.coulomb import Coulomb
from signorini.stepping.contact_model import Detected, StepSolution

TO_FIRST_ORDER = "to first order, because joints and contacts contradict one another to second order"
"""What `Step.way` tells of such a step."""


def contradicts(layout: Layout, detected: Detected, answer: StepSolution, solver: Solver) -> bool:
    """Whether a solver that is exact elsewhere misses a problem of joints and contacts to second order."""
    exact = isinstance(solver, Coulomb) and solver.newton
    bent = detected.bend is not None and bool(layout.joints) and detected.contacts.rigid > 0
    return exact and bent and not answer.solution.status.ok


def to_first_order(masses: Masses, detected: Detected) -> Detected:
    """The same along straight paths; joints are shut in the positions alone."""
    assert detected.bend is not None
    joints, limits = np.zeros_like(detected.bend.joints), np.zeros_like(detected.bend.limits)
    return replace(detected, bend=Bend(joints, limits, None, stiff=True, tumbling=masses.wobbling))
