"""The dual problem as first-order solvers see it: scaled variables, products and sweeps, in one of two storages.

With `A = [D; C] G`, `G G' = H^-1`, the impulses `(lambda, gamma) = s * x` and z the whitened velocities `G^-1 v`::

    minimise 1/2 x'N x + b'x   over K',     N = s (A A' + E) s,     gradient  g = N x + b = s * (slip, joint error)

A joint row is a block of one free impulse. K' is K in the scaled variables, a product of cones again.
`PairDual` keeps one record per contact of two rigid bodies; `DelassusDual` keeps an explicit sparse N and takes the
rest: dual-only problems, general H, blocks of more than three rows, rows that touch three bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from signorini.kernels import block_scales, delassus, fused, gradient_steps, pair_pack, pair_products, pair_sweeps
from signorini.kernels.pair_order import sweep_order
from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.inverse import BlockInverse
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses

SCALINGS = {
    "trace": block_scales.TRACE,
    "isotropic": block_scales.ISOTROPIC,
    "anisotropic": block_scales.ANISOTROPIC,
}
BODY_SIZE = 6
CONTACT_ROWS = 3


class Dual(Protocol):
    """The scaled dual problem; vectors over x are flat and have `size` entries."""

    @property
    def start(self) -> Indices:
        """First entry of each block of x, then `size`."""

    @property
    def mu(self) -> Array:
        """Friction coefficient of each block in the scaled variables, -1 for a free impulse."""

    @property
    def b(self) -> Array:
        """Gradient at x = 0."""

    @property
    def detail(self) -> str:
        """Storage and threads, for the user."""

    def variables(self, impulses: Array) -> Array:
        """x of the impulses (lambda, gamma)."""

    def impulses(self, x: Array) -> Array:
        """(lambda, gamma) of x."""

    def product(self, x: Array, out: Array) -> None:
        """out = N x."""

    def gradient(self, x: Array, out: Array) -> None:
        """out = N x + b."""

    def sweep(self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array) -> None:
        """`count` sweeps of projected SOR, the first being sweep number `done`."""

    def natural_error(self, x: Array, g: Array) -> float:
        """|lambda - P_K(lambda - u / w)|, w = mean(diag N) without scaling."""


def check_scaling(scaling: str) -> None:
    """Raise `SolverError` for an unknown rule."""
    if scaling not in SCALINGS:
        raise SolverError(f"scaling is {scaling!r}, choose one of {', '.join(SCALINGS)}")


def check_threads(threads: int) -> None:
    """Raise `SolverError` for a number of threads below 1."""
    if threads < 1:
        raise SolverError(f"threads is {threads}, expected 1 or more (this machine has {fused.largest_threads()})")


@dataclass(frozen=True, eq=False)
class Rows:
    """Contacts and joints as one list of blocks."""

    matrix: Csr
    """[D; C], shape (rows, n)."""
    offset: Array
    """-(b_lambda, b_gamma) [m/s], shape (rows,)."""
    start: Indices
    """First row of each block, then the number of rows."""
    mu: Array
    """Friction coefficient of each block, -1 for joint rows."""
    mean: float
    """w = mean(diag N) over the contact rows, 1 where that is 0."""

    @classmethod
    def of(cls, problem: ContactProblem) -> Rows:
        """The rows of `problem`."""
        joints = problem.joint_rows
        contact_start = problem.cones.start
        start = np.concatenate((contact_start, contact_start[-1] + 1 + np.arange(joints)))
        mean = float(np.mean(problem.N_diagonal)) if problem.contact_rows else 1.0
        return cls(
            matrix=canonical(sp.vstack([problem.D, problem.C])) if joints else problem.D,
            offset=-np.concatenate((problem.b_lambda, problem.b_gamma)),
            start=start,
            mu=np.concatenate((problem.cones.friction, np.full(joints, -1.0))),
            mean=mean if mean > 0 else 1.0,
        )


@dataclass(frozen=True, eq=False)
class DelassusDual:
    """Explicit sparse N, any cones."""

    N: Csr
    """Scaled, shape (rows, rows)."""
    b: Array
    start: Indices
    mu: Array
    scale: Array
    """s, shape (rows,)."""
    friction: Array
    """Unscaled friction coefficients, -1 for joint rows."""
    rho: float
    """1/w."""

    @classmethod
    def build(cls, problem: ContactProblem, rows: Rows, rule: int) -> DelassusDual:
        """Form N with the joints' rows and scale it."""
        joints = problem.joint_rows
        if joints:
            compliance = sp.block_diag([problem.E, sp.csr_array((joints, joints))])
            N = canonical(problem.inverse.congruence(rows.matrix) + sp.csr_array(compliance))
            r = np.concatenate((problem.r, problem.C @ problem.free_velocity - problem.b_gamma))
        else:
            N, r = problem.N, problem.r
        scale = np.empty(len(r))
        fallback = 1.0 / np.sqrt(rows.mean)
        block_scales.scales(rows.start, N.indptr, N.indices, N.data, rule, fallback, scale)
        row = np.repeat(np.arange(len(r)), np.diff(N.indptr))
        scaled = sp.csr_array((N.data * scale[row] * scale[N.indices], N.indices, N.indptr), shape=N.shape)
        last = np.minimum(rows.start[:-1] + 1, rows.start[1:] - 1)
        ratio = scale[rows.start[:-1]] / scale[last] if len(last) else np.ones(0)
        mu = np.where(rows.mu > 0, rows.mu * ratio, rows.mu)
        return cls(scaled, scale * r, rows.start, mu, scale, rows.mu, 1.0 / rows.mean)

    @property
    def detail(self) -> str:
        return "explicit N"

    def variables(self, impulses: Array) -> Array:
        return impulses / self.scale

    def impulses(self, x: Array) -> Array:
        return x * self.scale

    def product(self, x: Array, out: Array) -> None:
        delassus.product(self.N.indptr, self.N.indices, self.N.data, x, self.b, 0.0, out)

    def gradient(self, x: Array, out: Array) -> None:
        delassus.product(self.N.indptr, self.N.indices, self.N.data, x, self.b, 1.0, out)

    def sweep(self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array) -> None:
        N = self.N
        delassus.sweeps(
            done, count, symmetric, self.start, self.mu, N.indptr, N.indices, N.data, self.b, omega, mixing,
            np.empty_like(x), x,
        )  # fmt: skip

    def natural_error(self, x: Array, g: Array) -> float:
        return float(gradient_steps.natural_error(self.start, self.friction, self.scale, self.rho, x, g))


