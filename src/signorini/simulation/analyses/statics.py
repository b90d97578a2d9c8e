"""Where a mechanism comes to rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from signorini.assembly.constraints import Constraints
from signorini.assembly.dynamics import Dynamics, Extra, nothing
from signorini.assembly.effort import Weights
from signorini.assembly.geometric import geometric_stiffness
from signorini.collision.detector import Detector
from signorini.math.sparse import Array, Csr
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.solution import Status
from signorini.simulation.analyses.contact_statics import contact_equilibrium
from signorini.simulation.analyses.equilibrium import CLOSED, Equilibrium, displacement_scales, owner
from signorini.simulation.analyses.linearised import Linearised
from signorini.solvers.saddle.direct import Direct
from signorini.solvers.saddle.interface import SaddleSession, SaddleSolver
from signorini.stepping.smooth.penalty import NO_STRETCH, Penalty, PenaltyStep, inverse_masses
from signorini.stepping.smooth.penalty_springs import PenaltyLaws

LARGEST_STEP = 0.3
"""Displacement of one iteration: of rotations [rad], of points as a share of the size of the model."""
FIRST_TIME, GROWTH, SHRINKAGE = 0.1, 3.0, 0.2
"""Pseudo time [s] of the first iteration, and its change after good and bad ones."""
ACCURACY = 0.1
"""Share of the imbalance at its start that a step in pseudo time may leave in its own equations."""
MOST_ROUNDS, FEW = 10, 4
"""Iterations of Newton's method in one step, and how many of them let the next one be longer."""
SHORTEST, LONGEST = 1e-4, 1e8
"""Pseudo times [s]."""
MOST_ITERATIONS = 500
ROUND_OFF = 8.0 * np.finfo(np.float64).eps
"""Relative error of the positions that forces are evaluated at, sums over elements included."""
STAGNANT = 0.5
"""An iteration that leaves more than this share of an imbalance of the size of round-off is the last one."""
NUDGE = 1e-3
"""Displacement along the mode that grows, off an unstable equilibrium, as a share of the size of the model."""
MOST_ESCAPES = 5
UNSTABLE = 10.0
"""An eigenvalue is negative when it is so by this many times its round-off."""


@dataclass(frozen=True, eq=False)
class _Balance:
    """Forces and joints at one state."""

    state: State
    lam: Array
    """Joint forces [N, N m]."""
    joints: Constraints
    K: Csr
    """-dF/dq [N/m, N m/rad]."""
    r: Array
    """What nothing balances [N, N m]."""
    size: float
    """Largest force that acts [N, N m]."""
    last: float
    """Residual of the iteration before [-]."""
    floor: Array
    """Imbalance that round-off of the positions makes [N, N m]."""

    @property
    def imbalance(self) -> float:
        """[N, N m]."""
        return float(np.abs(self.r).max(initial=0.0))

    @property
    def residual(self) -> float:
        """[-]."""
        return self.imbalance / self.size if self.size > 0 else 0.0

    @property
    def joint_error(self) -> float:
        """[m, rad]."""
        return float(np.abs(self.joints.error).max(initial=0.0))

    def solved(self, tolerance: float) -> bool:
        """Whether forces balance to the tolerance, or as far as round-off lets them."""
        if self.joint_error > CLOSED:
            return False
        at_floor = bool((np.abs(self.r) <= tolerance * self.size + self.floor).all())
        return self.residual <= tolerance or (at_floor and self.residual > STAGNANT * self.last)


