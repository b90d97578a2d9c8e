"""Prediction of second-order terms from the velocities before a step (see `assembly.bend`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.assemble import Assembler
from signorini.assembly.bend import Bend, ContactBend
from signorini.assembly.coordinate_rows import Rows
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies.geometric_stiffness import add_contact_loads, add_joint_loads, stiffest, turning_mobility
from signorini.kernels.bodies.momentum import turns
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.problem.products import multiply
from signorini.stepping.least_displacement import impulsive
from signorini.stepping.warm_start import Memory

SHALLOW = 1e-5
"""Penetrations up to this share of the smallest margin count as tolerance of solvers."""
REST = 1e-4
"""Share of the smallest margin, 1e-6 of the size of a ball, that contacts may penetrate at rest where no path bends."""
JUMP = 0.5
"""A contact point that moves by more than this share of its lever is a different contact."""
BENT = 5e-3
"""Gaps that bend by more than this share of the size of the model, as of bodies that turn by more than about 0.1 rad in
the step, are ignored: higher-order terms would not be small."""
ROLLS = 4.0
"""Contacts whose slip exceeds its change in half a step by this factor slide: the change is ignored. The slip of a
rolling contact at the ends of a step is that change; a wheel that stops sliding starts with twice that."""
NOISE = 1e-3
"""Bends below this share of a shallow penetration, over a step for slips, count as 0: they would amplify round-off."""


STIFF = 1.0
"""Square of frequency times step beyond which oscillations between loaded joints and contacts are ignored: a quarter of
the stability limit."""
UNSTABLE = 4.0
"""Square of frequency times step from which such swings are unstable."""
NO_CHANGE = np.zeros(0)
NO_ROWS = (np.zeros(1, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Prediction:
    """Compares rows at the beginning of a step with those where its first velocities lead."""

    detector: Detector
    assembler: Assembler
    shallow: float
    """Penetrations up to this are the tolerance of solvers [m]."""
    rest: float
    """Penetrations up to this stay where no path can bend [m]."""
    deep: float
    """Penetrations of round faces up to this are pushed out as velocity [m]."""
    closed: float
    """Contacts within this of gap 0 that change by no more in the step stay closed; 0 for none [m]."""
    bent: float
    """Gaps that bend by more than this are ignored [m]."""
    reach: Array
    """How far bodies that are not fixed reach from their centres [m], 0 where turning moves no surface, shape
    (bodies,)."""

    @cached_property
    def straight(self) -> bool:
        """Whether no path can bend: round bodies that turn about their centres, and no joints."""
        return not (self.reach.any() or any(self.assembler.layout.sizes))

    def unbent(self, contacts: Contacts, fresh: bool, tumbling: Indices) -> Bend:
        """Of a step of such bodies; `fresh`: no contact was found by sweeping."""
        kept, count = self._unbent, contacts.count
        if count > len(kept[0].normal):
            kept[0] = _none(count + count // 4, self.shallow, self.rest)
        plain = fresh and contacts.share is None
        shallow = kept[0].shallow[:count] if plain else self._shallow(contacts)
        none = ContactBend(kept[0].normal[:count], kept[0].slip[:count], shallow, self.rest)
        return Bend(NO_CHANGE, NO_CHANGE, none, tumbling=tumbling)

    @cached_property
    def _unbent(self) -> list[ContactBend]:
        """Arrays shared by steps without bends, as long as the largest number of contacts so far."""
        return [_none(0, self.shallow, self.rest)]

    def bend(
        self, start: State, end: State, contacts: Contacts, limits: NearLimits, h: float, memory: Memory | None = None
    ) -> Bend:
        """The second-order terms of a step of h from `start`, whose velocities lead to `end`."""
        velocity, rows = self.assembler.masses.velocity_of(start), self.assembler.joints(start)
        stiffest = 0.0 if memory is None else self._stiffest(start, rows, contacts, memory, h)
        if memory is not None and stiffest > STIFF:
            none = self._straight(contacts)
            loads = memory.joint_impulse if stiffest > UNSTABLE else NO_CHANGE
            return Bend(np.zeros(rows.count), np.zeros(limits.rows.count), none, stiff=True, loads=loads)
        joints = self._agreeing(rows, _bend(rows, self.assembler.joints_after(end, h), velocity, h))
        reach = _bend(limits.rows, self.assembler.limits(end), velocity, h)
        return Bend(joints, reach, self._contacts(start, end, contacts, h))

    def _agreeing(self, joints: Rows, bend: Array) -> Array:
        """The bends of joints, projected on the range of the joints where these are redundant; the difference is of
        third order."""
        if not joints.count:
            return bend
        return multiply(joints.matrix, impulsive(self.assembler.masses.matrix, joints.matrix, joints.matrix, bend))

    def _stiffest(self, state: State, joints: Rows, contacts: Contacts, memory: Memory, h: float) -> float:
        """See `kernels.bodies.geometric_stiffness`."""
        masses = self.assembler.masses
        arm, loads = np.empty((len(masses.movable), 3)), np.zeros((len(masses.movable), 3))
        held, columns, data = NO_ROWS
        if joints.count:
            C = joints.matrix
            rigid = C.indices < 6 * len(masses.movable)
            data = C.data if rigid.all() else np.where(rigid, C.data, 0.0)
            columns = C.indices if rigid.all() else np.where(rigid, C.indices, 0)
            add_joint_loads(C.indptr, columns, data, memory.joint_impulse, arm, loads)
            # Nodes of flexible bodies yield: rows on them constrain no body.
            held = C.indptr if rigid.all() else C.indptr[:1]
        if contacts.rigid and self.reach.any():
            some = contacts if contacts.rigid == contacts.count else contacts.taken(np.arange(contacts.rigid))
            sides, points = (some.body_a, some.body_b), (some.point_a, some.point_b)
            pose = (state.position, state.orientation)
            add_contact_loads(sides, points, memory.impulses_of(some), masses.place, pose, self.reach, loads)
        mobility = turning_mobility(held, columns, data, masses.mass, masses.inertia)
        return float(stiffest(loads, mobility, h))

    def moving(self, state: State, velocity: Array) -> State:
        """The state with other velocities of the movable bodies and free nodes."""
        masses, new = self.assembler.masses, state.copy()
        bodies = 6 * len(masses.movable)
        rigid = velocity[:bodies].reshape(-1, 6)
        new.velocity[masses.movable], new.angular_velocity[masses.movable] = rigid[:, :3], rigid[:, 3:]
        new.node_velocity[masses.free] = velocity[bodies:].reshape(-1, 3)
        return new

    def turns(self, start: State, change: Array, h: float) -> bool:
        """Whether paths of contacts bend by more than noise, if velocities change in the step as given, or not at all.

        Round bodies that only turn about their centres, and bodies that do not turn, move on straight paths: their
        gaps bend open or not at all.
        """
        least = NOISE * self.shallow
        return bool(turns(self.assembler.masses.place, self.reach, start.angular_velocity, change, h, least))

    def _straight(self, contacts: Contacts) -> ContactBend:
        """Without bends."""
        shape = (contacts.count, 2)
        return ContactBend(np.zeros(contacts.count), np.zeros(shape), self._shallow(contacts))

    def _contacts(self, start: State, end: State, contacts: Contacts, h: float) -> ContactBend:
        straight = self._straight(contacts)
        if not contacts.rigid:
            return straight
        normal, slip, shallow = straight.normal, straight.slip, straight.shallow
        before, here = self._slips(start, contacts), np.arange(contacts.rigid)
        way, bend = h * before[here, 0], normal[here]
        if self.turns(start, NO_CHANGE, h):
            later = self.detector.detect(end, h)
            here, there = _same(self.assembler.masses.place, start, end, contacts, later)
            way, after = later.gap[there] - contacts.gap[here], self._slips(end, later)[there]
            bend = way - h * before[here, 0]
            # Gaps that a bend opens stay open: bodies would penetrate if the true bend were smaller.
            normal[here] = np.minimum(bend, 0.0)
            slip[here] = 0.5 * (after - before[here])[:, 1:]
            slip[(slip * slip).sum(axis=1) < (NOISE * self.shallow / h) ** 2] = 0.0
            slip[(normal < -self.bent) | _slides(before, slip)] = 0.0
            normal[(normal > -NOISE * self.shallow) | (normal < -self.bent)] = 0.0
        stays = self._stays(contacts.taken(here), way)
        kept = here[stays]
        normal[kept], shallow[kept] = bend[stays], np.inf
        return ContactBend(normal, slip, shallow)

    def _stays(self, contacts: Contacts, way: Array) -> NDArray[np.bool_]:
        """Which contacts stay closed, whose gaps change by `way` [m]: their bends count either way, and all of a
        penetration is pushed out.

        Chains on a floor have more contacts than degrees of freedom: remaining gaps of tolerances and third-order terms
        can be closed by all contacts together, but not by some alone. If one were held at its penetration, others would
        have to open, and noise would decide which. Without joints contacts are held, which keeps the energy of what
        rolls: nothing shuts what else would contradict them.
        """
        near = np.maximum(np.abs(way), np.abs(contacts.gap)) < self.closed
        closed = near & ~contacts.swept
        return np.asarray(closed if contacts.share is None else closed & ~(contacts.share > 0.0))

    def _shallow(self, contacts: Contacts) -> Array:
        """See `ContactBend`."""
        granted = np.where(contacts.swept, np.inf, self.shallow)
        if contacts.share is None:
            return granted
        return np.where(contacts.share > 0.0, self.deep, granted)

    def _slips(self, state: State, contacts: Contacts) -> Array:
        """Along (normal, t1, t2) [m/s], shape (contacts, 3)."""
        rows, known = self.assembler.contact_rows(state, contacts, np.zeros(3 * contacts.count))
        return rows.slips(self.assembler.masses.velocity_of(state), known).reshape(-1, 3)


def _none(count: int, shallow: float, rest: float) -> ContactBend:
    """Of contacts whose paths do not bend."""
    return ContactBend(np.zeros(count), np.zeros((count, 2)), np.full(count, shallow), rest)


def _slides(before: Array, bend: Array) -> NDArray[np.bool_]:
    """Which contacts slide too fast to roll."""
    return np.asarray((before[:, 1:] ** 2).sum(axis=1) > ROLLS * ROLLS * (bend * bend).sum(axis=1))


def _bend(start: Rows, end: Rows, velocity: Array, h: float) -> Array:
    """Of rows that are linear in the velocities to first order [m or rad]."""
    if not start.count:
        return start.error
    return np.asarray(end.error - start.error - h * (multiply(start.matrix, velocity) + start.rate + start.known))


def _same(place: Indices, start: State, end: State, some: Contacts, others: Contacts) -> tuple[Indices, Indices]:
    """Places of the contacts of rigid bodies that are at both states and did not jump, among each.

    `place` is that of `Masses`.
    """
    one, two = some.identity[: some.rigid], others.identity[: others.rigid]
    _, here, there = np.intersect1d(one, two, assume_unique=True, return_indices=True)
    stays = np.ones(len(here), dtype=np.bool_)
    for body, first, second in (
        (some.body_a[here], some.point_a[here], others.point_a[there]),
        (some.body_b[here], some.point_b[here], others.point_b[there]),
    ):
        lever = first - start.position[body]
        way = second - end.position[body] - lever
        # Levers of bodies that do not move freely are irrelevant: floors are large.
        stays &= ((way * way).sum(axis=1) <= JUMP * JUMP * (lever * lever).sum(axis=1)) | (place[body] < 0)
    return here[stays], there[stays]
