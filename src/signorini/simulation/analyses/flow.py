"""Granular flow: what crosses a surface, and averages over the cells of a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.sparse import Array, Indices
from signorini.model.checks import positive_sizes, unit_vector, vector
from signorini.model.model import Model
from signorini.model.periods import Periods
from signorini.problem.errors import ModelError
from signorini.simulation.run import Run

PARALLEL = 1e-9
"""Of components of unit vectors."""


@dataclass(frozen=True, eq=False)
class Crossings:
    """Centres of bodies that went through a plane, or a disc in it, in the order of time."""

    time: Array
    """Between two frames, by linear interpolation [s], shape (crossings,)."""
    body: Indices
    """Place in `Model.bodies`, shape (crossings,)."""
    mass: Array
    """Positive along the normal, negative against it [kg], shape (crossings,)."""
    frame_times: Array
    """Of the run's frames [s], shape (frames,)."""

    @property
    def count(self) -> int:
        """Crossings along the normal less those against it."""
        return int(np.sign(self.mass).sum())

    @property
    def total_mass(self) -> float:
        """That has passed [kg], along the normal less against it."""
        return float(self.mass.sum())

    def passed(self) -> Array:
        """Mass that has passed up to each frame [kg], shape (frames,)."""
        order = np.searchsorted(self.time, self.frame_times, side="right")
        return np.asarray(np.concatenate(([0.0], np.cumsum(self.mass)))[order])

    def flow(self, begin: float | None = None, end: float | None = None) -> float:
        """Mean mass flow from `begin` to `end` [kg/s]; by default of the whole run."""
        first = float(self.frame_times[0]) if begin is None else float(begin)
        last = float(self.frame_times[-1]) if end is None else float(end)
        if not last > first:
            raise ModelError(f"the flow from {first:g} to {last:g} s is that of no time; expected begin < end")
        within = (self.time > first) & (self.time <= last)
        return float(self.mass[within].sum()) / (last - first)


def crossings(run: Run, point: ArrayLike, normal: ArrayLike, radius: float | None = None) -> Crossings:
    """Count bodies whose centres go through the plane through `point` [m] across `normal`.

    With a `radius` [m] only those that pass the disc about the point. Bodies must not go there and back between two
    frames of the run.
    """
    centre, n = vector(point, "point of the plane"), unit_vector(normal, "normal of the plane")
    model = run.model()
    masses, movable = _masses(model)
    position = run.position()[:, movable]
    height, period = (position - centre) @ n, _period_along(model.periods, n)
    # Where space repeats itself, so does the plane.
    level = np.floor(height / period) if math.isfinite(period) else np.where(height < 0.0, -1.0, 0.0)
    there = ~model.stored(position)  # the way from and to the store crosses nothing
    frame, which = np.nonzero((level[:-1] != level[1:]) & there[:-1] & there[1:])
    crossed = np.maximum(level[frame, which], level[frame + 1, which]) * (period if math.isfinite(period) else 1.0)
    before, after = height[frame, which] - crossed, height[frame + 1, which] - crossed
    share = before / (before - after)
    place = position[frame, which] + share[:, None] * (position[frame + 1, which] - position[frame, which])
    times = run.times[frame] + share * (run.times[frame + 1] - run.times[frame])
    inside = np.ones(len(frame), dtype=bool)
    if radius is not None:
        apart = place - centre
        if model.periods is not None:
            axes, length = model.periods.axes, model.periods.length
            apart[:, axes] -= length * np.round(apart[:, axes] / length)
        inside = np.linalg.norm(apart, axis=1) <= float(radius)
    order = np.flatnonzero(inside)[np.argsort(times[inside], kind="stable")]
    bodies = movable[which[order]]
    return Crossings(times[order], bodies, np.sign(after - before)[order] * masses[bodies], run.times)


def _period_along(periods: Periods | None, n: Array) -> float:
    """Length of the period across a plane of normal n [m], infinite for none."""
    if periods is None or not np.any(np.abs(n[periods.axes]) > PARALLEL):
        return math.inf
    for axis, length in zip(periods.axes, periods.length.tolist(), strict=True):
        if abs(float(n[axis])) > 1.0 - PARALLEL:
            return float(length)
    raise ModelError(f"the plane of normal {n.tolist()} is askew in periodic space: take one along or across its axes")


@dataclass(frozen=True, eq=False)
class GridAverages:
    """Means over the cells of a grid, and over frames. A body counts in the cell where its centre is."""

    edges: tuple[Array, Array, Array]
    """Borders of the cells along x, y and z [m], shape (cells + 1,) each."""
    count: Array
    """Bodies per cell [-], shape (x, y, z)."""
    density: Array
    """Mass over volume [kg/m3], shape (x, y, z)."""
    velocity: Array
    """Weighted by mass [m/s], nan in empty cells, shape (x, y, z, 3)."""
    contact_stress: Array
    """`1/V sum f r'` over the contacts of the bodies, r from the centre to the contact: tension is positive [Pa], shape
    (x, y, z, 3, 3)."""
    kinetic_stress: Array
    """`-1/V sum m u u'`, u the velocity less its mean in the cell [Pa], shape (x, y, z, 3, 3)."""

    @property
    def stress(self) -> Array:
        """Of contacts and of motion [Pa], shape (x, y, z, 3, 3)."""
        return np.asarray(self.contact_stress + self.kinetic_stress)

    @property
    def pressure(self) -> Array:
        """Minus a third of the trace of the stress [Pa], shape (x, y, z)."""
        return np.asarray(-np.trace(self.stress, axis1=-2, axis2=-1) / 3.0)


