"""Second-order terms of a compiled step: the parts that need Python, and the correction at the end of the step.

The general way is `stepping.prediction` and `stepping.correction`; what needs no Python is `kernels/step/curve`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from signorini.assembly.bend import Bend, ContactBend
from signorini.assembly.near_limits import PASSED
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies.gyroscopic import rotate_freely
from signorini.kernels.step import record as place
from signorini.kernels.step.curve import SHUT_ROUNDS, look_ahead
from signorini.kernels.step.tables import BodyTable, Curve, CurveRules
from signorini.math.sparse import Array, Indices
from signorini.model.motors.coordinate_motor import CoordinateMotor, is_setpoint
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.stepping.compiled.row_tables import RowTables, TimedRow
from signorini.stepping.compiled.spring_tables import TimedDrive, arrays_of
from signorini.stepping.compiled.step_record import StepRecord
from signorini.stepping.correction import SHUT, Way
from signorini.stepping.dvi import DviStepper
from signorini.stepping.new_contacts import reaches
from signorini.stepping.prediction import BENT, JUMP, NOISE, ROLLS, STIFF, UNSTABLE
from signorini.stepping.warm_start import Memory

NO_SLIP, NO_CHANGE = np.zeros((0, 2)), np.zeros(0)


@dataclass(eq=False)
class Curvature:
    """The second-order terms of the steps of one model; without any where gaps are linear."""

    general: DviStepper
    bodies: BodyTable
    tables: RowTables
    most: int
    """Contact rows at most."""

    def __post_init__(self) -> None:
        rows, n = self.tables.rows, 6 * len(self.bodies.mass)
        size = len(self.bodies.place)
        self._correction = self.general.correction
        self._ahead = State(0.0, np.zeros((size, 3)), np.zeros((size, 4)), np.zeros((size, 3)), np.zeros((size, 3)))
        self.curve = Curve(
            self._rules(), np.zeros(n), arrays_of(self._ahead), self.tables.empty_values(),
            np.zeros(rows.joints + rows.limits), np.zeros(rows.joints), reaches(self.general.assembler.model),
            np.zeros(2, dtype=np.bool_), np.zeros(n), np.zeros(self.most // 3 + 1), np.zeros(1, dtype=np.bool_),
            np.zeros(len(self.bodies.mass), dtype=np.bool_), np.zeros(self.most // 3 + 1, dtype=np.bool_),
        )  # fmt: skip

    def _rules(self) -> CurveRules:
        found, ahead = self._correction, self.general.prediction
        if found is None or ahead is None:
            return CurveRules(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, JUMP, 0.0, STIFF, UNSTABLE, ROLLS, PASSED, 0, 0)
        rounds, middle = 0 if self.tables.given else SHUT_ROUNDS, int(self.general.mid_step_energy)
        noise, bent, shut = NOISE * found.shallow, BENT * found.size, SHUT * found.size
        rest = ahead.rest if ahead.straight else 0.0
        sizes = (found.shallow, rest, found.deep, ahead.closed, noise, bent, JUMP, shut)
        return CurveRules(1, *sizes, STIFF, UNSTABLE, ROLLS, PASSED, rounds, middle)

    @property
    def curved(self) -> bool:
        """Whether there are second-order terms."""
        return self._correction is not None

    def detect(self, start: State) -> Contacts:
        """Contacts at the beginning of a step."""
        detect = self.general.detector.detect if self._correction is None else self._correction.detections.at
        return detect(start, self.general.h)

    def begin(self, start: State, memory: Memory | None) -> bool:
        """Fill in the parts evaluated in Python at the end of a step; False if a component has changed its columns."""
        if self._correction is None:
            return True
        general, tables = self.general, self.tables
        self.begin_block(memory)
        if not (general.motion.motions or tables.given or tables.timed):
            return True
        ahead = self._ahead = replace(self._ahead, time=start.time + general.h)
        for mine, his in zip(self.curve.state, arrays_of(start), strict=True):
            mine[:] = his
        general.motion.follow_motions(start, ahead)
        if tables.given:
            look_ahead(self.bodies, arrays_of(start), general.h, self.curve)
        known, values = tables.fill_given(ahead, self.curve.values), self.curve.values
        for row in tables.timed:
            values.target[row.row], values.rate[row.row], values.force[row.row] = self.row_ahead(row, ahead.time)
        return known

    def begin_block(self, memory: Memory | None) -> None:
        """The same for steps that need nothing from Python; their targets are those of a schedule."""
        if self._correction is not None:
            self.curve.tumbling[:] = False
            self.curve.change[:] = 0.0 if memory is None or not len(memory.change) else memory.change

    def row_ahead(self, row: TimedRow | TimedDrive, time: float) -> tuple[float, float, float]:
        """Target, rate and largest force at the end of a step [s]."""
        target, rate, force = row.at(time)
        if isinstance(row.part, CoordinateMotor) and is_setpoint(row.part):
            target -= self.general.h * rate
        return target, rate, force

    @property
    def tumbling(self) -> Indices:
        """Places among the movable bodies of those that are turned to first order."""
        return np.flatnonzero(self.curve.tumbling)

    def let_tumble(self, start: State, which: Indices, momentum: Array) -> None:
        """Turn more bodies to first order when the step is solved again; their gyroscopic torque joins the momentum."""
        masses, h = self.general.assembler.masses, self.general.h
        spin = start.angular_velocity[masses.movable]
        turned = spin.copy()
        rotate_freely(which, masses.inertia, h, turned)
        gained = np.einsum("kij,kj->ki", masses.inertia[which], (turned - spin)[which])
        momentum.reshape(-1, 6)[which, 3:] += gained
        self.curve.tumbling[which] = True

    def contacts_ahead(self, start: State, contacts: Contacts) -> Contacts | None:
        """Contacts where the first velocities lead, if paths bend, for models whose contacts Python finds."""
        general, curve = self.general, self.curve
        if general.prediction is None or not contacts.count:
            return None
        if not general.prediction.turns(start, curve.change, general.h):
            return None
        if not general.motion.motions:
            for mine, his in zip(curve.state, arrays_of(start), strict=True):
                mine[:] = his
        look_ahead(self.bodies, arrays_of(start), general.h, curve)
        return general.detector.detect(self._ahead, general.h)

    def change(self) -> Array:
        """Of the velocities in the last step, see `DviStepper.change`."""
        return self.curve.next.copy() if self.curved else NO_CHANGE

    def change_of_block(self) -> Array:
        """The same of the last step of a block."""
        return self.curve.change.copy() if self.curved else NO_CHANGE

    def correct(self, start: State, found: StepRecord, problem: Callable[[], ContactProblem]) -> None:
        """Close joints at the end of a step and remove deep penetrations; changes the record."""
        correction, general, rows, curve = self._correction, self.general, self.tables.rows, self.curve
        assert correction is not None
        end = found.state
        if rows.joints and np.abs(general.assembler.joints_after(end, general.h).error).max() > curve.rules.shut:
            posed, advance = problem(), partial(general.motion.advance, end.time, start, tumbling=self.tumbling)
            end, _ = correction.shut(posed.mass, posed.C, found.velocity, advance, bool(curve.stiff[0]))
        bends = Bend(
            curve.rows[: rows.joints], curve.rows[rows.joints :],
            ContactBend(curve.gaps[: found.contact_count], NO_SLIP, NO_CHANGE), bool(curve.stiff[0]),
        )  # fmt: skip
        way = Way(found.contacts, bends)
        # A copy: contacts of a state are cached, and this one is changed below.
        last = correction.without_penetrations(correction.placed(replace(end)), way, lambda: problem().mass)
        if last.position is found.state.position:
            return
        for mine, his in zip(arrays_of(found.state), arrays_of(last), strict=True):
            mine[:] = his
        kinetic, potential = general.energy(found.state)
        measured = general.measured(found.state)
        stored = sum(force.energy(measured) for force in general.assembler.model.stiff_forces)
        found.numbers[place.KINETIC], found.numbers[place.WEIGHT] = kinetic, potential - stored
