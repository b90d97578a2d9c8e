"""Impacts without restitution, where a step to first order would get them wrong.

A contact that closes within a step closes at its end: positions are right, as the mean velocity of the step is that of
both parts of the path. The velocity is not: the approach that is left is stopped by the next step. Between the two,
bodies that pass one another turn the normal; and supports that the blow unloads leave from the beginning of the first
step, though they carried until the instant of the blow. With w the velocities before the step, k the change of velocity
that forces make in a step and theta the share of the step until then, what a step ends with is

    M v = M (w + k) + (theta + 1/2) D_l' lambda_l + D' lambda,        D_s v >= 0,

in which contacts s that struck are at a stop, in directions as they are at the instant, and lambda_l are what contacts l
that were left carried in a step without the blow. Velocities are those half a step before positions: the supports
carried for half a step more than theta. All other rows are those of the step, the reactions of what still holds
included; the forces act for 1/2 + theta before the blow and 1/2 - theta after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.assembly.bend import Bend
from signorini.assembly.displace import Displacer
from signorini.assembly.laws.lift import first_rows
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.collision.identity import SWEPT
from signorini.math.sparse import Array, Csr, Indices
from signorini.model.state import State
from signorini.problem.products import multiply
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution
from signorini.stepping.impacts.instants import Approach
from signorini.stepping.nonsmooth_alpha.contacts_ahead import moved_points, with_found
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.warm_start import Memory

TURNS = 2e-3
"""Blows are looked at where bodies pass one another, if the normal may turn by so much of the slip over the speed."""
TURNED = 1e-3
"""Normals that turn by less until the blow are what they were [rad]."""
SEEN = 1e-6
"""Least impulse of a blow and least speed of a support that leaves, as shares of the speed of the blow."""
Solve = Callable[[StepProblem], StepSolution]


@dataclass(frozen=True, eq=False)
class Blows:
    """Contacts of a step that struck in it."""

    struck: NDArray[np.bool_]
    """Shape (contacts,)."""
    left: NDArray[np.bool_]
    """Closed contacts that open in the answer, among bodies that the blows reach."""
    share: Array
    """theta of the first blow that reaches each movable body [-], shape (movable,)."""
    sideways: bool
    """Whether bodies pass one another so fast that normals may turn."""


@dataclass(frozen=True, eq=False)
class InelasticImpacts:
    """Ends a step with the velocities after its blows."""

    contact: ContactModel
    settings: StepSettings
    detector: Detector
    displacer: Displacer
    closed: float
    """Gaps up to this are closed [m]."""
    size: float
    """Of the smallest body [m]."""

    def after(
        self, start: State, memory: Memory | None, detected: Detected, answer: StepSolution, solve: Solve
    ) -> StepSolution | None:
        """The answer with the velocities after the blows of a step, whose answer gave the positions; None where that
        has them already."""
        if answer.shift is not None or not answer.solution.status.ok:
            return None
        blows = self._blows(start, detected, answer)
        if blows is None:
            return None
        earlier = (answer.solution, *answer.earlier)
        carried = np.zeros((detected.contacts.count, 3))
        if blows.left.any():
            kept = np.flatnonzero(~blows.struck)
            without = solve(self.contact.assemble(start, _taken(detected, kept), memory))
            if not without.solution.status.ok:
                return None
            earlier = (without.solution, *without.earlier, *earlier)
            carried[kept] = without.impulses
            carried[~blows.left] = 0.0
            if not carried.any() and not blows.sideways:
                return None
            blows = self._at_instants(start, detected.contacts, blows, without.solution.velocity, answer)
        there, contacts, turned = self._there(start, detected.contacts, blows)
        if not (turned or carried.any()):
            return None
        share = np.zeros(detected.contacts.count)
        self._of_contacts(contacts, blows.share, share)
        push = (0.5 + share)[:, None] * carried
        posed = self._posed(there, memory, replace(detected, contacts=contacts), blows, push)
        after = solve(posed)
        if not after.solution.status.ok:
            return None
        return replace(after, impulses=after.impulses + push, earlier=(*after.earlier, *earlier), contacts=answer.contacts)

    def _blows(self, start: State, detected: Detected, answer: StepSolution) -> Blows | None:
        contacts, count = detected.contacts, detected.contacts.count
        gap, normal = contacts.gap, answer.impulses[:, 0]
        near = normal > 0.0
        near[contacts.rigid :] = False
        near &= (contacts.identity & SWEPT) == 0
        near &= self.contact.hard(contacts)
        if contacts.share is not None:
            near &= ~(contacts.share > 0.0)
        if not near.any():
            return None
        h, problem = self.settings.h, answer.problem
        w = self.settings.velocity(start)
        rows, known = self.settings.assembler.contact_rows(start, contacts, np.zeros(3 * count))
        slip = rows.slips(w, known).reshape(-1, 3).copy()
        kick = rows.slips(problem.free_velocity - w, np.zeros(3 * count)).reshape(-1, 3)[:, 0].copy()
        bent = 0.0
        if detected.bend is not None and detected.bend.contacts is not None:
            bent = np.abs(detected.bend.contacts.normal) / h
        speed = -slip[:, 0]
        struck = near & (speed > np.abs(kick) + 4.0 * bent)
        if not struck.any():
            return None
        fastest = float(speed[struck].max())
        easy = problem.N_diagonal[problem.cones.start[:count]]
        struck &= normal * easy > SEEN * speed
        if not struck.any():
            return None
        after = rows.slips(answer.solution.velocity, known).reshape(-1, 3)[:, 0].copy()
        left = (gap <= self.closed) & (normal * easy <= SEEN * fastest) & (after > SEEN * fastest)
        left[contacts.rigid :] = False
        shares = Approach(gap, slip[:, 0], kick).shares(np.ones(count, dtype=np.bool_), h)
        share, reached = self._reached(contacts, struck, struck | left | (normal > 0.0), shares, problem.C)
        left &= self._of_contacts(contacts, reached, np.zeros(count)) > 0.0
        across = (slip[:, 1:] ** 2).sum(axis=1)
        total = np.sqrt(across + speed * speed)
        sideways = bool((struck & (across * h > TURNS * self.size * total)).any())
        return Blows(struck, left, share, sideways) if sideways or left.any() else None

    def _at_instants(
        self, start: State, contacts: Contacts, blows: Blows, velocity: Array, answer: StepSolution
    ) -> Blows:
        """With the instants on the way of a step without the blows, which ends with a velocity."""
        h, w, none = self.settings.h, self.settings.velocity(start), np.zeros(3 * contacts.count)
        rows, known = self.settings.assembler.contact_rows(start, contacts, none)
        slip = rows.slips(w, known).reshape(-1, 3)[:, 0].copy()
        kick = rows.slips(velocity - w, np.zeros(3 * contacts.count)).reshape(-1, 3)[:, 0]
        shares = Approach(contacts.gap, slip, kick).shares(np.ones(contacts.count, dtype=np.bool_), h)
        tied = blows.struck | blows.left | (answer.impulses[:, 0] > 0.0)
        return replace(blows, share=self._reached(contacts, blows.struck, tied, shares, answer.problem.C)[0])

    def _of_contacts(self, contacts: Contacts, of_body: Array, out: Array) -> Array:
        """The larger number of the two bodies of each contact."""
        place = self.settings.assembler.masses.place
        for body in (contacts.body_a, contacts.body_b):
            known = np.flatnonzero(body < len(place))
            where = place[body[known]]
            here = known[where >= 0]
            out[here] = np.maximum(out[here], of_body[where[where >= 0]])
        return out

    def _reached(
        self, contacts: Contacts, struck: NDArray[np.bool_], tied: NDArray[np.bool_], shares: Array, C: Csr
    ) -> tuple[Array, Array]:
        """theta of each movable body, and whether any blow reaches it."""
        masses = self.settings.assembler.masses
        n = len(masses.movable)
        some = np.flatnonzero(tied)
        body = [masses.place[side[some]] for side in (contacts.body_a, contacts.body_b)]
        both = (body[0] >= 0) & (body[1] >= 0)
        one, other = [body[0][both]], [body[1][both]]
        if C.shape[0]:
            owner = C.indices // 6
            row = np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
            same = (row[1:] == row[:-1]) & (owner[1:] < n) & (owner[:-1] < n)
            one.append(owner[:-1][same])
            other.append(owner[1:][same])
        i, j = np.concatenate(one), np.concatenate(other)
        graph: Any = sp.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
        count, label = sp.csgraph.connected_components(graph, directed=False)
        first = np.full(count, np.inf)
        for place, which in zip(body, (contacts.body_a, contacts.body_b), strict=True):
            moves = struck[some] & (place >= 0)
            np.minimum.at(first, label[place[moves]], shares[some][moves])
        share = first[label]
        reached = np.isfinite(share)
        return np.where(reached, share, 0.0), reached.astype(np.float64)

    def _there(self, start: State, contacts: Contacts, blows: Blows) -> tuple[State, Contacts, bool]:
        """The bodies at the instant of the blow that reaches each, and the contacts there; whether normals turned."""
        if not blows.sideways:
            return start, contacts, False
        w, h = self.settings.velocity(start), self.settings.h
        part = np.zeros_like(w)
        part[: 6 * len(blows.share)] = np.repeat(blows.share, 6)
        first = float(blows.share[blows.share > 0.0].min(initial=1.0))
        there = self.displacer.move(start, h * part * w, w, start.time + h * first)
        points = [moved_points(contacts, start, there, side)[0] for side in (0, 1)]
        moved = replace(contacts, point_a=points[0], point_b=points[1])
        found = self.detector.detect(there, h)
        struck = np.flatnonzero(blows.struck)
        ahead = with_found(moved, contacts.gap, blows.struck, found, np.inf).contacts
        turn = np.linalg.norm(ahead.normal[struck] - contacts.normal[struck], axis=1)
        if not (turn > TURNED).any():
            return start, contacts, False
        return replace(there, time=start.time, velocity=start.velocity, angular_velocity=start.angular_velocity), ahead, True

    def _posed(
        self, there: State, memory: Memory | None, detected: Detected, blows: Blows, push: Array
    ) -> StepProblem:
        """The problem of the velocities at the end of the step."""
        contacts = detected.contacts
        gap = np.where(blows.struck, 0.0, contacts.gap)
        bend = detected.bend
        if bend is not None and bend.contacts is not None:
            straight = replace(bend.contacts, normal=np.where(blows.struck, 0.0, bend.contacts.normal))
            bend = replace(bend, contacts=straight)
        posed = self.contact.assemble(there, replace(detected, contacts=replace(contacts, gap=gap), bend=bend), memory)
        problem: Any = posed.problem
        rows, _ = self.settings.assembler.contact_rows(there, contacts, np.zeros(3 * contacts.count))
        pushed = problem.changed(c=problem.c - rows.push(push.reshape(-1)))
        return replace(posed, problem=pushed)  # type: ignore[type-var]


def _taken(detected: Detected, some: Indices) -> Detected:
    """With some of the contacts."""
    bend: Bend | None = detected.bend
    if bend is not None and bend.contacts is not None:
        known = bend.contacts
        bend = replace(
            bend, contacts=replace(known, normal=known.normal[some], slip=known.slip[some], shallow=known.shallow[some])
        )
    return replace(detected, contacts=detected.contacts.taken(some), bend=bend)
