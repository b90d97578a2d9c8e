"""The loop over the steps of a simulation: one by one, or many in one compiled call."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence

from signorini.model.state import State
from signorini.simulation.control.loop import ControlLoop
from signorini.simulation.drivers import AnyMemory, Driver
from signorini.simulation.memory import MemoryFrames
from signorini.simulation.step_watch import StepWatch
from signorini.stepping.compiled.step_block import StepBlock
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.step import Failure, Step

Now = tuple[int, State, AnyMemory | None]
"""Number, state and memory of the last step."""


class StepLoop(ControlLoop):
    """The part of `Simulation` that takes steps one after another."""

    _driver: Driver
    _present: Now
    _watch: StepWatch
    _why_failed: Failure | None

    @property
    def _now(self) -> Now:
        """Number, state and memory of the last step.

        One object, so that an interruption never finds the number of one step beside the state of another.
        """
        self._catch_up()
        return self._present

    @_now.setter
    def _now(self, now: Now) -> None:
        self._present = now
        self._changed()

    @property
    def _failure(self) -> Failure | None:
        """Why it has ended."""
        return self._why_failed

    @_failure.setter
    def _failure(self, failure: Failure | None) -> None:
        self._why_failed = failure
        self._changed()

    @abstractmethod
    def advance(self) -> Step:
        """Take one step."""

    def __iter__(self) -> Iterator[Step]:
        """Steps without end, unless one fails; leave the loop to stop."""
        while self._failure is None:
            yield self.advance()

    def take_over(self, step: Step, kept: AnyMemory) -> bool:
        """Count a step that was taken in a compiled block; whether it counts, or the run has ended before it."""
        self._failure = self._watched(self._now[1], step)
        if self._failure is None:
            self._took(step, step.state, kept)
        return self._failure is None

    def watch_numbers(self) -> tuple[float, ...]:
        """Reference values for later solved steps; see `StepWatch.numbers`."""
        return self._watch.numbers(*self._now[:2])

    def catch_up_with(self, step: Step, kept: AnyMemory, watch: Sequence[float], news: bool) -> None:
        """Continue after steps that were taken elsewhere; `news`: whether the watch has to check the last one."""
        self._watch.put_numbers(step.number - news, watch)
        failure = self._watched(step.state, step) if news else None
        self._took(step, step.state, kept)
        if failure is not None:
            self._failure = failure

    def _took(self, step: Step, state: State, kept: AnyMemory) -> None:
        self._now = (step.number, state, kept)
        self._step, self._contact_forces = step, None

    def _watched(self, before: State, step: Step) -> Failure | None:
        if self.device == "cuda":
            return None  # the state is on the device, and reading it costs more than the step
        failure = self._watch.check(before, step)
        if failure is not None:
            warnings.warn(failure.message, stacklevel=3)
        return failure

    def _steps(self, count: int, alone: bool) -> Iterator[Step]:
        """So many steps; in blocks for small models if nothing acts between steps (`alone`)."""
        end, quick = self._now[0] + count, self._driver.compiled if alone else None
        while self._now[0] < end and self._failure is None:
            block = self._block(quick, end)
            for step, kept in block or ():
                counts = self.take_over(step, kept)
                yield step
                if not counts:
                    return
            if block is None:
                yield self.advance()

    def _take_unheard(self, count: int, frames: MemoryFrames) -> None:
        """So many steps without listeners: no objects are made of steps in blocks unless there is something to
        report."""
        end = self._now[0] + count
        while self._now[0] < end and self._failure is None:
            block = self._block(self._driver.compiled, end)
            if block is None:
                one = self.advance()
                if self._failure is None:
                    frames.add(one)
            elif self._watch.is_quiet(block):
                last, kept = block.taken(len(block) - 1)
                self._took(last, last.state, kept)
                frames.add_block(block)
            else:
                for step, kept in block:
                    if not self.take_over(step, kept):
                        return
                    frames.add(step)

    def _block(self, quick: CompiledStepper | None, end: int) -> StepBlock | None:
        left = end - self._now[0] - 1  # the last step keeps its problem, those of a block do not
        return quick.steps(*self._now, left) if quick is not None and left else None
