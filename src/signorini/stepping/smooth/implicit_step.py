"""Newton's method on the equations of one implicit step, for any integrator and linear solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.assembly.constraints import Constraints
from signorini.assembly.dynamics import Dynamics, Extra, nothing
from signorini.assembly.effort import Effort, Weights
from signorini.assembly.geometric import geometric_stiffness
from signorini.math.sparse import Array, Csr, row_squares
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.products import multiply
from signorini.problem.solution import Status
from signorini.solvers.saddle.interface import SaddleSession
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Scheme

ROUND_OFF = 2e-15
"""Displacements are accurate to this share of the largest coordinate; smaller corrections are round-off."""
BALANCE = 10.0
"""Largest imbalance of forces of a solved step, in units of `NewtonSettings.relative`: an inaccurate linear solver
makes small corrections too, which prove nothing."""
SLOW = 0.3
"""Modified Newton factors again when an iteration leaves more than this share of the correction."""
BLOWN_UP = 1e6
"""Corrections that grow by this much beyond the first one mean divergence."""
SEARCHABLE = (Status.ITERATION_LIMIT, Status.DIVERGED)
"""Ends of Newton's method after which it is tried again with a line search."""
SHORTEST = 1e-3
"""Part of a Newton step that is tried last."""
DECREASE = 1e-4
"""Share of the promised decrease of the imbalance that a step has to make [Dennis1996, section 6.3]."""
CONTRADICTION = 0.5
"""Joints contradict one another when no displacement removes more than this share of their error."""


@dataclass(frozen=True, eq=False)
class Solved:
    """The end of a step, converged or not."""

    state: State
    acceleration: Array
    """a of the scheme, shape (n,)."""
    multipliers: Array
    """lambda, forces of the joints on their rows [N, N m], shape (rows,)."""
    effort: Array
    """f + C' lambda [N, N m], shape (n,)."""
    displacement: Array
    """s of the scheme [m, rad], shape (n,)."""
    iterations: int
    residual: float
    """Largest imbalance of forces, relative to the forces that act [-]."""
    joint_error: float
    """Largest |Psi| [m, rad]."""
    status: Status
    detail: str = ""
    """What went wrong, naming the joint."""


@dataclass
class ImplicitStep:
    """The equations of one step of one model."""

    dynamics: Dynamics
    start: State
    scheme: Scheme
    time: float
    """At the end of the step [s]."""
    session: SaddleSession
    symmetric: bool
    """Whether the linear solver wants a symmetric H."""
    extra: Extra = field(default=nothing)

    def solve(self, newton: NewtonSettings, acceleration: Array, multipliers: Array) -> Solved:
        """Newton's method from a guess; with a line search where full steps do not converge."""
        iteration = _Iteration(self, newton)
        solved = iteration.run(acceleration, multipliers)
        if solved.status in SEARCHABLE:
            searched = iteration.search(acceleration, multipliers)
            if searched.status is Status.SOLVED:
                return replace(searched, iterations=solved.iterations + searched.iterations)
        return solved


