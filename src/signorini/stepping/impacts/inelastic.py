"""Impacts without restitution, where a step to first order would get them wrong.

A contact that closes within a step closes at its end: the mean velocity of the step is that of both parts of the path,
and positions are right. The velocity at the end is not: what is left of the approach is stopped by the next step. Until
then bodies that pass one another turn the normal; and supports that the blow unloads are left from the beginning of the
step, though they carried until the instant of the blow. With w the velocities before the step, k the change by its
forces and theta the share of the step until the blow, the velocity at the end is that of

    M v = M (w + k) + (1/2 + theta) D_l' lambda_l + D' lambda,        D_s v >= 0:

contacts s that struck are at a stop, along their normals at that instant; supports l that were left push as they would
have pushed in a step without the blow, lambda_l, until then. Where there are such, contacts s have the levers of that
instant too: they decide what is left of the spin that bodies had about the supports. Velocities are half a step behind
positions: so are the impulses that make them, hence the 1/2. What else holds, or takes over, finds its impulses in the
solve, which makes it exact for bodies that turn about one support before the blow and about another one after it. What
stops at once and keeps its normals and supports is the same in two steps, and nothing is solved again.

At most two problems are solved beyond that of the step: one without the blow, where supports are left, and this one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.bend import Bend
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies import blows
from signorini.kernels.bodies.blows import BlowRules, Touch
from signorini.math.sparse import Array, Csr, Indices
from signorini.model.body import Body
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.state import State
from signorini.problem.solution import Guess, Status
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution
from signorini.stepping.new_contacts import NewContacts
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.warm_start import Memory

USABLE = (Status.SOLVED, Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.STOPPED)
"""Answers, if less exact than asked for, that lead to those after blows: methods of first order may end by no other."""
Solve = Callable[[StepProblem], StepSolution]
"""The answer of a posed step."""


@dataclass(frozen=True, eq=False)
class Blows:
    """Contacts of rigid bodies in a step with blows."""

    touch: Touch
    state: tuple[Array, Array, Array, Array]
    """Poses and velocities at the beginning of the step."""
    struck: NDArray[np.bool_]
    left: NDArray[np.bool_]
    """Supports that may have been left."""
    sideways: bool
    """Whether bodies pass one another so fast that normals may turn."""


@dataclass(frozen=True, eq=False)
class InelasticImpacts:
    """Ends a step with the velocities after its blows."""

    contact: ContactModel
    settings: StepSettings
    detector: Detector
    new_contacts: NewContacts
    rules: BlowRules

    def after(
        self, start: State, memory: Memory | None, detected: Detected, answer: StepSolution, solve: Solve
    ) -> StepSolution | None:
        """A step's answer with the velocities after its blows; None where it has them already."""
        found = self._blows(start, detected, answer)
        if found is None:
            return None
        touch, count, masses = found.touch, len(found.struck), self.settings.assembler.masses
        carried, earlier, after = np.zeros((count, 3)), (answer.solution, *answer.earlier), answer
        if found.left.any():
            others = np.setdiff1d(np.arange(detected.contacts.count), np.flatnonzero(found.struck))
            after = solve(self.contact.assemble(start, _taken(detected, others), memory))
            earlier = (after.solution, *after.earlier, *earlier)
            if after.solution.status not in USABLE:
                return None
            carried[others[others < count]] = after.impulses[others < count]
        share = self._shares(found, answer, self._moving(start, after.solution.velocity) if found.left.any() else None)
        push, place = np.zeros((count, 3)), masses.place
        pushes = blows.put_push(place, touch, found.left, share, carried, _normal(answer, count), push)
        looks = found.sideways or pushes
        contacts = self._turned(start, detected.contacts, found, share, pushes) if looks else None
        if contacts is None and not pushes:
            return None
        posed = self._posed(start, memory, detected, contacts or detected.contacts, found, push, answer)
        after = solve(posed)
        if after.solution.status not in USABLE:
            return None
        impulses = after.impulses.copy()
        impulses[:count] += push
        return replace(after, impulses=impulses, earlier=(*after.earlier, *earlier), contacts=answer.contacts)

    def _blows(self, start: State, detected: Detected, answer: StepSolution) -> Blows | None:
        """The contacts that struck in a step; None where no more is to be done."""
        contacts, count = detected.contacts, detected.contacts.rigid
        if answer.shift is not None or answer.solution.status not in USABLE:
            return None
        normal = _normal(answer, count)
        if not 0 < np.count_nonzero(normal > 0.0) <= blows.MOST:
            return None
        bent = None if detected.bend is None else detected.bend.contacts
        bend = np.zeros(count) if bent is None else bent.normal
        able = (self.contact.hard(contacts) & ~contacts.swept)[:count]
        if contacts.share is not None:
            able &= ~(contacts.share[:count] > 0.0)
        masses, h = self.settings.assembler.masses, self.settings.h
        touch, state = touching(contacts), start.rigid
        struck, left = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        gravity = np.asarray(self.settings.assembler.model.gravity, dtype=np.float64)
        fastest, sideways = blows.mark(
            masses.place, gravity, touch, bend[:count], state, self._moving(start, answer.solution.velocity),
            normal, able, h, self.rules, struck, left,
        )  # fmt: skip
        if fastest == 0.0 or not (sideways or left.any()):
            return None
        return Blows(touch, state, struck, left, bool(sideways))

    def _moving(self, start: State, velocity: Array) -> tuple[Array, Array, Array, Array]:
        return self.new_contacts.moving(start, velocity).rigid

    def _shares(self, found: Blows, answer: StepSolution, without: tuple[Array, ...] | None) -> Array:
        """Share of the step until the first blow that reaches each movable body, inf where none does."""
        masses, count = self.settings.assembler.masses, len(found.struck)
        shares, out = np.empty(count), np.empty(len(masses.movable))
        blows.put_shares(found.touch, found.struck, found.state, without or found.state, self.settings.h, shares)
        tied = found.struck | found.left | (answer.impulses[:count, 0] > 0.0)
        blows.reach(masses.place, found.touch, tied, shares, *_links(answer.problem.C, len(out)), out)
        return out

    def _turned(self, start: State, contacts: Contacts, found: Blows, share: Array, levers: bool) -> Contacts | None:
        """The contacts with the normals of the instants of the blows, and with the levers there if asked for; None
        where these are what they were."""
        h, place = self.settings.h, self.settings.assembler.masses.place
        there = start.copy()
        blows.put_instants(place, share, h, found.state, there.rigid)
        seen = self.detector.detect(there, h)
        turned = replace(
            contacts, point_a=contacts.point_a.copy(), point_b=contacts.point_b.copy(), normal=contacts.normal.copy()
        )
        any_turned = blows.turn_contacts(
            place, found.touch, contacts.identity, found.struck, share, levers, touching(seen),
            seen.identity[: seen.rigid], found.state, there.rigid, touching(turned),
        )  # fmt: skip
        return turned if any_turned else None

    def _posed(
        self,
        start: State,
        memory: Memory | None,
        detected: Detected,
        contacts: Contacts,
        found: Blows,
        push: Array,
        answer: StepSolution,
    ) -> StepProblem:
        """The problem of the velocities at the end of the step."""
        struck, bend = np.flatnonzero(found.struck), detected.bend
        gap, masses = contacts.gap.copy(), self.settings.assembler.masses
        gap[struck] = 0.0
        if bend is not None and bend.contacts is not None:
            normal, slip = bend.contacts.normal.copy(), bend.contacts.slip.copy()
            normal[struck], slip[struck] = 0.0, 0.0
            bend = replace(bend, contacts=replace(bend.contacts, normal=normal, slip=slip))
        stopped = replace(detected, contacts=replace(contacts, gap=gap), bend=bend)
        posed: Any = self.contact.assemble(start, stopped, memory)
        momentum = np.zeros(len(posed.problem.c))
        blows.add_push(masses.place, found.touch, found.state, push, momentum)
        old = answer.solution
        guess = Guess(contact_impulse=np.asarray(old.contact_impulse), joint_impulse=old.joint_impulse)
        problem = posed.problem.changed(c=posed.problem.c - momentum)
        return replace(posed, problem=problem, guess=guess)  # type: ignore[no-any-return]


