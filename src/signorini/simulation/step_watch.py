"""Watches a run for unreliable steps: divergence, large rotations, energy without a source."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.solution import Status
from signorini.simulation.energy_watch import QUIET, Energy, EnergyWatch
from signorini.stepping.compiled.step_block import StepBlock
from signorini.stepping.step import Failure, Step

BURST = 1e3
"""An unsolved step with this many times the energy that was or can be available has diverged."""
FIRST_BURST = 1e12
"""The same for the first step, before which nothing is known but the state that it began with."""
GROSS = 1e-2
"""Error from which the answer of an unsolved step is meaningless [-]."""
LARGEST_TURN = 1.0
"""Rotation of a body in a step [rad] beyond which its linearisation is unreliable."""


class StepWatch:
    """Compares every step with what came before.

    Energy is checked only in steps whose problem was not solved: motors and forces may supply any amount. The measure
    is the largest kinetic energy so far, the range of the potential energy so far, or what free fall since the start
    would have given, whichever is largest. A run whose energy doubles in every bad step is stopped after ten. Where
    `energy` is given, growth in solved steps is reported as well, and a burst ends the run (see `EnergyWatch`). A run
    ends after `patience` steps in a row with errors above `GROSS`; steps that end at their limit of iterations do not
    count.
    """

    def __init__(self, model: Model, h: float, energy: Energy | None, patience: float = math.inf) -> None:
        self._given = (model, h, energy, patience)
        self._patience, self._in_a_row = patience, 0
        self._h, self._energy = h, energy
        self._gains = None if energy is None else EnergyWatch(model, h, energy)
        masses = [body.mass for body in model.bodies if body.movable] + [body.mass for body in model.flexibles]
        self._names = [body.name for body in model.bodies]
        self._fall = 0.5 * sum(masses) * float(np.dot(model.gravity, model.gravity))
        """Kinetic energy of free fall over the square of its time [J/s2]."""
        self._seen = False
        """Whether there was a step: before the first one nothing is known, as a run may begin with moving bodies."""
        self._kinetic = 0.0
        self._potential = (math.inf, -math.inf)
        self._told_turn = False

    def restarted(self) -> StepWatch:
        """For a run from the start."""
        return StepWatch(*self._given)

    def check(self, before: State, step: Step) -> Failure | None:
        """Why the run cannot go on from `before`, None if it can."""
        ok = step.status.ok
        if not ok and self._burst(before, step):
            return Failure(
                Status.DIVERGED,
                f"step {step.number} diverged: kinetic energy {step.kinetic:.1e} J, at most {self._kinetic:.1e} J "
                f"before ({step.status.name.lower()}, residual {step.residual:.1e}); the state at t = {before.time:g} "
                "s is good; take a smaller step, or on_failure='fallback'",
            )
        if ok:
            self._in_a_row = 0
        elif (hopeless := self._count_failures(before, step)) is not None:
            return hopeless
        if ok or not self._seen:
            self._seen, kinetic, potential, (low, high) = True, step.kinetic, step.potential, self._potential
            self._kinetic = kinetic if kinetic > self._kinetic else self._kinetic
            if not low <= potential <= high:
                self._potential = (min(low, potential), max(high, potential))
        if self._gains is not None and (burst := self._gains.check(before, step)) is not None:
            return burst
        if not self._told_turn and step.largest_spin * self._h > LARGEST_TURN / 2.0:  # most runs have none
            self._look_at_turns(step.state)
        return None

    def is_quiet(self, block: StepBlock) -> bool:
        """Whether there is nothing to report of consecutive solved steps; if so, they are counted."""
        if not (self._told_turn or block.largest_spin * self._h <= LARGEST_TURN / 2.0):
            return False
        kinetic, potential, (low, high) = block.kinetic, block.potential, self._potential
        if self._gains is not None and not self._gains.is_quiet(block.first, kinetic, potential):
            return False
        self._seen, self._in_a_row = True, 0
        self._kinetic = max(self._kinetic, float(kinetic.max()))
        self._potential = (min(low, float(potential.min())), max(high, float(potential.max())))
        return True

    def numbers(self, number: int, state: State) -> tuple[float, ...]:
        """What many worlds compare their solved steps after `number` and `state` with; see `kernels.step.worlds`."""
        compared = QUIET if self._gains is None else self._gains.numbers(number, state)
        return self._kinetic, *self._potential, *compared, math.inf if self._told_turn else LARGEST_TURN

    def put_numbers(self, number: int, numbers: Sequence[float]) -> None:
        """The same after the steps up to `number`."""
        self._seen, self._in_a_row = True, 0
        self._kinetic, low, high, *compared = numbers
        self._potential = (low, high)
        if self._gains is not None:
            self._gains.put_numbers(number, compared)

    def _count_failures(self, before: State, step: Step) -> Failure | None:
        """The end of a run whose steps fail one after another."""
        wrong = not (step.status is Status.ITERATION_LIMIT or step.residual < GROSS)
        self._in_a_row = self._in_a_row + 1 if wrong else 0
        if self._in_a_row < self._patience:
            return None
        return Failure(
            step.status,
            f"{self._in_a_row} steps in a row up to t = {before.time:g} s were not solved, the last one "
            f"{step.status.value.split(':')[0]} with an error of {step.residual:.1e}; take a smaller step or "
            "on_failure='fallback', or go on all the same with max_failures=math.inf",
        )

    def _burst(self, before: State, step: Step) -> bool:
        if not (math.isfinite(step.kinetic) and math.isfinite(step.potential)):
            return True
        low, high = self._potential
        known = max(self._kinetic, high - low if high >= low else 0.0, self._fall * (step.number * self._h) ** 2)
        if self._seen:
            return step.kinetic > BURST * known
        start = self._energy(before)[0] if self._energy is not None else math.inf
        return step.kinetic > FIRST_BURST * max(start, known) > 0.0

    def _look_at_turns(self, state: State) -> None:
        turns = np.linalg.norm(state.angular_velocity, axis=1) * self._h
        if turns.max() > LARGEST_TURN:
            self._told_turn = True
            name = self._names[int(turns.argmax())]
            warnings.warn(
                f"body {name!r} turns by {turns.max():.2g} rad in the step to t = {state.time:g} s: rotations are "
                f"linearised over a step; take one below {self._h * LARGEST_TURN / turns.max():.2g} s",
                stacklevel=4,
            )