def static_equilibrium(
    model: Model,
    state: State | None = None,
    tolerance: float = 1e-10,
    contact: Penalty | Literal["hard"] | None = None,
    solver: SaddleSolver | None = None,
    stable: bool = True,
) -> Equilibrium:
    """Find rest near a state: `f(q, 0) + C' lambda = 0`, `Psi = 0`.

    By implicit steps in pseudo time without inertia, `(M/tau^2 - dF/dq - d(C' lambda)/dq) dq - C' dlambda = imbalance`,
    whose tau grows as long as the stiffness is positive along the step: the path runs downhill to a stable equilibrium
    and ends as Newton's method. It ends at the tolerance, or where the imbalance no longer falls and is no more than
    round-off of the positions times the stiffness.

    With `contact="hard"` bodies move without inertia, and slip where friction cannot hold them, until reactions within
    the friction cones balance all forces. Friction leaves a whole set of equilibria: found is the one in which this
    motion stops first, so a state that can rest where it is stays there. Reactions that friction leaves undetermined
    are those of the interior point, in the middle of the possible ones.

    Parameters
    ----------
    tolerance
        On the imbalance, relative to the forces that act [-].
    contact
        `Penalty(...)`; `hard` for rigid contacts with friction, limits and brakes; None lets bodies pass through one
        another and leaves out limits and brakes.
    stable
        Whether an unstable equilibrium (a straight column above its buckling load, an upright pendulum) is left along
        its lowest mode; False takes the first equilibrium as it is.
    """
    start = model.initial_state() if state is None else state
    if contact == "hard":
        return contact_equilibrium(model, start, tolerance)
    if contact is not None and not isinstance(contact, Penalty):
        raise ModelError(f"contact is {contact!r}, expected 'hard', Penalty(...) or None")
    search = _Search(Dynamics(model, start), contact, (Direct() if solver is None else solver).session(), start)
    found = search.descend(start, tolerance, FIRST_TIME)
    for _ in range(MOST_ESCAPES if stable else 0):
        value, direction = search.lowest_mode(found)
        found = replace(found, stable=direction is None if found.status.ok else None)
        if direction is None:
            break
        nudged = search.dynamics.displacer.move(found.state, direction, search.still, start.time)
        # At this pseudo time the growing mode doubles in an iteration.
        below = search.descend(nudged, tolerance, float(np.sqrt(0.5 / -value)), found.joint_force)
        found = replace(below, iterations=found.iterations + below.iterations)
    return found


