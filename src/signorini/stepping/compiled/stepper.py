"""Takes the steps of small models in a few compiled calls."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from signorini.assembly.mechanics import applied_forces
from signorini.assembly.near_limits import PASSED, REACH, ROUND_OFF
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import poses
from signorini.kernels.collision.table import is_sorted
from signorini.kernels.interior.dense_solve import solve as solve_dense
from signorini.kernels.step.finish import Finished, finish
from signorini.kernels.step.prepare import Prepared, StepRules, prepare
from signorini.kernels.step.tables import BodyTable, Inertia
from signorini.kernels.step.tables import Contacts as ContactArrays
from signorini.kernels.step.tables import State as StateArrays
from signorini.kernels.threads.parts import SOLO
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import IDLE_JOINTS, IDLE_ROW
from signorini.problem.contact_problem import SLIP_ROUND_OFF
from signorini.problem.solution import Status
from signorini.solvers.base import Solver
from signorini.solvers.coulomb import Coulomb
from signorini.solvers.coulomb.dense import SHARES, WARM_RULES, exact_rules, step_rules
from signorini.solvers.coulomb.outer_loop import AIM, DENSE_STEPS
from signorini.stepping.compiled.compiled_step import CompiledAnswer, CompiledStep
from signorini.stepping.compiled.row_tables import RowTables
from signorini.stepping.compiled.spring_tables import SpringTables
from signorini.stepping.dvi import DviStepper
from signorini.stepping.new_contacts import MOST_ROUNDS
from signorini.stepping.rigid_contact import RigidContact
from signorini.stepping.standstill import RESOLUTION
from signorini.stepping.step import Reactions, StepOutcome
from signorini.stepping.warm_start import Memory

MOST_VELOCITIES, MOST_JOINT_ROWS = 360, 360
"""Beyond, sparse factorisations are faster."""
MOST_CONTACT_ROWS, MOST_BESIDE_JOINTS = 96, 160
"""Rows of contacts, limits and brakes, without and with joints; steps with more take the general way."""
TIMED = ("detect", "assemble", "solve", "advance")
"""Stages whose time is taken."""
JUDGING = (IDLE_ROW, IDLE_JOINTS, SLIP_ROUND_OFF, RESOLUTION, PASSED)


@dataclass(eq=False)
class CompiledStepper:
    """Rigid bodies, joints, limits, brakes, springs and contacts with friction under the exact law.

    Each step is: fill in what is Python (functions of time, users' forces), detect, `prepare`, solve, `finish`. Where
    the certificate of the answer misses the tolerance, or there are too many rows, None is returned: the general step,
    which this one agrees with to the accuracy of the certificate, takes over.
    """

    general: DviStepper
    solver: Coulomb
    bodies: BodyTable
    tables: RowTables

    def __post_init__(self) -> None:
        settings, n = self.general.settings, 6 * len(self.bodies.mass)
        self.model: Model = settings.assembler.model
        self._rules = StepRules(settings.h, settings.max_recovery_speed, REACH, ROUND_OFF, SLIP_ROUND_OFF)
        most = min(DENSE_STEPS, self.solver.max_iterations)
        self._exact = exact_rules(AIM * self.solver.tolerance, most), step_rules(self.solver.delta), WARM_RULES, SHARES
        rows = self.tables.rows
        self._near = np.zeros(rows.limits + rows.frictions, dtype=np.bool_)
        self._most = MOST_BESIDE_JOINTS if rows.joints else MOST_CONTACT_ROWS
        self._springs = SpringTables.of(self.model.stiff_forces, settings.assembler.masses)
        size = n if self.model.stiff_forces else 0
        self._stiff, self._factor = np.zeros((size, size)), np.zeros((size, size))
        self._name = f"{self.solver.name}({self.solver.inner.name})"

    @classmethod
    def of(cls, general: DviStepper, solver: Solver) -> CompiledStepper | None:
        """For the steps of a general stepper; None for models, laws and solvers that have no compiled way."""
        model, masses = general.assembler.model, general.assembler.masses
        suits = isinstance(solver, Coulomb) and solver.newton and np.isinf(solver.time_budget)
        rigid = isinstance(general.contact, RigidContact) and not model.flexibles
        if not (suits and rigid and 0 < masses.velocities <= MOST_VELOCITIES):
            return None
        tables = RowTables.of(model, masses, model.initial_state())
        if tables.rows.joints > MOST_JOINT_ROWS or np.any(np.diff(tables.rows.start) == 0):
            return None
        assert general.new_contacts is not None
        bodies = BodyTable(
            masses.movable, masses.place, masses.mass, masses.inertia,
            np.ascontiguousarray(np.linalg.cholesky(masses.inertia).transpose(0, 2, 1)), masses.wobbling,
            np.array(model.gravity, dtype=np.float64), general.new_contacts.spin_radius,
        )  # fmt: skip
        return cls(general, solver, bodies, tables)  # type: ignore[arg-type]

    def step(self, number: int, state: State, memory: Memory | None) -> tuple[CompiledStep, Memory] | None:
        """From `state` to the next one; None where the general step has to be taken."""
        general, began = self.general, time.perf_counter()
        general.assembler.require_same_model(state)
        start = general.drive(state)
        contacts = general.detector.detect(start, general.h)
        detected = time.perf_counter()
        now = _arrays(start)
        inertia = self._inertia(start, now)
        if not self.tables.fill(start):
            return None
        swept = Contacts.empty()
        spent, iterations, choose = [detected - began, 0.0, 0.0, 0.0], 0, True
        for _ in range(MOST_ROUNDS):
            # Round faces press evenly by a compliance that these rows do not have.
            solved = None if contacts.share is not None else self._solve(now, contacts, memory, inertia, choose, spent)
            if solved is None:
                return None
            prepared, impulse, count = solved
            iterations += count
            begin = time.perf_counter()
            end = State(number * general.h, *(part.copy() for part in now))
            finished = self._finish(now, inertia, prepared, contacts.count, impulse, end)
            spent[3] += time.perf_counter() - begin
            if not finished.error <= self.solver.tolerance:
                return None
            more = self._recheck(number, start, contacts, swept, finished)
            if more is None:
                break
            (contacts, swept), choose = more, False
        general.follow_motions(start, end)
        answer = self._answer(start, contacts, (prepared, impulse, finished, inertia), iterations, spent)
        return self._made(number, end, contacts, answer, spent)

    def _inertia(self, state: State, now: StateArrays) -> Inertia:
        """What springs and applied forces add to H and to the momentum."""
        model, masses, h = self.model, self.general.assembler.masses, self.general.h
        momentum = np.zeros(masses.velocities)
        if model.forces:
            force, torque = applied_forces(model, model.forces, state)
            out, movable = momentum.reshape(-1, 6), masses.movable
            out[:, :3] = h * force[movable]
            out[:, 3:] = h * rotate(conjugate(state.orientation[movable]), torque[movable])
        if model.stiff_forces:
            self._springs.add(state, now, h, self._stiff, momentum)
        return Inertia(self._stiff, self._factor, momentum)

    def _solve(
        self, now: StateArrays, contacts: Contacts, memory: Memory | None, inertia: Inertia, choose: bool,
        spent: list[float],
    ) -> tuple[Prepared, Array, int] | None:  # fmt: skip
        """The problem and the impulses of its contacts, None where there are too many of them."""
        begin, rows = time.perf_counter(), self.tables.rows
        if 3 * contacts.count + rows.frictions > self._most or contacts.share is not None:
            return None  # round faces press evenly by compliance, which has no compiled way
        arrays = ContactArrays(
            contacts.body_a, contacts.body_b, contacts.point_a, contacts.point_b, contacts.normal, contacts.gap,
            contacts.friction,
        )  # fmt: skip
        prepared: Prepared = prepare(
            self.bodies, self.tables.coordinates, rows, self.tables.values, now, inertia, arrays, self._rules, choose,
            self._near,
        )  # fmt: skip
        middle = time.perf_counter()
        spent[1] += middle - begin
        count = len(prepared.b_lambda)
        if not prepared.sound or count > self._most:
            return None
        if not count:
            return prepared, np.zeros(0), 0
        impulse = self._guess(memory, contacts, count)
        guessed = impulse is not None
        impulse = np.zeros(count) if impulse is None else impulse
        _, _, steps = solve_dense(
            prepared.start, prepared.mu, prepared.ends, prepared.N, prepared.r, prepared.root, prepared.size,
            prepared.spread, guessed, impulse, *self._exact,
        )  # fmt: skip
        spent[2] += time.perf_counter() - middle
        return prepared, impulse, steps

    def _guess(self, memory: Memory | None, contacts: Contacts, rows: int) -> Array | None:
        """Impulses of the last step in the places of the present rows."""
        if memory is None or self.general.settings.warm_start != "full":
            return None
        out = np.zeros(rows)
        if contacts.count:
            if not is_sorted(SOLO, contacts.identity):
                return None
            carried = out[: 3 * contacts.count].reshape(-1, 3)
            found = poses.carry_over(SOLO, memory.identity, memory.impulse, contacts.identity, NO_ORDER, carried)
            if not found:
                return None
        if rows > 3 * contacts.count:
            limits, old = self.tables.rows.limits, memory.limit_impulse
            if len(old) != limits or len(memory.friction_impulse) != self.tables.rows.frictions:
                return None
            near = old[self._near[:limits]]
            out[3 * contacts.count :] = np.concatenate((near, memory.friction_impulse))
        return out

    def _finish(
        self, now: StateArrays, inertia: Inertia, prepared: Prepared, contacts: int, impulse: Array, end: State
    ) -> Finished:
        found: Finished = finish(
            self.bodies, self.tables.rows, self.tables.values, now, inertia, prepared, contacts, impulse,
            self.general.h, self._near, JUDGING, _arrays(end),
        )  # fmt: skip
        return found

    def _recheck(
        self, number: int, start: State, contacts: Contacts, swept: Contacts, finished: Finished
    ) -> tuple[Contacts, Contacts] | None:
        """The contacts to solve again with, where the answer brings others or limits within reach; else None."""
        more = self.general.recheck_contacts(start, contacts, swept, finished.v, lambda: float(finished.approach))
        if finished.passes:
            self._near[:] = True
            return (contacts, swept) if more is None else more
        return more

    def _answer(
        self, start: State, contacts: Contacts, parts: tuple[Prepared, Array, Finished, Inertia], iterations: int,
        spent: list[float],
    ) -> CompiledAnswer:  # fmt: skip
        prepared, impulse, finished, inertia = parts
        mass, stiff = self.general.assembler.masses.matrix, inertia.stiff
        return CompiledAnswer(
            prepared, finished, impulse, inertia.momentum, mass, stiff.copy() if len(stiff) else stiff, contacts.count,
            max(iterations, 1), sum(spent), self._name, start.time,
        )  # fmt: skip

    def _made(
        self, number: int, end: State, contacts: Contacts, answer: CompiledAnswer, spent: list[float]
    ) -> tuple[CompiledStep, Memory]:
        rows, impulse, finished = self.tables.rows, answer.impulse, answer.finished
        first, near = 3 * contacts.count, self._near[: rows.limits]
        last = first + int(near.sum())
        impulses, limits, frictions = impulse[:first].reshape(-1, 3), np.zeros(rows.limits), impulse[last:]
        limits[near] = impulse[first:last]
        reactions = Reactions(finished.gamma, limits, frictions)
        outcome = StepOutcome(answer.iterations, finished.error, Status.SOLVED, 0, impulses, reactions)
        stored = self._springs.energy(end, _arrays(end)) if self.model.stiff_forces else 0.0
        step = CompiledStep(
            answer, number=number, state=end, contacts=contacts, outcome=outcome, kinetic=finished.kinetic,
            potential=finished.weight + stored, seconds=dict(zip(TIMED, spent, strict=True)),
            layout=self.general.assembler.layout,
        )  # fmt: skip
        return step, Memory(contacts.identity, impulses, finished.gamma, limits, frictions)


NO_ORDER = np.zeros(0, dtype=np.int64)
"""Stands for the order 0, 1, 2, ..."""


def _arrays(state: State) -> StateArrays:
    return StateArrays(state.position, state.orientation, state.velocity, state.angular_velocity)
