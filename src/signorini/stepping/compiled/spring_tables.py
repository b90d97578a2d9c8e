"""Springs of a model as tables of the compiled step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.assembly.masses import Masses
from signorini.assembly.stiff_forces import stiff_terms
from signorini.kernels.step.springs import add_springs
from signorini.kernels.step.tables import SpringTable
from signorini.kernels.step.tables import State as StateArrays
from signorini.math.sparse import Array
from signorini.model.component import StiffForce
from signorini.model.coordinate import TWO_TURNS, Coordinate, Coordinates
from signorini.model.forces.bushing import Bushing
from signorini.model.forces.servo import Servo
from signorini.model.forces.slide_spring import SlideSpring
from signorini.model.forces.spring import Spring
from signorini.model.forces.torsion_spring import TorsionSpring
from signorini.model.motors.drive import Drive
from signorini.model.state import State

NOTHING = np.zeros(0)
REST = {Spring: "length", SlideSpring: "position", TorsionSpring: "angle"}
"""Kinds with one coordinate, and what they call the place without force."""


@dataclass(frozen=True, eq=False)
class TimedDrive:
    """A motor that gives an effort as a function of time; see `row_tables.TimedRow`."""

    row: int
    """-1 - (its place in the table of springs)."""
    part: Drive

    @property
    def place(self) -> int:
        """In the table of springs."""
        return -1 - self.row

    def at(self, time: float) -> tuple[float, float, float]:
        """Effort at a time [s], and nothing else."""
        return self.part.effort.value(time), 0.0, 0.0

    def samples(self, times: list[float]) -> list[tuple[float, float, float]]:
        """`at` many times."""
        return [(effort, 0.0, 0.0) for effort in self.part.effort.values_at(times)]

    @property
    def runs_no_code(self) -> bool:
        """As `Function.runs_no_code`."""
        return self.part.effort.runs_no_code

    @property
    def stands_still(self) -> bool:
        """Whether it changes only when it is set between steps."""
        return self.runs_no_code and not self.part.effort.is_data


@dataclass(frozen=True, eq=False)
class SpringTables:
    """Springs with a table, and forces that are evaluated one by one."""

    table: SpringTable | None
    others: tuple[StiffForce, ...]
    springs: tuple[StiffForce, ...]
    servos: tuple[Servo, ...]
    """The last in the table; their targets are filled in at every step."""
    drives: tuple[TimedDrive, ...]
    """In the table before the servos, without stiffness and damping."""
    masses: Masses
    lightness: Array
    """See `SpringTable`."""

    @classmethod
    def of(cls, forces: Sequence[StiffForce], given: Sequence[Drive], masses: Masses, curved: bool) -> SpringTables:
        """Of a model's forces with derivatives, and of its motors that give an effort.

        Springs keep their energy where paths are `curved`.
        """
        springs = [force for force in forces if type(force) in (*REST, Bushing)]
        servos = [force for force in forces if isinstance(force, Servo)]
        others = [force for force in forces if type(force) not in (*REST, Bushing, Servo)]
        lightness = masses.inverse_diagonal if curved else NOTHING
        table = _table(springs, servos, given, lightness) if springs or servos or given else None
        first = 0 if table is None else len(table.rest) - len(given) - len(servos)
        drives = tuple(TimedDrive(-1 - (first + k), drive) for k, drive in enumerate(given))
        return cls(table, tuple(others), tuple(springs), tuple(servos), drives, masses, lightness)

    def add(self, state: State, arrays: StateArrays, h: float, stiff: Array, momentum: Array) -> None:
        """Stiffness and momentum, see `stiff_terms`; raises `ModelError` where a force is not finite."""
        if self.table is None:
            stiff[:] = 0.0
        elif not add_springs(self.table, self.masses.place, arrays, h, stiff, momentum):
            stiff_terms((*self.springs, *self.servos), self.masses, state, h)  # names the force
        if self.others:
            light = self.lightness if len(self.lightness) else None
            more, push = stiff_terms(self.others, self.masses, state, h, light)
            stiff += more.toarray()
            momentum += push

    def fill_drives(self, time: float) -> None:
        """Put the efforts of drives into the table."""
        if self.table is not None:
            for drive in self.drives:
                self.table.push[drive.place] = drive.at(time)[0]

    def fill_servos(self, time: float) -> None:
        """Put targets of servos, and the efforts of those at their limits, into the table."""
        if not self.servos or self.table is None:
            return
        table, row, entry = self.table, len(self.table.rest) - len(self.servos), -len(self.servos)
        for servo in self.servos:
            held = servo.saturation or 0
            table.stiffness[entry], table.damping[entry] = (0.0, 0.0) if held else (servo.stiffness, servo.damping)
            table.rest[row] = servo.target.value(time)
            push = servo.damping * servo.target.derivative(time) + servo.effort.value(time)
            table.push[row] = held * servo.limit if held else push
            row, entry = row + 1, entry + 1

    @property
    def packed(self) -> SpringTable:
        """The table, an empty one where there is none."""
        return _table((), (), (), NOTHING) if self.table is None else self.table

    def require_finite(self, state: State, h: float) -> None:
        """Raise `ModelError` with the name of a spring whose force is not finite."""
        if self.table is not None:
            stiff_terms((*self.springs, *self.servos), self.masses, state, h)


def arrays_of(state: State) -> StateArrays:
    """A state as kernels take it."""
    return StateArrays(state.position, state.orientation, state.velocity, state.angular_velocity)


def _table(springs: Sequence[Any], servos: Sequence[Servo], drives: Sequence[Drive], lightness: Array) -> SpringTable:
    coordinates: list[Coordinate] = []
    start, square, rest, period = [0], [0], [], []
    stiffness: list[Array] = []
    damping: list[Array] = []
    for spring in (*springs, *drives, *servos):
        single = not isinstance(spring, Bushing)
        own = (spring.coordinate,) if single else spring.coordinates
        coordinates.extend(own)
        rest += [getattr(spring, REST[type(spring)])] if type(spring) in REST else [0.0] * len(own)
        turns = isinstance(spring, TorsionSpring) or (isinstance(spring, Servo) and spring.coordinate.is_angle)
        period += [TWO_TURNS if turns else 0.0] * len(own)
        gains = (0.0, 0.0) if isinstance(spring, Drive) else (spring.stiffness, spring.damping)
        for values, gain in zip((stiffness, damping), gains, strict=True):
            values.append(np.asarray(gain, dtype=np.float64).reshape(-1))
        start.append(len(coordinates))
        square.append(square[-1] + len(own) ** 2)
    arrays = Coordinates.of(coordinates)
    return SpringTable(
        (arrays.kind, arrays.axis, arrays.body, arrays.point, arrays.turn), np.array(start, dtype=np.int64),
        np.array(square, dtype=np.int64), np.concatenate([NOTHING, *stiffness]), np.concatenate([NOTHING, *damping]),
        np.array(rest, dtype=np.float64), np.array(period, dtype=np.float64), np.zeros(len(coordinates)), len(springs),
        lightness, np.zeros((len(drives) + len(servos), 14)),
    )  # fmt: skip