class _Iteration:
    """One solve; the letters are those of `Scheme`."""

    def __init__(self, problem: ImplicitStep, newton: NewtonSettings) -> None:
        self.problem, self.newton, self.dynamics = problem, newton, problem.dynamics
        reach = max(1.0, float(np.abs(problem.start.position).max(initial=0.0)))
        diagonal = problem.dynamics.M.diagonal()
        self.root, heaviest = np.sqrt(diagonal), float(diagonal.max(initial=0.0))
        self.floor = ROUND_OFF * reach
        self.enough = 0.0
        self.force_floor = 10.0 * self.floor / problem.scheme.position_gain * heaviest

    def run(self, a: Array, lam: Array) -> Solved:
        scheme = self.problem.scheme
        ratio, first, last, fresh = np.inf, np.inf, np.inf, False
        done: _Ended | None = None
        for k in range(self.newton.max_iterations + 1):
            try:
                s, state, effort, joints = self.evaluate(a)
            except ModelError as trouble:
                if done is None:
                    raise
                return done(Status.DIVERGED, str(trouble))  # forces are not finite at a distant iterate
            r, residual = self.balance(a, lam, effort, joints)
            error = float(np.abs(joints.error).max(initial=0.0))
            done = self._ended(a, lam, s, state, effort, joints, residual, k)
            closed = error <= max(self.newton.states, 10.0 * self.floor)
            if k and ratio <= 1.0 and closed and residual <= self.enough:
                return done.with_multipliers(self.problem.session.least(lam))(Status.SOLVED)
            if not np.isfinite(ratio + residual) and k:
                return done(Status.DIVERGED, "the iterates are not finite")
            if ratio > BLOWN_UP * first:
                return done(Status.DIVERGED, "the corrections grow")
            if k == self.newton.max_iterations:
                break
            if not fresh or not self.newton.modified or ratio > SLOW * last:
                message, fresh = self.factor(s, state, effort, joints, lam), True
                if message:
                    return done(Status.STALLED, message)
            answer = self.problem.session.solve(-r, -joints.error / scheme.position_gain)
            if not answer.ok:
                return done(Status.STALLED, answer.message)
            new = self.problem.session.trim(lam - answer.y)
            last, ratio = ratio, self.size(answer.x, s, joints, new - lam, new)
            first = min(first, ratio)
            a, lam = a + self.turned(s, answer.x), new
        assert done is not None
        return self._given_up(done, joints)

    def search(self, a: Array, lam: Array) -> Solved:
        """Newton's method whose steps are halved until the imbalance of forces and the errors of joints shrink.

        Full steps cycle where contacts close at one iterate and open at the next.
        """
        session, scheme = self.problem.session, self.problem.scheme
        at, ratio = self.iterate_at(a, lam), np.inf
        for k in range(self.newton.max_iterations + 1):
            done = self._ended(at.a, at.lam, at.s, at.state, at.effort, at.joints, at.residual, k)
            closed = done.joint_error <= max(self.newton.states, 10.0 * self.floor)
            if ratio <= 1.0 and closed and at.residual <= self.enough:
                return done.with_multipliers(session.least(at.lam))(Status.SOLVED)
            if self.factor(at.s, at.state, at.effort, at.joints, at.lam):
                break
            answer = session.solve(-at.r, -at.joints.error / scheme.position_gain)
            if not answer.ok:
                break
            change = session.trim(at.lam - answer.y) - at.lam
            ratio = self.size(answer.x, at.s, at.joints, change, at.lam + change)
            moved = self._shortened(at, self.turned(at.s, answer.x), change)
            if moved is None:
                break
            at, part = moved
            ratio = ratio if part == 1.0 else np.inf
        return done(Status.STALLED)

    def _shortened(self, at: _Iterate, da: Array, dlam: Array) -> tuple[_Iterate, float] | None:
        """The iterate after the longest part of a step that makes it better, and that part; None when none does."""
        part = 1.0
        while part >= SHORTEST:
            try:
                new = self.iterate_at(at.a + part * da, at.lam + part * dlam)
            except ModelError:  # forces are not finite there
                new = None
            if new is not None and new.imbalance <= (1.0 - DECREASE * part) * at.imbalance:
                return new, part
            part *= 0.5
        # Near the solution no decrease exceeds round-off.
        full = self.iterate_at(at.a + da, at.lam + dlam)
        return (full, 1.0) if full.residual <= self.enough else None

    def iterate_at(self, a: Array, lam: Array) -> _Iterate:
        """Residuals at an iterate."""
        s, state, effort, joints = self.evaluate(a)
        r, residual = self.balance(a, lam, effort, joints)
        apart = joints.error * float(np.sqrt(np.mean(self.root**2))) / self.problem.scheme.position_gain
        imbalance = float(np.sqrt(np.sum((r / self.root) ** 2) + np.sum(apart**2)))
        return _Iterate(a, lam, s, state, effort, joints, r, residual, imbalance)

    def evaluate(self, a: Array) -> tuple[Array, State, Effort, Constraints]:
        scheme, dynamics = self.problem.scheme, self.dynamics
        s, v = scheme.displacement + scheme.position_gain * a, scheme.velocity + scheme.velocity_gain * a
        state = dynamics.displacer.move(self.problem.start, s, v, self.problem.time)
        return s, state, dynamics.effort(state, self.problem.extra), dynamics.constraints(state)

    def balance(self, a: Array, lam: Array, effort: Effort, joints: Constraints) -> tuple[Array, float]:
        """`(M a - carried)/weight - f - C' lambda`, and its size relative to that of its terms."""
        scheme, M = self.problem.scheme, self.dynamics.M
        inertia = (multiply(M, a) - scheme.carried) / scheme.weight
        total = effort.force + joints.push(lam)
        r, root = inertia - total, self.root
        size = np.abs(inertia) + effort.size + joints.push(np.abs(lam), np.abs(joints.C.data))
        largest = float((size / root).max(initial=0.0))
        noise = 10.0 * self.floor / scheme.position_gain * float(root.max(initial=0.0))
        self.enough = max(BALANCE * self.newton.relative, noise / max(largest, 1e-300))
        return r, float((np.abs(r) / root).max(initial=0.0)) / largest if largest > 0 else 0.0

    def factor(self, s: Array, state: State, effort: Effort, joints: Constraints, lam: Array) -> str:
        scheme = self.problem.scheme
        weights = Weights(1.0 / scheme.weight, scheme.velocity_gain, scheme.position_gain)
        H = self.dynamics.jacobian(state, effort, s, weights)
        if self.newton.geometric and len(lam):
            H = Csr(H - scheme.position_gain * geometric_stiffness(self.dynamics, state, lam))
        if self.problem.symmetric:
            H = Csr(0.5 * (H + H.T))
            H.sort_indices()
        return self.problem.session.factor(H, joints.C)

    def turned(self, s: Array, x: Array) -> Array:
        """The change of a for a displacement of `position_gain x` in body axes at the end of the step."""
        out = x.copy()
        rows = out[: 6 * len(self.dynamics.masses.movable)].reshape(-1, 6)
        rows[:, 3:] = np.einsum("bij,bj->bi", self.dynamics.displacer.inverse_tangents(s), rows[:, 3:])
        return out

    def size(self, x: Array, s: Array, joints: Constraints, change: Array, lam: Array) -> float:
        """The correction in units of the tolerances; multipliers count by the forces `C' lambda` that they make."""
        newton = self.newton
        moved = self.problem.scheme.position_gain * float(np.abs(x).max(initial=0.0))
        allowed = max(newton.states, newton.relative * float(np.abs(s).max(initial=0.0)), self.floor)
        pushed = float(np.abs(joints.push(change)).max(initial=0.0))
        force = float(joints.push(np.abs(lam), np.abs(joints.C.data)).max(initial=0.0))
        limit = max(newton.multipliers, newton.relative * force, self.force_floor)
        # Unlike max, this propagates NaN.
        return float(np.max((moved / allowed, pushed / limit)))

    def _ended(
        self, a: Array, lam: Array, s: Array, state: State, effort: Effort, joints: Constraints, residual: float, k: int
    ) -> _Ended:
        total = effort.force + joints.push(lam)
        return _Ended(state, a, lam, total, s, k, residual, float(np.abs(joints.error).max(initial=0.0)))

    def _given_up(self, done: _Ended, joints: Constraints) -> Solved:
        left = joints.error
        if float(np.abs(left).max(initial=0.0)) > self.newton.states:
            worst = self.dynamics.joints.joint_of(int(np.abs(left).argmax()))
            story = f"joint {worst!r} is off by {float(np.abs(left).max()):.1e}"
            if _contradictory(joints.C, left):
                return done(Status.INFEASIBLE, f"{story}: the joints contradict one another there")
            return done(Status.ITERATION_LIMIT, story)
        return done(Status.ITERATION_LIMIT)


