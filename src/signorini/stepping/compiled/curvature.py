"""Paths that bend in a compiled step: where the first velocities lead, and the end of the step put right.

The general way is `stepping.prediction` and `stepping.correction`; what needs no Python is `kernels/step/curve`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from signorini.assembly.bend import Bend, ContactBend
from signorini.assembly.near_limits import PASSED
from signorini.collision.contacts import Contacts
from signorini.kernels.step.curve import PROGRESS, Curve, CurveRules, Later, look_ahead, shut_once
from signorini.kernels.step.tables import BodyTable, Inertia
from signorini.kernels.step.tables import Contacts as ContactArrays
from signorini.kernels.step.tables import State as StateArrays
from signorini.model.state import State
from signorini.stepping.compiled.compiled_step import CompiledAnswer
from signorini.stepping.compiled.row_tables import RowTables
from signorini.stepping.correction import MOST_ROUNDS, SHUT, Way
from signorini.stepping.dvi import DviStepper
from signorini.stepping.new_contacts import reaches
from signorini.stepping.prediction import JUMP, NOISE, STIFF
from signorini.stepping.warm_start import Memory


@dataclass(eq=False)
class Curvature:
    """The second-order terms of the steps of one model; without any where gaps are linear."""

    general: DviStepper
    bodies: BodyTable
    tables: RowTables

    def __post_init__(self) -> None:
        rows, n = self.tables.rows, 6 * len(self.bodies.mass)
        size = len(self.bodies.place)
        self._correction = self.general.correction
        self._ahead = State(0.0, np.zeros((size, 3)), np.zeros((size, 4)), np.zeros((size, 3)), np.zeros((size, 3)))
        self._looked: Contacts | None = None
        self._memory: Memory | None = None
        self.curve = Curve(
            self._rules(), np.zeros(n), arrays_of(self._ahead), self.tables.empty_values(),
            np.zeros(rows.joints + rows.limits), np.zeros(rows.joints), reaches(self.general.assembler.model),
            np.zeros(1, dtype=np.bool_),
        )  # fmt: skip

    def _rules(self) -> CurveRules:
        found = self._correction
        if found is None:
            return CurveRules(0, 0.0, 0.0, JUMP, 0.0, STIFF, PASSED, 0, 0)
        rounds, middle = 0 if self.tables.given else MOST_ROUNDS, int(self.general.mid_step_energy)
        sizes = (found.shallow, NOISE * found.shallow, JUMP, SHUT * found.size)
        return CurveRules(1, *sizes, STIFF, PASSED, rounds, middle)

    @property
    def curved(self) -> bool:
        """Whether there are second-order terms."""
        return self._correction is not None

    def detect(self, start: State) -> Contacts:
        """Contacts at the beginning of a step."""
        h = self.general.h
        return (
            self.general.detector.detect(start, h)
            if self._correction is None
            else self._correction.detections.at(start, h)
        )

    def begin(self, start: State, memory: Memory | None) -> bool:
        """Fill in what is not compiled at the end of a step; False where a component has changed its columns."""
        self._looked = None
        if self._correction is None:
            return True
        self._memory = memory
        self.curve.change[:] = 0.0 if memory is None or not len(memory.change) else memory.change
        self.curve.impulse[:] = 0.0 if memory is None else memory.joint_impulse
        general = self.general
        ahead = self._ahead = replace(self._ahead, time=start.time + general.h)
        for mine, his in zip(self.curve.state, arrays_of(start), strict=True):
            mine[:] = his
        general.follow_motions(start, ahead)
        if not self.tables.given:
            return self.tables.fill(ahead, self.curve.values) if self.tables.timed else True
        look_ahead(self.bodies, arrays_of(start), general.h, self.curve)
        return self.tables.fill(ahead, self.curve.values)

    def later(self, start: State, contacts: Contacts) -> Later:
        """The contacts where the first velocities lead, if any path bends."""
        if self._looked is None:
            self._looked = self._look(start) if self.curved and contacts.count else Contacts.empty()
        there, memory = self._looked, self._memory
        old = (NO_IDENTITY, NO_IMPULSE) if memory is None else (memory.identity, memory.impulse)
        return Later(contacts.identity, contact_arrays(there), there.identity, np.zeros(contacts.count), *old)

    def _look(self, start: State) -> Contacts:
        general, curve = self.general, self.curve
        assert general.prediction is not None
        if not general.prediction.turns(start, curve.change, general.h):
            return Contacts.empty()
        look_ahead(self.bodies, arrays_of(start), general.h, curve)
        return general.detector.detect(self._ahead, general.h)

    def end(
        self, start: State, end: State, contacts: Contacts, later: Later, inertia: Inertia, answer: CompiledAnswer
    ) -> State:
        """The end of the step, with joints shut and without deep penetrations; `end` itself where nothing is wrong."""
        if self._correction is None:
            return end
        finished, given = answer.finished, self.tables.given
        opened = self._shut_given(start, end, inertia, answer) if given else finished.open
        if opened > self.curve.rules.shut:
            advance = partial(self.general.advance, end.time, start)
            problem = answer.problem()
            stiff = bool(self.curve.stiff[0])
            end, _ = self._correction.shut(problem.mass, problem.C, finished.moves, advance, stiff)
        return self._without_penetrations(end, contacts, later, answer)

    def _shut_given(self, start: State, end: State, inertia: Inertia, answer: CompiledAnswer) -> float:
        """Joints of which some are no coordinates shut at the end; their largest error [m or rad]."""
        v, last, rows, curve = answer.finished.moves, np.inf, self.tables.rows, self.curve
        now, then, h = arrays_of(start), arrays_of(end), self.general.h
        kept = end.velocity.copy(), end.angular_velocity.copy()
        for _ in range(MOST_ROUNDS):
            if not self.tables.fill(end, curve.values):
                return np.inf
            factors = (inertia.factor, answer.prepared.joints)
            worst: float = shut_once(self.bodies, self.tables.coordinates, rows, now, *factors, h, curve, last, v, then)
            done = worst <= curve.rules.shut or worst > PROGRESS * last
            last = worst
            if done:
                break
        if curve.stiff[0]:
            end.velocity[:], end.angular_velocity[:] = kept
        return last

    def _without_penetrations(self, end: State, contacts: Contacts, later: Later, answer: CompiledAnswer) -> State:
        correction, rows, curve = self._correction, self.tables.rows, self.curve
        assert correction is not None
        found = correction.detections.at(end, self.general.h)
        travel, bend = curve.values.error[rows.joints : rows.joints + rows.limits], curve.rows[rows.joints :]
        if found.deepest <= correction.shallow and not (
            rows.limits and (travel < -correction.shallow - abs(bend)).any()
        ):
            return end
        bends = Bend(curve.rows[: rows.joints], bend, ContactBend(later.bend, NO_SLIP, correction.shallow))
        return correction.without_penetrations(
            correction.placed(end), Way(contacts, bends), lambda: answer.problem().mass
        )


NO_SLIP, NO_IMPULSE, NO_IDENTITY = np.zeros((0, 2)), np.zeros((0, 3)), np.zeros(0, dtype=np.int64)


def arrays_of(state: State) -> StateArrays:
    """As kernels take them."""
    return StateArrays(state.position, state.orientation, state.velocity, state.angular_velocity)


def contact_arrays(contacts: Contacts) -> ContactArrays:
    """As kernels take them."""
    return ContactArrays(
        contacts.body_a, contacts.body_b, contacts.point_a, contacts.point_b, contacts.normal, contacts.gap,
        contacts.friction,
    )  # fmt: skip
