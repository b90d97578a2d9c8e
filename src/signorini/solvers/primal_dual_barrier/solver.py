"""The settings and the loop of the primal-dual barrier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.interior import barrier as kernels
from signorini.kernels.linalg.dense import dot
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, check_settings, finish, starting_impulses
from signorini.solvers.linear import back_end
from signorini.solvers.primal_dual_barrier.iterate import Iterate, NewtonSystem, Target, dual_residual
from signorini.solvers.primal_dual_barrier.kkt import KktDirect
from signorini.solvers.primal_dual_barrier.kkt_cg import KktCG
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem
from signorini.solvers.primal_dual_barrier.schur import SchurCG, SchurCondensed, SchurDirect
from signorini.solvers.primal_dual_barrier.stopping import ChangeWatch

CHOICES = {
    "system": ("schur", "kkt"),
    "linear": ("direct", "cg"),
    "preconditioner": ("diagonal", "cone"),
    "stop": ("error", "objective", "forces"),
}
TO_THE_BOUNDARY = 0.95
"""Share of the way to the boundary of the cones that a step may go."""
SUFFICIENT_DECREASE = 0.01
"""alpha of [Boyd2004, section 11.7]."""
LEAST_CENTRING = 1e-3
"""Least share of the present products of constraints and multipliers to aim at."""
SMALLEST_STEP = 1e-10
SIZE = 3.0
"""How far inside the cones to start. Too far costs iterations (10: three to seven in heaps of 500 to 2000 spheres), so
does too near under a heavy block (10: two or three fewer, 1: seven more), where impulses are as large as 200."""
SHORT, SHORT_STEPS, EARLY = 0.2, 6, 0.1
"""That many short steps in a row, while the error is still large, mean that the start was too near the apex ..."""
FARTHER, LARGEST_SIZE = 100.0, 1e7
"""... and the solve begins again that many times as far inside."""
PATIENCE, GAIN = 15, 0.99
"""Iterations after which the solve has stalled if none made the residual better by this factor."""
LONG, LONGER, MORE = 0.95, 1.2, 0.1
"""Corrected steps up to the first are corrected once more, by the terms of a step this many times as long and this much
longer, and the new direction is taken when it leads that much further."""
LONG_STEP = 1e4
"""A Newton step this many times as long as the iterate is tested as a proof of infeasibility."""

Direction = tuple[Array, Array]
"""(dx, dz)."""


@dataclass(frozen=True)
class PrimalDualBarrier:
    """Primal-dual interior point of document 002: friction cones as quadratic constraints [Fang2014].

    Works on the dual problem `min 1/2 lambda'N lambda + r'lambda` with `(|t|^2 - mu^2 n^2)/2 <= 0` and `-n <= 0` for
    each contact, joints as free unknowns, N explicit. The mathematics, and what was added to the document's
    algorithm to make it reach small errors, are in README.md beside this file.
    """

    name: ClassVar[str] = "primal-dual-barrier"

    tolerance: float = 1e-8
    """On `Certificate.error` [-]."""
    max_iterations: int = 200
    time_budget: float = float("inf")
    """[s]."""
    system: str = "schur"
    """`schur`: 3 unknowns per contact, positive definite; `kkt`: 5, symmetric indefinite."""
    linear: str = "direct"
    """`direct`, or `cg`: conjugate gradients, of the KKT system with a constraint preconditioner."""
    preconditioner: str = "diagonal"
    """Of CG, 3x3 blocks: `cone` is M - B'C^-1 B, `diagonal` adds diag(N)."""
    back_end: str = "auto"
    """Which factorisation `direct` uses; see `signorini.solvers.linear`. `auto` is `block` here: six by six blocks of
    rigid bodies, up to 6000 of them."""
    reduction: float | None = None
    """Factor mu of the update `t = mu m / gap` [Boyd2004, section 11.7], > 1, such as 10; None: chosen at every
    iteration from the length of a step to the answer itself [Mehrotra1992]."""
    growth: float = 100.0
    """A step may multiply the norm of the residual by this. 1 is the document's monotone search, which takes two to
    three times as many iterations."""
    cg_tolerance: float = 1e-5
    """Relative residual at which CG stops [-]."""
    stop: str = "error"
    """`error`: at the tolerance alone; `objective` or `forces`: also when the objective or the impulses change by less
    than `change` in one iteration. Where the tolerance is not met by then, the status is `STOPPED`."""
    change: float = 1e-8
    """Relative to the objective, or to the largest impulse [-]."""
    goal: float = float("-inf")
    """An objective `1/2 lambda'N lambda + r'lambda` at which to stop as well [J]."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        for setting, choices in CHOICES.items():
            if getattr(self, setting) not in choices:
                raise SolverError(f"{setting} is {getattr(self, setting)!r}, expected one of {', '.join(choices)}")
        if (self.reduction is not None and not self.reduction > 1) or not self.growth >= 1:
            raise SolverError(f"reduction is {self.reduction} and growth {self.growth}, expected > 1 and >= 1")
        for setting in ("cg_tolerance", "change"):
            if not 0 < getattr(self, setting) < 1:
                raise SolverError(f"{setting} is {getattr(self, setting)}, expected a number between 0 and 1")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem`; a guess is projected on the cones and pushed inside."""
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        watch = ChangeWatch(self.stop, self.change, self.goal)
        scaled = ScaledProblem.of(problem)
        known = _projected(scaled, *starting_impulses(problem, guess))
        size = SIZE
        at = _start(scaled, known, size)
        system = self._system(scaled)
        best, least, last, short = known, float("inf"), 0, 0
        monitor.record(0, scaled.error(known, scaled.slip(known)))
        reason = monitor.verdict()
        while reason is None:
            moved, dx = self._step(scaled, system, at)
            if moved is None:
                reason = Status.INFEASIBLE if scaled.is_ray(dx) else Status.STALLED
                break
            at, error = moved, scaled.error(moved.x, moved.u)
            if monitor.record(monitor.iterations + 1, error):
                best = at.x
            if watch.is_met(scaled, at):
                best, reason = at.x, Status.STOPPED
                break
            if (
                error < GAIN * least
            ):  # zero impulses may have a smaller error than iterates inside the cones, so they do not count
                least, last = error, monitor.iterations
            reason = monitor.verdict() or self._giving_up(scaled, at, dx, monitor.iterations - last)
            short = short + 1 if at.step < SHORT and error > EARLY else 0
            if short == SHORT_STEPS and size < LARGEST_SIZE:
                size, short, least, last = FARTHER * size, 0, float("inf"), monitor.iterations
                at = _start(scaled, known, size)
        system.release()
        lam, gamma = scaled.impulses(best)
        return finish(problem, self.name, monitor, reason, lam, gamma, detail=self._detail(system))

    def _giving_up(self, scaled: ScaledProblem, at: Iterate, dx: Array, idle: int) -> Status | None:
        """A reason to stop that is not a limit: a step to infinity that proves infeasibility, or no progress."""
        far = np.abs(dx).max(initial=0.0) > LONG_STEP * (1.0 + np.abs(at.x).max(initial=0.0))
        if far and scaled.is_ray(dx):
            return Status.INFEASIBLE
        if idle > PATIENCE:
            return Status.INFEASIBLE if scaled.is_ray(at.x) else Status.STALLED
        return None

    def _system(self, scaled: ScaledProblem) -> NewtonSystem:
        if self.linear == "cg":
            kind = KktCG if self.system == "kkt" else SchurCG
            return kind(scaled, self.preconditioner, self.cg_tolerance)
        chosen = back_end("block" if self.back_end == "auto" else self.back_end)
        if self.system == "kkt":
            return KktDirect(scaled, chosen)
        return SchurDirect(scaled, chosen) if scaled.rows is None else SchurCondensed(scaled, scaled.rows, chosen)

    def _detail(self, system: NewtonSystem) -> str:
        if isinstance(system, SchurCG | KktCG):
            return f"{self.system}, cg with {self.preconditioner} preconditioner, {system.products} products"
        return f"{self.system}, {self.back_end}"

    def _step(self, scaled: ScaledProblem, system: NewtonSystem, at: Iterate) -> tuple[Iterate | None, Array]:
        """One Newton step with backtracking: the iterate after it, None when none is found, and dx."""
        constraints = scaled.constraints
        gap, count = kernels.surrogate_gap(constraints.start, at.xi, at.c, at.z)
        mean, moved, dx = gap / max(count, 1), None, np.zeros_like(at.x)
        if not system.factor(at):
            return None, dx
        # A corrected step need not be a descent direction; Newton's own is.
        for correct in (True, False) if self.reduction is None else (False,):
            found, target = self._direction(scaled, system, at, mean, correct)
            if found is not None:
                dx = found[0]
                moved = self._searched(scaled, at, *found, target)
            if moved is not None:
                break
        return moved, dx

    def _searched(self, scaled: ScaledProblem, at: Iterate, dx: Array, dz: Array, target: float) -> Iterate | None:
        """The iterate after a step short enough, None when there is none."""
        step = min(1.0, TO_THE_BOUNDARY * _limit(scaled, at, dx, dz))
        before = _residual(scaled, at, target)
        while step > SMALLEST_STEP:
            trial = _moved(scaled, at, dx, dz, step)
            allowed = self.growth * (1.0 - SUFFICIENT_DECREASE * step) * before
            if trial is not None and _residual(scaled, trial, target) <= allowed:
                return trial
            step *= 0.5
        return None

    def _direction(
        self, scaled: ScaledProblem, system: NewtonSystem, at: Iterate, mean: float, correct: bool
    ) -> tuple[Direction | None, float]:
        """(dx, dz), and the product of constraint and multiplier that it aims at; `mean` is the present one."""
        if self.reduction is not None:
            target = mean / self.reduction
            return system.direction(at, Target.central(at, target)), target
        predictor = system.direction(at, Target.central(at, 0.0))
        if predictor is None:
            return None, 0.0
        (dx, dz), length = predictor, min(1.0, _limit(scaled, at, *predictor))
        target = max((1.0 - length) ** 3, LEAST_CENTRING) * mean
        aim = Target.central(at, target)
        if not correct:
            return system.direction(at, aim), target
        # Second-order terms of the part of the predictor that stays inside; those of the whole step mislead.
        found = system.direction(at, aim.corrected(scaled, at, length * dx, length * dz))
        return self._corrected_again(scaled, system, at, aim, found), target

    def _corrected_again(
        self, scaled: ScaledProblem, system: NewtonSystem, at: Iterate, aim: Target, found: Direction | None
    ) -> Direction | None:
        """A second correction, by the terms of the first corrected step, where that is short; the longer of the two."""
        if found is None:
            return None
        length = min(1.0, _limit(scaled, at, *found))
        if length > LONG:
            return found
        part = min(1.0, LONGER * length + MORE)
        again = system.direction(at, aim.corrected(scaled, at, part * found[0], part * found[1]))
        if again is None or _limit(scaled, at, *again) < length + MORE:
            return found
        return again


