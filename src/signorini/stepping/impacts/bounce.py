"""Restitution: from the velocities before the step to those after its impacts.

Contacts that would close within the step strike at the instant when they do (see `instants`): bodies in free flight
bounce as if the step ended and began anew there, so that heights and times of bounces are right to second order in h,
those of bodies that joints or other contacts hold to first order. An impact makes no energy (`Round.without_gain`).

Contacts that strike at the same time are solved together, and the round is repeated with those that strike then, until
none does: this lets a blow run through a row of bodies that touch but do not press [Smith2012]. Contacts that carried
load before support the round from its start. Where no end is in sight, or contacts strike again whose blow was not
solved, the rest is left to the step, which stops all approach.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.lift import first_rows, lifts
from signorini.assembly.laws.terms import Terms
from signorini.math.sparse import Array, Csr
from signorini.model.model import ImpactLaw
from signorini.model.pair_table import PairLaws
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.products import multiply
from signorini.problem.solution import Solution
from signorini.stepping.impacts.displacement import followed
from signorini.stepping.impacts.impact_solver import ImpactSolver
from signorini.stepping.impacts.instants import Approach, Instants
from signorini.stepping.impacts.round import Blow, Round

MOST_ROUNDS = 50
FLYING = 0.25
"""Gaps above this share of the distance that forces close in a step from rest belong to bodies in flight."""
LOADED = 1e-3
"""Least impulse of a supporting contact, as a share of the rest speed."""

SLOWEST = 1e-6
"""Rest speed, for that purpose, where none is given [m/s]."""


@dataclass(frozen=True, eq=False)
class Bounce:
    """The result of impacts."""

    velocity: Array
    """Of the movable bodies and free nodes, to go on with, shape (n,)."""
    momentum: Array
    """What the nodes of flexible bodies got [N s], shape (n,), 0 for rigid bodies. A step does not keep velocities of
    nodes, which elastic forces change within it, but this."""
    shift: Array
    """Displacement of the bodies at the beginning of the step [m, rad], shape (n,); see `instants`."""
    opening: Array
    """What that adds to the gaps [m], shape (contacts,)."""
    impulses: Array
    """On the bodies, along (normal, t1, t2) [N s], shape (contacts, 3)."""
    solutions: tuple[Solution, ...]
    """Of all problems of all rounds."""


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """What the step does to velocities without contacts."""

    velocity: Array
    """At its beginning [m/s, rad/s], shape (n,)."""
    kick: Array
    """Change of the velocity by the forces of the step, shape (n,)."""
    bound: NDArray[np.bool_]
    """Velocities on which springs or dampers act, so that forces are not the same throughout, shape (n,)."""
    nodes: int
    """How many of them, the last ones, are those of flexible bodies."""
    mass: Csr | None
    """M where elastic forces are those of implicit Euler."""

    @property
    def watched(self) -> tuple[Csr, Array] | None:
        """See `Round`."""
        return None if self.mass is None else (self.mass, self.velocity)

    def momentum(self, level: ContactProblem, velocity: Array) -> Array:
        """What brought the nodes to `velocity` [N s], 0 for rigid bodies, shape (n,)."""
        out = np.zeros_like(velocity)
        if self.nodes:
            out[-self.nodes :] = multiply(level.H, velocity - self.velocity)[-self.nodes :]
        return out


@dataclass(frozen=True)
class Impacts:
    """Lets contacts with restitution bounce, by Newton's or Poisson's law."""

    law: ImpactLaw
    exact: bool
    """Whether the step has the exact friction law: then nothing lifts contacts before they close."""
    lag: float = 0.5
    """How far velocities at the beginning of a step are behind positions, in steps; see `instants`."""

    def may_bounce(self, snapshot: ContactSnapshot, push: Array) -> bool:
        """Whether any contact with restitution is fast enough; `push` is what forces add to normal speeds [m/s]."""
        approach = Approach(snapshot.gap, snapshot.slip[:, 0], push, self.lag)
        return bool(_may_strike(snapshot.laws, approach, np.ones(snapshot.count, dtype=np.bool_), snapshot.h).any())

    def bounce(
        self,
        level: ContactProblem,
        snapshot: ContactSnapshot,
        terms: Terms,
        free: FreeMotion,
        loads: Array,
        solver: ImpactSolver,
        gain: Array | None = None,
    ) -> Bounce | None:
        """The velocities after all impacts; None without any.

        `level` has the rows of the contacts at the level of velocities, whose b gains `gain` over the step [m/s].
        `loads` are the normal impulses of the last step [N s], shape (contacts,).
        """
        n, h, laws = snapshot.count, snapshot.h, snapshot.laws
        velocity, kick = free.velocity, free.kick
        first, pushed = level.cones.start[:n], multiply(level.D, kick)
        loaded = self._loaded(snapshot, loads * level.N_diagonal[first])
        held = _held(level, loaded) | free.bound
        flying = np.asarray(abs(level.D) @ held.astype(np.float64))[first] == 0.0
        raw, shift = np.zeros(level.contact_rows), np.zeros_like(velocity)
        none = tried = np.zeros(0, dtype=np.int64)
        for _ in range(MOST_ROUNDS):
            slip = multiply(level.D, velocity) - level.b_lambda
            u, gap = slip[first], snapshot.gap + multiply(level.D, shift)[first]
            # Contacts with smaller gaps act in the step: they close, or the lift of their cones asks for more.
            lift = 0.0 if self.exact else lifts(level.cones, slip + pushed)[:n]
            approach = Approach(gap - h * lift, u, pushed[first], self.lag)
            late = gap / h < lift - (slip + (0.5 + self.lag) * pushed)[first]
            struck = _may_strike(laws, approach, flying, h) & late
            if not struck.any():
                break
            blocks = np.flatnonzero(struck | (loaded & (u <= laws.rest_speed)))
            if np.array_equal(blocks, tried):
                break  # their blow was not solved, and the same one would not be now
            shares = [np.where(struck, e, 0.0)[blocks] for e in (laws.restitution, laws.tangential_restitution)]
            now = Round(level, blocks, shares[0], velocity, shares[1])
            when = Instants.of(approach.taken(blocks), struck[blocks], now.islands, kick, held, h, free.nodes)
            now = self._at_instants(now, when, free, gain)
            blow = self._blow(now, solver)
            shift += when.shift(now.before, blow.velocity, h)
            velocity = when.after(blow.velocity, multiply(level.H, kick), *now.losses(blow))
            raw[now.rows] += blow.impulse
            tried = none if solver.solutions[-1].status.ok else blocks
        if not solver.solutions:
            return None
        shift = followed(level, shift, len(shift) - free.nodes)
        impulses, opening = terms.impulses(first_rows(level.cones, raw, n)), multiply(level.D, shift)[first]
        return Bounce(velocity, free.momentum(level, velocity), shift, opening, impulses, tuple(solver.solutions))

    def _at_instants(self, now: Round, when: Instants, free: FreeMotion, gain: Array | None) -> Round:
        """The round with the velocities of its instants, known ones included."""
        now = replace(now, before=when.before(now.before), drift=when.drift, watched=free.watched)
        if gain is None:
            return now
        # In b known velocities are those of the middle of the step, in steps of second order those of its end.
        known = now.level.b_lambda.copy()
        known[now.rows] += (when.of_rows - (1.0 - self.lag)) * gain[now.rows]
        return replace(now, level=now.level.changed(b_lambda=known))

    def _blow(self, now: Round, solver: ImpactSolver) -> Blow:
        """By the law of impact, without gain of energy."""
        if self.law == "poisson" and now.tangential.any():
            raise ModelError("tangential_restitution belongs to Newton's law of impact; take Model(impact='newton')")
        return now.without_gain(now.newton(solver) if self.law == "newton" else now.poisson(solver), solver)

    def _loaded(self, snapshot: ContactSnapshot, speed: Array) -> NDArray[np.bool_]:
        """Rigid contacts whose impulse of the last step, as a speed, supports something."""
        pressed = speed > LOADED * np.maximum(snapshot.laws.rest_speed, SLOWEST)
        return np.asarray((snapshot.laws.compliance == 0) & pressed)


def _may_strike(laws: PairLaws, approach: Approach, free: NDArray[np.bool_], h: float) -> NDArray[np.bool_]:
    """Contacts with restitution that are fast enough, if they close in the step.

    Fast are those that are so at the beginning of the step; and those of bodies in flight, which is told from rest by
    the gap, that are so at its end.
    """
    flies = free & (approach.gap > -FLYING * h * approach.push) & (approach.push < 0.0)
    fast = approach.speed < -laws.rest_speed
    fast |= flies & (approach.impact_speed(free, h) < -laws.rest_speed)
    return np.asarray((laws.restitution > 0) & fast)


def _held(level: ContactProblem, loaded: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Velocities that joints or loaded contacts act on, shape (n,)."""
    held = np.zeros(level.velocities, dtype=np.bool_)
    held[level.C.indices] = True
    rows = np.repeat(loaded, level.cones.dims[: len(loaded)])
    held[level.D[: len(rows)][np.flatnonzero(rows)].indices] = True
    return held
