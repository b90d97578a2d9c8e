"""First-order solvers on the GPU: the loops of `solvers` over vectors that stay on the device.

Sums are those of CuPy, whose order depends on the length alone: runs repeat bit for bit.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.kernels.cuda import certificate, gradients, sweeps
from signorini.kernels.cuda.door import launch, launch_together, xp
from signorini.math.cached import cached_property
from signorini.solvers.apgd import APGD, LONGEST_STEP, SHORTEST_STEP, momentum
from signorini.solvers.barzilai_borwein import REFRESH, BarzilaiBorwein, step_length
from signorini.solvers.projected_jacobi import MARGIN, POWER_STEPS, ProjectedJacobi
from signorini.solvers.projected_sor import ProjectedSOR

DeviceSolver = ProjectedSOR | ProjectedJacobi | APGD | BarzilaiBorwein
"""Solvers with a device implementation."""


@dataclass(frozen=True, eq=False)
class DeviceDual:
    """The scaled dual problem of one step on the device, contacts colour by colour (see `kernels.cuda`)."""

    colours: int
    start: Any
    pair: Any
    record: Any
    soft: Any
    """Scaled diagonal of E, shape (3, contacts), or (3, 0) for rigid contacts."""
    turning: Any
    """Rows against rolling and spinning, see `kernels.cuda.rolling`, without entries where there are none."""
    scale: Any
    mean: float
    """Mean of the diagonal of N."""
    exact: bool
    """Whether the law is the exact one."""
    z_free: Any

    def velocities(self, x: Any) -> Any:
        """Those that the impulses cause."""
        z = self.z_free.copy()
        launch_together(sweeps.scatter, self.colours, self.start, self.pair, self.record, self.turning, x, z)
        return z

    def gradient(self, x: Any, out: Any) -> None:
        """out = N x + b."""
        launch(gradients.slips, out.shape[1], self.pair, self.record, self.soft, x, self.velocities(x), 1.0, out)

    def product(self, x: Any, out: Any) -> None:
        """out = N x."""
        z = xp.zeros_like(self.z_free)
        launch_together(sweeps.scatter, self.colours, self.start, self.pair, self.record, self.turning, x, z)
        launch(gradients.slips, out.shape[1], self.pair, self.record, self.soft, x, z, 0.0, out)

    def forward(self, step: float, y: Any, g: Any, out: Any) -> None:
        """out = P_K(y - step g), by the law."""
        launch(gradients.forward, out.shape[1], self.record, self.exact, step, y, g, out)

    def openings(self, found: DeviceSolution, out: Any) -> None:
        """out = N x + b of a solution."""
        launch(gradients.slips, out.shape[1], self.pair, self.record, self.soft, found.x, found.z, 1.0, out)

    def error(self, x: Any, z: Any) -> float:
        """`Certificate.scaled` of impulses and the velocities that they cause."""
        squares, free = xp.empty(self.scale.shape[1]), xp.empty(self.scale.shape[1])
        if self.turning.shape[1]:
            launch(
                certificate.rolling_squares, len(free), self.pair, self.record, self.scale, self.soft, self.turning,
                x, z, self.z_free, self.exact, math.sqrt(self.mean), squares, free,
            )  # fmt: skip
            return math.sqrt(float(squares.sum()) / (float(free.sum()) or 1.0))
        launch(
            certificate.natural_squares, len(free), self.pair, self.record, self.scale, self.soft, x, z, self.z_free,
            self.exact, 1.0 / self.mean, squares, free,
        )  # fmt: skip
        size = math.sqrt(float(free.sum()))
        return self.mean * math.sqrt(float(squares.sum())) / (size if size > 0 else 1.0)

    @cached_property
    def b(self) -> Any:
        """Gradient at x = 0."""
        out = xp.empty((3, self.scale.shape[1]))
        self.gradient(xp.zeros_like(out), out)
        return out


@dataclass(frozen=True, eq=False)
class DeviceSolution:
    """Impulses in scaled variables, velocities, and how they were found."""

    x: Any
    z: Any
    iterations: int
    error: float


def solve(solver: DeviceSolver, dual: DeviceDual, x: Any) -> DeviceSolution:
    """From the impulses x on, which are overwritten; the best checked iterate, of sweeps the last one."""
    if isinstance(solver, ProjectedSOR):
        done = _sweep(solver, dual, x)
    else:
        progress = _Progress(solver, dual, x)
        done = _LOOPS[type(solver)](solver, dual, x, progress)
        x = progress.best
    z = dual.velocities(x)
    return DeviceSolution(x, z, done, dual.error(x, z))


def _sweep(sor: ProjectedSOR, dual: DeviceDual, x: Any) -> int:
    """Sweeps that were needed."""
    done, error, z = 0, math.inf, dual.velocities(x)
    end = time.perf_counter() + sor.time_budget
    while done < sor.max_iterations and not error <= sor.tolerance and time.perf_counter() < end:
        count = min(sor.check_every, sor.max_iterations - done)
        launch_together(
            sweeps.sweeps, done, count, sor.symmetric, dual.colours, dual.start, dual.pair, dual.record, dual.soft,
            dual.turning, dual.exact, sor.relaxation, sor.mixing, x, z,
        )  # fmt: skip
        done += count
        if done < sor.max_iterations:
            error = dual.error(x, z)
    return done


class _Progress:
    """The best iterate of a gradient method, and its stopping test."""

    def __init__(self, solver: ProjectedJacobi | APGD | BarzilaiBorwein, dual: DeviceDual, x: Any) -> None:
        self.solver, self.dual, self.best, self.error = solver, dual, x.copy(), math.inf
        self._end = time.perf_counter() + solver.time_budget

    def is_over(self, steps: int, products: int, x: Any) -> bool:
        """Whether to stop; evaluates the error every few steps."""
        last = products >= self.solver.max_iterations
        if steps % self.solver.check_every and not last:
            return False
        error = self.dual.error(x, self.dual.velocities(x))
        if error < self.error:
            self.error, self.best[...] = error, x
        return last or self.error <= self.solver.tolerance or time.perf_counter() > self._end


def _accelerated(solver: APGD, dual: DeviceDual, x: Any, progress: _Progress) -> int:
    """`APGD.solve`; returns products with N."""
    g, new, g_new = xp.empty_like(x), xp.empty_like(x), xp.empty_like(x)
    dual.gradient(x, g)
    y, gy, step, theta, products, steps = x.copy(), g.copy(), 1.0, 1.0, 0, 0
    while not progress.is_over(steps, products, x):
        step, steps = min(solver.growth * step, LONGEST_STEP), steps + 1
        while True:
            dual.forward(step, y, gy, new)
            dual.gradient(new, g_new)
            products += 1
            way = new - y
            square, bend = _dot(way, way), _dot(way, g_new - gy)
            if not bend * step > square or step <= SHORTEST_STEP or products >= solver.max_iterations:
                break
            step = max(0.9 * square / bend, 0.1 * step)
        uphill = solver.restart and _dot(y - new, new - x) > 0.0
        theta, beta = (1.0, 0.0) if uphill else momentum(theta)
        y, gy = new + beta * (new - x), g_new + beta * (g_new - g)
        x, new, g, g_new = new, x, g_new, g
    return products


def _spectral(solver: BarzilaiBorwein, dual: DeviceDual, x: Any, progress: _Progress) -> int:
    """`BarzilaiBorwein.solve`; returns products with N."""
    g, d, q, done, alpha = xp.empty_like(x), xp.empty_like(x), xp.empty_like(x), 0, 1.0
    dual.gradient(x, g)
    f = 0.5 * _dot(x, g + dual.b)
    values = deque([f], maxlen=solver.memory)
    while not progress.is_over(done, done, x):
        dual.forward(alpha, x, g, d)
        d -= x
        slope, square, odd = _dot(g, d), _dot(d, d), done % 2
        done += 1
        if not square > 0.0:
            alpha = min(max(1.0, solver.smallest_step), solver.largest_step)
            continue
        slope = min(slope, -square / alpha)
        dual.product(d, q)
        bend, stretch = _dot(d, q), _dot(q, q)
        length = step_length(max(values) - f, slope, bend)
        x += length * d
        g += length * q
        f += length * (slope + 0.5 * length * bend)
        if done % REFRESH == 0:
            dual.gradient(x, g)
            f = 0.5 * _dot(x, g + dual.b)
        values.append(f)
        above, below = (square, bend) if odd else (bend, stretch)
        alpha = min(max(above / below if below > 0.0 else math.inf, solver.smallest_step), solver.largest_step)
    return done


def _jacobi(solver: ProjectedJacobi, dual: DeviceDual, x: Any, progress: _Progress) -> int:
    """`ProjectedJacobi.solve`; returns products with N."""
    g, d, q, done = xp.empty_like(x), xp.empty_like(x), xp.empty_like(x), 0
    dual.gradient(x, g)
    largest = _largest_eigenvalue(dual, x.shape)
    while not progress.is_over(done, done, x):
        dual.forward(solver.relaxation / largest, x, g, d)
        d -= x
        square = _dot(d, d)
        dual.gradient(x + solver.mixing * d, q)
        bend = _dot(d, q - g) / solver.mixing
        done += 1
        if bend > MARGIN * largest * square:
            largest = MARGIN * bend / square
            continue
        x += solver.mixing * d
        g, q = q, g
    return done


def _largest_eigenvalue(dual: DeviceDual, shape: tuple[int, ...]) -> float:
    """Of N, by a power iteration from a fixed start."""
    x = xp.asarray(np.random.default_rng(0).standard_normal(shape))
    y, value = xp.empty_like(x), 0.0
    for _ in range(POWER_STEPS):
        norm = math.sqrt(_dot(x, x))
        if not norm > 0.0:
            break
        x /= norm
        dual.product(x, y)
        value = max(value, _dot(x, y), math.sqrt(_dot(y, y)))
        x, y = y, x
    return MARGIN * value if 0.0 < value < math.inf else 1.0


def _dot(a: Any, b: Any) -> float:
    return float((a * b).sum())


_LOOPS: dict[type, Any] = {APGD: _accelerated, BarzilaiBorwein: _spectral, ProjectedJacobi: _jacobi}
