"""Applied forces over the unknowns, and their derivatives in a pattern that is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.assembly.flexible import FlexibleTerms
from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import applied_forces
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Csr, Indices, entry_rows, with_data
from signorini.math.tangent import skew
from signorini.model.component import ForceTerm, SmoothForce, StiffForce
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class Effort:
    """All applied forces at one state."""

    force: Array
    """f: gravity, gyroscopic torque, users' forces, springs, penalty contacts [N, N m], shape (n,)."""
    size: Array
    """Sum of the magnitudes of all of them, the scale of an imbalance, shape (n,)."""
    terms: tuple[ForceTerm, ...]
    """Those with derivatives, the gyroscopic torque apart."""


class Efforts:
    """Turns states into forces: the right-hand side of `M a = f + C' lambda`."""

    def __init__(self, model: Model, masses: Masses) -> None:
        self.model, self.masses = model, masses
        self.flexible = FlexibleTerms(model, masses) if model.flexibles else None
        self._gravity = np.asarray(model.gravity, dtype=np.float64)

    def at(self, state: State, extra: Sequence[ForceTerm] = ()) -> Effort:
        """Forces at a state; `extra` are those that the step adds, such as contacts."""
        masses, movable = self.masses, self.masses.movable
        explicit = [item for item in self.model.forces if not isinstance(item, SmoothForce)]
        push, torque = applied_forces(self.model, explicit, state)
        spin = state.angular_velocity[movable]
        out = np.empty((len(movable), 6))
        out[:, :3] = masses.mass[:, None] * self._gravity + push[movable]
        out[:, 3:] = rotate(conjugate(state.orientation[movable]), torque[movable]) if explicit else 0.0
        out[:, 3:] -= np.cross(spin, np.einsum("bij,bj->bi", masses.inertia, spin))
        nodes, sizes = (np.zeros(0), np.zeros(0)) if self.flexible is None else self.flexible.force(state)
        force, size = np.concatenate((out.reshape(-1), nodes)), np.concatenate((np.abs(out.reshape(-1)), sizes))
        terms = (*self._stiff(state), *extra)
        for term in terms:
            place = masses.column[term.columns]
            free = place >= 0
            # A body may touch itself: a node can stand on both sides.
            np.add.at(force, place[free], term.force[free])
            np.add.at(size, place[free], np.abs(term.force[free]))
        return Effort(force, size, terms)

    def _stiff(self, state: State) -> tuple[ForceTerm, ...]:
        terms = []
        smooth = [item for item in self.model.forces if isinstance(item, SmoothForce)]
        varying: list[StiffForce | SmoothForce] = [*self.model.stiff_forces, *smooth]
        for item in varying:
            term = item.term(state)
            if not np.isfinite(term.force.sum() + term.dq.sum() + term.dv.sum()):
                raise ModelError(f"force {item.name!r} is not finite at t = {state.time:g} s; check its law")
            terms.append(term)
        return tuple(terms)

    def gyroscopic(self, state: State) -> Array:
        """Derivative of `-w x I w` with respect to w, shape (movable, 3, 3)."""
        spin, inertia = state.angular_velocity[self.masses.movable], self.masses.inertia
        momentum = np.einsum("bij,bj->bi", inertia, spin)
        return np.asarray(skew(momentum) - skew(spin) @ inertia)


@dataclass(frozen=True)
class Weights:
    """Of the parts of `H = mass M T^-1 - velocity dF/dv T^-1 - position dF/dq`."""

    mass: float
    velocity: float
    """[s]."""
    position: float
    """[s^2]."""


class StiffnessPattern:
    """Place of each entry of H, for one set of columns of the force terms."""

    def __init__(self, masses: Masses, columns: Sequence[Indices]) -> None:
        self._columns = [np.array(part) for part in columns]
        bodies = len(masses.movable)
        spin = 6 * np.arange(bodies)[:, None, None] + 3
        block_row = np.broadcast_to(spin + np.arange(3)[:, None], (bodies, 3, 3)).reshape(-1)
        block_column = np.broadcast_to(spin + np.arange(3), (bodies, 3, 3)).reshape(-1)
        mass_row = entry_rows(masses.H)
        mass_column = masses.H.indices.astype(np.int64)
        # Entries of the mass matrix outside the inertia blocks, which T^-1 changes.
        self._plain = np.flatnonzero(~((mass_row < 6 * bodies) & (mass_row % 6 >= 3)))
        rows, cols = [block_row, mass_row[self._plain]], [block_column, mass_column[self._plain]]
        self._free, self._turns = [], []
        for part in self._columns:
            place = masses.column[part]
            free = np.flatnonzero(place >= 0)
            self._free.append(np.ix_(free, free))
            rows.append(np.repeat(place[free], len(free)))
            cols.append(np.tile(place[free], len(free)))
            self._turns.append(_turning_columns(part, masses))
        row, column, n = np.concatenate(rows), np.concatenate(cols), masses.H.shape[0]
        unique, self._target = np.unique(row * n + column, return_inverse=True)
        indptr = np.concatenate(([0], np.cumsum(np.bincount(unique // n, minlength=n)))).astype(np.int32)
        self._template = Csr((np.zeros(len(unique)), (unique % n).astype(np.int32), indptr), shape=(n, n))
        self._masses = masses

    def fits(self, terms: Sequence[ForceTerm]) -> bool:
        """Whether the terms have the columns that this was made for."""
        return len(terms) == len(self._columns) and all(
            np.array_equal(old, term.columns) for old, term in zip(self._columns, terms, strict=True)
        )

    def matrix(
        self, effort: Effort, gyroscopic: Array, nodes: tuple[Array, Array] | None, turns: Array, weights: Weights
    ) -> Csr:
        """H at a state; `nodes` are dF/dq and dF/dv of flexible bodies, `turns` the T^-1 of the movable bodies."""
        masses = self._masses
        spin = (weights.mass * masses.inertia - weights.velocity * gyroscopic) @ turns
        inertia = weights.mass * masses.H.data
        if nodes is not None:
            inertia[-len(nodes[0]) :] -= weights.position * nodes[0] + weights.velocity * nodes[1]
        values = [spin.reshape(-1), inertia[self._plain]]
        for term, free, places in zip(effort.terms, self._free, self._turns, strict=True):
            block = -weights.velocity * term.dv
            for at, body in places:
                block[:, at : at + 3] = block[:, at : at + 3] @ turns[body]
            values.append((block - weights.position * term.dq)[free].reshape(-1))
        entries = np.concatenate(values)
        data = np.bincount(self._target, weights=entries, minlength=len(self._template.data))
        return with_data(self._template, np.asarray(data, dtype=np.float64))


def _turning_columns(columns: Indices, masses: Masses) -> list[tuple[int, int]]:
    """(place, movable body) of the triples of rotations among the columns of a term."""
    bodies = 6 * len(masses.place)
    starts = [k for k, column in enumerate(columns) if column < bodies and column % 6 == 3]
    return [(k, int(masses.place[columns[k] // 6])) for k in starts if masses.place[columns[k] // 6] >= 0]
