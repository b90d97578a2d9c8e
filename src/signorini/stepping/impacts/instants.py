"""When in a step contacts strike, and what follows from that for velocities and positions.

A step moves bodies by `h v_new`, so the velocities at its beginning are those half a step earlier: positions follow the
exact parabola of a constant force. With k the change of velocity by the forces of a step, a contact that closes after
the share theta of the step does so at the velocities

    v- = w + (theta + 1/2) k,     gap + theta h (u + k_n/2) + theta^2 h k_n / 2 = 0,

with u and k_n the normal parts of w and k. The impact gives v+, and the step goes on from `w+ = v+ - (theta + c) k`,
c = 1/2. Bodies end where flights before and after the impact lead when they begin it displaced by `theta h (v- - v+)`.

Velocities half a step back have less kinetic energy in a fall and more in a rise than those of the instant. Where an
impact takes little energy (restitution near 1), c is so small that the energy of positions and velocities never
exceeds what the bodies had when they struck.

Steps of second order have velocities that belong to the beginning of the step: there the 1/2 in v- and c is 0 (`lag`).

Known velocities, of bodies whose motion is prescribed, change by theta - 1/2 of what they gain in the step (from those
of its middle, or from those of its end by theta - 1 where steps are of second order).

Where joints, springs or other contacts hold the bodies, k is not what the forces do to them: there it is left out of
v-, and theta is that of the velocities w + k.

Nodes of flexible bodies are never free of the forces of their neighbours, and these are part of the impact: it is that
of Moreau's time stepping [Acary2016], `v+ = w + k + H^-1 D' Lambda` with the H of the step and v- = w. So a body that
is stiff for the step bounces as a rigid one does, and a soft one sends a wave into its inside. Such islands strike at
the beginning of the step, theta = 0, and go on from `w+ = v+ - k`, their `drift`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.math.sparse import Array, Indices
from signorini.stepping.impacts.round import Islands

ELASTIC = 0.05
"""Impacts that lose less than this share (1 - e of one contact) are nearly elastic."""


@dataclass(frozen=True, eq=False)
class Approach:
    """Contacts before they strike."""

    gap: Array
    """Until the contact acts, less the lift of a sliding one under the convex law [m], shape (contacts,)."""
    speed: Array
    """u at the velocities w [m/s], shape (contacts,)."""
    push: Array
    """k_n [m/s], shape (contacts,)."""
    lag: float = 0.5
    """How far w is behind the beginning of the step, in steps."""

    def taken(self, some: Indices) -> Approach:
        """Those of some contacts."""
        return Approach(self.gap[some], self.speed[some], self.push[some], self.lag)

    def shares(self, free: NDArray[np.bool_], h: float) -> Array:
        """theta of each contact, `free` of anything that holds its bodies; 1 where it does not close in the step."""
        bend = np.where(free, 0.5 * self.push, 0.0)
        slope = self.speed + np.where(free, self.lag * self.push, self.push)
        c = self.gap / h
        inside = slope * slope - 4.0 * bend * c
        below = -slope + np.sqrt(np.maximum(inside, 0.0))
        closes = (inside >= 0.0) & (below > 0.0)
        root = np.divide(2.0 * c, below, out=np.ones_like(c), where=closes)
        return np.asarray(np.clip(root, 0.0, 1.0))

    def impact_speed(self, free: NDArray[np.bool_], h: float) -> Array:
        """Normal part of v- [m/s], shape (contacts,)."""
        return np.asarray(self.speed + np.where(free, (self.shares(free, h) + self.lag) * self.push, 0.0))


@dataclass(frozen=True, eq=False)
class Instants:
    """The instant of each velocity's impact."""

    share: Array
    """theta [-], shape (n,)."""
    kick: Array
    """k of bodies in free flight, 0 for others [m/s, rad/s], shape (n,)."""
    islands: Islands
    of_rows: Array
    """theta of each row of the round, as far as known velocities are concerned [-]."""
    drift: Array
    """k of islands in which flexible bodies take part, 0 for others [m/s, rad/s], shape (n,)."""
    lag: float = 0.5
    """How far w is behind the beginning of the step, in steps."""

    @classmethod
    def of(
        cls,
        approach: Approach,
        struck: NDArray[np.bool_],
        islands: Islands,
        kick: Array,
        held: NDArray[np.bool_],
        h: float,
        nodes: int,
    ) -> Instants:
        """Those of the first contact of each island that strikes.

        `held` velocities are not in free flight; the last `nodes` velocities are those of flexible bodies.
        """
        free, flexible = np.ones(islands.count, dtype=np.bool_), np.zeros(islands.count, dtype=np.bool_)
        free[islands.of_column[held]] = False
        flexible[islands.of_column[len(kick) - nodes :]] = True
        free &= ~flexible
        shares = approach.shares(free[islands.of_contact], h)
        first = np.ones(islands.count)
        np.minimum.at(first, islands.of_contact[struck], shares[struck])
        known = np.where(flexible, 1.0 - approach.lag, first)[islands.of_row]
        first[flexible] = 0.0
        flies, bends = free[islands.of_column], flexible[islands.of_column]
        kicks = (np.where(chosen, kick, 0.0) for chosen in (flies, bends))
        return cls(first[islands.of_column], next(kicks), islands, known, next(kicks), approach.lag)

    def before(self, w: Array) -> Array:
        """v- of w."""
        return np.asarray(w + (self.share + self.lag) * self.kick)

    def after(self, v: Array, momentum: Array, taken: Array, lost: Array) -> Array:
        """w+ of v+.

        Parameters
        ----------
        momentum
            M k [N s, N m s], shape (n,).
        taken, lost
            What the impact takes from each island, see `Round.losses`, shapes (islands,).
        """
        v = v - self.drift
        if self.lag == 0.0:
            return np.asarray(v - self.share * self.kick)
        own = np.where(self.kick != 0.0, momentum, 0.0)
        square = self._sum(0.125 * self.kick * own)
        ahead = -self._sum((v + (1.0 - self.share) * self.kick) * own)
        lag = np.full(self.islands.count, 0.5)
        rising = (ahead > 0.0) & (lost < ELASTIC)
        lag[rising] = np.clip((taken - 2.0 * square)[rising] / ahead[rising], -0.5, 0.5)
        return np.asarray(v - (self.share + lag[self.islands.of_column]) * self.kick)

    def _sum(self, parts: Array) -> Array:
        """Over the velocities of each island, shape (islands,)."""
        return np.asarray(np.bincount(self.islands.of_column, parts, self.islands.count), dtype=np.float64)

    def shift(self, before: Array, after: Array, h: float) -> Array:
        """Displacement at the beginning of the step [m, rad], shape (n,)."""
        return np.asarray(h * self.share * (before - after))
