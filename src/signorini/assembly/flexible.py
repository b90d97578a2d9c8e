"""Flexible bodies in the step: their part of H and of the momentum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.explicit_limit import check_explicit
from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, Indices, assembled, entry_rows
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class _Part:
    """Places of the matrix entries of one flexible body."""

    body: FlexibleBody
    rows: Indices
    """Its velocities that are unknown, among its own 3 per node."""
    kept: Indices
    """Entries between two unknown velocities, in the order of the problem's matrix."""
    coupling: Indices
    """Entries between an unknown velocity and a known one."""
    coupling_row: Indices
    """Place of the unknown one in `rows`."""
    coupling_column: Indices
    """The known one, among the 3 per node of the body."""


class FlexibleTerms:
    """`H = M - h dF/dv - h^2 dF/dq` and `M v_old + h F` of all flexible bodies of a model [Mangoni2018, eq. 3.22].

    F is linear in the velocity, so `F(q + h v, v) = F(q, 0) + dF/dv v + h dF/dq v` is all that the linearised implicit
    Euler step needs. The bodies give tangents that are negative semidefinite, so H is positive definite. Its pattern is
    that of the mass matrix at every step. Prescribed velocities go to the right-hand side.

    Bodies whose elastic step is another one have their elastic force at `q + h (new v - old v_old)` instead, with the
    weights of `fe.elastic_step`.
    """

    def __init__(self, model: Model, masses: Masses) -> None:
        self._model, self._masses = model, masses
        self._gravity = np.asarray(model.gravity, dtype=np.float64)
        rigid = 6 * len(masses.movable)
        node_column = masses.column[6 * len(model.bodies) :]
        self._parts = [_part(body, node_column) for body in model.flexibles]
        self._rigid = masses.H.data[: masses.H.indptr[rigid]]
        self._indices: NDArray[np.int32] = masses.H.indices
        self._indptr: NDArray[np.int32] = masses.H.indptr
        self._checked = 0.0
        """Longest step that explicit elastic forces were checked for [s]."""

    @property
    def keeps_energy(self) -> bool:
        """Whether the elastic steps of all bodies do."""
        weights = [part.body.flexible.elastic_weights for part in self._parts]
        return all(one.old == one.new for one in weights)

    def system(self, state: State, h: float) -> tuple[Csr, Array]:
        """H over all unknowns, and `M v_old + h F` of the free nodes without what known velocities take."""
        self._check_step(h)
        loads = self.loads(state)
        data, momentum = [self._rigid], []
        for part in self._parts:
            body, flexible = part.body, part.body.flexible
            position, velocity = state.node_position[body.nodes], state.node_velocity[body.nodes].reshape(-1)
            dq, dv = flexible.tangent(position, state.node_velocity[body.nodes])
            entries = flexible.mass.data - h * dv.data - (h * h * flexible.elastic_weights.new) * dq.data
            force = flexible.force(position, np.zeros_like(position)) + loads[body.nodes].reshape(-1)
            if flexible.elastic_weights.old:
                force -= (h * flexible.elastic_weights.old) * (dq @ velocity)
            self._check(force, body, state.time)
            weight = np.outer(flexible.translation, h * self._gravity).reshape(-1)
            total = (flexible.mass @ (velocity + weight) + h * force)[part.rows]
            if len(part.coupling):
                known = entries[part.coupling] * velocity[part.coupling_column]
                # Held nodes have their new velocity already: only stiffness and damping resist it.
                known -= flexible.mass.data[part.coupling] * velocity[part.coupling_column]
                total -= np.bincount(part.coupling_row, known, minlength=len(total))
            data.append(entries[part.kept])
            momentum.append(total)
        n = self._masses.velocities
        return assembled(np.concatenate(data), self._indices, self._indptr, (n, n)), np.concatenate(momentum)

    def force(self, state: State) -> tuple[Array, Array]:
        """Internal forces, loads and weight of the free nodes [N], and the sum of their magnitudes."""
        loads, out, size = self.loads(state), [], []
        for part in self._parts:
            body, flexible = part.body, part.body.flexible
            position, velocity = state.node_position[body.nodes], state.node_velocity[body.nodes]
            weight = flexible.mass @ np.outer(flexible.translation, self._gravity).reshape(-1)
            parts = (flexible.force(position, velocity), loads[body.nodes].reshape(-1), weight)
            force = np.asarray(sum(parts))
            self._check(force, body, state.time)
            out.append(force[part.rows])
            size.append(np.asarray(sum(np.abs(one) for one in parts))[part.rows])
        return np.concatenate(out), np.concatenate(size)

    def tangents(self, state: State) -> tuple[Array, Array]:
        """Entries of dF/dq (exact) and dF/dv between free nodes, in the order of the mass matrix of the problem."""
        dq, dv = [], []
        for part in self._parts:
            body, flexible = part.body, part.body.flexible
            position, velocity = state.node_position[body.nodes], state.node_velocity[body.nodes]
            dq.append(flexible.exact_tangent(position).data[part.kept])
            dv.append(flexible.tangent(position, velocity)[1].data[part.kept])
        return np.concatenate(dq), np.concatenate(dv)

    def resistance(self, state: State) -> tuple[Csr, Csr]:
        """dF/dq and dF/dv between free nodes, negative semidefinite, over all unknowns, shape (n, n)."""
        dq, dv = [np.zeros_like(self._rigid)], [np.zeros_like(self._rigid)]
        for part in self._parts:
            nodes = part.body.nodes
            here = part.body.flexible.tangent(state.node_position[nodes], state.node_velocity[nodes])
            for entries, matrix in zip((dq, dv), here, strict=True):
                entries.append(matrix.data[part.kept])
        n = self._masses.velocities
        K, R = (assembled(np.concatenate(data), self._indices, self._indptr, (n, n)) for data in (dq, dv))
        return K, R

    def loads(self, state: State) -> Array:
        """The user's loads on all nodes [N], shape (nodes, 3)."""
        out = np.zeros_like(state.node_position)
        for load in self._model.node_forces:
            load.add(state, out)
        return out

    def energy(self, state: State, h: float = 0.0) -> tuple[float, float]:
        """Kinetic energy, and elastic energy with that in the field of gravity [J].

        After a first-order step of h [s], bodies whose elastic step keeps energy have it where velocities stand: half a
        step back.
        """
        kinetic = potential = 0.0
        for part in self._parts:
            body, flexible = part.body, part.body.flexible
            position, velocity = state.node_position[body.nodes], state.node_velocity[body.nodes]
            v = velocity.reshape(-1)
            kinetic += 0.5 * float(v @ (flexible.mass @ v))
            pull = flexible.mass @ np.outer(flexible.translation, self._gravity).reshape(-1)
            weights, way = flexible.elastic_weights, h * velocity
            if h > 0.0 and weights.old == weights.new:
                middle, ends = flexible.energy(position - 0.5 * way), flexible.energy(position - way)
                ends = 0.5 * (ends + flexible.energy(position))
                # The invariant of Newmark's rule: v'M v / 2 + x'K x / 2 + (new - 1/4) h^2 v'K v / 2, x in the middle.
                potential += middle + (4.0 * weights.new - 1.0) * (ends - middle)
                position = position - 0.5 * way
            else:
                potential += flexible.energy(position)
            potential -= float(pull @ position.reshape(-1))
        return kinetic, potential

    def _check_step(self, h: float) -> None:
        if h <= self._checked:
            return
        for part in self._parts:
            if part.body.flexible.elastic_weights.new == 0.0:
                check_explicit(part.body, h)
        self._checked = h

    def _check(self, force: Array, body: FlexibleBody, time: float) -> None:
        if not np.isfinite(force.sum()):
            raise ModelError(
                f"the forces on nodes of {body.name!r} are not finite at t = {time:g} s: check its loads, and whether "
                "the step is too long for it"
            )


def _part(body: FlexibleBody, node_column: Indices) -> _Part:
    """The plan of one body."""
    mass = body.flexible.mass
    own = node_column[3 * body.first : 3 * (body.first + body.count)]
    row = entry_rows(mass)
    place = np.cumsum(own >= 0) - 1
    free_row, free_column = own[row] >= 0, own[mass.indices] >= 0
    coupling = np.flatnonzero(free_row & ~free_column)
    return _Part(
        body=body,
        rows=np.flatnonzero(own >= 0),
        kept=np.flatnonzero(free_row & free_column),
        coupling=coupling,
        coupling_row=place[row[coupling]],
        coupling_column=mass.indices[coupling].astype(np.int64),
    )