def blow_rules(model: Model, rest: float = 0.0, closed: float = 0.0, size: float = 0.0) -> BlowRules:
    """Of the steps of a model; see `BlowRules`."""

    def is_flat(body: Body) -> bool:
        fixed = not body.movable and body.motion is None and bool(body.shapes)
        return fixed and all(isinstance(part.shape, HalfSpace) for part in body.shapes)

    return BlowRules(rest, closed, size, model.bodies.each(is_flat, bool))


def touching(contacts: Contacts) -> Touch:
    """Those of rigid bodies, as the kernels want them."""
    c, n = contacts, contacts.rigid
    return Touch((c.body_a[:n], c.body_b[:n]), (c.point_a[:n], c.point_b[:n]), c.normal[:n], c.gap[:n])


def _normal(answer: StepSolution, count: int) -> Array:
    return np.ascontiguousarray(answer.impulses[:count, 0])


def _taken(detected: Detected, some: Indices) -> Detected:
    """With some of the contacts."""
    bend: Bend | None = detected.bend
    if bend is not None and bend.contacts is not None:
        old = bend.contacts
        new = replace(old, normal=old.normal[some], slip=old.slip[some], shallow=old.shallow[some])
        bend = replace(bend, contacts=new)
    return replace(detected, contacts=detected.contacts.taken(some), bend=bend)


def _links(C: Csr, bodies: int) -> tuple[Indices, Indices]:
    """Places of movable bodies that joints tie together, in pairs."""
    body, row = C.indices // 6, np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    pairs = (row[1:] == row[:-1]) & (body[1:] < bodies) & (body[:-1] < bodies)
    return body[:-1][pairs].astype(np.int64), body[1:][pairs].astype(np.int64)