def grid_averages(
    run: Run, origin: ArrayLike, size: ArrayLike, cells: tuple[int, int, int], frames: slice = slice(1, None)
) -> GridAverages:
    """Means over a box of `size` [m] at `origin` [m], cut into `cells` along x, y and z, over frames of a run.

    Stresses need the run's contacts, so those of the first frame, which no step led to, are left out by default.
    """
    low, extent = vector(origin, "origin of the grid"), np.array(positive_sizes(size, "size of the grid"))
    shape = tuple(int(n) for n in cells)
    if len(shape) != 3 or min(shape) < 1:
        raise ModelError(f"cells are {cells!r}, expected three numbers of cells of 1 or more")
    chosen = range(len(run.times))[frames]
    if not len(chosen):
        raise ModelError(f"frames {frames} name none of the run's {len(run.times)} frames")
    masses, movable = _masses(run.model())
    sums = _Sums(low, extent / shape, shape, masses, movable)
    for frame in chosen:
        sums.add(run, frame)
    return sums.means(len(chosen))


class _Sums:
    """Sums over cells while frames are read."""

    def __init__(self, low: Array, cell: Array, shape: tuple[int, ...], masses: Array, movable: Indices) -> None:
        self.low, self.cell, self.shape, self.masses, self.movable = low, cell, shape, masses, movable
        cells = int(np.prod(shape))
        self.count, self.mass, self.momentum = np.zeros(cells), np.zeros(cells), np.zeros((cells, 3))
        self.second, self.virial = np.zeros((cells, 3, 3)), np.zeros((cells, 3, 3))

    def add(self, run: Run, frame: int) -> None:
        """One frame."""
        state = run.state(frame)
        where = self._cells(run.model().seen_at(state.position))
        bodies = self.movable[where[self.movable] >= 0]
        at, m, v = where[bodies], self.masses[bodies], state.velocity[bodies]
        np.add.at(self.count, at, 1.0)
        np.add.at(self.mass, at, m)
        np.add.at(self.momentum, at, m[:, None] * v)
        np.add.at(self.second, at, m[:, None, None] * v[:, :, None] * v[:, None, :])
        if frame > 0:
            h = float(run.settings["step"])
            # Contacts are those of the beginning of the step, and so are the arms of their forces.
            self._add_contacts(run, frame, where, state.position - h * state.velocity, h)

    def _add_contacts(self, run: Run, frame: int, where: Indices, position: Array, h: float) -> None:
        found, rigid = run.contacts(frame), len(position)
        force = found.world_impulse / h
        contacts = found.contacts
        for side, point, sign in ((contacts.body_a, contacts.point_a, 1.0), (contacts.body_b, contacts.point_b, -1.0)):
            counts = side < rigid
            counts[counts] = np.isfinite(self.masses[side[counts]]) & (where[side[counts]] >= 0)
            body = side[counts]
            arm = point[counts] - position[body]
            np.add.at(self.virial, where[body], sign * force[counts][:, :, None] * arm[:, None, :])

    def _cells(self, position: Array) -> Indices:
        """Number of the cell of each body, -1 outside."""
        index = np.floor((position - self.low) / self.cell)  # nan for stored bodies
        inside = np.all((index >= 0) & (index < np.array(self.shape)), axis=1)
        flat = np.ravel_multi_index(tuple(np.where(inside[:, None], index, 0).astype(np.int64).T), self.shape)
        return np.asarray(np.where(inside, flat, -1))

    def means(self, frames: int) -> GridAverages:
        """Averages over this number of frames."""
        volume = float(np.prod(self.cell)) * frames
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.momentum / self.mass[:, None]
        moving = np.nan_to_num(mean)
        fluctuation = self.second - self.mass[:, None, None] * moving[:, :, None] * moving[:, None, :]
        edges = [self.low[k] + self.cell[k] * np.arange(self.shape[k] + 1) for k in range(3)]
        shape = self.shape
        return GridAverages(
            (edges[0], edges[1], edges[2]),
            (self.count / frames).reshape(shape),
            (self.mass / volume).reshape(shape),
            mean.reshape(*shape, 3),
            (self.virial / volume).reshape(*shape, 3, 3),
            (-fluctuation / volume).reshape(*shape, 3, 3),
        )


def _masses(model: Model) -> tuple[Array, Indices]:
    """Masses of all bodies [kg], inf for those that do not move freely, and the places of the others."""
    masses = model.bodies.each(lambda body: body.mass if body.movable else np.inf)
    return masses, np.flatnonzero(np.isfinite(masses))
