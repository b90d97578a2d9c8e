"""The terms of contact laws in one step, and the contact problem with them.

The plain problem has rigid contacts with Coulomb friction. The laws give each contact its `friction`, turned tangent
rows (`grain`), its own right-hand side and compliance (`springs`), a moved cone (`cohesion`), or a prescribed push
(`plasticity`); what these do to c, D, b and E is in the files of the laws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.assembly.laws.pin import pinned, with_diagonal
from signorini.assembly.laws.rolling import RollingRows, with_rolling
from signorini.math.sparse import Array, Csr, canonical
from signorini.problem.contact_problem import ContactProblem


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of one step, one entry per contact."""

    friction: Array
    """mu of the (circular) cone [-], shape (contacts,)."""
    turn: Array | None
    """S R of each pair of tangents, shape (contacts, 2, 2); None where all are 1."""
    offset: Array
    """b along (normal, t1, t2), without the known velocities of bodies and belts [m/s], shape (contacts, 3)."""
    compliance: Array
    """Diagonal of E before turning [m/(s N s)], shape (contacts, 3)."""
    pull: Array
    """How far the cone is moved, s = h F_c [N s], shape (contacts,)."""
    pinned: NDArray[np.bool_]
    """Contacts that yield: their normal impulse is `push`, shape (contacts,)."""
    push: Array
    """[N s], shape (contacts,)."""
    lift: Array
    """How fast the convex cone would open the contact at the slip of the beginning of the step [m/s], (contacts,)."""
    rolling: RollingRows | None
    """Further rows of contacts that resist rolling and spinning."""

    @property
    def count(self) -> int:
        """Number of contacts."""
        return len(self.friction)

    def impulses(self, raw: Array) -> Array:
        """Impulses on the bodies along (normal, t1, t2) [N s] from those of the solver, both of shape (contacts, 3)."""
        out = np.array(raw)
        out[:, 0] = np.where(self.pinned, self.push, raw[:, 0] - self.pull)
        if self.turn is not None:
            out[:, 1:] = np.einsum("cji,cj->ci", self.turn, raw[:, 1:])
        return out

    def openings(self, slip: Array, impulses: Array) -> Array:
        """y = u - b + E lambda in unturned rows [m/s], from slips and impulses on the bodies, (contacts, 3) each."""
        return np.asarray(slip - self.offset + self.compliance * impulses)


def changed(plain: ContactProblem, known: Array, terms: Terms) -> ContactProblem:
    """The problem of the step under the laws.

    Parameters
    ----------
    plain
        Rows of contacts come first, three each; further rows stay as they are.
    known
        What known velocities of bodies and belts add to b [m/s], shape (contacts, 3).
    """
    n = terms.count
    b, E = known + terms.offset, terms.compliance.copy()
    if terms.turn is not None:
        b[:, 1:] = np.einsum("cij,cj->ci", terms.turn, b[:, 1:])
        E[:, 1:] *= (terms.turn**2).sum(axis=2)
    b[:, 0] += E[:, 0] * terms.pull
    parts: dict[str, Any] = {
        "b_lambda": np.concatenate((b.reshape(-1), plain.b_lambda[3 * n :])),
        "cones": replace(plain.cones, friction=np.concatenate((terms.friction, plain.cones.friction[n:]))),
    }
    if terms.turn is not None:
        parts["D"] = _turned(plain.D, terms.turn)
    if terms.pull.any():
        pull = np.zeros(plain.contact_rows)
        pull[: 3 * n : 3] = terms.pull
        parts["c"] = plain.c + plain.rows.push(pull)
    if E.any():
        parts["E"] = with_diagonal(plain.E, np.arange(3 * n), plain.E.diagonal()[: 3 * n] + E.reshape(-1))
    problem = plain.changed(**parts)
    if terms.rolling is not None:
        problem = with_rolling(problem, terms.rolling)
    yielding = np.flatnonzero(terms.pinned)
    return pinned(problem, yielding, terms.push[yielding], terms.lift[yielding]) if len(yielding) else problem


def _turned(D: Csr, turn: Array) -> Csr:
    """Tangent rows multiplied by S R."""
    n, rest = len(turn), D.shape[0] - 3 * len(turn)
    blocks = np.zeros((n, 3, 3))
    blocks[:, 0, 0], blocks[:, 1:, 1:] = 1.0, turn
    T = sp.bsr_array((blocks, np.arange(n), np.arange(n + 1)), shape=(3 * n, 3 * n))
    return canonical(sp.block_diag([T, sp.eye_array(rest)], format="csr") @ D)
