"""Positions that meet joints, limits and contacts: the least correction in the metric of the masses.

    minimise 1/2 U'M U    subject to    Psi + C U = 0,    Phi + D_n U >= 0

It moves bodies and nodes without changing velocities: no drift, and no energy gain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.alpha_problem import AlphaAssembler
from signorini.assembly.displace import Displacer
from signorini.math.rotations import conjugate, logarithm, multiply
from signorini.math.sparse import Array, Csr, canonical, stacked_rows
from signorini.model.state import State
from signorini.problem.contact_rows import ContactRows
from signorini.solvers.saddle.direct import Direct
from signorini.stepping.least_displacement import Conditions

MOST_ROUNDS = 4
"""Joints are curved: each round closes what the last one left."""
COMPLIANCE = 1e-9
"""Of contacts and limits, which may depend on one another, in one round: what it leaves of an overlap, as a share."""
NEARBY = 10.0
"""Contacts take part that are within this many times the deepest overlap."""


@dataclass(frozen=True, eq=False)
class Touching:
    """Contacts at a state."""

    state: State
    rows: ContactRows
    gap: Array
    """[m], shape (contacts,)."""
    rigid: NDArray[np.bool_]
    """Those that do not yield, shape (contacts,)."""


class PositionCorrection:
    """Corrects the positions at the end of steps."""

    def __init__(self, assembler: AlphaAssembler, displacer: Displacer, tolerance: float, fastest: float) -> None:
        """`tolerance` [m, rad] is what may stay; overlaps are removed at no more than `fastest` [m/s]."""
        self._assembler, self._displacer = assembler, displacer
        self.tolerance, self._fastest = tolerance, fastest
        self._session = Direct().session()

    def apply(
        self, state: State, known: Touching, again: Callable[[State], Touching] | None, h: float
    ) -> tuple[State, float]:
        """The corrected state, and the error left in joints [m, rad].

        Parameters
        ----------
        known
            Contacts near the state.
        again
            Detects contacts again; None where the known ones are near enough for their gaps to change evenly.
        """
        state, _ = self._apart(state, known, h)
        for _ in range(0 if again is None else MOST_ROUNDS):
            assert again is not None
            state, left = self._apart(state, again(state), h)
            if left == 0.0:
                break
        return self.closed(state)

    def closed(self, state: State) -> tuple[State, float]:
        """The nearest state with closed joints, and the error that is left in them [m, rad]."""
        error = 0.0
        for _ in range(MOST_ROUNDS):
            joints = self._assembler.joint_rows(state)
            error = float(np.abs(joints.error).max(initial=0.0))
            if error <= self.tolerance:
                break
            U = self._closing(joints.matrix, joints.error)
            if U is None:
                break
            state = self._moved(state, U)
        return state, error

    def _apart(self, state: State, known: Touching, h: float) -> tuple[State, float]:
        """Out of contacts and limits that overlap, and by how much they did."""
        limits, rigid = self._assembler.limit_rows(state), known.rigid
        way = self._between(known.state, state)
        gaps = known.gap + known.rows.slips(way, np.zeros(known.rows.shape[0]))[::3]
        deepest = -min(float(gaps[rigid].min(initial=0.0)), float(limits.error.min(initial=0.0)))
        if deepest <= self.tolerance:
            return state, 0.0
        reach = NEARBY * deepest
        near, tight = np.flatnonzero(rigid & (gaps < reach)), np.flatnonzero(limits.error < reach)
        b = np.minimum(-np.concatenate((gaps[near], limits.error[tight])), self._fastest * h)
        joints = self._assembler.joint_rows(state)
        rows = (joints.matrix, canonical(known.rows.csr[3 * near]), canonical(limits.matrix[tight]))
        wanted = Conditions(stacked_rows(rows), np.concatenate((-joints.error, b)), joints.count)
        return self._moved(state, wanted.least(self._assembler.masses.matrix, COMPLIANCE)), deepest

    def _closing(self, C: Csr, error: Array) -> Array | None:
        """The least U with C U = -error; None where it cannot be found."""
        masses = self._assembler.masses
        if self._session.factor(masses.H, C):
            return None
        answer = self._session.solve(np.zeros(masses.velocities), -error)
        return answer.x if answer.ok else None

    def _moved(self, state: State, U: Array) -> State:
        return self._displacer.move(state, U, self._displacer.velocities(state), state.time)

    def _between(self, one: State, two: State) -> Array:
        """The displacement from one state to another, shape (n,)."""
        movable, free = self._displacer.movable, self._displacer.free
        turn = logarithm(multiply(conjugate(one.orientation[movable]), two.orientation[movable]))
        bodies = np.hstack((two.position[movable] - one.position[movable], turn)).reshape(-1)
        return np.concatenate((bodies, (two.node_position[free] - one.node_position[free]).reshape(-1)))