@dataclass(frozen=True, eq=False)
class PairDual:
    """One record per contact of at most two bodies of at most six velocities, in sweeping order."""

    body: Indices
    """The two bodies of each contact in breadth-first numbering, shape (contacts, 2)."""
    record: Array
    """Scaled rows of `[D; C] G`, offsets and friction; shape (contacts, 40), see `kernels.pair_sweeps`."""
    compliance: Array
    """Scaled diagonal of E, shape (contacts, 3), or (0, 3) when rigid."""
    z0: Array
    """Whitened velocities without impulses, shape (bodies, 8)."""
    order: Indices
    """Block at each place of the sweep."""
    groups: Indices
    """First place of every group of the sweep, see `kernels.pair_order`."""
    parts: int
    """Groups per phase."""
    rows: Rows
    scales: Array
    """s, shape (contacts, 3)."""
    threads: int
    b: Array
    start: Indices
    mu: Array
    friction: Array
    """Unscaled friction coefficients in sweeping order."""

    @classmethod
    def build(cls, problem: ContactProblem, rows: Rows, rule: int, threads: int) -> PairDual | None:
        """Pack the records; None when the problem has another shape."""
        bodies = find_bodies(problem, rows)
        if bodies is None:
            return None
        inverse = problem.inverse
        assert isinstance(inverse, BlockInverse)
        G, matrix, blocks = inverse.factor, rows.matrix, len(rows.mu)
        count = len(bodies.first)
        order, groups, parts, position = sweep_order(bodies.pairs, count)
        record, scale = np.zeros((blocks, 40)), np.empty((blocks, CONTACT_ROWS))
        E = np.concatenate((problem.E.diagonal(), np.zeros(problem.joint_rows)))
        soft = np.zeros((blocks if problem.E.nnz else 0, CONTACT_ROWS))
        pair_pack.whiten(
            rows.start, matrix.indptr, matrix.indices, matrix.data, G.indptr, G.indices, G.data,
            bodies.of, bodies.first, order, bodies.pairs, record,
        )  # fmt: skip
        pair_pack.pack_scales(rows.start, order, rule, 1.0 / np.sqrt(rows.mean), E, record, scale, soft)
        pair_pack.pack_offsets(rows.start, order, rows.offset, rows.mu, scale, record)
        z0 = np.zeros((count, 8))
        pair_pack.body_velocities(bodies.of, bodies.first, position, -(G.T @ problem.c), z0)
        pairs = position[bodies.pairs[order]].astype(np.uint32)
        b = np.zeros((blocks, CONTACT_ROWS))
        pair_products.gather_range(0, blocks, pairs, record, soft[:0], b, z0, 1.0, b)
        return cls(
            body=pairs, record=record, compliance=soft, z0=z0, order=order, groups=groups, parts=int(parts), rows=rows,
            scales=scale, threads=threads, b=b.reshape(-1), start=CONTACT_ROWS * np.arange(blocks + 1),
            mu=record[:, 39].copy(), friction=rows.mu[order],
        )  # fmt: skip

    @property
    def detail(self) -> str:
        return f"pairs of bodies, {self.parts} parts, {self.threads} thread" + ("s" if self.threads > 1 else "")

    def variables(self, impulses: Array) -> Array:
        x = np.zeros((len(self.order), CONTACT_ROWS))
        pair_pack.gather_rows(self.rows.start, self.order, self.scales, impulses, x)
        return x.reshape(-1)

    def impulses(self, x: Array) -> Array:
        out = np.empty(len(self.rows.offset))
        pair_pack.scatter_rows(self.rows.start, self.order, self.scales, x.reshape(-1, CONTACT_ROWS), out)
        return out

    def product(self, x: Array, out: Array) -> None:
        self._multiply(x, np.zeros_like(self.z0), 0.0, out)

    def gradient(self, x: Array, out: Array) -> None:
        self._multiply(x, self.z0, 1.0, out)

    def _multiply(self, x: Array, z0: Array, offset: float, out: Array) -> None:
        z = np.empty_like(self.z0)
        x, out = x.reshape(-1, CONTACT_ROWS), out.reshape(-1, CONTACT_ROWS)
        if self.threads > 1:
            fused.use_threads(self.threads)
            pair_products.parallel_product(
                self.groups, self.parts, self.body, self.record, self.compliance, x, z0, offset, z, out
            )
        else:
            pair_products.product(self.body, self.record, self.compliance, x, z0, offset, z, out)

    def sweep(self, done: int, count: int, symmetric: bool, omega: float, mixing: float, x: Array) -> None:
        # The velocities are made anew from x every few sweeps, so increments cannot drift away from them.
        z = self.z0.copy()
        x = x.reshape(-1, CONTACT_ROWS)
        pair_products.scatter_range(0, len(self.body), self.body, self.record, x, z)
        data = (self.body, self.record, self.compliance, omega, mixing, x, z)
        if self.threads > 1:
            fused.use_threads(self.threads)
            pair_sweeps.parallel_sweeps(done, count, symmetric, self.groups, self.parts, *data)
        else:
            pair_sweeps.sweeps(done, count, symmetric, *data)

    def natural_error(self, x: Array, g: Array) -> float:
        return float(
            gradient_steps.natural_error(self.start, self.friction, self.scales.reshape(-1), 1.0 / self.rows.mean, x, g)
        )


