"""The contact problem of a second-order step: forces averaged over it, impulses at the level of velocities.

The letters are those of `stepping/nonsmooth_alpha/README.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.applied import Along, Applied, AppliedForces
from signorini.assembly.assemble import Assembler, contact_offsets
from signorini.assembly.coordinate_rows import Rows
from signorini.assembly.displace import Displacer
from signorini.assembly.near_limits import NearLimits
from signorini.assembly.round_faces import with_even_pressure
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import gyroscopic
from signorini.math.rotations import exponential, rotate
from signorini.math.sparse import Array, Csr, Indices, canonical, entry_rows
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.contact_rows import ContactRows
from signorini.problem.mass_matrix import MassMatrix, mass_matrix
from signorini.problem.products import add_transposed_product, multiply

SAME_ROWS = 1e-7
"""Rows that change by less [-, m] are those of bodies at rest. Large impulses would make forces of the round-off of
their velocities: a light block under a heavy one would be shaken out."""
TURN_PER_PART = 0.01
"""Of free rotation [rad]: the implicit midpoint rule is off by its square over 12."""


@dataclass(frozen=True)
class AlphaWeights:
    """Of the generalised-alpha method."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float


@dataclass(frozen=True, eq=False)
class Carried:
    """Impulses of the last step, if its motion was smooth [N s, N m s]."""

    contacts: Array
    """On the bodies, (normal, t1, t2), 0 for contacts that are new, shape (contacts, 3)."""
    joints: Array
    limits: Array
    momentum: Array
    """Momentum from all impulses [N s, N m s], shape (n,): where large ones balance, far more accurate than their
    sum."""
    smooth: bool
    """Whether these are known; else all are 0."""

    @classmethod
    def nothing(cls, contacts: int, joints: int, limits: int, unknowns: int) -> Carried:
        """Without any knowledge of the last step."""
        return cls(np.zeros((contacts, 3)), np.zeros(joints), np.zeros(limits), np.zeros(unknowns), smooth=False)

    def where(self, contacts: NDArray[np.bool_], joints: NDArray[np.bool_], limits: NDArray[np.bool_]) -> Carried:
        """Those of some contacts, rows of joints and rows of limits; 0 for others."""
        kept = [part * some for part, some in ((self.joints, joints), (self.limits, limits))]
        return replace(self, contacts=self.contacts * contacts[:, None], joints=kept[0], limits=kept[1])


@dataclass(frozen=True, eq=False)
class Here:
    """The beginning of a step."""

    state: State
    contacts: Contacts
    joints: Rows
    limits: Rows
    applied: Applied
    acceleration: Array
    """a of the method [m/s2, rad/s2], shape (n,)."""


@dataclass(frozen=True, eq=False)
class Expected:
    """The end of a step by forces and carried impulses."""

    state: State
    """With the velocities of the beginning; driven bodies where they will be."""
    velocity: Array
    """[m/s, rad/s], shape (n,)."""
    way: Array
    """Displacement [m, rad], shape (n,)."""
    H: Csr
    mass: MassMatrix
    applied: Array


@dataclass(frozen=True, eq=False)
class Ahead:
    """The end of the step as far as it can be predicted."""

    state: State
    """Everything moved with its velocity; driven bodies where they will be."""
    contacts: Contacts
    """The same contacts there."""
    rows: ContactRows
    known: Array
    """b of the contacts without gaps: what known velocities cause [m/s], shape (contact rows,)."""
    slip: Array
    """Of the contacts at the beginning [m/s], shape (contact rows,)."""
    joints: Rows
    limits: Rows
    H: Csr
    mass: MassMatrix
    """H, with an inverse that is kept from step to step where that pays."""
    applied: Array
    """Momentum that applied forces add [N s, N m s], shape (n,)."""
    other: Array
    """Momentum by free rotation, and by impulses that change their directions within the step, shape (n,)."""
    detour: Array
    """Free rotation less the mean of the expected velocities at both ends, over the step [m, rad], shape (n,)."""


