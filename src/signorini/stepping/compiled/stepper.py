"""Takes the steps of small models in one compiled call each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from signorini.assembly.mechanics import applied_forces
from signorini.collision.contacts import Contacts
from signorini.kernels.step import record as place
from signorini.kernels.step import whole as call
from signorini.kernels.step.blows import after_blows, has_blows
from signorini.kernels.step.complete import take_complete
from signorini.kernels.step.look import is_complete
from signorini.kernels.step.many import take_many
from signorini.kernels.step.servos import take_servoed
from signorini.math.cached import cached_property
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.component import Force
from signorini.model.model import Model
from signorini.model.motors.drive import Drive
from signorini.model.state import State
from signorini.solvers.coulomb import Coulomb
from signorini.stepping.compiled.compiled_step import CompiledStep, Origin
from signorini.stepping.compiled.model_tables import ModelTables
from signorini.stepping.compiled.schedule import schedule
from signorini.stepping.compiled.spring_tables import arrays_of
from signorini.stepping.compiled.step_block import BlockRecords, StepBlock, Taken
from signorini.stepping.compiled.step_record import NO_CONTACTS, CompiledMemory, Sizes, StepRecord
from signorini.stepping.dvi import DviStepper
from signorini.stepping.new_contacts import MOST_ROUNDS
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory

BLOCK_SECONDS, MOST_STEPS, FIRST_BLOCK, SHORTEST = 0.05, 1000, 8, 1e-7
"""Wall time of a block of steps [s], most steps in it, steps of the first one, least time that a step counts as [s]."""
PAUSE = 8
"""Most steps that are taken one by one after a block that ended early: one at first, more where blocks are short."""
NO_NUMBERS, NO_INTEGERS = np.zeros(0), np.zeros(0, dtype=np.int64)
REASONS = {
    call.TOO_MANY: "too many contact rows",
    call.UNSOUND: "springs make the mass matrix indefinite",
    call.MISSED: "the answer missed the tolerance",
    call.ROUND: "round faces in contact",
    call.SWINGS: "light links between heavy bodies swing faster than the step",
}
"""Round faces press evenly by a compliance that the rows here lack."""


class LeftToGeneralStep(Exception):  # noqa: N818 - no error: the general step is as good
    """Raised with the reason why a step has no compiled way."""


@dataclass(eq=False)
class CompiledStepper:
    """Rigid bodies, joints, limits, brakes, springs and contacts with friction under the exact law.

    Python fills in what only it knows (functions of time, users' forces); detection, problem, solve, certificate and
    the new state are one call. Where the certificate of the answer misses the tolerance, or there are too many rows,
    None is returned: the general step, which this one agrees with to the accuracy of the certificate, takes over.
    """

    general: DviStepper
    solver: Coulomb
    tables: ModelTables
    why_not: str = ""
    """Why the last step was left to the general way; empty if it was not."""

    def __post_init__(self) -> None:
        settings, rows, n = self.general.settings, self.tables.rows.rows, self.tables.velocities
        self.model: Model = settings.assembler.model
        self.sizes = Sizes(
            len(self.model.bodies), n, rows.joints, rows.limits, rows.frictions, bool(self.model.stiff_forces)
        )  # fmt: skip
        name = f"{self.solver.name}({self.solver.inner.name})"
        masses = settings.assembler.masses
        self._origin = Origin(rows, masses.matrix, name, settings.assembler.layout)
        self._options = np.zeros(call.OPTIONS, dtype=np.int64)
        self._options[call.WHOLE] = 1
        self._options[call.STIFF_GIVEN] = bool(self.tables.springs.others)
        self._finds = self.tables.finds_contacts
        self._options[call.LOOKS] = self._finds and not self.general.motion.motions
        self._options[call.FINDS] = self._finds
        self._curvature = self.tables.curvature
        self._options[call.DRIVEN] = self._curvature.curved and bool(self.general.motion.motions)
        self._pace, self._pause, self._wait = BLOCK_SECONDS / FIRST_BLOCK, 0, 1

    def step(self, number: int, state: State, memory: Memory | SmoothMemory | None) -> Taken | None:
        """From `state` to the next one; None where the general step has to be taken."""
        assert not isinstance(memory, SmoothMemory)
        try:
            return self._step(number, state, memory)
        except LeftToGeneralStep as left:
            self.why_not = str(left)
            return None

    def _step(self, number: int, state: State, memory: Memory | None) -> Taken:
        general = self.general
        general.assembler.require_same_model(state)
        start = general.motion.begin(state)
        before = self.before(start, memory)
        self.tables.springs.fill_servos(start.time)
        self._fill(start)
        if not self._curvature.begin(start, memory):
            raise LeftToGeneralStep("a component has changed its columns")
        found, iterations = self._complete(start, before, number * general.h)
        general.motion.follow_motions(start, found.state)
        if found.integers[place.LATE]:
            self._curvature.correct(start, found, lambda: self._made(found.copied(), number, start, 0.0, 1).problem)
        potential = float(found.numbers[place.WEIGHT]) + self.tables.stored(found)
        self.tables.settle_work(start, found)
        return self._made(found, number, start, potential, iterations), CompiledMemory(found, self._curvature.change())

    def _complete(self, start: State, before: StepRecord, at: float) -> tuple[StepRecord, int]:
        """The step, solved again while contacts are missing, and the factorisations of all rounds."""
        tables = self.tables
        if self.finds_contacts:
            found = self._called(start, at, lambda: take_complete(
                tables.take_entry, tables.words, tables.entries, self._options, before.numbers, before.integers
            ))  # fmt: skip
            return found, int(found.integers[place.ITERATIONS])
        contacts = None if self._finds else self._curvature.detect(start)
        swept, iterations = NO_CONTACTS, 0
        self._options[call.AGAIN] = 0
        for _ in range(MOST_ROUNDS):
            found = self._take(start, before, contacts, at)
            iterations += int(found.integers[place.ITERATIONS])
            more = None if found.integers[place.STATUS] == call.TAKEN else self._recheck(start, found, swept)
            if more is None:
                break
            contacts, swept = more
            self._options[call.AGAIN] = 1
        last = found.numbers, found.integers
        if self._curvature.curved and has_blows(tables.words, before.numbers, *last):
            if not self._finds:
                raise LeftToGeneralStep("bodies strike, and Python finds their contacts")
            iterations -= int(found.integers[place.ITERATIONS])
            found = self._called(start, at, lambda: after_blows(
                tables.take_entry, tables.words, tables.entries, self._options, before.numbers, before.integers, *last
            ))  # fmt: skip
            iterations += int(found.integers[place.ITERATIONS])
        return found, iterations

    def step_with_servos(self, number: int, state: State, memory: Memory | None) -> Taken | None:
        """The same with servos that are at their limits where they want to be; None where that takes Python."""
        general, servos = self.general, self.tables.servos
        if not self.finds_contacts or self.tables.springs.others:
            return None
        general.assembler.require_same_model(state)
        before = self.before(state, memory)
        try:
            self._fill(state)
            servos.fill(state.time)
            if not self._curvature.begin(state, memory):
                return None
            self._options[[call.AGAIN, call.GIVEN]] = 0
            found = self._called(state, number * general.h, lambda: take_servoed(
                self.tables.take_entry, self.tables.words, self.tables.entries, self._options, before.numbers,
                before.integers,
            ))  # fmt: skip
        except LeftToGeneralStep:
            return None
        if found.integers[place.STATUS] != call.TAKEN or found.integers[place.LATE]:
            return None
        servos.tell_efforts()
        potential = float(found.numbers[place.WEIGHT]) + self.tables.stored(found)
        step = self._made(found, number, state, potential, int(found.integers[place.ITERATIONS]))
        return step, CompiledMemory(found, self._curvature.change())

    def _made(self, found: StepRecord, number: int, start: State, potential: float, iterations: int) -> CompiledStep:
        return CompiledStep(self._origin, found, number, start.time, potential, iterations)

    def steps(self, number: int, state: State, memory: Memory | SmoothMemory | None, most: int) -> StepBlock | None:
        """Steps number + 1, ... after `state`, `most` at most, in one call of about 50 ms; none if Python takes part.

        Nothing acts between them. They are bitwise the same as one by one.
        """
        if self._pause or not self.is_alone or self.applied or not isinstance(memory, CompiledMemory):
            self._pause = max(self._pause - 1, 0)
            return None
        self.general.assembler.require_same_model(state)
        count, h = max(1, min(most, MOST_STEPS, int(BLOCK_SECONDS / self._pace))), self.general.h
        asked = self.schedule(times := [state.time, *((number + k) * h for k in range(1, count))])
        self._curvature.begin_block(memory)
        self.tables.servos.fill(state.time)
        before, began = self.before(state, memory), time.perf_counter()
        self._options[[call.AGAIN, call.GIVEN, call.WHOLE, call.MOMENTUM_GIVEN]] = 0
        tables = self.tables
        try:
            numbers, integers, ends, changes, done = take_many(
                tables.take_entry, tables.words, tables.entries, self._options, before.numbers, before.integers,
                tables.timed_rows, asked,
            )  # fmt: skip
        finally:
            self._options[call.WHOLE] = 1
        tables.servos.tell_efforts()
        self._pace = max((time.perf_counter() - began) / max(done, 1), SHORTEST)
        self._wait = min(2 * self._wait, PAUSE) if done < min(count, PAUSE) else 1
        self._pause = self._wait if done < count else 0
        records = BlockRecords(self.sizes, h, number + 1, numbers, integers, ends[: done + 1])
        return StepBlock(self.of_block, records, times, changes) if done else None

    def schedule(self, times: list[float]) -> Array:
        """(target, rate, force) of timed rows at the beginning of steps and, where paths bend, at their end."""
        return schedule(self.tables.timed, times, self.general.h, self._curvature)

    def of_block(self, found: StepRecord, number: int, began: float, change: Array) -> Taken:
        """A step as it stands in a record of a block; `began` as in `CompiledStep`."""
        potential = float(found.numbers[place.WEIGHT] + found.numbers[place.STORED])
        step = CompiledStep(self._origin, found, number, began, potential, int(found.integers[place.ITERATIONS]))
        return step, CompiledMemory(found, change)

    @cached_property
    def is_alone(self) -> bool:
        """Whether steps need nothing from Python but functions of time, none of them a user's."""
        springs, rows = self.tables.springs, self.tables.rows
        timed = not rows.given and all(row.runs_no_code for row in self.tables.timed)
        return timed and not springs.others and self.tables.servos.stand_still and self.finds_contacts

    @property
    def applied(self) -> list[Force]:
        """Forces evaluated at every step, wrenches included."""
        return [force for force in self.model.forces if not isinstance(force, Drive)] if self.model.forces else []

    def begin_block(self, state: State, memory: Memory | None) -> tuple[list[int], StepRecord]:
        """For calls that take steps alone: the arrays of `kernels.step.worlds`, the record to start from."""
        self._curvature.begin_block(memory)
        self._options[[call.AGAIN, call.GIVEN, call.MOMENTUM_GIVEN]] = 0
        return self._block_words, self.before(state, memory)

    def end_block(self) -> Array:
        """After calls that began with `begin_block`: the change of the velocities in the last step."""
        self.tables.servos.tell_efforts()
        return self._curvature.change_of_block()

    @cached_property
    def _block_words(self) -> list[int]:
        arrays = (self.tables.words, self.tables.entries, self._options)
        return [part for array in arrays for part in (array.ctypes.data, len(array))]

    @property
    def finds_contacts(self) -> bool:
        """Whether detection and the looks for new contacts are compiled."""
        return bool(self._options[call.LOOKS])

    def is_complete(self, start: State, known: Contacts, velocity: Array, approach: float) -> bool:
        """Whether it is certain that a step with an answer has no contacts but the known ones; see `dvi.Look`."""
        return bool(is_complete(
            self.tables.words, self.tables.entries, start.position, start.orientation, start.velocity,
            start.angular_velocity, known.identity, velocity, approach,
        ))  # fmt: skip

    def before(self, start: State, memory: Memory | None) -> StepRecord:
        """The record that the call starts from: that of the last step, or one made of state and memory."""
        keeps = memory is not None and self.general.settings.warm_start == "full"
        self._options[call.REMEMBERS] = keeps
        if isinstance(memory, CompiledMemory) and memory.record.state is start:
            return memory.record
        return StepRecord.packed(start, memory if keeps else None, self.sizes, self.tables.stored_at(start))

    def _fill(self, start: State) -> None:
        """Fill in what needs Python: functions of time, applied forces."""
        model, momentum, springs = self.model, self.tables.inertia.momentum, self.tables.springs
        applied = self.applied
        self._options[call.MOMENTUM_GIVEN] = bool(applied) or bool(springs.others)
        if applied:
            force, torque = applied_forces(model, applied, start)
            movable, h, out = self.general.assembler.masses.movable, self.general.h, momentum.reshape(-1, 6)
            out[:, :3] = h * force[movable]
            out[:, 3:] = h * rotate(conjugate(start.orientation[movable]), torque[movable])
        springs.fill_drives(start.time)
        if springs.others:
            if not applied:
                momentum[:] = 0.0
            springs.add(start, arrays_of(start), self.general.h, self.tables.inertia.stiff, momentum)
        if not self.tables.rows.fill(start):
            raise LeftToGeneralStep("a component has changed its columns")

    def _take(self, start: State, before: StepRecord, contacts: Contacts | None, at: float) -> StepRecord:
        """One call, with contacts where Python has found them."""
        if contacts is not None and contacts.share is not None:
            raise LeftToGeneralStep(REASONS[call.ROUND])
        given = (NO_NUMBERS, NO_INTEGERS) if contacts is None else _packed(contacts)
        ahead = None if self._finds or contacts is None else self._curvature.contacts_ahead(start, contacts)
        later = (NO_NUMBERS, NO_INTEGERS) if ahead is None else _packed(ahead)
        self._options[call.GIVEN] = contacts is not None
        tables = self.tables
        return self._called(start, at, lambda: call.take(
            tables.words, tables.entries, self._options, before.numbers, before.integers, *given, *later
        ))  # fmt: skip

    def _called(self, start: State, at: float, kernel: Callable[[], tuple[Array, Indices]]) -> StepRecord:
        """The record that a kernel makes, called again while kernels have to be loaded."""
        momentum = self.tables.inertia.momentum
        applied = momentum.copy() if self._options[call.MOMENTUM_GIVEN] else momentum
        while True:
            numbers, integers = kernel()
            status = integers[place.STATUS]
            if status <= call.LOOK_AGAIN:
                return StepRecord(numbers, integers, self.sizes, at)
            if status != call.LOAD:
                break
            self.tables.load(int(integers[place.MISSING]))
            momentum[:] = applied
        if status == call.UNSOUND:
            self.tables.name_unsound_force(start, self.general.h)
        raise LeftToGeneralStep(REASONS[int(status)])

    def _recheck(self, start: State, found: StepRecord, swept: Contacts) -> tuple[Contacts, Contacts] | None:
        """The contacts to solve again with if the answer brings new contacts or limits within reach; else None."""
        approach, contacts = float(found.numbers[place.APPROACH]), found.contacts
        find, velocity, tumbling = self.general.contact_recheck, found.velocity, self._curvature.tumbling
        more = find.contacts(start, contacts, swept, velocity, lambda: approach, tumbling)
        if found.integers[place.PASSES]:
            self.tables.near[:] = True
            more = (contacts, swept) if more is None else more
        new = NO_INTEGERS if more is None else np.setdiff1d(find.tumbling(start, velocity, more[1]), tumbling)
        if len(new):
            self._curvature.let_tumble(start, new, self.tables.inertia.momentum)
            known = contacts, swept
            more = find.swept_contacts(start, *known, velocity, self._curvature.tumbling) or known
        return more


def _packed(contacts: Contacts) -> tuple[Array, Indices]:
    """As the compiled call takes them."""
    parts = (contacts.point_a, contacts.point_b, contacts.normal, contacts.gap, contacts.friction)
    named = (contacts.identity, contacts.body_a, contacts.body_b)
    return np.concatenate([part.reshape(-1) for part in parts]), np.concatenate(named)
