"""Primal-dual interior point with Nesterov-Todd scaling for the contact problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar, Literal, get_args

import numpy as np

from signorini.kernels.interior.path_rules import ROUND_OFF, WORTH_WHILE
from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.inverse import BlockInverse
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, check_settings, finish, starting_impulses, starting_velocity
from signorini.solvers.interior_point.bodies import ALONE, BESIDE_PARDISO, Bodies
from signorini.solvers.interior_point.extreme import is_extreme, is_suspicious, solve_extreme
from signorini.solvers.interior_point.joints_only import is_joints_only, solve_joints
from signorini.solvers.interior_point.lifting import Ends, LiftedForm, lifted_form, lifted_start
from signorini.solvers.interior_point.loop import follow
from signorini.solvers.interior_point.newton import Newton
from signorini.solvers.interior_point.orthogonal import Orthogonal
from signorini.solvers.interior_point.path import Path, hides_slips, joint_sizes
from signorini.solvers.interior_point.proof import is_joint_ray, without_ray
from signorini.solvers.interior_point.recovery import may_go_on, recovered
from signorini.solvers.interior_point.rigid_form import rigid_form
from signorini.solvers.interior_point.saddle import Saddle
from signorini.solvers.interior_point.scaling import Scaling
from signorini.solvers.interior_point.small import is_small, solve_small
from signorini.solvers.interior_point.standard_form import StandardForm, standard_form
from signorini.solvers.interior_point.start import Start, StartName, cold_start, residuals, warm_start
from signorini.solvers.interior_point.systems import Condensed, Delassus, System, couples_contacts
from signorini.solvers.linear import SMALL, Automatic, BackEnd, back_end
from signorini.solvers.linear.dense import Dense
from signorini.solvers.linear.pardiso import Pardiso

SystemName = Literal["auto", "condensed", "delassus", "augmented", "unsymmetric", "orthogonal"]
WarmName = Literal["shifted", "full", "partial", "none"]
StepRule = Literal["common", "split"]

SADDLE_DELTA = 1e-12
"""Regularisation of the saddle-point systems, which need it for redundant joints only."""
FEW_IMPULSES = 0.12
"""With fewer cone rows than this share of the velocities the Delassus system is cheaper: one factorisation of H and a
solve per row cost less than a factorisation per iteration."""
ENOUGH_ITERATIONS = 50
"""A warm start that has not arrived by then never will."""
LARGEST_FRACTION = 0.999
"""The adaptive fraction tends to 1, where round-off would leave the iterate on the boundary of its cone."""


@dataclass(frozen=True)
class InteriorPoint:
    """Interior point for hard contact: few iterations, high accuracy, any mass ratio, redundant contacts.

    Mehrotra's predictor-corrector on the cone program of `ContactProblem` with Nesterov-Todd scaling, carried out in
    the eigenbases of the scaling so that accuracy does not end where the cones' boundary begins; one factorisation
    per iteration; a semismooth Newton finish. Mathematics: `README.md` in this folder.
    """

    name: ClassVar[str] = "interior-point"

    tolerance: float = 1e-8
    """Stop when the estimate of `Certificate.error` is below this [-]."""
    max_iterations: int = 100
    """Most factorisations after the start."""
    time_budget: float = math.inf
    """Wall time after which the best iterate is returned [s]."""
    start: StartName = "robust"
    """Cold start: `robust` (ours), `cone` [Mangoni2018, 4.14.4], `nocedal`, `dapuzzo` [MangoniTasora, 2.4]."""
    warm_start: WarmName = "shifted"
    """What to do with a guess: `shifted` moves it inside by what changed, `full` uses it as it is, `partial` uses the
    velocities alone, `none` ignores it."""
    system: SystemName = "auto"
    """Linear system: `condensed` (velocities), `delassus` (impulses), `augmented` (both, symmetric), `unsymmetric`
    (both, as in the documents), `orthogonal` (dense, for extreme ratios of masses); `auto` takes delassus for dual-only
    problems and few contacts, augmented with joints, else condensed, and orthogonal where these fail."""
    linear: str = "auto"
    """Linear back end: `auto`, `pardiso`, `mumps`, `superlu`, `dense`; `auto` also has a factorisation of its own for
    the condensed system of some hundred rigid bodies."""
    step_rule: StepRule = "common"
    """One step length for velocities and impulses, or one each."""
    fraction: float | Literal["adaptive"] = 0.99
    """Share of the way to the boundary; `adaptive` is `0.9 + 0.1 exp(-barrier * contacts)` [Mangoni2018, 4.12], 0.999
    at most."""
    correctors: int = 2
    """Most centrality correctors per iteration, one solve each."""
    finish_below: float = 1e-6
    """Error from which semismooth Newton steps are tried; 0 for the pure interior point."""
    lift: float = 10.0
    """How far impulses that started too small are lifted, in their own size; 0 never lifts."""
    delta: float = 1e-8
    """Regularisation of the condensed and Delassus systems, in units where the diagonal of N is 1."""
    refinements: int = 3
    """Most refinements of a linear solve against the exact system."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        for setting, choices in (
            ("start", StartName), ("warm_start", WarmName), ("system", SystemName), ("step_rule", StepRule),
        ):  # fmt: skip
            if getattr(self, setting) not in get_args(choices):
                names = ", ".join(get_args(choices))
                raise SolverError(f"InteriorPoint has no {setting} {getattr(self, setting)!r}; choose one of {names}")
        numeric = isinstance(self.fraction, int | float)
        if self.fraction != "adaptive" and not (numeric and 0.0 < float(self.fraction) < 1.0):
            raise SolverError(f"fraction is {self.fraction}, expected a number between 0 and 1, or 'adaptive'")
        if self.correctors < 0 or self.refinements < 0 or self.lift < 0 or self.finish_below < 0:
            raise SolverError("correctors, refinements, lift and finish_below must be 0 or more")
        if not self.delta > 0:
            raise SolverError(f"delta is {self.delta}, expected a small positive number such as 1e-8")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem`; a guess is used as `warm_start` says, and dropped if it leads nowhere."""
        if guess is None or self.warm_start == "none":
            return self._solve_guessed(problem, None)
        velocity = starting_velocity(problem, guess)
        if velocity is not None and (guess.contact_impulse is None or self.warm_start == "partial"):
            return self._solve_near(problem, velocity)
        return self._solve_guessed(problem, guess)

    def _solve_near(self, problem: ContactProblem, velocity: Array) -> Solution:
        """Solve from velocities alone; the impulses that explain them cost about as much as one iteration."""
        started = perf_counter()
        old = Guess(velocity=velocity)
        if not (self.finish_below > 0.0 and may_go_on(problem, velocity)):
            return self._solve_guessed(problem, old)
        known = recovered(problem, velocity)
        solver = self if known is None else replace(self, warm_start="shifted")
        solution = solver._solve_guessed(problem, known or old)
        return replace(solution, iterations=solution.iterations + 1, seconds=perf_counter() - started)

    def _solve_guessed(self, problem: ContactProblem, guess: Guess | Solution | None) -> Solution:
        warm = self._solve_from(problem, guess)
        lost = warm.status is Status.STALLED or (
            warm.status is Status.ITERATION_LIMIT and warm.iterations >= ENOUGH_ITERATIONS
        )
        left = self.time_budget - warm.seconds
        if guess is None or not lost or not left > 0:
            return warm
        # A guess that has little to do with the answer can end in a corner of the cones; the cold start does not.
        cold = replace(self, time_budget=left)._solve_from(problem, None)
        best = cold if cold.certificate.error < warm.certificate.error else warm
        return replace(best, iterations=warm.iterations + cold.iterations, seconds=warm.seconds + cold.seconds)

    def _solve_from(self, problem: ContactProblem, guess: Guess | Solution | None) -> Solution:
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        for check in (starting_impulses, starting_velocity):  # a wrong shape raises, used or not
            check(problem, guess)
        extreme = self.system == "auto" and self.warm_start != "partial" and is_extreme(problem, guess)
        if self._is_plain and is_small(problem) and not extreme:
            known = guess is not None and guess.contact_impulse is not None and self.warm_start != "partial"
            start = starting_impulses(problem, guess)[0] if known else None
            impulse, reason = solve_small(problem, self, monitor, start)
            solution = finish(problem, self.name, monitor, reason, impulse, np.zeros(0), detail="compiled loop, dense")
            if problem.is_dual_only or solution.status not in (Status.STALLED, Status.INFEASIBLE):
                return solution
            # N = D H^-1 D' rounds away what H and D still know: the general loop has the last word.
            monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget, monitor.started)
        if self._is_plain and is_joints_only(problem):
            velocity, joint_impulse, reason = solve_joints(problem)
            monitor.record(1, 0.0)
            none = np.zeros(0)
            return finish(problem, self.name, monitor, reason, none, joint_impulse, velocity, "singular values, dense")
        if problem.cones.is_plain:
            return self._tried(problem, guess, monitor, extreme)
        best, ends = None, Ends.near(problem)
        while True:
            solution = self._attempt(self._choose_system(problem), problem, guess, monitor, False, ends)
            if best is None or not best.certificate.error < solution.certificate.error:
                best = solution
            more = ends.with_missed(problem, solution)
            if more is None or monitor.elapsed > self.time_budget:
                return best
            ends = more
            monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget, monitor.started)

    def _tried(
        self, problem: ContactProblem, guess: Guess | Solution | None, monitor: Monitor, extreme: bool
    ) -> Solution:
        """The answer on the usual linear system, or on orthogonal rows where masses are extreme."""
        usual = self._choose_system(problem)
        first, second = ("orthogonal", usual) if extreme else (usual, "orthogonal")
        solution = self._attempt(first, problem, guess, monitor, extreme, None)
        if self.system == "auto" and is_suspicious(problem, solution):
            monitor.start_over()
            solution = _better(self._attempt(second, problem, guess, monitor, extreme, None), solution)
        return solution

    def _attempt(
        self,
        name: str,
        problem: ContactProblem,
        guess: Guess | Solution | None,
        monitor: Monitor,
        extreme: bool,
        ends: Ends | None,
    ) -> Solution:
        """The answer on one of the linear systems.

        `extreme` says what kind of impulses the guess has; `ends` are those of intervals that are known of, None for
        cones alone.
        """
        back = back_end(self.linear)
        form = _form(problem, name == "delassus", ends)
        system = self._make_system(name, problem, form, back)
        newton = Newton(form, system, self.refinements)
        if form.blocks == 0:
            w, x, reason = _linear_problem(form, newton, monitor, _nonzero(joint_sizes(problem, form)))
        elif name == "orthogonal" and self.system == "auto":
            known = form.rows_of(*starting_impulses(problem, guess)) if extreme else None
            (w, x), reason = solve_extreme(problem, form, newton, self, monitor, known)
        else:
            begin = self._starting_point(problem, form, newton, guess)
            if begin is None:
                w, x, reason = _nothing(form)
            else:
                path = Path(problem, form, newton, self).begin(begin)
                point = self._known_point(problem, form, guess)
                (w, x), reason = follow(path, monitor, self.finish_below, point)
        system.release()
        impulse, joint_impulse = form.impulses(x)
        if problem.is_dual_only:
            joint_impulse = np.zeros(problem.joint_rows)  # joints between nothing
        velocity = self._velocity(problem, form, w, x)
        unknowns = _unknowns(name, form)
        chosen = "block" if isinstance(system, Bodies) else _chosen(name, back, unknowns)
        detail = f"{name} system of {unknowns} unknowns, {chosen} factorisation"
        return finish(problem, self.name, monitor, reason, impulse, joint_impulse, velocity, detail)

    def _known_point(
        self, problem: ContactProblem, form: StandardForm, guess: Guess | Solution | None
    ) -> tuple[Array, Array] | None:
        """The impulses of a guess and the velocities that they cause, where there are any to be used."""
        if guess is None or guess.contact_impulse is None or self.warm_start == "partial":
            return None
        impulse, joint_impulse = starting_impulses(problem, guess)
        return form.point_of(problem, problem.velocity_of(impulse, joint_impulse), impulse, joint_impulse)

    def step_lengths(self, longest_x: float, longest_y: float, barrier: float, blocks: int) -> tuple[float, float]:
        """Steps of impulses and velocities from the longest ones that stay in the cones [Mangoni2018, 4.11 to 4.12]."""
        adaptive = min(0.9 + 0.1 * math.exp(-barrier * blocks), LARGEST_FRACTION)
        share = adaptive if self.fraction == "adaptive" else float(self.fraction)
        step_x, step_y = min(1.0, share * longest_x), min(1.0, share * longest_y)
        return (step_x, step_y) if self.step_rule == "split" else (min(step_x, step_y),) * 2

    def _velocity(self, problem: ContactProblem, form: StandardForm, w: Array, x: Array) -> Array:
        """Velocities from the primal variables; rows whose stationarity is more than round-off, from the impulses.

        Under extreme mass ratios the impulses on a light body cancel to less than their round-off: there only the
        primal variables know its velocity, and the judge is asked which of the two is better. A row whose terms are
        all tiny is the other case.
        """
        if problem.is_dual_only:
            return np.zeros(0)
        impulses = form.impulses(x)
        if form.A.width == 0 or not form.is_white:
            return problem.velocity_of(*impulses)
        r1, _ = residuals(form, w, x)
        terms = np.abs(form.c) + np.abs(w) + form.A.absolute_transposed(np.abs(x))
        velocity = form.velocity(np.where(np.abs(r1) <= ROUND_OFF * terms, w, w - r1))
        if not hides_slips(problem, impulses[0], self.tolerance):
            return velocity
        return min((velocity, form.velocity(w)), key=lambda v: measure(problem, v, *impulses).error)

    @property
    def _is_plain(self) -> bool:
        """Whether all settings are those that the compiled loop knows."""
        plain = self.system == "auto" and self.linear == "auto" and self.start == "robust"
        return plain and self.step_rule == "common" and self.fraction != "adaptive"

    def _choose_system(self, problem: ContactProblem) -> str:
        if not problem.cones.is_plain:
            if self.system in ("delassus", "orthogonal"):
                raise SolverError(
                    f"the {self.system} system has no intervals and rolling blocks; use system='condensed'"
                )
            usual = "augmented" if problem.joint_rows else "condensed"
            return usual if self.system == "auto" else self.system
        if problem.is_dual_only:
            return "delassus"
        if self.system == "delassus" and problem.joint_rows:
            raise SolverError("the delassus system has no joints; use system='condensed' or 'augmented'")
        if self.system == "auto":
            few = problem.contact_rows < FEW_IMPULSES * problem.velocities and problem.joint_rows == 0
            if few and problem.contact_rows and not isinstance(problem.inverse, BlockInverse):
                return "delassus"
            # Joints of light or slender bodies are nearly redundant in the condensed system, whose delta then shows.
            return "augmented" if problem.joint_rows or couples_contacts(problem) else "condensed"
        if self.system == "condensed" and couples_contacts(problem):
            raise SolverError("the condensed system needs an E that couples no two contacts; use system='augmented'")
        return self.system

    def _make_system(self, name: str, problem: ContactProblem, form: StandardForm, back: BackEnd) -> System:
        if name == "condensed":
            return _own_factors(form, back, self.delta) or Condensed(form, back, self.delta)
        if name == "delassus":
            return Delassus(form, back, self.delta)
        if name == "orthogonal":
            return Orthogonal(problem, form)
        return Saddle(form, back, SADDLE_DELTA, symmetric=name == "augmented")

    def _starting_point(
        self, problem: ContactProblem, form: StandardForm, newton: Newton, guess: Guess | Solution | None
    ) -> Start | None:
        if guess is None:
            return self._cold(form, newton)
        impulse, joint_impulse = starting_impulses(problem, guess)
        velocity = starting_velocity(problem, guess)
        if self.warm_start == "partial" or guess.contact_impulse is None:
            cold = self._cold(form, newton)
            if cold is None or velocity is None or form.A.width == 0:
                return cold
            return form.point_of(problem, velocity, impulse, joint_impulse)[0], cold[1]
        if velocity is None or self.warm_start == "shifted":
            # Old velocities would hide from the shift what has changed in c.
            velocity = problem.velocity_of(impulse, joint_impulse)
        w, x = form.point_of(problem, velocity, impulse, joint_impulse)
        warm = warm_start(form, w, x, shifted=self.warm_start == "shifted")
        return self._cold(form, newton) if warm is None else warm

    def _cold(self, form: StandardForm, newton: Newton) -> Start | None:
        if isinstance(form, LiftedForm):
            return lifted_start(form, newton, self.start)
        return cold_start(form, newton, self.start)


def _own_factors(form: StandardForm, back: BackEnd, delta: float) -> Bodies | None:
    """The condensed system of rigid bodies with its own factorisation, where the choice is free and that is faster."""
    if not isinstance(back, Automatic):
        return None
    return Bodies.of(form, delta, BESIDE_PARDISO if isinstance(back.sparse, Pardiso) else ALONE)


def _form(problem: ContactProblem, delassus: bool, ends: Ends | None) -> StandardForm:
    """The standard form that suits the problem, the cheapest one where there is a choice."""
    if ends is not None:
        return lifted_form(problem, ends)
    rigid = None if delassus else rigid_form(problem)
    return standard_form(problem, delassus) if rigid is None else rigid


def _linear_problem(form: StandardForm, newton: Newton, monitor: Monitor, sizes: Array) -> tuple[Array, Array, Status]:
    """Without contacts one linear solve is the answer [Mangoni2018, 4.9]; nearly redundant joints need a few more."""
    w, x, _ = _nothing(form)
    if not newton.factor(Scaling.identity(form.start, form.A.rows)).ok:
        return w, x, Status.STALLED
    r1, slips = residuals(form, w, x)
    last = math.inf
    while True:
        dw, dx = newton.solve(-r1, -slips)
        r1, slips = residuals(form, w + dw, x + dx)
        error = max(_largest(r1), _largest(slips / sizes))
        if not error < WORTH_WHILE * last and monitor.iterations:
            # The proximal term keeps contradictory joints in place while their impulses grow by dx in every step.
            proof = is_joint_ray(form, dx)
            return w, (without_ray(form, x, dx) if proof else x), Status.INFEASIBLE if proof else Status.STALLED
        w, x, last = w + dw, x + dx, error
        monitor.record(monitor.iterations + 1, error)
        verdict = monitor.verdict()
        if verdict is not None:
            return w, x, verdict


def _nothing(form: StandardForm) -> tuple[Array, Array, Status]:
    """Zero impulses, when not even the first factorisation works."""
    return -form.c, np.zeros(form.A.rows), Status.STALLED


def _better(a: Solution, b: Solution) -> Solution:
    """The one with the smaller error, with the effort of `a`, which came last."""
    best = a if a.certificate.error <= b.certificate.error or a.status.ok else b
    return replace(best, iterations=a.iterations, seconds=a.seconds, history=a.history)


def _nonzero(sizes: Array) -> Array:
    """Joint rows in which nothing moves and nothing is asked are measured in units of the form."""
    return np.where(sizes > 0.0, sizes, 1.0)


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def _chosen(name: str, back: BackEnd, unknowns: int) -> str:
    """The back end that did the work."""
    if name == "orthogonal":
        return Dense.name
    if not isinstance(back, Automatic):
        return back.name
    return Dense.name if unknowns <= SMALL else back.sparse.name


def _unknowns(name: str, form: StandardForm) -> int:
    return {"condensed": form.A.width, "delassus": form.cone_rows}.get(name, form.A.width + form.A.rows)