class AlphaAssembler(Assembler):
    """Turns states into the contact problems of second-order steps."""

    def __init__(self, model: Model, weights: AlphaWeights) -> None:
        super().__init__(model)
        self.weights = weights
        self.forces = AppliedForces(model, self.masses, self.flexible)
        self.displacer = Displacer.of(model, self.masses)

    def joint_rows(self, state: State) -> Rows:
        """All joints at a state."""
        return self._joints.at(state)

    def limit_rows(self, state: State) -> Rows:
        """All limits at a state."""
        return self._limits.at(state)

    def slip_rows(self, state: State, contacts: Contacts) -> tuple[ContactRows, Array]:
        """Rows of contacts at a state, and what known velocities take from b."""
        rows, b = self.contact_rows(state, contacts, np.zeros(3 * contacts.count))
        return rows, b

    def rate(self, force: Array) -> Array:
        """M^-1 force."""
        return self.masses.matrix.solve(force)

    def expect(self, here: Here, carried: Carried, end: float, h: float) -> Expected:
        """Where the step leads if impulses are those that were carried; `end` is its time [s]."""
        masses, v = self.masses, self.masses.velocity_of(here.state)
        straight = self.displacer.move(here.state, h * v, v, end)
        H, applied = self._applied(here, straight, v + self.rate(h * here.applied.force + carried.momentum), h)
        mass = self._mass(H)
        mass = mass if isinstance(mass, MassMatrix) else mass_matrix(mass)
        change = mass.solve(applied + carried.momentum)
        turned, turn = self._rotation(v, multiply(masses.H, change), h)
        way = h * v + 0.5 * h * change if carried.smooth else h * v
        spin = self._spins()
        way[spin], change[spin] = turn, turned - v[spin]
        return Expected(self.displacer.move(here.state, way, v, end), v + change, way, H, mass, applied)

    def predict(self, here: Here, expected: Expected, contacts: Contacts, carried: Carried, h: float) -> Ahead:
        """All parts of the problem of the step, with the contacts as they are at the end."""
        masses, state, v = self.masses, expected.state, self.masses.velocity_of(here.state)
        old, slip = self.slip_rows(here.state, here.contacts)
        joints, limits = self.joint_rows(state), self.limit_rows(state)
        rows, known = self.slip_rows(state, contacts)
        turned, slides = self._turned_friction(rows, known, expected.velocity, carried, contacts.friction)
        some = (turns(old, rows) | slides, turns_of(here.joints, joints), turns_of(here.limits, limits))
        began = self._reactions(old, here.joints, here.limits, carried.where(*some))
        ends = self._reactions(rows, joints, limits, turned.where(*some))
        other, detour, spin = 0.5 * (began - ends), np.zeros_like(ends), self._spins()
        if len(spin):
            way = expected.way
            mean = carried.momentum + 0.5 * (self._turned_by(way, ends) - began)
            push = multiply(masses.H, expected.mass.solve(expected.applied + mean))
            spun, turn = self._rotation(v, push, h)
            change = np.zeros_like(v)
            change[spin] = spun - v[spin]
            at_the_end = self._turned_by(-way, carried.momentum - began) + ends
            other[spin] = (multiply(masses.H, change) - expected.applied - at_the_end)[spin]
            detour[spin] = turn - 0.5 * h * (v[spin] + spun)
        return Ahead(
            state, contacts, rows, known, old.slips(v, slip), joints, limits, expected.H, expected.mass,
            expected.applied, other, detour,
        )  # fmt: skip

    def problem(
        self, ahead: Ahead, velocity: Array, gap: Array, limits: NearLimits, h: float, recovery: float
    ) -> ContactProblem:
        """From these velocities, with these gaps [m] in the normal rows of contacts."""
        contacts, joints = replace(ahead.contacts, gap=gap), ahead.joints
        b = ahead.known + contact_offsets(contacts, h, recovery)
        push = multiply(ahead.H, velocity) + ahead.applied + ahead.other
        stops = limits.offsets(h, recovery) if limits.count else b[:0]
        D, b_lambda, cones = self.unilateral(ahead.rows, b, ahead.state, contacts, limits, stops, h)
        name = f"t = {ahead.state.time - h:.6g} s"
        problem = ContactProblem(
            ahead.mass, -push, joints.matrix, -joints.rate - joints.known, D, b_lambda, cones, name=name
        )
        return with_even_pressure(problem, contacts, self.masses)

    def _reactions(self, rows: ContactRows, joints: Rows, limits: Rows, carried: Carried) -> Array:
        """Momentum that impulses of contacts, joints and limits give [N s, N m s], shape (n,)."""
        out = np.zeros(self.masses.velocities)
        if carried.contacts.any():
            out += rows.push(carried.contacts.reshape(-1))
        for part, impulse in ((joints, carried.joints), (limits, carried.limits)):
            if impulse.any():
                add_transposed_product(part.matrix, impulse, out)
        return out

    def _spins(self) -> Indices:
        """Columns of the angular velocities of bodies with gyroscopic torque."""
        return np.asarray((6 * self.masses.wobbling[:, None] + np.arange(3, 6)).reshape(-1))

    def _rotation(self, v: Array, push: Array, h: float) -> tuple[Array, Array]:
        """New angular velocities, and rotation vectors, of the bodies with gyroscopic torque, shape (spins,) each.

        Torque stays in space while the body turns: a fast top is as exact as a slow one.
        """
        masses, bodies = self.masses, 6 * len(self.masses.movable)
        spin, torque = (x[:bodies].reshape(-1, 6)[:, 3:].copy() for x in (v, push))
        turn = np.zeros_like(spin)
        gyroscopic.turn_with_torque(masses.wobbling, masses.inertia, h, TURN_PER_PART, torque, spin, turn)
        return spin[masses.wobbling].reshape(-1), turn[masses.wobbling].reshape(-1)

    def _turned_by(self, way: Array, momentum: Array) -> Array:
        """Momentum, whose torques are in the axes of bodies that turned by `way`, in those that they had before."""
        bodies = 6 * len(self.masses.movable)
        out, turn = momentum.copy(), way[:bodies].reshape(-1, 6)[:, 3:]
        torque = out[:bodies].reshape(-1, 6)[:, 3:]
        torque[:] = rotate(exponential(turn), torque)
        return out

    def _turned_friction(
        self, rows: ContactRows, known: Array, velocity: Array, carried: Carried, friction: Array
    ) -> tuple[Carried, NDArray[np.bool_]]:
        """The carried impulses with friction against the slip that is expected at the end, where contacts slide."""
        impulse = carried.contacts
        if not impulse.any():
            return carried, np.zeros(len(impulse), dtype=np.bool_)
        slip = rows.slips(velocity, known).reshape(-1, 3)[:, 1:]
        speed, size = np.linalg.norm(slip, axis=1), np.linalg.norm(impulse[:, 1:], axis=1)
        along = -(slip * impulse[:, 1:]).sum(axis=1)
        slides = (size >= (1 - 1e-6) * friction * impulse[:, 0]) & (along > 0.5 * speed * size)
        slides &= speed > 0.0
        if not slides.any():
            return carried, slides
        turned = impulse.copy()
        turned[slides, 1:] = -slip[slides] * (size[slides] / speed[slides])[:, None]
        return replace(carried, contacts=turned), slides

    def _applied(self, here: Here, ahead: State, expected: Array, h: float) -> tuple[Csr, Array]:
        """H, and the momentum that applied forces add, by one linearised step of generalised-alpha."""
        w, masses, a = self.weights, self.masses, here.acceleration
        later = self.forces.at(ahead, self._with_velocity(ahead, expected) if self.model.forces else None)
        Ma, old = multiply(masses.H, a), h * (1.0 - w.gamma) * a
        force = (1.0 - w.alpha_f) * later.force + w.alpha_f * here.applied.force - w.alpha_m * Ma
        H = masses.H
        if self.forces.stiff:
            share = (1.0 - w.alpha_f) / (1.0 - w.alpha_m)
            of = Along(share * h * h * w.beta, share * h * w.gamma)
            more, resisted = self.forces.resistance(ahead, later, of, Along((h * h * (0.5 - w.beta)) * a, old))
            H = canonical(H + more)
            force -= (1.0 - w.alpha_f) * resisted
        return H, multiply(H, old) + (h * w.gamma / (1.0 - w.alpha_m)) * force

    def _with_velocity(self, state: State, velocity: Array) -> State:
        movable = self.masses.movable
        v, w = state.velocity.copy(), state.angular_velocity.copy()
        new = velocity[: 6 * len(movable)].reshape(-1, 6)
        v[movable], w[movable] = new[:, :3], new[:, 3:]
        return replace(state, velocity=v, angular_velocity=w)


def turns(one: ContactRows, two: ContactRows) -> NDArray[np.bool_]:
    """Which contacts have other rows than before, round-off apart."""
    if one.rigid is not None and two.rigid is not None:
        return np.asarray(np.abs(one.rigid.entries - two.rigid.entries).max(axis=1, initial=0.0) > SAME_ROWS)
    change = abs(two.csr - one.csr).max(axis=1).toarray().reshape(-1, 3)
    return np.asarray(change.max(axis=1, initial=0.0) > SAME_ROWS)


def turns_of(one: Rows, two: Rows) -> NDArray[np.bool_]:
    """Which rows of joints or limits are other than before, round-off apart."""
    if not all(np.array_equal(getattr(one.matrix, part), getattr(two.matrix, part)) for part in ("indices", "indptr")):
        # Joints of other kinds have entries now that were 0 before.
        return np.asarray(abs(two.matrix - one.matrix).max(axis=1).toarray().reshape(-1) > SAME_ROWS)
    change = np.abs(two.matrix.data - one.matrix.data)
    row = entry_rows(one.matrix)
    out = np.zeros(one.count, dtype=np.bool_)
    out[row[change > SAME_ROWS]] = True
    return out
