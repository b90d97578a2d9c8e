"""Primal-dual interior point with Nesterov-Todd scaling for the contact problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from time import perf_counter
from typing import ClassVar, Literal, get_args

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution
from signorini.solvers.base import check_settings, starting_velocity
from signorini.solvers.cone_newton.predictor_corrector import Centring
from signorini.solvers.interior_point.attempts import solve_by_attempts
from signorini.solvers.interior_point.purge import solve_purged
from signorini.solvers.interior_point.recovery import may_go_on, recovered
from signorini.solvers.interior_point.start import StartName

SystemName = Literal["auto", "condensed", "delassus", "augmented", "unsymmetric", "four-block", "orthogonal"]
WarmName = Literal["shifted", "full", "partial", "none"]
StepRule = Literal["common", "split"]
Scheme = Literal["predictor-corrector", "predictor", "newton"]
Residuals = Literal["exact", "updated"]
Stop = Literal["error", "residuals"]
StepLength = Literal["scaled", "quadratic"]
Units = Literal["natural", "none"]

SADDLE_POINTS = ("augmented", "unsymmetric")
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
    (both, as in the documents), `four-block` (velocities, impulses and slips, nothing eliminated [MangoniTasora,
    eq. 6]), `orthogonal` (dense, for extreme ratios of masses); `auto` takes delassus for dual-only problems and few
    contacts, augmented with joints, else condensed, and orthogonal where these fail."""
    linear: str = "auto"
    """Linear back end: `auto`, `block`, `pardiso`, `mumps`, `superlu`, `dense`; `auto` also has a factorisation of its
    own for the condensed system of up to some 2000 rigid bodies, `block` takes it up to 6000: half of PARDISO's
    time at 2000 bodies."""
    step_rule: StepRule = "common"
    """One step length for velocities and impulses, or one each."""
    fraction: float | Literal["adaptive"] = 0.99
    """Share of the way to the boundary; `adaptive` is `0.9 + 0.1 exp(-barrier * contacts)` [Mangoni2018, 4.12], 0.999
    at most."""
    scheme: Scheme = "predictor-corrector"
    """Of an interior step: `predictor-corrector` (two solves), `predictor` (Newton's step to the answer itself),
    `newton` (to a tenth of the barrier) [MangoniTasora, 2.1 to 2.3]; the last two are there for comparison."""
    centring: Centring = "step"
    """What the corrector aims at: `step`, (1 - predictor's step)^3 of the barrier; `mehrotra`, the cube of the share
    that the predictor would leave [MangoniTasora, eq. 14]."""
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
    scaling: Units = field(default="natural", repr=False)
    """`natural`: by mass, by contact and by size, so that units do not matter; `none`: the problem as it is, which the
    documents' starts depend on. Saddle-point systems only (`auto` is then `unsymmetric`)."""
    residuals: Residuals = field(default="exact", repr=False)
    """`exact`: worked out at every iterate; `updated`: carried along, `r_d <- (1 - a_d) r_d + (a_p - a_d) H dv`,
    `r_p <- (1 - a_p) r_p` [MangoniTasora, eq. 19; Mangoni2018, eq. 4.14], which saves the products with H and D."""
    stop: Stop = field(default="error", repr=False)
    """`error`: at the tolerance on the estimate of `Certificate.error`; `residuals`: when `|r_p|/m` and `|r_d|/n` are
    below the tolerance and the barrier below ten times it, in SI [MangoniTasora, eq. 38; Mangoni2018, 5.1]. There is no
    semismooth finish then, and the status is `STOPPED` where the certificate asks for more."""
    step_length: StepLength = field(default="scaled", repr=False)
    """How far it is to the boundary of the cones: `scaled` from the scaled point [Mangoni2018, eq. 4.56], `quadratic`
    from the point itself [Mangoni2018, eq. 4.53, table 4.2]. The same number, but for round-off."""
    purge: bool = field(default=False, repr=False)
    """Take joint rows that others imply out before the solve, by QR with pivoting [Mangoni2018, 4.10]."""
    error_analysis: bool = field(default=False, repr=False)
    """With `linear="mumps"` and `log`: backward errors, condition numbers and the bound of the error of the last linear
    solve of each iteration, MUMPS' ICNTL(11). Saddle-point systems only."""
    log: bool = field(default=False, repr=False)
    """Keep barrier, centring, step lengths, the three residuals and the seconds of factorisations and solves of each
    iteration in `Solution.history.log`; small problems are then solved without their own loop."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        for setting, choices in (
            ("start", StartName), ("warm_start", WarmName), ("system", SystemName), ("step_rule", StepRule),
            ("scheme", Scheme), ("centring", Centring), ("residuals", Residuals), ("stop", Stop),
            ("step_length", StepLength), ("scaling", Units),
        ):  # fmt: skip
            if getattr(self, setting) not in get_args(choices):
                names = ", ".join(get_args(choices))
                raise SolverError(f"InteriorPoint has no {setting} {getattr(self, setting)!r}; choose one of {names}")
        numeric = isinstance(self.fraction, int | float)
        if self.fraction != "adaptive" and not (numeric and 0.0 < float(self.fraction) < 1.0):
            raise SolverError(f"fraction is {self.fraction}, expected a number between 0 and 1, or 'adaptive'")
        if self.correctors < 0 or self.refinements < 0 or self.lift < 0 or self.finish_below < 0:
            raise SolverError("correctors, refinements, lift and finish_below must be 0 or more")
        if self.error_analysis and (self.linear != "mumps" or not self.log or self.system not in SADDLE_POINTS):
            wanted = ", ".join(SADDLE_POINTS)
            raise SolverError(f"error_analysis asks for linear='mumps', log=True and a system out of {wanted}")
        if not self.delta > 0:
            raise SolverError(f"delta is {self.delta}, expected a small positive number such as 1e-8")

    def __repr__(self) -> str:
        """Settings that are seldom changed are shown where they are."""
        shown = (f for f in fields(self) if f.repr or (f.name != "log" and getattr(self, f.name) != f.default))
        return f"InteriorPoint({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in shown)})"

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem` by the attempts of `attempts.py`; a guess is used as `warm_start` says."""
        if self.purge and problem.joint_rows:
            return solve_purged(self, problem, guess)
        if guess is None or self.warm_start == "none":
            return solve_by_attempts(self, problem, None)
        velocity = starting_velocity(problem, guess)
        if velocity is not None and (guess.contact_impulse is None or self.warm_start == "partial"):
            return self._solve_near(problem, velocity)
        return solve_by_attempts(self, problem, guess)

    def _solve_near(self, problem: ContactProblem, velocity: Array) -> Solution:
        """Solve from velocities alone; the impulses that explain them cost about as much as one iteration."""
        started = perf_counter()
        old = Guess(velocity=velocity)
        if not (self.finish_below > 0.0 and may_go_on(problem, velocity)):
            return solve_by_attempts(self, problem, old)
        known = recovered(problem, velocity)
        solver = self if known is None else replace(self, warm_start="shifted")
        solution = solve_by_attempts(solver, problem, known or old)
        return replace(solution, iterations=solution.iterations + 1, seconds=perf_counter() - started)

    @property
    def keeps_residuals(self) -> bool:
        """Whether a formula of the documents takes the place of ours in the bookkeeping of the path."""
        exact = self.residuals == "exact" and self.scaling == "natural"
        return not exact or self.stop != "error" or self.step_length != "scaled"

    def step_lengths(self, longest_x: float, longest_y: float, barrier: float, blocks: int) -> tuple[float, float]:
        """Steps of impulses and velocities from the longest ones that stay in the cones [Mangoni2018, 4.11 to 4.12]."""
        adaptive = min(0.9 + 0.1 * math.exp(-barrier * blocks), LARGEST_FRACTION)
        share = adaptive if self.fraction == "adaptive" else float(self.fraction)
        step_x, step_y = min(1.0, share * longest_x), min(1.0, share * longest_y)
        return (step_x, step_y) if self.step_rule == "split" else (min(step_x, step_y),) * 2