@dataclass(frozen=True, eq=False)
class _Iterate:
    """A point of the search."""

    a: Array
    lam: Array
    s: Array
    state: State
    effort: Effort
    joints: Constraints
    r: Array
    """Imbalance of forces [N, N m]."""
    residual: float
    """Of `balance`."""
    imbalance: float
    """The merit function of the search: r over the roots of the masses, and errors of joints in the same units."""


@dataclass(frozen=True, eq=False)
class _Ended:
    """An iterate; called with a status it becomes the answer."""

    state: State
    a: Array
    lam: Array
    effort: Array
    s: Array
    iterations: int
    residual: float
    joint_error: float

    def with_multipliers(self, lam: Array) -> _Ended:
        """The same with equivalent multipliers."""
        return replace(self, lam=lam)

    def __call__(self, status: Status, detail: str = "") -> Solved:
        return Solved(
            self.state, self.a, self.lam, self.effort, self.s, self.iterations, self.residual, self.joint_error,
            status, detail,
        )  # fmt: skip


def _contradictory(C: Csr, error: Array) -> bool:
    """Whether no displacement removes most of the error of the joints."""
    unit = np.sqrt(row_squares(C))
    scaled = sp.diags_array(1.0 / np.where(unit > 0, unit, 1.0)) @ C
    left = error / np.where(unit > 0, unit, 1.0)
    step = spla.lsqr(scaled, left, atol=1e-14, btol=1e-14, iter_lim=10 * sum(C.shape))[0]
    return bool(np.linalg.norm(left - scaled @ step) > CONTRADICTION * np.linalg.norm(left))