@dataclass(frozen=True, eq=False)
class Bodies:
    """Contiguous velocities that belong together."""

    of: Indices
    """Body of each velocity, shape (n,)."""
    first: Indices
    """First velocity of each body."""
    pairs: Indices
    """The two bodies of each block, shape (blocks, 2)."""


def find_bodies(problem: ContactProblem, rows: Rows) -> Bodies | None:
    """Bodies of at most six velocities such that every block touches at most two; None when there are none.

    A diagonal H hides its bodies, so groups of 3 (planar) and of 6 (spatial) velocities are tried after its own blocks.
    """
    if problem.is_dual_only or not isinstance(problem.inverse, BlockInverse):
        return None
    if len(rows.mu) and np.diff(rows.start).max() > CONTACT_ROWS:
        return None
    if problem.E.nnz and not _is_diagonal(problem.E):
        return None
    n, matrix = problem.velocities, rows.matrix
    blocks = problem.inverse.starts
    pairs = np.empty((len(rows.mu), 2), dtype=np.int64)
    is_start = np.zeros(n + 1, dtype=np.bool_)
    is_start[blocks] = True
    candidates = [blocks] + [np.append(np.arange(0, n, size), n) for size in (3, BODY_SIZE)]
    for starts in candidates:
        if np.diff(starts).max() > BODY_SIZE or not np.all(is_start[starts]):
            continue
        of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        if pair_pack.pair_bodies(rows.start, matrix.indptr, matrix.indices, matrix.data, of, pairs):
            return Bodies(of, starts[:-1], pairs)
    return None


