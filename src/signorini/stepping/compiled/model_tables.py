"""The tables of a model for the compiled step, packed once, and the kernels that it calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.near_limits import PASSED, REACH, ROUND_OFF
from signorini.collision.shape_table import RELATIVE_MARGIN
from signorini.kernels.arena import Arena
from signorini.kernels.bodies.blows import BlowRules
from signorini.kernels.by_address import clock_entry
from signorini.kernels.collision.conventions import KINDS
from signorini.kernels.collision.convex_table import convex_pairs
from signorini.kernels.collision.pair_kernels import pair_kernel
from signorini.kernels.step import calls, packed
from signorini.kernels.step import record as place
from signorini.kernels.step.ahead import AHEAD, PUT_RIGHT
from signorini.kernels.step.blows import AFTER_BLOWS
from signorini.kernels.step.curve import BEND, BEND_ROWS, SHUT
from signorini.kernels.step.detect import CONVEX_KERNEL, DETECT, PAIR_KERNEL
from signorini.kernels.step.look import LOOK
from signorini.kernels.step.renew import RENEW
from signorini.kernels.step.tables import BodyTable, Inertia, StepRules
from signorini.kernels.step.take_back import TAKE_BACK
from signorini.kernels.step.whole import TAKE
from signorini.kernels.step.work import FORCES
from signorini.math.cached import cached_property
from signorini.math.sparse import Indices
from signorini.model.forces.torsion_spring import MOST_TWIST
from signorini.model.functions.setpoint import Setpoint
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive
from signorini.model.state import State
from signorini.problem.certificate import IDLE_JOINTS, IDLE_ROW, PREVENTED
from signorini.problem.contact_problem import SLIP_ROUND_OFF
from signorini.solvers.coulomb import Coulomb
from signorini.solvers.coulomb.dense import SHARES, WARM_RULES, exact_rules, step_rules
from signorini.solvers.coulomb.outer_loop import AIM, DENSE_STEPS
from signorini.stepping.compiled.curvature import Curvature
from signorini.stepping.compiled.row_tables import RowTables, TimedRow
from signorini.stepping.compiled.scene_table import scene_table
from signorini.stepping.compiled.spring_tables import SpringTables, TimedDrive
from signorini.stepping.compiled.step_record import StepRecord
from signorini.stepping.dvi import DviStepper
from signorini.stepping.new_contacts import ALMOST, SMALL
from signorini.stepping.servos import Servos
from signorini.stepping.standstill import RESOLUTION
from signorini.stepping.swept_contacts import MOST_PLACES, OVERLAP, SHALLOW

MOST_DENSE, MOST_IN_PILES, MOST_BESIDE_JOINTS = 96, 3000, 160
"""Rows of contacts, limits and brakes: up to which N is formed, of contacts alone, and beside joints; steps with more
take the general way."""
JUDGING = (IDLE_ROW, IDLE_JOINTS, SLIP_ROUND_OFF, PREVENTED, RESOLUTION, PASSED)

BENDING = {
    packed.AHEAD_ENTRY: AHEAD, packed.BEND_ROWS_ENTRY: BEND_ROWS, packed.BEND_ENTRY: BEND, packed.SHUT_ENTRY: SHUT,
    packed.PUT_RIGHT_ENTRY: PUT_RIGHT,
}  # fmt: skip
"""Kernels called by steps with second-order terms."""

LOOK_RULES = packed.LookRules(SMALL, ALMOST, OVERLAP, OVERLAP * RELATIVE_MARGIN, SHALLOW, MOST_PLACES)


@dataclass(frozen=True, eq=False)
class ModelTables:
    """Packed tables, and those parts of them that Python writes to."""

    words: Indices
    """The arena of the compiled step."""
    entries: Indices
    """Addresses of kernels, 0 for those that are not loaded."""
    arena: Arena
    """Keeps the packed arrays."""
    rows: RowTables
    springs: SpringTables
    inertia: Inertia
    near: NDArray[np.bool_]
    """Limits and brakes in the problem."""
    finds_contacts: bool
    """Whether the compiled step finds all contacts."""
    curvature: Curvature
    """How paths bend."""
    servos: Servos

    @classmethod
    def of(cls, general: DviStepper, solver: Coulomb, bodies: BodyTable, rows: RowTables) -> ModelTables:
        """Of the model of a general stepper."""
        settings, model, table = general.settings, general.assembler.model, rows.rows
        curved, masses = general.correction is not None, settings.assembler.masses
        springs = SpringTables.of(model.stiff_forces, _drives(model), masses, curved)
        n = 6 * len(bodies.mass)
        size = n if model.stiff_forces else 0
        inertia = Inertia(np.zeros((size, size)), np.zeros((size, size)), np.zeros(n))
        near = np.zeros(table.limits + table.frictions, dtype=np.bool_)
        margin = general.contact_recheck.new_contacts.margin
        scene, finds = scene_table(general.detector, settings.h, margin)
        bound = table.joints + table.limits + table.frictions + size
        most = MOST_IN_PILES if bound == 0 else MOST_BESIDE_JOINTS if table.joints else MOST_DENSE
        exact = exact_rules(AIM * solver.tolerance, min(DENSE_STEPS, solver.max_iterations))
        curvature = Curvature(general, bodies, rows, most)
        servos = Servos.of(model, settings.assembler.masses, settings.h)
        arena = Arena()
        arena.add(packed.StepTables(
            bodies, rows.coordinates, table, rows.values, inertia, springs.packed, scene,
            StepRules(settings.h, settings.max_recovery_speed, REACH, ROUND_OFF, SLIP_ROUND_OFF),
            LOOK_RULES, exact, step_rules(solver.delta), WARM_RULES,
            packed.Bounds(most, MOST_DENSE, solver.tolerance, MOST_TWIST, JUDGING), SHARES, near, curvature.curve,
            servos.table, BlowRules(0.0, 0.0, 0.0) if general.impacts is None else general.impacts.rules,
        ))  # fmt: skip
        entries = np.zeros(packed.ENTRIES, dtype=np.int64)
        made = cls(arena.words, entries, arena, rows, springs, inertia, near, finds, curvature, servos)
        made._load_first(len(scene.candidates.first) + len(scene.planes) > 0)
        return made

    @property
    def velocities(self) -> int:
        """Unknown velocities."""
        return len(self.inertia.momentum)

    def _load_first(self, has_pairs: bool) -> None:
        """Kernels called by every step."""
        self.entries[packed.CLOCK_ENTRY] = clock_entry()
        self.entries[packed.PREPARE_ENTRY] = calls.PREPARE.entry()
        self.entries[packed.FINISH_ENTRY] = calls.FINISH.entry()
        if has_pairs:
            self.entries[packed.DETECT_ENTRY] = DETECT.entry()
            self.entries[packed.LOOK_ENTRY] = LOOK.entry()
        if self.curvature.curved:
            for entry, convention in BENDING.items():
                self.entries[entry] = convention.entry()
        if self.springs.table is not None:
            self.entries[packed.SPRINGS_ENTRY] = calls.ADD_SPRINGS.entry()
        if self.springs.springs:
            self.entries[packed.STORED_ENTRY] = calls.STORED.entry()

    def load(self, missing: int) -> None:
        """Load a kernel that the compiled step has reported missing."""
        if missing == packed.SOLVE_ENTRY:
            self.entries[missing] = calls.SOLVE.entry()
        elif missing == packed.SOLVE_BODIES_ENTRY:
            self.entries[missing] = calls.SOLVE_BODIES.entry()
        elif missing == packed.TAKE_BACK_ENTRY:
            self.entries[missing] = TAKE_BACK.entry()
        elif missing == packed.RENEW_ENTRY:
            self.entries[missing] = RENEW.entry()
        elif missing == packed.BLOWS_ENTRY:
            self.entries[missing] = AFTER_BLOWS.entry()
        elif missing == packed.CONVEX_ENTRY:
            self.entries[missing] = CONVEX_KERNEL.entry(convex_pairs)
        else:
            self.entries[missing] = PAIR_KERNEL.entry(pair_kernel(divmod(missing, KINDS)))

    @cached_property
    def take_entry(self) -> int:
        """Address of the call that takes one step."""
        return TAKE.entry()

    @cached_property
    def timed(self) -> tuple[TimedRow | TimedDrive, ...]:
        """All that has functions of time."""
        return (*self.rows.timed, *self.springs.drives)

    @cached_property
    def setpoints(self) -> tuple[Setpoint, ...]:
        """Targets of the timed rows, where all are motors that follow setpoints; else none."""
        targets = [row.part.target for row in self.timed if isinstance(row.part, CoordinateMotor)]
        points = tuple(target for target in targets if isinstance(target, Setpoint))
        return points if len(points) == len(self.timed) else ()

    @cached_property
    def timed_rows(self) -> Indices:
        """Rows with functions of time, and motors with efforts; see `kernels.step.many.take_next`."""
        return np.array([row.row for row in self.timed], dtype=np.int64)

    def stored(self, found: StepRecord) -> float:
        """Energy of springs and other forces with derivatives after a step [J]."""
        if not found.sizes.springs:
            return 0.0
        energy = float(found.numbers[place.STORED])
        if not (found.integers[place.MISSING] or found.integers[place.LATE] or self.springs.others):
            return energy
        measured = self.curvature.general.measured(found.state)
        # Python checks how far springs are wound; a correction at the end of the step changes their energy.
        if found.integers[place.MISSING] or found.integers[place.LATE]:
            energy = sum(force.energy(measured) for force in self.springs.springs)
        return energy + float(sum(force.energy(measured) for force in self.springs.others))

    def stored_at(self, state: State) -> float:
        """Energy of springs that are compiled, where it is measured at the end of a step [J]."""
        if not self.springs.springs:
            return 0.0
        measured = self.curvature.general.measured(state)
        return float(sum(force.energy(measured) for force in self.springs.springs))

    def settle_work(self, start: State, found: StepRecord) -> None:
        """Subtract the energy stored by forces without a table from their work in a record."""
        if self.springs.others:
            before, after = (self.curvature.general.measured(state) for state in (start, found.state))
            gained = sum(force.energy(after) - force.energy(before) for force in self.springs.others)
            found.numbers[place.WORK_AT + FORCES] += gained

    def name_unsound_force(self, state: State, h: float) -> None:
        """Raise `ModelError` where a spring has a force that is not finite."""
        self.springs.require_finite(state, h)


def _drives(model: Model) -> list[Drive]:
    """Motors of a model that give an effort."""
    return [force for force in model.forces if isinstance(force, Drive)]


def body_table(general: DviStepper) -> BodyTable:
    """Movable bodies of a model."""
    masses, model = general.assembler.masses, general.assembler.model
    root = np.ascontiguousarray(np.linalg.cholesky(masses.inertia).transpose(0, 2, 1))
    return BodyTable(
        masses.movable, masses.place, masses.mass, masses.inertia, root, masses.wobbling,
        np.array(model.gravity, dtype=np.float64), general.contact_recheck.new_contacts.spin_radius,
    )  # fmt: skip
