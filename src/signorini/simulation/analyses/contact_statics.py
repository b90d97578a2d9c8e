"""Rest with hard contact, friction, limits and brakes: motion without inertia until nothing moves."""

from __future__ import annotations

import numpy as np

from signorini.assembly.dynamics import Dynamics
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.errors import ModelError
from signorini.problem.solution import Status
from signorini.simulation.analyses.equilibrium import CLOSED, Equilibrium, displacement_scales, owner
from signorini.simulation.drivers import AnyMemory, DviDriver
from signorini.solvers import make_solver
from signorini.stepping.step import DviStep

MOST_STEPS = 400
FIRST_TIME = 2.0**-7
"""Pseudo time of the first step [s]; the others are it times powers of two."""
SHORTEST, LONGEST = 2.0**-20, 2.0**10
"""Pseudo times [s]."""
LARGEST_STEP = 0.05
"""Displacement of one step: of rotations [rad], of points as a share of the size of the model."""
SMALL = 0.25
"""Steps below this share of the largest one let the pseudo time grow."""
FINEST = 1e-8
"""Least tolerance on the imbalance that answers of contact problems are held to [-]."""
SOLVE = 1e-10
"""Tolerance of the contact problems [-]."""


def contact_equilibrium(model: Model, start: State, tolerance: float) -> Equilibrium:
    """Follow the motion `M v / h = forces + reactions` from rest to rest, forgetting v after each step.

    In every step two problems are solved. That of the convex law tells whether reactions within the friction cones can
    hold the bodies where they are: its velocities are unique, and without slip it is Coulomb's law. If they cannot,
    the exact law tells how the bodies move on.
    """
    dynamics = Dynamics(model, start)
    still, scale = np.zeros(dynamics.size), displacement_scales(dynamics, start)
    now = dynamics.displacer.move(start, still, still, start.time)
    _refuse_driven(model, dynamics, now)
    h, last, memory, count = FIRST_TIME, still, None, 0
    resting, moving = _driver(model, h, "convex"), _driver(model, h, "coulomb")
    while True:
        rest = _measured(dynamics, now, _one_step(resting, now)[0], count, max(tolerance, FINEST))
        if rest.status.ok or count == MOST_STEPS:
            return rest
        moved, memory = _one_step(moving, now, memory)
        count += 1
        v = moved.solution.velocity
        way = h * float((np.abs(v) / scale).max(initial=0.0)) / LARGEST_STEP
        back = float(v @ (dynamics.M @ last)) < 0.0
        if way <= 1.0 or h <= SHORTEST:
            now, last = dynamics.displacer.move(moved.state, still, still, start.time), v
        longer = 0.5 if way > 1.0 or back else 2.0 if way < SMALL else 1.0
        if longer != 1.0 and SHORTEST <= longer * h <= LONGEST:
            h, memory = longer * h, None
            resting, moving = _driver(model, h, "convex"), _driver(model, h, "coulomb")


def _driver(model: Model, h: float, law: Law) -> DviDriver:
    """Of steps by one law."""
    solver = make_solver("interior-point", tolerance=SOLVE)
    return DviDriver.of(model, h, solver, "fallback", "full", np.inf, None, law)


def _one_step(driver: DviDriver, now: State, memory: AnyMemory | None = None) -> tuple[DviStep, AnyMemory]:
    return driver.step(1, now, memory)


def _measured(dynamics: Dynamics, now: State, step: DviStep, count: int, tolerance: float) -> Equilibrium:
    """The state at the beginning of a step, with what the reactions of that step leave unbalanced."""
    problem, solution, h = step.problem, step.solution, step.state.time
    pushes = (problem.C.T @ solution.joint_impulse, problem.D.T @ solution.contact_impulse)
    sizes = (
        abs(problem.C).T @ np.abs(solution.joint_impulse),
        abs(problem.D).T @ np.abs(solution.contact_impulse),
    )
    r, size = np.abs(sum(pushes) - problem.c) / h, float(np.max(np.abs(problem.c) + sum(sizes), initial=0.0)) / h
    imbalance, error = float(r.max(initial=0.0)), float(np.abs(dynamics.constraints(now).error).max(initial=0.0))
    residual = imbalance / size if size > 0.0 else 0.0
    solved = residual <= tolerance and error <= CLOSED
    return Equilibrium(
        state=now,
        joint_force=step.reactions.joints / h,
        imbalance=imbalance,
        residual=residual,
        joint_error=error,
        iterations=count,
        status=Status.SOLVED if solved else Status.ITERATION_LIMIT,
        unbalanced="" if solved else owner(dynamics, int(r.argmax())),
        contacts=step.contacts,
        contact_force=step.impulses / h,
    )


def _refuse_driven(model: Model, dynamics: Dynamics, now: State) -> None:
    """Raise `ModelError` for what moves by itself: steps in pseudo time would carry it along."""
    moving = [body.name for body in model.bodies if body.motion is not None]
    rate = np.abs(dynamics.constraints(now).rate)
    if float(rate.max(initial=0.0)) > 0.0:
        moving.append(dynamics.joints.joint_of(int(rate.argmax())))
    if any(held.motion is not None for held in model.held):
        moving.append("nodes that are held")
    if moving:
        raise ModelError(
            f"{moving[0]!r} is driven in time, and statics with hard contact wants everything to stand still: take "
            "constant motors and fixed bodies, or simulate the model until it rests"
        )
