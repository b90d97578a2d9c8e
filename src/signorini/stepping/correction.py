"""Position correction at the end of a step: joints closed, deep penetrations removed.

The solved velocities close joints and gaps to second order in the step. The remaining joint errors at its end are
closed by impulses where they act, at the beginning of the step:

    v <- v + H^-1 C' gamma,        h (C + C_end)/2 H^-1 C' gamma = -Psi_end,        until Psi_end = 0.

The mean of C at both ends is the derivative of Psi_end up to terms in the rotation of bodies in the step; Anderson's
method removes the rest. Joints are then closed at the end of each step, and velocities are those that lead there, as in
the SHAKE scheme: the energy of a mechanism does not drift.

Penetrations no deeper than the path of a contact bends, and `DEEP` ones, are left to the next steps, in which contacts
separate no faster than they approached. Deeper ones (initial overlaps, bodies that turned in an impact, contacts found
only at the end of the step) are removed by the displacement dq of least dq' H dq with `Psi + C dq = 0`, `Phi + D_n dq
>= floor`, without any change of velocities and without friction: it does no work except against weight and springs. The
floor is 0, or the penetration that the fastest recovery leaves. Contacts that are springs, or remember bonds and dents,
and those of flexible bodies keep their gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.assemble import Assembler
from signorini.assembly.bend import Bend
from signorini.assembly.coordinate_rows import Rows
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import poses
from signorini.kernels.linalg.anderson import Rounds, mix
from signorini.kernels.step.curve import PATIENCE, PROGRESS, SHUT_ROUNDS
from signorini.kernels.step.take_back import FARTHEST, MOST_ROUNDS
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Csr, Indices, canonical, stacked_rows
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.mass_matrix import MassMatrix
from signorini.stepping.contact_model import Detected
from signorini.stepping.detections import Detections
from signorini.stepping.least_displacement import Conditions, impulsive

DEEP = 1e-2
"""Share of the smallest margin beyond which penetrations are removed: about 1e-4 of the size of a body. Shallower ones
stay, without effect on velocities."""
SHUT = 1e-10
"""Joint errors up to this share of the size of the model count as 0."""

Advance = Callable[[Array], State]
"""From velocities to the state at the end of the step."""


@dataclass(frozen=True, eq=False)
class PositionErrors:
    """A state with its position errors."""

    state: State
    joints: Rows
    limits: Rows
    contacts: Contacts
    """Hard ones of rigid bodies."""

    @property
    def open(self) -> float:
        """Largest error of a joint [m or rad]."""
        return float(np.abs(self.joints.error).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Floors:
    """Conditions on positions."""

    identity: Indices
    """Of contacts, shape (contacts,)."""
    gap: Array
    """At least [m], shape (contacts,)."""
    travel: Array
    """What is left of the travel of limits, at least [m or rad], shape (limit rows,)."""

    def of(self, contacts: Contacts) -> Array:
        """Required gaps [m]: those of new contacts must not become deeper."""
        floor = np.minimum(contacts.gap, 0.0)
        _, here, there = np.intersect1d(contacts.identity, self.identity, return_indices=True)
        floor[here] = self.gap[there]
        return floor


@dataclass(frozen=True, eq=False)
class Way:
    """The contacts of a step and its second-order terms."""

    contacts: Contacts
    bend: Bend | None

    def bends(self, contacts: Contacts) -> Array:
        """How much the paths of contacts bent in the step, 0 where that is not known [m], shape (contacts,)."""
        out = np.zeros(contacts.count)
        if self.bend is not None and self.bend.contacts is not None:
            _, here, there = np.intersect1d(contacts.identity, self.contacts.identity, return_indices=True)
            out[here] = np.abs(self.bend.contacts.normal[there])
        return out


@dataclass(frozen=True, eq=False)
class Correction:
    """Corrects velocities and positions at the end of steps."""

    detections: Detections
    assembler: Assembler
    hard: Callable[[Contacts], NDArray[np.bool_]]
    """Which contacts of rigid bodies admit no penetration."""
    size: float
    """Of the model [m]."""
    shallow: float
    """Penetrations are reduced to this [m]."""
    deep: float
    """Those up to this are left as they are [m]."""
    recovery: float
    """Largest reduction of an overlap in one step [m]."""
    h: float
    """Step [s]."""

    def end(self, problem: ContactProblem, detected: Detected, velocity: Array, advance: Advance) -> State:
        """The state at the end of the step with these velocities."""
        stiff = detected.bend is not None and detected.bend.stiff
        state, joints = self.shut(problem.mass, problem.C, velocity, advance, stiff)
        way = Way(detected.contacts, detected.bend)
        return self.without_penetrations(self.placed(state, joints), way, lambda: problem.mass)

    def shut(
        self, mass: MassMatrix, acting: Csr, velocity: Array, advance: Advance, stiff: bool = False
    ) -> tuple[State, Rows]:
        """The end with velocities that close the joints, and the joints there; `acting` is C at the start of the step.

        In a `stiff` step only positions are corrected, and velocities stay as they are.
        """
        first, end, joints = velocity, None, None
        least, stalled, m, n = np.inf, 0, acting.shape[0], len(velocity)
        known = Rounds(np.empty(m), np.empty(n), np.empty((SHUT_ROUNDS, m)), np.empty((SHUT_ROUNDS, n)))
        for k in range(SHUT_ROUNDS):
            there = advance(velocity)
            found = self.assembler.joints_after(there, self.h)
            worst = float(np.abs(found.error).max(initial=0.0))
            stalled = 0 if worst < PROGRESS * least else stalled + 1
            if end is None or joints is None or worst < least:
                least, end, joints = worst, there, found
            if worst <= SHUT * self.size or stalled > PATIENCE:
                break
            closing = 0.5 * (acting + found.matrix)
            result, velocity = velocity + impulsive(mass, closing, acting, -found.error / self.h), np.empty(n)
            mix(known, k, found.error, result, velocity)
        assert end is not None
        assert joints is not None
        if stiff and velocity is not first:
            unshut = advance(first)
            end = replace(end, velocity=unshut.velocity, angular_velocity=unshut.angular_velocity)
        return end, joints

    def without_penetrations(self, placed: PositionErrors, way: Way, mass: Callable[[], MassMatrix]) -> State:
        """The end of the step, displaced where penetrations are deep."""
        floors = self._floors(placed, way)
        return placed.state if floors is None else self._taken_back(placed, floors, mass())

    def _floors(self, placed: PositionErrors, way: Way) -> Floors | None:
        """The conditions on positions; None where no penetration is deep."""
        gap, travel, bend = placed.contacts.gap, placed.limits.error, way.bend
        deep = gap < -self.deep
        passed = travel < -self.deep - (0.0 if bend is None else np.abs(bend.limits))
        if deep.any():
            deep &= gap < -self.deep - way.bends(placed.contacts)
        if not (deep.any() or passed.any()):
            return None
        floor, stop = (
            np.where(far, np.minimum(x + self.recovery, 0.0), np.minimum(x, 0.0))
            for far, x in ((deep, gap), (passed, travel))
        )
        return Floors(placed.contacts.identity, floor, stop)

    def _taken_back(self, placed: PositionErrors, floors: Floors, mass: MassMatrix) -> State:
        """The state without deep penetrations; that of the last round that did not open joints."""
        last, best, shut = np.inf, placed.state, max(SHUT * self.size, placed.open)
        for _ in range(MOST_ROUNDS):
            gaps, stops = floors.of(placed.contacts) - placed.contacts.gap, floors.travel - placed.limits.error
            deep = max(float(gaps.max(initial=0.0)), float(stops.max(initial=0.0)))
            worst = max(deep, placed.open)
            best = placed.state if placed.open <= shut and worst < last else best
            if (deep <= self.shallow and placed.open <= SHUT * self.size) or not worst < PROGRESS * last:
                break
            last, near = worst, np.flatnonzero(stops > -self.shallow)
            rows = (placed.joints.matrix, canonical(placed.limits.matrix[near]), self._normals(placed))
            wanted = np.concatenate((-placed.joints.error, stops[near], gaps))
            dq = Conditions(_stacked(rows), wanted, placed.joints.count).least(mass)
            placed = self.placed(self._displaced(placed.state, self._within(dq)))
        return best

    def _within(self, dq: Array) -> Array:
        """A displacement, shortened where it turns a body beyond the range of linear rows."""
        turns = dq[: 6 * len(self.assembler.masses.movable)].reshape(-1, 6)[:, 3:]
        return dq * min(1.0, FARTHEST / max(float(np.sqrt((turns * turns).sum(axis=1)).max(initial=0.0)), FARTHEST))

    def placed(self, state: State, joints: Rows | None = None) -> PositionErrors:
        """The position errors of a state."""
        joints = self.assembler.joints_after(state, self.h) if joints is None else joints
        limits = self.assembler.limits(state)
        found = self.detections.at(state, self.h)
        contacts = found.taken(np.arange(found.rigid)) if found.rigid < found.count else found
        hard = self.hard(contacts)
        return PositionErrors(state, joints, limits, contacts if hard.all() else contacts.taken(hard))

    def _normals(self, placed: PositionErrors) -> Csr:
        """Normal rows of contacts over the unknowns."""
        rows, _ = self.assembler.contact_rows(placed.state, placed.contacts, np.zeros(3 * placed.contacts.count))
        return canonical(rows.csr[::3])

    def _displaced(self, state: State, dq: Array) -> State:
        masses = self.assembler.masses
        bodies, nodes = 6 * len(masses.movable), state.node_position
        position, orientation = state.position.copy(), state.orientation.copy()
        turn = np.ascontiguousarray(dq[:bodies]).reshape(-1, 6)
        # The velocities of the displacement are discarded.
        unused = np.empty_like(position)
        poses.advance(team(len(turn)), masses.movable, turn, 1.0, position, orientation, unused, unused)
        if len(masses.free):
            nodes = nodes.copy()
            nodes[masses.free] += dq[bodies:].reshape(-1, 3)
        return replace(state, position=position, orientation=orientation, node_position=nodes)


def size_of(model: Model) -> float:
    """Extent of the smallest movable body [m], 1 without any shape."""
    radii = (s.shape.bounding_radius() for body in model.bodies if body.movable for s in body.shapes)
    return min((r for r in radii if r > 0.0), default=1.0)


def _stacked(parts: tuple[Csr, ...]) -> Csr:
    """One below the other."""
    filled = tuple(part for part in parts if part.shape[0])
    return stacked_rows(filled) if len(filled) > 1 else (filled or parts)[0]
