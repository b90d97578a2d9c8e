"""One time step as a `ContactProblem`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.assembly.coordinate_rows import CoordinateRows
from signorini.assembly.flexible import FlexibleTerms
from signorini.assembly.flexible_rows import flexible_rows
from signorini.assembly.masses import Masses
from signorini.assembly.near_limits import NearLimits
from signorini.assembly.rolling import rolling_terms
from signorini.assembly.stiff_forces import stiff_terms
from signorini.collision.contacts import Contacts
from signorini.kernels import contact_jacobian, gyroscopic, momentum
from signorini.math.pool import Pool
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical, stacked_rows
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.bodies import Bodies
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.inverse import SMALL
from signorini.solvers.linear.inverse import SharedFactors, SparseInverse


def assemble(
    model: Model, state: State, contacts: Contacts, step: float, max_recovery_speed: float = math.inf
) -> ContactProblem:
    """The problem of one step of `step` [s] over the movable bodies; see `Assembler.assemble`."""
    return Assembler(model).assemble(state, contacts, step, max_recovery_speed)


@dataclass(frozen=True, eq=False)
class ContactRows:
    """The rows of contacts over the unknown velocities."""

    matrix: Csr
    """D, shape (3 contacts, velocities)."""
    slip: Array
    """Due to bodies of known velocity [m/s], 3 per contact."""
    pairs: Indices | None
    """Places of the two movable bodies of each contact, see `Bodies`; None where flexible bodies take part, or where
    two bodies meet that cannot move."""


class Assembler:
    """Turns states and contacts of one model into contact problems; what never changes is made once.

    The letters are those of `ContactProblem`: unknowns are the new velocities of the movable bodies, 6 each (linear in
    the world, angular in the body frame), `H = diag(m I3, I)` and `c = -(M v_old + h f)`. Gyroscopic torque enters as
    the velocity that a freely turning body would have at the end of the step, by the implicit midpoint rule, which
    keeps energy and the magnitude of angular momentum of a free body exactly: a fast top gains nothing.

    Rows of a contact (normal, t1, t2) are the velocity of a against b at the contact points,
    `u = v_a + R_a (w_a x r_a) - v_b - R_b (w_b x r_b)`. Velocities of fixed and kinematic bodies are known and go to
    the right-hand side: `b_lambda = -Phi/h - (their part of u)`.
    """

    model: Model
    masses: Masses
    flexible: FlexibleTerms | None
    """None without flexible bodies: then H never changes."""
    layout: Layout
    """Whose the rows of joints, limits and friction are."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.masses = Masses.of(model)
        self.flexible = FlexibleTerms(model, self.masses) if model.flexibles else None
        self._gravity = np.asarray(model.gravity, dtype=np.float64)
        self._factors = SharedFactors()
        self.layout = Layout.of(model, model.initial_state())
        self._joints = CoordinateRows(model.joints, self.layout.joints, self.masses)
        self._limits = CoordinateRows(model.limits, self.layout.limits, self.masses)
        self._frictions = CoordinateRows(model.dry_frictions, self.layout.frictions, self.masses)
        self._first = 6 * np.arange(len(self.masses.movable) + 1)
        self._pool = Pool()

    def assemble(
        self,
        state: State,
        contacts: Contacts,
        step: float,
        max_recovery_speed: float = math.inf,
        limits: NearLimits | None = None,
        pressed: Array | None = None,
    ) -> ContactProblem:
        """The problem of the step from `state` to `state.time + step`.

        Parameters
        ----------
        max_recovery_speed
            Penetrating bodies are pushed apart at this speed at most [m/s].
        limits
            The limits of joints that are looked at; None takes those within reach.
        pressed
            Normal impulses of the contacts in the last step [N s], shape (contacts,), where they are known; round
            bodies that touch faces of flexible ones roll the more stably (see `assembly.rolling`).
        """
        model, layout = self.model, self.layout
        parts = (len(model.bodies), len(model.joints), len(model.limits), len(model.dry_frictions))
        known = (len(self.masses.place), len(layout.joints), len(layout.limits), len(layout.frictions))
        if parts != known or 6 * len(state.position) + 3 * len(state.node_position) != len(self.masses.column):
            raise ModelError("bodies or joints were added after the simulation was made; make a new Simulation(model)")
        joints = self._joints.at(state)
        limits = self.near_limits(state, step) if limits is None else limits
        rows = self.contact_rows(state, contacts)
        D, b_lambda, cones = self.unilateral(rows, state, contacts, limits, step, max_recovery_speed)
        H, push = self.inertia(state, step)
        if pressed is not None and self.flexible is not None:
            H, push = self._with_rolling(H, push, rolling_terms(state, contacts, pressed, self.masses, step))
        # Numbers of bodies and contacts have been looked at; those of components come from many hands.
        many_hands = sum(parts[1:]) or model.stiff_forces or self.flexible is not None
        make = ContactProblem if many_hands else ContactProblem.vouched
        problem = make(
            H=H,
            c=-push,
            C=joints.matrix,
            b_gamma=-joints.error / step - joints.rate - joints.known,
            D=D,
            b_lambda=b_lambda,
            cones=cones,
            name=f"t = {state.time:.6g} s",
        )
        # Cached properties of the problem: H never changes, so neither does its inverse; who touches whom is known.
        if H is self.masses.H:
            vars(problem)["inverse"] = self.masses.inverse
            if cones.count == contacts.count and self.flexible is None:
                vars(problem)["bodies"] = None if rows.pairs is None else Bodies(self._first, rows.pairs, True)
        elif problem.velocities > SMALL:
            vars(problem)["inverse"] = SparseInverse(problem.H, self._factors)
        return problem

    def near_limits(self, state: State, step: float) -> NearLimits:
        """The limits of joints that a step may reach."""
        if not self.layout.limits:
            return NearLimits(self._limits.at(state), np.zeros(0, dtype=np.bool_))
        masses, faster = self.masses, step * self._gravity
        of_bodies = np.tile(np.concatenate((faster, np.zeros(3))), len(masses.movable))
        fall = np.concatenate((of_bodies, np.tile(faster, len(masses.free))))
        return NearLimits.of(self._limits.at(state), masses.velocity_of(state), fall, step)

    def unilateral(
        self,
        rows: ContactRows,
        state: State,
        contacts: Contacts,
        limits: NearLimits,
        step: float,
        max_recovery_speed: float,
    ) -> tuple[Csr, Array, Cones]:
        """D, b_lambda and the cones: contacts, then limits of joints, then dry friction in joints."""
        D, b_lambda = rows.matrix, contact_offsets(contacts, step, max_recovery_speed) - rows.slip
        cones = Cones.vouched(contacts.friction)
        if limits.count:
            D = stacked_rows((D, limits.matrix))
            b_lambda = np.concatenate((b_lambda, limits.offsets(step, max_recovery_speed)))
            cones = Cones.join(cones, Cones.half_lines(limits.count))
        if self.layout.frictions:
            brakes = self._frictions.at(state)
            D = stacked_rows((D, brakes.matrix))
            b_lambda = np.concatenate((b_lambda, -brakes.rate - brakes.known))
            cones = Cones.join(cones, Cones.intervals(-step * brakes.limit, step * brakes.limit))
        return D, b_lambda, cones

    def inertia(self, state: State, step: float) -> tuple[Csr, Array]:
        """H and the momentum -c."""
        H, momentum = self.masses.H, self.momentum(state, step).reshape(-1)
        if self.flexible is not None:
            H, of_nodes = self.flexible.system(state, step)
            momentum = np.concatenate((momentum, of_nodes))
        if self.model.stiff_forces:
            stiff, push = stiff_terms(self.model.stiff_forces, self.masses, state, step)
            H, momentum = canonical(H + stiff), momentum + push
        return H, momentum

    def _with_rolling(self, H: Csr, momentum: Array, terms: tuple[Csr, Array] | None) -> tuple[Csr, Array]:
        return (H, momentum) if terms is None else (canonical(H + terms[0]), momentum + terms[1])

    def momentum(self, state: State, step: float) -> Array:
        """`M v_old + h f`, gyroscopic torque included; shape (movable, 6)."""
        masses, movable = self.masses, self.masses.movable
        spin, out = state.angular_velocity[movable], np.empty((len(movable), 6))
        if len(masses.wobbling):
            gyroscopic.rotate_freely(masses.wobbling, masses.inertia, step, spin)
        momentum.momenta(movable, masses.mass, masses.inertia, state.velocity, spin, step * self._gravity, out)
        if self.model.forces:
            force, torque = self.applied(state)
            out[:, :3] += step * force[movable]
            out[:, 3:] += step * rotate(conjugate(state.orientation[movable]), torque[movable])
        return out

    def applied(self, state: State) -> tuple[Array, Array]:
        """Sum of the user's forces [N] and torques [N m] on all bodies, world, without gravity."""
        force, torque = np.zeros_like(state.position), np.zeros_like(state.position)
        if not self.model.forces:
            return force, torque
        for item in self.model.forces:
            item.add(state, force, torque)
        wrong = np.flatnonzero(~np.isfinite(force + torque).all(axis=1))
        if len(wrong):
            name = self.model.bodies[int(wrong[0])].name
            raise ModelError(f"the forces on body {name!r} are not finite at t = {state.time} s; check its add_force")
        return force, torque

    def contact_rows(self, state: State, contacts: Contacts) -> ContactRows:
        """D and what belongs to it."""
        if contacts.rigid == contacts.count:
            return self._rigid_rows(state, contacts)
        rigid = self._rigid_rows(state, contacts.taken(np.arange(contacts.rigid)))
        flexible, more = flexible_rows(state, contacts, self.masses)
        return ContactRows(stacked_rows((rigid.matrix, flexible)), np.concatenate((rigid.slip, more)), None)

    def _rigid_rows(self, state: State, contacts: Contacts) -> ContactRows:
        place, count = self.masses.place, contacts.count
        indptr, pairs = np.empty(3 * count + 1, dtype=np.int32), np.empty((count, 2), dtype=np.int64)
        all_movable = contact_jacobian.pattern(contacts.body_a, contacts.body_b, place, indptr, pairs)
        sixes = (int(indptr[-1]) // 6, 6)
        columns, data, slip = self._pool.empty(sixes, np.int32), self._pool.empty(sixes), np.empty((count, 3))
        contact_jacobian.fill(
            (contacts.body_a, contacts.body_b), (contacts.point_a, contacts.point_b), contacts.normal, place,
            state.position, state.orientation, (state.velocity, state.angular_velocity), columns, data, slip,
        )  # fmt: skip
        D = assembled(data.reshape(-1), columns.reshape(-1), indptr, (3 * count, self.masses.velocities))
        return ContactRows(D, slip.reshape(-1), pairs if all_movable else None)


def contact_offsets(contacts: Contacts, step: float, max_recovery_speed: float) -> Array:
    """`-Phi/h` in normal rows, no more than `max_recovery_speed`, 0 in tangent rows [m/s].

    Contact laws that ask for a speed after impact (restitution) add it here.
    """
    out = np.zeros((contacts.count, 3))
    out[:, 0] = np.minimum(-contacts.gap / step, max_recovery_speed)
    return out.reshape(-1)
