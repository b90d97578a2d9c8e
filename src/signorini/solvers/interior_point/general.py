"""One solve in standard form on one linear system, from the form to the certificate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses, starting_velocity
from signorini.solvers.cone_newton.error_estimate import hides_slips, joint_sizes
from signorini.solvers.cone_newton.lifted_form import Ends, lifted_form
from signorini.solvers.cone_newton.plain_form import plain_form
from signorini.solvers.cone_newton.rules import ROUND_OFF, WORTH_WHILE
from signorini.solvers.cone_newton.scaling import Scaling
from signorini.solvers.cone_newton.standard_form import StandardForm, standard_form
from signorini.solvers.cone_newton.system import RefinedSystem
from signorini.solvers.interior_point.document_path import DocumentPath
from signorini.solvers.interior_point.extreme import solve_extreme
from signorini.solvers.interior_point.loop import follow
from signorini.solvers.interior_point.path import Path
from signorini.solvers.interior_point.proof import is_joint_ray, without_ray
from signorini.solvers.interior_point.start import Start, cold_start, warm_start
from signorini.solvers.interior_point.system_choice import description, make_system
from signorini.solvers.linear import back_end
from signorini.solvers.linear.mumps import Mumps
from signorini.solvers.linear.refinement import largest

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

Point = tuple[Array, Array]
"""(w, x)."""


def solve_on(
    name: str,
    settings: InteriorPoint,
    problem: ContactProblem,
    guess: Guess | Solution | None,
    monitor: Monitor,
    extreme: bool = False,
    ends: Ends | None = None,
) -> Solution:
    """The answer on the linear system of that name.

    `extreme`: whether the impulses of the guess are; `ends`: those of intervals that are included, None for cones
    alone.
    """
    back = Mumps(error_analysis=True) if settings.error_analysis else back_end(settings.linear)
    if settings.scaling == "none":
        form = plain_form(problem)
    else:
        form = standard_form(problem, name == "delassus") if ends is None else lifted_form(problem, ends)
    system = make_system(settings, name, problem, form, back)
    newton = RefinedSystem(form, system, settings.refinements)
    if form.blocks == 0:
        (w, x), reason = _linear_problem(form, newton, monitor, _nonzero(joint_sizes(problem, form)))
    elif name == "orthogonal" and settings.system == "auto":
        known = form.rows_of(*starting_impulses(problem, guess)) if extreme else None
        (w, x), reason = solve_extreme(problem, form, newton, settings, monitor, known)
    else:
        (w, x), reason = _follow_path(settings, problem, form, newton, guess, monitor)
    system.release()
    if settings.stop == "residuals" and reason is Status.SOLVED:
        reason = Status.STOPPED  # the certificate may find it solved
    impulse, joint_impulse = form.impulses(x)
    if problem.is_dual_only:
        joint_impulse = np.zeros(problem.joint_rows)  # joints between fixed bodies
    velocity = _velocity(settings, problem, form, w, x)
    detail = description(name, form, system, back)
    return finish(problem, settings.name, monitor, reason, impulse, joint_impulse, velocity, detail)


def _follow_path(
    settings: InteriorPoint,
    problem: ContactProblem,
    form: StandardForm,
    newton: RefinedSystem,
    guess: Guess | Solution | None,
    monitor: Monitor,
) -> tuple[Point, Status]:
    begin = _starting_point(settings, problem, form, newton, guess)
    if begin is None:
        return _nothing(form), Status.STALLED
    kind = DocumentPath if settings.keeps_residuals else Path
    path = kind(problem, form, newton, settings).begin(begin)
    finish_below = settings.finish_below if settings.stop == "error" else 0.0
    return follow(path, monitor, finish_below, _known_point(settings, problem, form, guess))


def _known_point(
    settings: InteriorPoint, problem: ContactProblem, form: StandardForm, guess: Guess | Solution | None
) -> tuple[Array, Array] | None:
    """The impulses of a guess and the velocities that they cause, where there are any to be used."""
    if guess is None or guess.contact_impulse is None or settings.warm_start == "partial":
        return None
    impulse, joint_impulse = starting_impulses(problem, guess)
    return form.point_of(problem, problem.velocity_of(impulse, joint_impulse), impulse, joint_impulse)


def _starting_point(
    settings: InteriorPoint,
    problem: ContactProblem,
    form: StandardForm,
    newton: RefinedSystem,
    guess: Guess | Solution | None,
) -> Start | None:
    if guess is None:
        return cold_start(form, newton, settings.start)
    impulse, joint_impulse = starting_impulses(problem, guess)
    velocity = starting_velocity(problem, guess)
    if settings.warm_start == "partial" or guess.contact_impulse is None:
        cold = cold_start(form, newton, settings.start)
        if cold is None or velocity is None or form.A.width == 0:
            return cold
        return form.point_of(problem, velocity, impulse, joint_impulse)[0], cold[1]
    if velocity is None or settings.warm_start == "shifted":
        # With old velocities the shift would not see changes of c.
        velocity = problem.velocity_of(impulse, joint_impulse)
    w, x = form.point_of(problem, velocity, impulse, joint_impulse)
    warm = warm_start(form, w, x, shifted=settings.warm_start == "shifted")
    return cold_start(form, newton, settings.start) if warm is None else warm


def _velocity(settings: InteriorPoint, problem: ContactProblem, form: StandardForm, w: Array, x: Array) -> Array:
    """Velocities from the primal variables; rows whose stationarity is more than round-off, from the impulses.

    Under extreme mass ratios the impulses on a light body cancel to less than their round-off: there only the primal
    variables resolve its velocity, and the certificate decides which of the two is better. A row whose terms are all
    tiny is the other case. With a general H, stiff bodies lose digits in `H^-1`, so the certificate decides there as
    well.
    """
    if problem.is_dual_only:
        return np.zeros(0)
    impulses = form.impulses(x)
    if form.A.width == 0:
        return problem.velocity_of(*impulses)
    if not form.is_white:
        velocity = problem.velocity_of(*impulses)
        error = measure(problem, velocity, *impulses).error
        if error <= settings.tolerance:
            return velocity
        primal = form.velocity(w)
        return primal if measure(problem, primal, *impulses).error < error else velocity
    r1, _ = form.residuals(w, x)
    terms = np.abs(form.c) + np.abs(w) + form.A.absolute_transposed(np.abs(x))
    velocity = form.velocity(np.where(np.abs(r1) <= ROUND_OFF * terms, w, w - r1))
    if not hides_slips(problem, impulses[0], settings.tolerance):
        return velocity
    return min((velocity, form.velocity(w)), key=lambda v: measure(problem, v, *impulses).error)


def _linear_problem(form: StandardForm, newton: RefinedSystem, monitor: Monitor, sizes: Array) -> tuple[Point, Status]:
    """Without contacts one linear solve is the answer [Mangoni2018, 4.9]; nearly redundant joints need a few more."""
    w, x = _nothing(form)
    if not newton.factor(Scaling.identity(form.start, form.A.rows)).ok:
        return (w, x), Status.STALLED
    r1, slips = form.residuals(w, x)
    last = math.inf
    while True:
        dw, dx = newton.solve(-r1, -slips)
        r1, slips = form.residuals(w + dw, x + dx)
        error = max(largest(r1), largest(slips / sizes))
        if not error < WORTH_WHILE * last and monitor.iterations:
            # The proximal term keeps contradictory joints in place while their impulses grow by dx in every step.
            proof = is_joint_ray(form, dx)
            return (w, without_ray(form, x, dx) if proof else x), Status.INFEASIBLE if proof else Status.STALLED
        w, x, last = w + dw, x + dx, error
        monitor.record(monitor.iterations + 1, error)
        verdict = monitor.verdict()
        if verdict is not None:
            return (w, x), verdict


def _nothing(form: StandardForm) -> Point:
    """Zero impulses, when even the first factorisation fails."""
    return -form.c, np.zeros(form.A.rows)


def _nonzero(sizes: Array) -> Array:
    """Joint rows without motion and target are measured in units of the form."""
    return np.where(sizes > 0.0, sizes, 1.0)
