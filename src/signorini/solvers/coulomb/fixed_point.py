"""The outer fixed point: convex problems whose normal rows are shifted by the de Saxce term of the last answer."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution
from signorini.solvers.base import Solver
from signorini.solvers.coulomb.search import Iterate

GROWTH = 2.0
"""A change of the shift that has grown by this since the last restart ends the acceleration."""
RANK = 1e-8
"""Changes that are combinations of others up to this share count for nothing."""
FARTHEST = 10.0
"""The acceleration goes this many times as far as the plain step at most."""


class FixedPoint:
    """`s <- mu |u_t(s)|`, with u(s) the slips of the convex problem that has s added to its normal slips.

    Where W is not symmetric, the slips of its antisymmetric half are part of s. Anderson's acceleration with restarts:
    the next shift is the combination of the last `depth` ones for which the changes cancel best.
    """

    def __init__(self, problem: ContactProblem, inner: Solver, depth: int) -> None:
        self._problem, self._inner, self._depth = problem, inner, depth
        self.shift = np.zeros(problem.contact_rows)
        """Added to the slips, shape (contact rows,)."""
        self.solves = 0
        self.inner_iterations = 0
        self._best_image = self.shift
        self._forget()

    def _forget(self) -> None:
        self._shifts: list[Array] = []
        self._changes: list[Array] = []
        self._least = np.inf

    def solve(self, guess: Guess | Solution | None, tolerance: float, seconds: float) -> Solution:
        """The convex problem at the present shift, in so many seconds at most."""
        shifted = self._problem.changed(b_lambda=self._problem.b_lambda - self.shift)
        self.last = _limited(self._inner, tolerance, seconds).solve(shifted, guess)
        self.solves += 1
        self.inner_iterations += self.last.iterations
        return self.last

    def restart(self, iterate: Iterate) -> None:
        """Go on from the shift of these impulses."""
        self._forget()
        self.shift = self._image(iterate.contact_impulse, iterate.joint_impulse)

    def advance(self) -> None:
        """The next shift, from the last answer."""
        image = self._image(self.last.contact_impulse, self.last.joint_impulse)
        change = image - self.shift
        size = float(np.linalg.norm(change))
        if not (np.isfinite(size) and size <= GROWTH * self._least):
            self._forget()
            self.shift = self._best_image
            return
        if size < self._least:
            self._least, self._best_image = size, image
        self._shifts.append(self.shift)
        self._changes.append(change)
        del self._shifts[: -self._depth - 1], self._changes[: -self._depth - 1]
        self.shift = self._accelerated(image, change, size)

    def _accelerated(self, image: Array, change: Array, size: float) -> Array:
        if len(self._changes) < 2:
            return image
        changes, shifts = np.diff(self._changes, axis=0).T, np.diff(self._shifts, axis=0).T
        weights = np.linalg.lstsq(changes, change, rcond=RANK)[0]
        step = change - (shifts + changes) @ weights
        length = float(np.linalg.norm(step))
        if length > FARTHEST * size:
            step *= FARTHEST * size / length
        shift = self.shift + step
        if self._problem.skew is None:
            np.maximum(shift, 0.0, out=shift)
        return np.asarray(shift)

    def _image(self, contact_impulse: Array, joint_impulse: Array) -> Array:
        velocity = self._problem.velocity_of(contact_impulse, joint_impulse)
        slip = self._problem.slip_of(velocity, contact_impulse)
        return self._problem.exact_slip(slip, contact_impulse) - slip


def _limited(solver: Solver, tolerance: float, seconds: float) -> Solver:
    """The same solver with another tolerance and no more time than this, where it has such settings."""
    settings: Any = solver
    known = {field.name for field in dataclasses.fields(settings)} if dataclasses.is_dataclass(settings) else set()
    changes = {"tolerance": tolerance} if "tolerance" in known else {}
    if "time_budget" in known:
        changes["time_budget"] = min(seconds, settings.time_budget)
    return cast(Solver, dataclasses.replace(settings, **changes)) if changes else solver
