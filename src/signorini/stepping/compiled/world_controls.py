"""Targets of motors and servos of many worlds, as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from signorini.kernels.step.worlds import Controls, Rows
from signorini.math.sparse import Array, Indices
from signorini.model.functions.function import Function
from signorini.model.functions.scaled import Scaled
from signorini.model.functions.setpoint import Setpoint
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.stepping.compiled.row_tables import TimedRow
from signorini.stepping.compiled.spring_tables import TimedDrive
from signorini.stepping.compiled.stepper import CompiledStepper


class Slot(NamedTuple):
    """`factor * clip(level, low, high) + offset` of a setpoint; see `Scaled`."""

    point: int
    """Place among the setpoints of the world; after them for a constant."""
    factor: float
    low: float
    high: float
    offset: float


class WorldControls:
    """Targets, rates and efforts of all worlds.

    Where all of them follow setpoints, which lie in one array, or are constant, they are found for all worlds at once;
    where there are functions of time, world by world.
    """

    def __init__(self, steppers: Sequence[CompiledStepper], points: Array, setpoints: Sequence[Sequence[Setpoint]]):
        """`points` has level and slope of the setpoints of each world, shape (worlds, setpoints, 2)."""
        first = steppers[0]
        self._points, self._timed, self._h = points, first.tables.timed_rows, first.general.h
        self._motors = [isinstance(row, TimedRow) for row in first.tables.timed]
        self._steady = all(row.stands_still for row in first.tables.timed)
        found = [_slots(stepper, own) for stepper, own in zip(steppers, setpoints, strict=True)]
        known = [slots for slots in found if slots is not None]
        places = [[slot.point for slot in slots] for slots in known]
        self._slots: Array | None = None
        if len(known) == len(found) and all(own == places[0] for own in places):
            self._places: Indices = np.array(places[0], dtype=np.int64)
            self._slots = np.array(known).reshape(len(known), -1, len(Slot._fields))[..., 1:].transpose(2, 0, 1).copy()
        self._is_point = np.array([_is_plain(row) for row in first.tables.timed], dtype=np.bool_)

    def at(self, chosen: Indices, steppers: Sequence[CompiledStepper | None], rows: Rows, steps: int) -> Controls:
        """Of steps of some worlds."""
        if self._slots is None:
            return self._one_by_one(chosen, steppers, rows, steps)
        value, slope = self._values(self._slots)
        n, timed = len(value), len(self._timed)
        schedule = np.zeros((n, 2, 1, timed, 3))
        target, rate = value[:, :timed], np.where(self._motors, -slope[:, :timed], 0.0)
        # A target that is set moves on by its rate within the step.
        schedule[:, 0, 0, :, 0] = target
        schedule[:, 1, 0, :, 0] = np.where(self._is_point, target - self._h * rate, target)
        schedule[..., 1] = rate[:, None, None]
        count = (value.shape[1] - timed) // 2
        first, last = slice(timed, timed + count), slice(timed + count, None)
        return Controls(self._timed, schedule, np.stack((value[:, first], slope[:, first], value[:, last]), axis=2))

    def _values(self, slots: Array) -> tuple[Array, Array]:
        """Value and derivative of each slot in each world."""
        constant = np.zeros((len(self._points), 1, 2))
        level, slope = np.concatenate((self._points, constant), axis=1)[:, self._places].transpose(2, 0, 1)
        factor, low, high, offset = slots
        value = factor * np.minimum(np.maximum(level, low), high) + offset
        return value, np.where((low <= level) & (level <= high), factor * slope, 0.0)

    def _one_by_one(
        self, chosen: Indices, steppers: Sequence[CompiledStepper | None], rows: Rows, steps: int
    ) -> Controls:
        count, h = 1 if self._steady else steps, self._h
        schedule: Array = np.zeros((len(steppers), 2, count, len(self._timed), 3))
        servos: Array = np.zeros((len(steppers), 0, 3))
        for k in chosen.tolist():
            stepper, number = steppers[k], int(rows.number[k])
            assert stepper is not None
            now = float(rows.time[0, k])
            schedule[k] = stepper.schedule([now, *((number + i) * h for i in range(1, count))])
            stepper.tables.servos.fill(now)
            table = stepper.tables.servos.table
            if servos.shape[1] != len(table.target):
                servos = np.zeros((len(steppers), len(table.target), 3))
            servos[k] = np.column_stack((table.target, table.speed, table.effort))
        return Controls(self._timed, schedule, servos)


def _slots(stepper: CompiledStepper, setpoints: Sequence[Setpoint]) -> list[Slot] | None:
    """Of timed rows, targets of servos, efforts of servos; None where one of them is another function of time."""
    place = {id(point): k for k, point in enumerate(setpoints)}
    found = [_slot(function, place) for function in _functions(stepper)]
    known = [slot for slot in found if slot is not None]
    return known if len(known) == len(found) else None


def _functions(stepper: CompiledStepper) -> Iterable[Function | None]:
    """The functions that motors and servos follow."""
    for row in stepper.tables.timed:
        if isinstance(row, TimedDrive):
            yield row.part.effort
        else:
            yield row.part.target if isinstance(row.part, CoordinateMotor) else None
    servos = stepper.tables.servos.servos
    yield from (servo.target for servo in servos)
    yield from (servo.effort for servo in servos)


def _slot(function: Function | None, place: dict[int, int]) -> Slot | None:
    if isinstance(function, Setpoint) and id(function) in place:
        # -0.0: adding it changes no number, not even the sign of a zero.
        return Slot(place[id(function)], 1.0, -math.inf, math.inf, -0.0)
    if isinstance(function, Scaled) and id(function.function) in place:
        return Slot(place[id(function.function)], function.factor, function.low, function.high, function.offset)
    if function is not None and function.is_data and function.stands_still:
        return Slot(len(place), 0.0, -math.inf, math.inf, function.value(0.0))
    return None


def _is_plain(row: TimedRow | TimedDrive) -> bool:
    """Whether a row follows a setpoint itself."""
    return isinstance(row, TimedRow) and isinstance(row.part, CoordinateMotor) and isinstance(row.part.target, Setpoint)
