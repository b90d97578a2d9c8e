"""One round of impacts: all contacts that strike at the same time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.assembly.laws.pin import pinned
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import add_product, multiply
from signorini.problem.solution import Solution
from signorini.stepping.impacts.impact_solver import ImpactSolver


@dataclass(frozen=True, eq=False)
class Blow:
    """Impulses of a round and the velocities after it."""

    velocity: Array
    """w [m/s, rad/s], shape (n,)."""
    impulse: Array
    """Of the rows of the round [N s], shape (rows,)."""

    @classmethod
    def of(cls, solution: Solution) -> Blow:
        """Of a problem of the round."""
        return cls(solution.velocity, np.asarray(solution.contact_impulse))


@dataclass(frozen=True, eq=False)
class Islands:
    """Groups of velocities that the impacts of a round couple."""

    of_row: Indices
    """Of each row of the round, shape (rows,)."""
    of_contact: Indices
    """Of each contact of the round."""
    of_column: Indices
    """Of each velocity, shape (n,)."""
    count: int


@dataclass(frozen=True, eq=False)
class Round:
    """Contacts that strike, and those that support them; all else is left out.

    With w the velocities before and e the restitution, Newton's law asks for `u_n+ >= -e u_n-` where a contact strikes
    and for `u_n+ >= 0` where it supports. With a tangential restitution e_t friction acts on `u_t+ + e_t u_t-`, so that
    a contact that sticks turns its slip round. Poisson's law first stops the approach (compression, impulses Lambda),
    then gives back the normal impulses `e Lambda_n` (expansion). Both have friction in full and joints that hold.
    """

    level: ContactProblem
    """Rows of all contacts at the level of velocities: `D v - b` is the slip."""
    blocks: Indices
    """Contacts of the round, rising."""
    restitution: Array
    """e of each; 0 for those that support [-]."""
    before: Array
    """w [m/s, rad/s], shape (n,)."""
    tangential: Array = field(default_factory=lambda: np.zeros(1))
    """e_t of each, or of all [-]; Newton's law alone knows it."""
    drift: Array = field(default_factory=lambda: np.zeros(1))
    """What the forces of the step add to velocities that the impact is solved with, (n,) or (1,); see `instants`."""
    watched: tuple[Csr, Array] | None = None
    """M and the velocities before all rounds, where the energy of a step of implicit Euler with drift is watched; see
    `without_gain`."""

    @property
    def rows(self) -> Indices:
        """Of the contacts of the round."""
        start, dims = self.level.cones.start[self.blocks], self.level.cones.dims[self.blocks]
        inner = np.arange(dims.sum()) - np.repeat(np.cumsum(dims) - dims, dims)
        return np.asarray(np.repeat(start, dims) + inner)

    def slip(self, velocity: Array) -> Array:
        """u in the rows of the round [m/s]."""
        return np.asarray(add_product(self.level.D, velocity, -self.level.b_lambda)[self.rows])

    def problem(self, start: Array, target: Array, slip: Array | None = None) -> ContactProblem:
        """From velocities `start`, with the normal speeds `target` and, in all rows, the `slip` asked for [m/s]."""
        level, rows = self.level, self.rows
        some = level.cones.take(self.blocks)
        b = level.b_lambda[rows]
        b[some.start[:-1]] += target
        b += 0.0 if slip is None else slip
        return level.changed(
            c=-multiply(level.H, start),
            b_gamma=multiply(level.C, self.before),
            D=canonical(level.D[rows]),
            b_lambda=b,
            cones=some,
            E=None,
            skew=None,
            name=f"{level.name}, impact",
        )

    def inelastic(self, solver: ImpactSolver) -> Blow:
        """All approach is stopped."""
        return Blow.of(solver.solve(self.problem(self.before + self.drift, np.zeros(len(self.blocks)))))

    def newton(self, solver: ImpactSolver) -> Blow:
        """Speeds are given back."""
        before = self.slip(self.before)
        target = np.where(self.restitution > 0, -self.restitution * before[self._normal], 0.0)
        return Blow.of(solver.solve(self.problem(self.before + self.drift, target, -self._turned * before)))

    @property
    def _turned(self) -> Array:
        """e_t in the tangent rows of each contact, 0 in all others, shape (rows,)."""
        out, dims = np.zeros(len(self.rows)), self.level.cones.dims[self.blocks]
        for k in (1, 2):
            has = dims > k
            out[self._normal[has] + k] = np.broadcast_to(self.tangential, len(dims))[has]
        return out

    def poisson(self, solver: ImpactSolver) -> Blow:
        """Impulses are given back."""
        first = self.inelastic(solver)
        problem = self.problem(first.velocity, np.zeros(len(self.blocks)))
        struck = np.flatnonzero(self.restitution > 0)
        push = self.restitution[struck] * first.impulse[self._normal[struck]]
        second = solver.solve(pinned(problem, struck, push, np.zeros(len(struck))))
        back = np.array(second.contact_impulse)
        back[self._normal[struck]] = push
        return Blow(second.velocity, first.impulse + back)

    def without_gain(self, blow: Blow, solver: ImpactSolver) -> Blow:
        """The impact, with less restitution where it would increase the energy.

        The contacts' work is `1/2 Lambda . (u- + u+)`; with friction neither law keeps it from being positive. The
        inelastic blow always loses energy, so some share of the way from it to the wanted one makes none; each island
        of bodies that hit one another has its own.

        The energy of a step of implicit Euler in which elastic forces take part (`drift`) changes by

            v+ . H (v+ - w - drift) - 1/2 |v+ - w|^2_M - 1/2 |v+|^2_(H - M)

        at constant stiffness, w before all rounds. No round may increase this either.
        """
        gained = self._gains(blow)
        scale = self._by_island(np.abs(blow.impulse * self.slip(self.before)))
        if np.all(gained <= 1e-9 * scale):
            return blow
        dead = self.inelastic(solver)
        ways, share = Blow(blow.velocity - dead.velocity, blow.impulse - dead.impulse), np.ones(self.islands.count)
        a = self._by_island(0.5 * ways.impulse * (self.slip(blow.velocity) - self.slip(dead.velocity)))
        for end, start in zip(gained, self._gains(dead), strict=True):
            c = np.minimum(start, 0.0)
            share = np.minimum(share, np.where(end > 0, _root(a, end - a - c, c), 1.0))
        velocity = dead.velocity + share[self.islands.of_column] * ways.velocity
        return Blow(velocity, dead.impulse + share[self.islands.of_row] * ways.impulse)

    def _gains(self, blow: Blow) -> Array:
        """Energy that each island gets from a blow [J], by either formula of `without_gain`, shape (formulas, islands).

        Along the way from one blow to another both are quadratic, with the same leading coefficient.
        """
        plus, label, count = self.slip(blow.velocity), self.islands.of_column, self.islands.count
        work = self._by_island(0.5 * blow.impulse * (self.slip(self.before) + plus))
        if self.watched is None or not self.drift.any():
            return work[None]
        driven = multiply(self.level.D, blow.velocity)[self.rows] - plus  # by obstacles and belts, which may push
        steps = self._step_energy(blow.velocity) - self._step_energy(self.before + self.drift)
        whole = np.bincount(label, steps, count) - self._by_island(blow.impulse * driven)
        drifts = np.bincount(label, self.drift != 0.0, count) > 0
        return np.stack((work, np.where(drifts, whole, work)))

    def _step_energy(self, v: Array) -> Array:
        """What a step to these velocities adds to the energy, up to a constant [J], shape (n,)."""
        assert self.watched is not None
        M, w = self.watched
        change, momentum = v - w, multiply(self.level.H, v)
        push = momentum - multiply(self.level.H, w + self.drift)
        return np.asarray(v * push - 0.5 * change * (M @ change) - 0.5 * v * (momentum - M @ v))

    def _by_island(self, of_rows: Array) -> Array:
        """Sums over the rows of each island, shape (islands,)."""
        return np.asarray(np.bincount(self.islands.of_row, of_rows, self.islands.count), dtype=np.float64)

    def losses(self, blow: Blow) -> tuple[Array, Array]:
        """Energy that a blow takes from each island [J], and that over what stopping the approach would take [-].

        Of one contact without friction the second is 1 - e. Shapes (islands,).
        """
        minus = self.slip(self.before)
        taken = -self._by_island(0.5 * blow.impulse * (minus + self.slip(blow.velocity)))
        whole = self._by_island(0.5 * np.abs(blow.impulse * minus))
        return taken, np.divide(taken, whole, out=np.ones_like(taken), where=whole > 0)

    @property
    def _normal(self) -> Indices:
        """Place of each contact's normal row among the rows of the round."""
        dims = self.level.cones.dims[self.blocks]
        return np.asarray(np.cumsum(dims) - dims)

    @cached_property
    def islands(self) -> Islands:
        """Bodies that contacts of the round and joints tie together."""
        level = self.level
        D: Csr = level.D[self.rows]
        n, m, k = level.velocities, D.shape[0], level.joint_rows
        dims = level.cones.dims[self.blocks]
        together: Any = sp.block_diag([np.ones((d, d)) for d in dims])
        blocks: Any = [[level.H, D.T, level.C.T], [D, together, None], [level.C, None, sp.csr_array((k, k))]]
        graph = sp.block_array(blocks, format="csr")
        count, label = sp.csgraph.connected_components(graph, directed=False)
        of_row = label[n : n + m].astype(np.int64)
        return Islands(of_row, of_row[self._normal], label[:n].astype(np.int64), int(count))


def _root(a: Array, b: Array, c: Array) -> Array:
    """The root in [0, 1] of a t^2 + b t + c, given c <= 0 <= a + b + c."""
    a = np.maximum(a, 0.0)
    discriminant = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    # The form without cancellation for either sign of b.
    up = np.divide(-2 * c, b + discriminant, out=np.zeros_like(b), where=b + discriminant > 0)
    down = np.divide(-b + discriminant, 2 * a, out=np.zeros_like(b), where=a > 0)
    return np.clip(np.where(b >= 0, up, down), 0.0, 1.0)
