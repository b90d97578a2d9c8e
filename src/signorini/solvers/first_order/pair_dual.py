"""The scaled dual problem of contacts between two rigid bodies, one record per contact."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.sweeps import (
    compact_pack,
    compact_records,
    conjugate,
    gradient_steps,
    pair_pack,
    pair_products,
    pair_sweeps,
)
from signorini.kernels.sweeps.body_rank import ranks_by_centres, ranks_by_graph
from signorini.kernels.sweeps.pair_order import CONTACTS_PER_DOMAIN, domains_of, sweep_order
from signorini.kernels.sweeps.pair_pack import BlockedRows, Factor, Limits
from signorini.kernels.threads.team import Numbers, team, threads_in_use
from signorini.math.cached import cached_property
from signorini.math.pool import Pool
from signorini.math.sparse import Array, Indices, is_diagonal
from signorini.problem.bodies import Bodies, find_bodies
from signorini.problem.contact_problem import ContactProblem
from signorini.solvers.first_order.dual import DualRows

RECORDS, IMPULSES = Pool(aligned=True), Pool()
CONTACT_ROWS = 3
"""Rows of a contact, at most."""


@dataclass(frozen=True, eq=False)
class PairDual:
    """One record per contact of at most two bodies of at most six velocities, in sweeping order."""

    body: NDArray[np.uint32]
    """The ranks of the two bodies of each contact (see `kernels.sweeps.body_rank`), shape (contacts, 2)."""
    record: Array
    """Scaled rows of `[D; C] G`, offsets and friction; shape (contacts, 32) or (contacts, 40), see
    `kernels.compact_records` and `kernels.pair_sweeps`."""
    compliance: Array
    """Scaled diagonal of E, shape (contacts, 3), or (0, 3) when rigid."""
    z0: Array
    """Whitened velocities without impulses, shape (bodies, 8); their places depend on the kind of records."""
    order: Indices
    """Block at each place of the sweep."""
    groups: Indices
    """First place of every group of the sweep, see `kernels.sweeps.pair_order`."""
    phases: Indices
    """First group of every phase."""
    rows: DualRows
    scales: Array
    """s, shape (contacts, 3)."""

    @classmethod
    def build(cls, problem: ContactProblem, rows: DualRows, rule: int) -> PairDual | None:
        """Pack the records; None when the problem has another shape."""
        bodies = _bodies(problem, rows)
        if bodies is None:
            return None
        contacts = len(bodies.pairs)
        domains = domains_of(contacts, bodies.count, CONTACTS_PER_DOMAIN)
        ranks = _ranks(bodies, domains)
        order, place, body, groups, phases = sweep_order(team(contacts), bodies.pairs, ranks, domains)
        compact = _weights(problem)
        if compact is None:
            record, scale, soft, z0 = _full(problem, rows, bodies, place, ranks[0], rule)
        else:
            record, scale, z0 = _compact(problem, rows, compact, place, ranks[0], rule)
            soft = np.zeros((0, CONTACT_ROWS))
        return cls(
            body=body, record=record, compliance=soft, z0=z0, order=order,
            groups=groups, phases=phases, rows=rows, scales=scale,
        )  # fmt: skip

    @cached_property
    def b(self) -> Array:
        """Gradient at x = 0."""
        out = np.zeros((len(self.order), CONTACT_ROWS))
        pair_products.gather_range(0, len(out), self.body, self.record, self.compliance[:0], out, self.z0, 1.0, out)
        return out.reshape(-1)

    @cached_property
    def _velocities(self) -> Array:
        """Scratch."""
        return RECORDS.empty(self.z0.shape)

    @cached_property
    def mu(self) -> Array:
        """Friction coefficient of each block in the scaled variables, -1 for a free impulse."""
        return self.record[:, -1].copy()

    @cached_property
    def friction(self) -> Array:
        """Unscaled friction coefficients in sweeping order."""
        return self.rows.mu[self.order]

    @property
    def detail(self) -> str:
        threads, phases = threads_in_use(), len(self.phases) - 1
        groups = f"{len(self.groups) - 1} groups in {phases} phases"
        return f"pairs of bodies, {groups}, {threads} thread" + ("s" if threads > 1 else "")

    @property
    def _team(self) -> Numbers:
        """Of loops over the contacts."""
        return team(len(self.order))

    def variables(self, impulses: Array) -> Array:
        x = np.zeros((len(self.order), CONTACT_ROWS))
        pair_pack.gather_rows(self.rows.start, self.order, self.scales, impulses, x)
        return x.reshape(-1)

    def begin(self, impulses: Array) -> Array:
        x = IMPULSES.empty((len(self.order), CONTACT_ROWS))
        pair_pack.gather_projected(self._team, self.rows.start, self.order, self.scales, self.rows.mu, impulses, x)
        return x.reshape(-1)

    def impulses(self, x: Array) -> Array:
        out = IMPULSES.empty((int(self.rows.start[-1]),))
        pair_pack.scatter_rows(self._team, self.rows.start, self.order, self.scales, _by_contact(x), out)
        return out

    def product(self, x: Array, out: Array) -> None:
        self._multiply(x, np.zeros_like(self.z0), 0.0, out)

    def gradient(self, x: Array, out: Array) -> None:
        self._multiply(x, self.z0, 1.0, out)

    def _multiply(self, x: Array, z0: Array, offset: float, out: Array) -> None:
        cut, data = (self.groups, self.phases), (self.body, self.record, self.compliance)
        vectors = (_by_contact(x), z0, offset, self._velocities, _by_contact(out))
        pair_products.product(self._team, *cut, *data, *vectors)

    def sweep(
        self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array, exact: bool = False
    ) -> None:
        # The velocities are recomputed from x every few sweeps, so increments cannot drift away from them.
        z, x, cut = self._velocities, _by_contact(x), (self.groups, self.phases)
        pair_products.scatter(self._team, *cut, self.body, self.record, x, self.z0, z)
        data = (self.body, self.record, self.compliance, exact, omega, mixing, x, z)
        pair_sweeps.sweeps(self._team, done, count, symmetric, *cut, *data)

    def conjugate_sweeps(self, count: int, x: Array, exact: bool) -> None:
        z, x, cut = self._velocities, _by_contact(x), (self.groups, self.phases)
        pair_products.scatter(self._team, *cut, self.body, self.record, x, self.z0, z)
        conjugate.conjugate_sweeps(self._team, count, *cut, self.body, self.record, self.compliance, exact, x, z)

    def with_de_saxce(self, g: Array) -> Array:
        slips, out = _by_contact(g), g.copy()
        _by_contact(out)[:, 0] += np.maximum(self.mu, 0.0) * np.hypot(slips[:, 1], slips[:, 2])
        return out

    def natural_error(self, x: Array, g: Array) -> float:
        w, size = self.rows.mean, self.rows.problem.slip_size or 1.0
        error = gradient_steps.natural_error(self.friction, self.scales, 1.0 / w, _by_contact(x), _by_contact(g))
        return float(error) * w / size

    def direction(self, step: float, x: Array, g: Array, d: Array) -> tuple[float, float]:
        found: tuple[float, float] = gradient_steps.direction(
            self.mu, step, _by_contact(x), _by_contact(g), _by_contact(d)
        )
        return found

    def forward(self, step: float, y: Array, gy: Array, x: Array) -> None:
        gradient_steps.forward(self.mu, step, _by_contact(y), _by_contact(gy), _by_contact(x))

    def recede(self, d: Array) -> Array:
        inside = d.copy()
        self.forward(0.0, inside, inside, inside)
        return inside


def _ranks(bodies: Bodies, domains: int) -> Indices:
    """Orders of the bodies, one per row (see `kernels.sweeps.body_rank`)."""
    if bodies.centres is None:
        found: Indices = ranks_by_graph(bodies.pairs, bodies.count, domains)
    else:
        found = ranks_by_centres(team(bodies.count), bodies.centres, domains)
    return found


def _by_contact(x: Array) -> Array:
    return x.reshape(-1, CONTACT_ROWS)


def _bodies(problem: ContactProblem, rows: DualRows) -> Bodies | None:
    """The bodies that records can be made of; None when the problem has another shape."""
    if problem.is_dual_only or not problem.cones.is_plain or problem.cones.dims.max(initial=0) > CONTACT_ROWS:
        return None
    if problem.E.nnz and not is_diagonal(problem.E):
        return None
    return find_bodies(problem.mass, rows.matrix, rows.start) if problem.joint_rows else problem.bodies


def _weights(problem: ContactProblem) -> Array | None:
    """G, six numbers per body, where contacts can have records of `kernels.compact_records`, else None."""
    return None if problem.rows.rigid is None or problem.E.nnz or problem.joint_rows else problem.mass.uniform_weights


def _compact(
    problem: ContactProblem, rows: DualRows, weight: Array, place: Indices, position: Indices, rule: int
) -> tuple[Array, Array, Array]:
    """Records of `kernels.compact_records`, scales and velocities without impulses."""
    rigid, count = problem.rows.rigid, len(place)
    assert rigid is not None
    record, scale = RECORDS.empty((count, compact_records.WIDTH)), np.empty((count, CONTACT_ROWS))
    b, fallback = problem.b_lambda.reshape(-1, CONTACT_ROWS), 1.0 / math.sqrt(rows.mean)
    compact_pack.pack(team(count), rigid.pairs, rigid.entries, weight, b, rows.mu, place, rule, fallback, record, scale)
    z0 = RECORDS.empty((len(weight), 8))
    compact_pack.body_velocities(team(len(weight)), weight, position, problem.c.reshape(-1, 6), z0)
    return record, scale, z0


def _full(
    problem: ContactProblem, rows: DualRows, bodies: Bodies, place: Indices, position: Indices, rule: int
) -> tuple[Array, Array, Array, Array]:
    """Records of `kernels.pair_sweeps`, scales, compliance and velocities without impulses."""
    G, D, count = problem.mass.factor, rows.matrix, len(place)
    assert G is not None
    factor = Factor(G.indptr, G.indices, G.data, len(G.data) == len(G.indptr) - 1)
    scale, E, soft = np.empty((count, CONTACT_ROWS)), np.zeros(0), np.zeros((0, CONTACT_ROWS))
    if problem.E.nnz:
        E = np.concatenate((problem.E.diagonal(), np.zeros(problem.joint_rows)))
        soft = np.zeros((count, CONTACT_ROWS))
    limits, fallback = Limits(rows.offset, E, rows.mu), 1.0 / math.sqrt(rows.mean)
    record, z0 = RECORDS.empty((count, pair_sweeps.WIDTH)), np.zeros((bodies.count, 8))
    blocked = BlockedRows(rows.start, D.indptr, D.indices, D.data)
    pair_pack.pack(blocked, factor, limits, bodies.first, bodies.pairs, place, rule, fallback, record, scale, soft)
    pair_pack.body_velocities(factor, bodies.first, position, problem.c, z0)
    return record, scale, soft, z0
