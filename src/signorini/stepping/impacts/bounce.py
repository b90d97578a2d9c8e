"""Restitution: from the velocities before the step to those after its impacts.

Contacts that would close within the step strike before it, where they are, and the step goes on with the velocities
that they leave. As the positions have not changed and an impact makes no energy (`Round.without_gain`), restitution
adds none to the step, which loses some. The price is that a body bounces from up to `h |u|` away: heights and times are
right to first order in h.

Contacts that strike at the same time are solved together, and the round is repeated with those that strike then, until
none does: this lets a blow run through a row of bodies that touch but do not press [Smith2012]. Contacts that carried
load before support the round from its start. Where no end is in sight, the rest is left to the step, which stops all
approach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.lift import first_rows, lifts
from signorini.assembly.laws.terms import Terms
from signorini.math.sparse import Array
from signorini.model.model import ImpactLaw
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.products import multiply
from signorini.problem.solution import Solution
from signorini.stepping.impacts.impact_solver import ImpactSolver
from signorini.stepping.impacts.round import Round

MOST_ROUNDS = 50
LOADED = 1e-3
"""Share of the rest speed that the impulse of a supporting contact is worth."""

SLOWEST = 1e-6
"""Rest speed, for that purpose, where none is given [m/s]."""


@dataclass(frozen=True, eq=False)
class Bounce:
    """What impacts leave."""

    velocity: Array
    """Of the movable bodies, shape (n,)."""
    impulses: Array
    """On the bodies, along (normal, t1, t2) [N s], shape (contacts, 3)."""
    solutions: tuple[Solution, ...]
    """Of all problems of all rounds."""


@dataclass(frozen=True)
class Impacts:
    """Lets contacts with restitution bounce, by Newton's or Poisson's law."""

    law: ImpactLaw

    def may_bounce(self, snapshot: ContactSnapshot) -> bool:
        """Whether any contact with restitution is fast enough."""
        laws = snapshot.laws
        return bool(np.any((laws.restitution > 0) & (snapshot.slip[:, 0] < -laws.rest_speed)))

    def bounce(
        self,
        level: ContactProblem,
        snapshot: ContactSnapshot,
        terms: Terms,
        velocity: Array,
        kick: Array,
        loads: Array,
        solver: ImpactSolver,
    ) -> Bounce | None:
        """The velocities after all impacts; None without any.

        Parameters
        ----------
        level
            Rows of the contacts at the level of velocities.
        kick
            Change of velocity by the forces of the step.
        loads
            Normal impulses of the last step [N s], shape (contacts,).
        """
        if self.law == "poisson" and snapshot.laws.tangential_restitution.any():
            raise ModelError("tangential_restitution belongs to Newton's law of impact; take Model(impact='newton')")
        n = snapshot.count
        first = level.cones.start[:n]
        pushed = multiply(level.D, kick)
        mobility = level.N_diagonal[first]
        laws = snapshot.laws
        loaded = (laws.compliance == 0) & (loads * mobility > LOADED * np.maximum(laws.rest_speed, SLOWEST))
        raw = np.zeros(level.contact_rows)
        for _ in range(MOST_ROUNDS):
            slip = multiply(level.D, velocity) - level.b_lambda
            u = slip[first]
            # Contacts with smaller gaps act in the step: they close, or the lift of their cones asks for more.
            closing = snapshot.gap / snapshot.h < lifts(level.cones, slip + pushed)[:n] - (slip + pushed)[first]
            struck = (laws.restitution > 0) & (u < -laws.rest_speed) & closing
            if not struck.any():
                break
            blocks = np.flatnonzero(struck | (loaded & (u <= laws.rest_speed)))
            shares = [np.where(struck, e, 0.0)[blocks] for e in (laws.restitution, laws.tangential_restitution)]
            now = Round(level, blocks, shares[0], velocity, shares[1])
            blow = now.newton(solver) if self.law == "newton" else now.poisson(solver)
            blow = now.without_gain(blow, solver)
            velocity = blow.velocity
            raw[now.rows] += blow.impulse
        if not solver.solutions:
            return None
        return Bounce(velocity, terms.impulses(first_rows(level.cones, raw, n)), tuple(solver.solutions))