def _is_diagonal(matrix: Csr) -> bool:
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return bool(np.all(row == matrix.indices))


def make_dual(problem: ContactProblem, scaling: str, threads: int = 1) -> Dual:
    """The dual problem of `problem` in the storage that suits it."""
    rows, rule = Rows.of(problem), SCALINGS[scaling]
    return PairDual.build(problem, rows, rule, threads) or DelassusDual.build(problem, rows, rule)


@dataclass(frozen=True, eq=False)
class Judge:
    """Estimates `Certificate.error` of an iterate: the unit-free natural-map error and the relative joint error."""

    problem: ContactProblem
    dual: Dual
    size: float
    """`w / |r|`, what the natural-map error is multiplied with."""

    @classmethod
    def of(cls, problem: ContactProblem, dual: Dual) -> Judge:
        """The judge of one solve."""
        w = float(np.mean(problem.N_diagonal)) if problem.contact_rows else 1.0
        q = float(np.linalg.norm(problem.r))
        return cls(problem, dual, (w if w > 0 else 1.0) / (q if q > 0 else 1.0))

    def error(self, x: Array, g: Array) -> float:
        """Of the iterate x with gradient g."""
        error = self.size * self.dual.natural_error(x, g)
        if self.problem.joint_rows:
            error = max(error, self._joint_error(x))
        return error if np.isfinite(error) else np.inf

    def _joint_error(self, x: Array) -> float:
        """max over joint rows of |C v - b_gamma| over the sum of the magnitudes of its terms."""
        p = self.problem
        impulses = self.dual.impulses(x)
        v = p.velocity_of(impulses[: p.contact_rows], impulses[p.contact_rows :])
        size = abs(p.C) @ np.abs(v) + np.abs(p.b_gamma)
        error = np.abs(p.C @ v - p.b_gamma)
        return float((error[size > 0] / size[size > 0]).max(initial=0.0))


def ready(problem: ContactProblem, dual: Dual, guess: Guess | Solution | None) -> Array:
    """The guess in scaled variables, projected on the cones."""
    lam, gamma = starting_impulses(problem, guess)
    x = dual.variables(np.concatenate((lam, gamma)))
    gradient_steps.forward(dual.start, dual.mu, 0.0, x, x, x)
    return x


def way_out(
    problem: ContactProblem, solver: str, monitor: Monitor, reason: Status, dual: Dual, x: Array, detail: str = ""
) -> Solution:
    """Hand the best iterate to the judge."""
    impulses = dual.impulses(x)
    lam, gamma = impulses[: problem.contact_rows].copy(), impulses[problem.contact_rows :].copy()
    return finish(problem, solver, monitor, reason, lam, gamma, detail=detail or dual.detail)
