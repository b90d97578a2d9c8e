"""The joint with the largest error, for messages."""

from __future__ import annotations

import numpy as np

from signorini.model.layout import Layout, name_of
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import multiply, multiply_magnitudes
from signorini.problem.solution import Solution

TELLING, VIOLATED = 0.1, 1e-6
"""A joint is named when its relative error is above this share of the whole error, and above this."""


def violated_joint(layout: Layout, problem: ContactProblem, solution: Solution) -> str:
    """The joint with the largest relative error, in words; empty if joints are not the cause."""
    found = solution.certificate
    if not problem.joint_rows or found.joint_error_relative < max(TELLING * found.error, VIOLATED):
        return ""
    terms = multiply_magnitudes(problem.C, solution.velocity) + problem.joint_size + np.abs(problem.b_gamma)
    error = np.abs(multiply(problem.C, solution.velocity) - problem.b_gamma)
    share = error / np.where(terms > 0, terms, 1.0)
    worst = int(np.argmax(share))
    name = name_of(layout.joints, worst)
    return f"; joint {name!r} is violated most, by {error[worst]:.1e} m/s or rad/s: is it at odds with others?"
