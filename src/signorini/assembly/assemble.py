"""One time step as a `ContactProblem`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from signorini.assembly.bend import Bend, ContactBend
from signorini.assembly.coordinate_rows import CoordinateRows, Rows
from signorini.assembly.flexible import FlexibleTerms
from signorini.assembly.flexible_rows import flexible_rows
from signorini.assembly.geometric import loaded_joints
from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import applied_forces
from signorini.assembly.near_limits import NearLimits
from signorini.assembly.rolling_stiffness import rolling_terms
from signorini.assembly.round_faces import with_even_pressure
from signorini.assembly.stiff_forces import stiff_terms
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import contact_jacobian, gyroscopic, momentum
from signorini.kernels.bodies.rigid_rows import WIDTH
from signorini.kernels.threads.team import team
from signorini.math.cached import cached_property
from signorini.math.pool import Pool
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Csr, assembled, canonical, stacked_rows
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor, is_setpoint
from signorini.model.state import State
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.contact_rows import ContactRows, RigidRows, SparseRows
from signorini.problem.errors import ModelError
from signorini.problem.mass_matrix import SMALL, MassMatrix
from signorini.solvers.linear.inverse import SharedFactors, SparseInverse


def assemble(
    model: Model, state: State, contacts: Contacts, step: float, max_recovery_speed: float = math.inf
) -> ContactProblem:
    """The problem of one step of `step` [s] over the movable bodies; see `Assembler.assemble`."""
    return Assembler(model).assemble(state, contacts, step, max_recovery_speed)


class Assembler:
    """Turns states and contacts of one model into contact problems; constant parts are made once.

    The letters are those of `ContactProblem`: unknowns are the new velocities of the movable bodies, 6 each (linear in
    the world, angular in the body frame), `H = diag(m I3, I)` and `c = -(M v_old + h f)`. Gyroscopic torque enters
    as the velocity that a freely turning body would have at the end of the step, by the implicit midpoint rule, which
    keeps energy and the magnitude of angular momentum of a free body exactly: a fast top gains nothing. Where paths
    bend (`bend`), it is left out: impulses act at the beginning of the step, after which bodies turn freely.

    Rows of a contact (normal, t1, t2) are the velocity of a against b at the contact points, `u = v_a + R_a (w_a x r_a)
    - v_b - R_b (w_b x r_b)`. Velocities of fixed and kinematic bodies are prescribed and go to the right-hand side:
    `b_lambda = -Phi/h - (their part of u)`.
    """

    model: Model
    masses: Masses
    flexible: FlexibleTerms | None
    """None without flexible bodies: then H never changes."""
    layout: Layout
    """Rows of joints, limits and friction by component."""
    start: State
    """A state of the model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.masses = Masses.of(model)
        self.flexible = FlexibleTerms(model, self.masses) if model.flexibles else None
        self._gravity = np.asarray(model.gravity, dtype=np.float64)
        self._factors = SharedFactors()
        start = model.initial_state()
        self.layout = Layout.of(model, start)
        self._parts = tuple(model.joints), tuple(model.limits), tuple(model.dry_frictions)
        self.start = start
        self._coefficients = tuple(part.rows(start).coefficient for part in model.dry_frictions)
        self._pool, self._offsets = Pool(), Pool()
        first = np.cumsum([0, *(rows for _, rows in self.layout.joints)])
        motors = ((int(row), part) for row, part in zip(first, model.joints, strict=False))
        self._setpoints = [(row, p.target) for row, p in motors if isinstance(p, CoordinateMotor) and is_setpoint(p)]

    @cached_property
    def _joints(self) -> CoordinateRows:
        # Compiled steps do without these three.
        return CoordinateRows(self._parts[0], self.layout.joints, self.masses, self.start)

    @cached_property
    def _limits(self) -> CoordinateRows:
        return CoordinateRows(self._parts[1], self.layout.limits, self.masses, self.start)

    @cached_property
    def _frictions(self) -> CoordinateRows:
        return CoordinateRows(self._parts[2], self.layout.frictions, self.masses, self.start)

    def require_same_model(self, state: State) -> None:
        """`ModelError` where the model has other parts than when this was made."""
        model, layout = self.model, self.layout
        parts = (len(model.bodies), len(model.joints), len(model.limits), len(model.dry_frictions))
        laid_out = (len(self.masses.place), len(layout.joints), len(layout.limits), len(layout.frictions))
        if parts != laid_out or 6 * len(state.position) + 3 * len(state.node_position) != len(self.masses.column):
            raise ModelError("bodies or joints were added after the simulation was made; make a new Simulation(model)")

    def assemble(
        self,
        state: State,
        contacts: Contacts,
        step: float,
        max_recovery_speed: float = math.inf,
        limits: NearLimits | None = None,
        pressed: Array | None = None,
        bend: Bend | None = None,
    ) -> ContactProblem:
        """The problem of the step from `state` to `state.time + step`.

        Parameters
        ----------
        max_recovery_speed
            Penetrating bodies are pushed apart at this speed at most [m/s].
        limits
            The limits of joints in the problem; None takes those within reach.
        pressed
            Normal impulses of the contacts in the last step [N s], shape (contacts,), where they are known; round
            bodies that touch faces of flexible ones roll the more stably (see `assembly.rolling_stiffness`).
        bend
            Second-order terms of the step (see `assembly.bend`); None closes gaps and joints to first order.
        """
        self.require_same_model(state)
        joints = self._joints.at(state)
        limits = self.near_limits(state, step) if limits is None else limits
        H, push = self.inertia(state, step, bend)
        if pressed is not None and self.flexible is not None:
            H, push = self._with_rolling(H, push, rolling_terms(state, contacts, pressed, self.masses, step))
        rows, b = self._contacts(state, contacts, step, max_recovery_speed, bend)
        error = joints.error if bend is None else joints.error + bend.joints
        b_gamma, name = -error / step - joints.rate - joints.known, f"t = {state.time:.6g} s"
        # Numbers of bodies and contacts have been checked; those of user components have not.
        model = self.model
        components = (model.joints, model.limits, model.dry_frictions, model.stiff_forces)
        many_hands = any(components) or self.flexible is not None
        if rows.rigid is not None and not many_hands:
            cones = Cones.unchecked(contacts.friction)
            rigid = (self.masses.matrix, -push, joints.matrix, b_gamma, rows, b, cones, name)
            return with_even_pressure(ContactProblem.unchecked(*rigid), contacts, self.masses)
        before = None if bend is None else (bend.limits, self.masses.velocity_of(state))
        stops = limits.offsets(step, max_recovery_speed, before) if limits.count else b[:0]
        D, b_lambda, cones = self.unilateral(rows, b, state, contacts, limits, stops, step)
        problem = ContactProblem(self._mass(H), -push, joints.matrix, b_gamma, D, b_lambda, cones, name=name)
        return with_even_pressure(problem, contacts, self.masses)

    def _contacts(
        self, state: State, contacts: Contacts, step: float, max_recovery_speed: float, bend: Bend | None
    ) -> tuple[ContactRows, Array]:
        """D and b_lambda of the contacts."""
        if bend is None or bend.contacts is None:
            return self.contact_rows(state, contacts, contact_offsets(contacts, step, max_recovery_speed))
        b = self._offsets.empty((3 * contacts.count,))
        contact_jacobian.clear(team(contacts.count), b.reshape(-1, 3))
        rows, b = self.contact_rows(state, contacts, b)
        velocity, bends = self.masses.velocity_of(state), bend.contacts
        if rows.rigid is not None:
            paths = (contacts.gap, bends.rows, step, max_recovery_speed)
            return rows, rows.rigid.close(velocity, *paths, b)
        return rows, b + contact_offsets(contacts, step, max_recovery_speed, bends, rows.slips(velocity, b))

    def _mass(self, H: Csr) -> MassMatrix | Csr:
        """H with an inverse that is kept from step to step where that pays."""
        if H is self.masses.H:
            return self.masses.matrix
        return SparseInverse(H, self._factors) if H.shape[0] > SMALL else H

    def joints(self, state: State) -> Rows:
        """The rows of all joints at a state."""
        return self._joints.at(state)

    def joints_after(self, state: State, step: float) -> Rows:
        """The rows of all joints at the end of a step of `step` [s], in which setpoints move on by their slopes."""
        rows = self._joints.at(state)
        if not self._setpoints:
            return rows
        error = rows.error.copy()
        for row, target in self._setpoints:
            error[row] -= step * target.derivative(state.time)
        return replace(rows, error=error)

    def limits(self, state: State) -> Rows:
        """The rows of all limits of joints at a state."""
        return self._limits.at(state)

    def frictions(self, state: State) -> Rows:
        """The rows of all brakes and friction in joints at a state."""
        return self._frictions.at(state)

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
        D: ContactRows,
        b_lambda: Array,
        state: State,
        contacts: Contacts,
        limits: NearLimits,
        stops: Array,
        step: float,
    ) -> tuple[ContactRows, Array, Cones]:
        """D, b_lambda and the cones: contacts, then limits of joints with b = `stops`, then dry friction in joints."""
        cones = Cones.unchecked(contacts.friction)
        if limits.count:
            D = SparseRows(stacked_rows((D.csr, limits.matrix)))
            b_lambda = np.concatenate((b_lambda, stops))
            cones = Cones.join(cones, Cones.half_lines(limits.count))
        if self.layout.frictions:
            brakes = self._frictions.at(state)
            D = SparseRows(stacked_rows((D.csr, brakes.matrix)))
            b_lambda = np.concatenate((b_lambda, -brakes.error / step - brakes.rate - brakes.known))
            cones = Cones.join(cones, *self._brake_cones(step * brakes.limit))
        return D, b_lambda, cones

    @property
    def coupled_friction(self) -> bool:
        """Whether rows of friction in joints form cones, as those of a rope on a drum do."""
        return any(coefficient is not None for coefficient in self._coefficients)

    def _brake_cones(self, limit: Array) -> Iterator[Cones]:
        """Intervals, or cones of Coulomb where rows of friction form one (see `FrictionRows`)."""
        if not self.coupled_friction:
            yield Cones.intervals(-limit, limit)
            return
        begin = 0
        for (_, rows), coefficient in zip(self.layout.frictions, self._coefficients, strict=True):
            own = limit[begin : begin + rows]
            begin += rows
            yield Cones.intervals(-own, own) if coefficient is None else Cones.coulomb(coefficient, rows)

    def inertia(self, state: State, step: float, bend: Bend | None = None) -> tuple[Csr, Array]:
        """H and the momentum -c; see `momentum`."""
        H, momentum = self.masses.H, self.momentum(state, step, bend).reshape(-1)
        if self.flexible is not None:
            H, of_nodes = self.flexible.system(state, step)
            momentum = np.concatenate((momentum, of_nodes))
        if self.model.stiff_forces:
            light = None if bend is None or self.flexible is not None else self.masses.inverse_diagonal
            stiff, push = stiff_terms(self.model.stiff_forces, self.masses, state, step, light)
            H, momentum = canonical(H + stiff), momentum + push
        if bend is not None and len(bend.loads):
            ends = np.cumsum([rows for _, rows in self.layout.joints])[:-1]
            stiff, push = loaded_joints(self.model.joints, np.split(bend.loads, ends), self.masses, state, step)
            H, momentum = canonical(H + stiff), momentum + push
        return H, momentum

    def _with_rolling(self, H: Csr, momentum: Array, terms: tuple[Csr, Array] | None) -> tuple[Csr, Array]:
        return (H, momentum) if terms is None else (canonical(H + terms[0]), momentum + terms[1])

    def momentum(self, state: State, step: float, bend: Bend | None = None) -> Array:
        """`M v_old + h f`, with gyroscopic torque but for bodies that turn freely at the end; shape (movable, 6)."""
        masses, movable = self.masses, self.masses.movable
        spin, out = state.angular_velocity[masses.movable_rows], np.empty((len(movable), 6))
        turning = masses.wobbling if bend is None else bend.tumbling
        if len(turning):
            spin = spin.copy()
            gyroscopic.rotate_freely(turning, masses.inertia, step, spin)
        data = (masses.mass, masses.inertia, state.velocity, spin, step * self._gravity, out)
        momentum.momenta(team(len(movable)), movable, *data)
        if self.model.forces:
            force, torque = applied_forces(self.model, self.model.forces, state)
            out[:, :3] += step * force[movable]
            out[:, 3:] += step * rotate(conjugate(state.orientation[movable]), torque[movable])
        return out

    def contact_rows(self, state: State, contacts: Contacts, b: Array) -> tuple[ContactRows, Array]:
        """D of all contacts and b_lambda; takes over b, the prescribed part of the slips."""
        rigid = contacts if contacts.rigid == contacts.count else contacts.taken(np.arange(contacts.rigid))
        count, first = rigid.count, 3 * rigid.count
        pairs, entries = np.empty((count, 2), dtype=np.int64), self._pool.empty((count, WIDTH))
        all_movable = contact_jacobian.fill(
            team(count), (rigid.body_a, rigid.body_b), (rigid.point_a, rigid.point_b), rigid.normal,
            self.masses.place, (state.position, state.orientation), (state.velocity, state.angular_velocity),
            pairs, entries, b[:first].reshape(-1, 3),
        )  # fmt: skip
        rows = RigidRows(pairs, entries, len(self.masses.movable), state.position[self.masses.movable_rows])
        columns = self.masses.velocities
        if rows.shape[1] == columns and rigid is contacts and all_movable:
            return rows, b
        D = assembled(rows.csr.data, rows.csr.indices, rows.csr.indptr, (first, columns))
        if rigid is not contacts:
            flexible, slip = flexible_rows(state, contacts, self.masses)
            D, b = stacked_rows((D, flexible)), np.concatenate((b[:first], b[first:] - slip))
        return SparseRows(D), b


def contact_offsets(
    contacts: Contacts,
    step: float,
    max_recovery_speed: float,
    bend: ContactBend | None = None,
    slip: Array | None = None,
) -> Array:
    """`-Phi/h` in normal rows, no more than `max_recovery_speed`, 0 in tangent rows [m/s], shape (3 contacts,).

    Contact laws that ask for a speed after impact (restitution) add it here. Contacts of rigid bodies follow the `bend`
    of their paths where it is given, together with the `slip` before the step [m/s], shape (3 contacts,).
    """
    out = np.empty((contacts.count, 3))
    contact_jacobian.offsets(team(contacts.count), contacts.gap, step, max_recovery_speed, out)
    if bend is not None and slip is not None and contacts.rigid:
        many, before, some = team(contacts.rigid), slip.reshape(-1, 3), out[: contacts.rigid]
        contact_jacobian.bent_offsets(many, contacts.gap, bend.rows, before, step, max_recovery_speed, some)
    return out.reshape(-1)
