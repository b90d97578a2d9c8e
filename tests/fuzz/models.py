"""Random models with every solver: no crash, no NaN in silence, no "solved" that the judge rejects."""

from __future__ import annotations

import collections
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import judge
from random_models import RandomModel, random_model

import signorini as sg

STEPS = 50
WARM = range(10_000_000, 10_000_008)
"""Models that are run once before workers are forked, so that their loops are compiled and loaded."""
SLACK = 100.0
"""The judge rejects errors above this many tolerances."""
LONGEST = 3.0
"""A run that takes longer is left [s of processor time]."""
GROWTH = 0.05
"""Energy that is made from nothing, as a share of what moves in the run; above it the run is expected to tell."""
SHORT_FALL = 10
"""What all bodies gain by falling for this many steps is not told; overlaps of compliant bodies give that much."""
RESOLUTION = 8 * np.finfo(float).eps
"""Of places, relative to the farthest one, and of angles [rad]."""
LARGEST_TURN = 1.0
"""Of a body in a step [rad], by its velocity at the begin or at the end; beyond, a warning is due, and joints are not
looked at from there on."""
ENERGY_RESOLUTION = 1024 * np.finfo(float).eps
"""Of energies, relative to the largest one that is held: springs that are pressed in by kilometres between bodies that
joints hold have 1e15 J."""
SOLVERS = {
    "interior-point": lambda: sg.InteriorPoint(tolerance=1e-8),
    "general": lambda: sg.InteriorPoint(tolerance=1e-8, time_budget=1e6),
    "projected-sor": lambda: sg.ProjectedSOR(tolerance=1e-6, max_iterations=500),
    "apgd": lambda: sg.APGD(tolerance=1e-6, max_iterations=500),
}
"""Solvers with a time budget take no compiled steps: so the interior point is tried both ways. Budgets that could run
out would depend on what else the machine does."""


class Trial:
    """One model with one solver."""

    def __init__(self, number: int, solver: str) -> None:
        rng = np.random.default_rng(number)
        self.case: RandomModel = random_model(rng)
        self.number, self.solver = number, solver
        self.sim = sg.Simulation(
            self.case.model, step=float(rng.choice([0.001, 0.005, 0.01])), solver=SOLVERS[solver]()
        )
        self.bodies = [(body.mass if body.movable else 0.0, body.inertia) for body in self.case.model.bodies]
        self.totals: collections.Counter[str] = collections.Counter()
        self.bad: list[dict[str, Any]] = []
        springs = any(body.material.compliance > 0 for body in self.case.model.bodies)
        # What springs hold at the start is known only after a step.
        self.energies: list[tuple[float, float, float]] = [] if springs else [(*self._energy(self.sim.state), 0.0)]
        self.unsolved = False
        start = self.sim.state
        self.turned_far = self._turn(start) > LARGEST_TURN  # by velocities that joints may forbid
        self.points = [
            (one, judge.local(start, one.a, one.place), judge.local(start, one.b, one.place)) for one in self.case.tied
        ]

    def _energy(self, state: Any) -> tuple[float, float]:
        return judge.energy(self.bodies, self.case.model.gravity, state)

    def _turn(self, state: Any) -> float:
        """Of the fastest body in a step [rad]."""
        return float(np.linalg.norm(state.angular_velocity, axis=1).max()) * self.sim.step

    def note(self, what: Any) -> None:
        """Something that must not be."""
        self.bad.append({"solver": self.solver, "step": self.sim.number, "what": what})

    def run(self) -> None:
        """Take the steps, and look at each of them."""
        begin = time.process_time()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(STEPS):
                step = self.sim.advance()
                if self.sim._failure is not None:
                    self.totals["stopped"] += 1
                    return
                self.look(step)
                if time.process_time() - begin > LONGEST:
                    self.totals["left"] += 1
                    break
        told = [one for one in told if not issubclass(one.category, RuntimeWarning)]
        if not told and not self.unsolved:
            self.look_at_energy()

    def look(self, step: Any) -> None:
        """Judge one step."""
        self.totals["steps"] += 1
        state = step.state
        if not all(np.isfinite(x).all() for x in (state.position, state.velocity, state.orientation)):
            self.note("NaN in silence")
        self.energies.append((*self._energy(state), step.contact_energy))
        if not step.status.ok:
            self.unsolved = True
            self.totals["unsolved"] += 1
            return
        tolerance = float(self.sim.solver.tolerance)
        resolution = RESOLUTION * max(1.0, float(np.abs(state.position).max())) / self.sim.step
        found = judge.errors(step.problem, step.solution, True, (resolution, RESOLUTION / self.sim.step))
        self.totals["judged"] += 1
        self.totals["one contact above"] += not found.pop("contact alone", 0.0) <= SLACK * tolerance
        wrong = {key: value for key, value in found.items() if not value <= SLACK * tolerance}
        if wrong:
            self.note(wrong)
        if self.case.consistent and not self.unsolved:
            self.look_at_joints(state)

    def look_at_joints(self, state: Any) -> None:
        """Points that joints keep together part at most by what turning bodies make in a step."""
        turn = self._turn(state)
        self.turned_far |= turn > LARGEST_TURN
        if self.turned_far:
            return
        for one, a, b in self.points:
            lever = max(float(np.linalg.norm(x)) for x, body in ((a, one.a), (b, one.b)) if body >= 0)
            parted = float(np.linalg.norm(judge.point(state, one.a, a) - judge.point(state, one.b, b)))
            size = lever + float(np.abs(state.position).max()) * 1e-6
            if parted > size * (1e-5 + 4.0 * turn * turn):
                self.note({"joint parted": parted / size, "turn": turn})
                return

    def look_at_energy(self) -> None:
        """Energy does not grow where nothing gives any."""
        if self.case.driven:
            return
        self.totals["energies"] += 1
        kinetic, potential, contact = np.array(self.energies).T
        total = kinetic + potential + contact
        moving = float(kinetic.max() + np.ptp(potential))
        growth = float((total - np.minimum.accumulate(total)).max())
        resolution = ENERGY_RESOLUTION * float((np.abs(potential) + np.abs(contact)).max())
        fall = float(np.linalg.norm(self.case.model.gravity)) * SHORT_FALL * self.sim.step
        if growth > resolution + max(GROWTH * moving, 0.5 * sum(mass for mass, _ in self.bodies) * fall * fall):
            self.note({"energy grew": growth / moving})


class RandomModels:
    """Case n: the model of seed n with every solver."""

    name = "models"
    hang = 60.0

    def loads(self) -> list[Callable[[], object]]:
        """Models that need most loops."""
        np.seterr(all="ignore")
        return [partial(self.trial, number, [solver]) for number in WARM for solver in SOLVERS]

    def start(self, folder: Path) -> None:
        """Nothing is written."""

    def trial(self, number: int, solvers: Iterable[str] = tuple(SOLVERS)) -> dict[str, Any]:
        """Run the model; counts, and what must not be."""
        totals: collections.Counter[str] = collections.Counter()
        bad: list[dict[str, Any]] = []
        for solver in solvers:
            totals["runs"] += 1
            try:
                trial = Trial(number, solver)
            except sg.SignoriniError:
                totals["refused"] += 1
                continue
            try:
                trial.run()
            except sg.SignoriniError:
                totals["ended with an error"] += 1
            except Exception:
                trial.note(traceback.format_exc(limit=-3))
            totals.update(trial.totals)
            bad += trial.bad
        row: dict[str, Any] = {"totals": {key: value for key, value in totals.items() if value}}
        return {**row, "bad": bad} if bad else row