class _Search:
    """Downhill steps from one state to another."""

    def __init__(self, dynamics: Dynamics, contact: Penalty | None, session: SaddleSession, start: State) -> None:
        self.dynamics, self.session, self.time = dynamics, session, start.time
        self.extra = _contacts(dynamics, contact)
        self.still = np.zeros(dynamics.size)
        self.scale = displacement_scales(dynamics, start)
        """Of displacements: 1 rad, or the size of the model [m]."""

    def descend(self, start: State, tolerance: float, tau: float, lam: Array | None = None) -> Equilibrium:
        """The equilibrium downhill from a state."""
        rest = self.dynamics.displacer.move(start, self.still, self.still, self.time)
        here = self._balance(rest, np.zeros(self.dynamics.joints.rows) if lam is None else lam, np.inf)
        count = 0
        while not here.solved(tolerance) and count < MOST_ITERATIONS:
            there, rounds = self._implicit_step(here, tau, tolerance)
            count += rounds
            if there is None:
                tau = max(SHRINKAGE * tau, SHORTEST)
            else:
                here, tau = there, min((GROWTH if rounds <= FEW else 1.0) * tau, LONGEST)
        solved = here.solved(tolerance)
        if solved and count:
            here = self._polished(here, tau)
        lam = self.session.least(here.lam) if solved and count else here.lam
        worst = int(np.abs(here.r).argmax()) if here.imbalance > 0.0 else 0
        name = "" if solved else owner(self.dynamics, worst)
        status = Status.SOLVED if solved else Status.ITERATION_LIMIT
        return Equilibrium(
            here.state, lam, here.imbalance, here.residual, here.joint_error, count, status, name,
            float(here.floor.max(initial=0.0)),
        )  # fmt: skip

    def _implicit_step(self, here: _Balance, tau: float, tolerance: float) -> tuple[_Balance | None, int]:
        """Solve `M s / tau^2 = imbalance` after the displacement s by Newton's method; None where that fails."""
        s, now, aim = self.still, here, ACCURACY * here.imbalance
        for k in range(MOST_ROUNDS):
            R = now.r - (self.dynamics.M @ s) / tau**2
            if k and (now.solved(tolerance) or (np.abs(R).max(initial=0.0) <= aim and now.joint_error <= CLOSED)):
                return now, k
            answer = self._newton(now, R, tau)
            if answer is None or (k == 0 and answer[2] < 0.0 and tau > SHORTEST):
                return None, k + 1  # uphill: the stiffness is negative along this way
            step, lam, _ = answer
            s = s + step
            if float((np.abs(s) / self.scale).max(initial=0.0)) > LARGEST_STEP and tau > SHORTEST:
                return None, k + 1
            moved = self.dynamics.displacer.move(now.state, step, self.still, self.time)
            now = self._balance(moved, lam, now.residual)
        return None, MOST_ROUNDS

    def _polished(self, here: _Balance, tau: float) -> _Balance:
        """One iteration of Newton's method more, where that makes the balance better: it costs little here."""
        answer = self._newton(here, here.r, tau)
        if answer is None or float((np.abs(answer[0]) / self.scale).max(initial=0.0)) > NUDGE:
            return here
        moved = self.dynamics.displacer.move(here.state, answer[0], self.still, self.time)
        there = self._balance(moved, answer[1], here.residual)
        return there if there.residual < here.residual and there.joint_error <= CLOSED else here

    def _balance(self, now: State, lam: Array, last: float) -> _Balance:
        effort, joints = self.dynamics.effort(now, self.extra), self.dynamics.constraints(now)
        K = self.dynamics.jacobian(now, effort, self.still, Weights(0.0, 0.0, 1.0))
        size = float((effort.size + joints.push(np.abs(lam), np.abs(joints.C.data))).max(initial=0.0))
        r = effort.force + joints.push(lam)
        return _Balance(now, lam, joints, K, r, size, last, ROUND_OFF * (abs(K) @ self._places(now)))

    def _places(self, now: State) -> Array:
        """Magnitudes of the unknown positions [m]; of orientations 1 [rad]."""
        masses = self.dynamics.masses
        bodies = np.hstack((np.abs(now.position[masses.movable]), np.ones((len(masses.movable), 3))))
        return np.concatenate((bodies.reshape(-1), np.abs(now.node_position[masses.free]).reshape(-1)))

    def _newton(self, now: _Balance, R: Array, tau: float) -> tuple[Array, Array, float] | None:
        """Displacement, new joint forces and `x'Hx` of the linearised equations; None where they are singular."""
        H = Csr(self.dynamics.M + tau**2 * (now.K - geometric_stiffness(self.dynamics, now.state, now.lam)))
        # Unknowns are dq/tau^2, so that H stays of the size of the masses.
        if self.session.factor(H, now.joints.C):
            return None
        answer = self.session.solve(R, -now.joints.error / tau**2)
        if not answer.ok:
            return None
        return tau**2 * answer.x, self.session.trim(now.lam - answer.y), float(answer.x @ (H @ answer.x))

    def lowest_mode(self, found: Equilibrium) -> tuple[float, Array | None]:
        """The lowest eigenvalue [1/s2], and a small displacement along its mode if that is negative."""
        if not found.status.ok or not self.dynamics.size:
            return 0.0, None
        linearised = Linearised.of(self.dynamics, found.state, found.joint_force, self.extra)
        values, vectors = linearised.lowest(1)
        if not len(values) or values[0] >= -UNSTABLE * linearised.negligible:
            return 0.0, None
        x = vectors[:, 0]
        largest = int((np.abs(x) / self.scale).argmax())
        return float(values[0]), x * (NUDGE * self.scale[largest] / x[largest])


def _contacts(dynamics: Dynamics, contact: Penalty | None) -> Extra:
    if contact is None:
        return nothing
    laws, detector = PenaltyLaws.of(contact, dynamics.model), Detector(dynamics.model)
    return PenaltyStep(laws, detector, inverse_masses(dynamics.model), 0.0, *NO_STRETCH)