def _limit(scaled: ScaledProblem, at: Iterate, dx: Array, dz: Array) -> float:
    """Longest step inside the constraints."""
    constraints = scaled.constraints
    longest: float = kernels.largest_step(
        constraints.start, constraints.friction, at.xi, at.c, at.z, constraints.along(dx), dz
    )
    return longest


def _projected(scaled: ScaledProblem, lam: Array, gamma: Array) -> Array:
    """The guess, in the cones and in our units; zero without one."""
    return scaled.unknowns(scaled.problem.cones.project(lam), gamma)


def _start(scaled: ScaledProblem, known: Array, inside: float) -> Iterate:
    """Inside the cones and well centred; its size is a multiple of the equal impulses that would stop the motion.

    From a nonzero guess the shift inside is scaled by its error.
    """
    q, constraints = scaled.q, scaled.constraints
    normals = np.zeros(len(q))
    normals[constraints.normals] = 1.0
    curvature = float(normals @ scaled.times(normals))
    size = inside * (max(1.0, -float(q @ normals) / curvature) if curvature > 0 else 1.0)
    if np.any(known[: scaled.contact_rows]):
        size *= float(np.clip(scaled.error(known, scaled.slip(known)), 1e-3, 1.0))
    x = constraints.inside(known, size)
    xi, c = constraints.xi(x), np.empty(constraints.count)
    kernels.constraints(constraints.start, constraints.friction, xi, c)
    u = scaled.slip(x)
    centre = 0.1 * size * max(1.0, float(np.abs(u).max(initial=0.0)))
    z = np.zeros((2, len(c)))
    z[0] = np.where(np.diff(constraints.start) > 1, centre / -c, 0.0)
    z[1] = centre / xi[constraints.start[:-1]]
    return Iterate(x, xi, z, c, u)


def _moved(scaled: ScaledProblem, at: Iterate, dx: Array, dz: Array, step: float) -> Iterate | None:
    """The iterate after a step, None when it is not strictly inside."""
    x, constraints = at.x + step * dx, scaled.constraints
    xi, c = constraints.xi(x), np.empty_like(at.c)
    if not kernels.constraints(constraints.start, constraints.friction, xi, c):
        return None
    z = np.empty_like(at.z)
    kernels.move_multipliers(at.z, dz, step, z)
    return Iterate(x, xi, z, c, scaled.slip(x), step)


def _residual(scaled: ScaledProblem, at: Iterate, target: float) -> float:
    """Norm of (r_d, r_g) [Boyd2004, section 11.7]."""
    dual = dual_residual(scaled, at)
    centrality = float(kernels.centrality(scaled.constraints.start, at.xi, at.c, at.z, target))
    return float(np.sqrt(dot(dual, dual, 0, len(dual)) + centrality))
