"""Where the state of each world of a batch is: in flat arrays that compiled calls advance, or in its simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.step import worlds as call
from signorini.kernels.step.record import ERROR
from signorini.kernels.step.whole import LOOK_AGAIN, MISSED, ROUND, SWINGS, TOO_MANY, UNSOUND
from signorini.math.sparse import Array, Indices
from signorini.model.functions.setpoint import Setpoint
from signorini.simulation.simulation import Simulation
from signorini.stepping.compiled.stepper import REASONS
from signorini.stepping.compiled.world_controls import WorldControls
from signorini.stepping.compiled.worlds import WorldRows, are_alike

WHY = {
    **{status: REASONS[status] for status in (TOO_MANY, UNSOUND, MISSED, ROUND, SWINGS)},
    LOOK_AGAIN: "the answer may bring new contacts",
    call.END_LATE: "the end of the step has to be corrected",
    call.WOUND: "a spring is wound too far",
    call.NEWS: "after a warning",
}
NOT_COMPILED = "wrenches act, or the model has no compiled step"


class Seats:
    """The rows of all worlds, and which of them are ahead of their simulations or behind.

    A world that was stepped here is ahead: its simulation catches up when somebody looks at it. One whose simulation
    was stepped, reset or restored is behind: it is put into its row again before the next call. Setpoints, and whether
    wrenches act, lie in arrays of their own, so that nobody has to be asked.
    """

    def __init__(self, worlds: Sequence[Simulation], threads: int) -> None:
        count = len(worlds)
        self.worlds, self.reasons = worlds, Counter[str]()
        self.residual: Array = np.zeros(count)
        self.ok: NDArray[np.bool_] = np.ones(count, dtype=np.bool_)
        self.failed: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        self._ahead, self._behind = np.zeros(count, dtype=np.bool_), np.ones(count, dtype=np.bool_)
        self._compiled = np.zeros(count, dtype=np.bool_)
        self._pushed: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        setpoints = [sim.motors.setpoints for sim in worlds]
        self._points: Array = np.zeros((count, len(setpoints[0]), 2))
        self._places = worlds[0].motors.places
        starts = [sim.start for sim in worlds]
        self._table = WorldRows(count, len(worlds[0].model.bodies), threads)
        self._controls: WorldControls | None = None
        self._own = len({id(point) for own in setpoints for point in own}) == sum(map(len, setpoints))
        if self._own and are_alike(starts):
            self._bind(setpoints)
            self._controls = WorldControls([start.stepper for start in starts], self._points, setpoints)
        for k, sim in enumerate(worlds):
            sim.wrenches.mark_in(self._pushed[k : k + 1])
            sim.elsewhere = Seat(self, k)

    def _bind(self, setpoints: Sequence[Sequence[Setpoint]]) -> None:
        """Have the numbers of all setpoints in one array."""
        for own, row in zip(setpoints, self._points, strict=True):
            for point, numbers in zip(own, row, strict=True):
                point.keep_in(numbers)

    @property
    def time(self) -> Array:
        """Of the worlds [s], shape (n,)."""
        return np.array(self._table.rows.time[0])

    def set_targets(self, targets: Array, rates: Array) -> None:
        """Of all motors of all worlds, shape (n, motors)."""
        if self._controls is None:
            for sim, goal, speed in zip(self.worlds, targets.tolist(), rates.tolist(), strict=True):
                sim.motors.set_unchecked(goal, speed)
            return
        self._points[:, self._places, 0], self._points[:, self._places, 1] = targets, rates

    def advance(self, worlds: Indices, left: Indices) -> dict[int, int]:
        """Take the steps that are left to some worlds in compiled calls, and count them; steps for Python in which.

        These are the next one, after which a world may come back, or all that are left.
        """
        self._put_back(worlds)
        compiled = self._compiled & ~self._pushed
        chosen = worlds[compiled[worlds]]
        if len(chosen):
            self._take(chosen, left)
        found, why = {}, self._table.rows.why
        for k in worlds[left[worlds] > 0].tolist():
            found[k] = 1 if compiled[k] else int(left[k])
            self.reasons[WHY[int(why[k])] if compiled[k] else NOT_COMPILED] += found[k]
            left[k] -= found[k]
        return found

    def _take(self, chosen: Indices, left: Indices) -> None:
        assert self._controls is not None
        news = self._table.take(chosen, left, self._controls)
        rows = self._table.rows
        moved = chosen[rows.left[chosen] < left[chosen]]
        left[chosen] = rows.left[chosen]
        self._ahead[moved], self.ok[moved] = True, True
        self.residual[moved] = rows.numbers[moved, ERROR]
        for k in np.flatnonzero(news).tolist():
            self.catch_up(k, news=True)
            self._behind[k] = True

    def catch_up(self, k: int, news: bool = False) -> None:
        """Let a simulation have the last step of its row."""
        if self._ahead[k]:
            self._ahead[k] = False
            self.worlds[k].catch_up_with(*self._table.taken(k), self._table.rows.watch[k].tolist(), news)
            self._behind[k] = False

    def changed(self, k: int) -> None:
        """A simulation went its own way."""
        self._ahead[k], self._behind[k] = False, True

    def _put_back(self, worlds: Indices) -> None:
        """Have worlds in their rows."""
        for k in worlds[self._behind[worlds]].tolist():
            sim, self._behind[k] = self.worlds[k], False
            step, start = sim.last_step, sim.start if self._controls is not None else None
            force = sim.contact_forces.of_bodies(len(sim.model.bodies))
            self.residual[k], self.ok[k] = (0.0, True) if step is None else (step.residual, step.status.ok)
            self.failed[k], self._compiled[k] = sim.failed, start is not None
            if start is None:
                self._table.show(k, sim.number, sim.state, force)
            else:
                self._table.put(k, start, sim.watch_numbers(), force)

    def read(self) -> tuple[Array, Array, Array, Array, Array]:
        """Positions, orientations, velocities, angular velocities, contact forces of all bodies of all worlds."""
        self._put_back(np.flatnonzero(self._behind))
        return self._table.read()


class Seat:
    """That of one world, as its simulation knows it."""

    def __init__(self, seats: Seats, world: int) -> None:
        self._seats, self._world = seats, world

    def catch_up(self) -> None:
        """Have the last step."""
        self._seats.catch_up(self._world)

    def changed(self) -> None:
        """The simulation was stepped, reset or restored."""
        self._seats.changed(self._world)
