"""Applied forces at a state without gyroscopic torque, and their stiffness and damping matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.assembly.flexible import FlexibleTerms
from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import applied_forces
from signorini.assembly.stiff_forces import definite
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Csr
from signorini.model.component import ForceTerm
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.products import multiply


@dataclass(frozen=True, eq=False)
class Applied:
    """All applied forces at one state."""

    force: Array
    """Weight, users' forces, springs, elastic forces [N, N m], shape (n,)."""
    terms: tuple[ForceTerm, ...]
    """Springs, servos and other forces with derivatives."""


@dataclass(frozen=True, eq=False)
class Along:
    """What goes with derivatives by positions and by velocities: weights, or vectors of shape (n,)."""

    dq: Any
    dv: Any


class AppliedForces:
    """Turns states into forces over the unknown velocities."""

    def __init__(self, model: Model, masses: Masses, flexible: FlexibleTerms | None) -> None:
        self.model, self.masses, self.flexible = model, masses, flexible
        weight = np.zeros((len(masses.movable), 6))
        weight[:, :3] = masses.mass[:, None] * np.asarray(model.gravity, dtype=np.float64)
        self._weight = weight

    @property
    def stiff(self) -> bool:
        """Whether any force resists displacements or velocities."""
        return bool(self.model.stiff_forces) or self.flexible is not None

    def at(self, state: State, explicit: State | None = None) -> Applied:
        """Forces at a state; users' forces, which have no derivatives, at the state `explicit` if given."""
        movable, out = self.masses.movable, self._weight.copy()
        if self.model.forces:
            where = state if explicit is None else explicit
            push, torque = applied_forces(self.model, self.model.forces, where)
            out[:, :3] += push[movable]
            out[:, 3:] += rotate(conjugate(where.orientation[movable]), torque[movable])
        total = out.reshape(-1)
        if self.flexible is not None:
            total = np.concatenate((total, self.flexible.force(state)[0]))
        terms = tuple(force.term(state) for force in self.model.stiff_forces)
        for term, force in zip(terms, self.model.stiff_forces, strict=True):
            if not np.isfinite(term.force.sum() + term.dq.sum() + term.dv.sum()):
                raise ModelError(f"force {force.name!r} or its derivatives are not finite at t = {state.time:g} s")
            place = self.masses.column[term.columns]
            np.add.at(total, place[place >= 0], term.force[place >= 0])
        return Applied(total, terms)

    def resistance(self, state: State, applied: Applied, of: Along, along: Along) -> tuple[Csr, Array]:
        """`of.dq K + of.dv R`, shape (n, n), and `K along.dq + R along.dv`, shape (n,).

        K = -dF/dq and R = -dF/dv are symmetric and positive semidefinite.
        """
        n, out = self.masses.velocities, np.zeros(self.masses.velocities)
        rows, columns, data = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for term in applied.terms:
            place = self.masses.column[term.columns]
            free = place >= 0
            here = place[free]
            K, R = (definite(-part[np.ix_(free, free)]) for part in (term.dq, term.dv))
            np.add.at(out, here, K @ along.dq[here] + R @ along.dv[here])
            rows.append(np.repeat(here, len(here)))
            columns.append(np.tile(here, len(here)))
            data.append((of.dq * K + of.dv * R).reshape(-1))
        entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
        whole = Csr(sp.coo_array(entries, shape=(n, n)))
        if self.flexible is not None:
            dq, dv = self.flexible.resistance(state)
            whole = whole - of.dq * dq - of.dv * dv
            out -= multiply(dq, along.dq) + multiply(dv, along.dv)
        return whole, out
