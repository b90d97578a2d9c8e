"""The outcome of a step from its solution."""

from __future__ import annotations

from signorini.assembly.laws.lift import first_rows
from signorini.assembly.near_limits import NearLimits
from signorini.stepping.contact_model import StepSolution
from signorini.stepping.step import Reactions, StepOutcome


def deepest_approach(answer: StepSolution) -> float:
    """Largest speed at which contacts of the problem still approach beyond what it allows [m/s]."""
    slip = answer.solution.certificate.answer.slip
    normal = first_rows(answer.problem.cones, slip, answer.contacts.count)[:, 0]
    return max(0.0, -float(normal.min(initial=0.0)))


def step_outcome(limits: NearLimits, answer: StepSolution) -> StepOutcome:
    """The answer in parts: contacts, joints, limits, brakes; its error is the largest of all solves of the step."""
    solution, contacts = answer.solution, answer.contacts.count
    rest = solution.contact_impulse[answer.problem.cones.start[contacts] :]
    near = limits.count
    reactions = Reactions(solution.joint_impulse, limits.everywhere(rest[:near]), rest[near:])
    worst, iterations = solution, solution.iterations
    if answer.earlier:
        every = (solution, *answer.earlier)
        worst = max(every, key=lambda one: (not one.status.ok, one.certificate.error))
        iterations = sum(one.iterations for one in every)
    return StepOutcome(
        iterations, worst.certificate.error, worst.status, solution.rank, answer.impulses, reactions, answer.law,
        answer.stored,
    )  # fmt: skip
