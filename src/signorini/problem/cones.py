"""The product of cones K that the contact impulses live in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from signorini.kernels import cones as kernels
from signorini.math.sparse import Array, Indices
from signorini.problem.errors import ProblemError


@dataclass(frozen=True, eq=False)
class Cones:
    """A product of blocks, one per contact, in the order of the rows of D.

    A block of dimension 1 is a half-line `impulse >= 0`. A block of dimension d >= 2 has the rows
    (normal, tangent, ...) and is the Coulomb cone `mu * normal >= |tangents|`; its dual cone is
    `normal >= mu * |tangents|`. A Coulomb block with mu = 0 is a half-line whose tangent impulses are zero.
    """

    dims: Indices
    """Rows of each block, shape (contacts,)."""
    friction: Array
    """Friction coefficient mu of each block [-], shape (contacts,); 0 for half-lines."""

    def __post_init__(self) -> None:
        dims = np.array(self.dims, dtype=np.int64).reshape(-1)
        friction = np.array(self.friction, dtype=np.float64).reshape(-1)
        if dims.shape != friction.shape:
            raise ProblemError(f"cones have {len(dims)} dimensions but {len(friction)} friction coefficients")
        if len(dims) and dims.min() < 1:
            raise ProblemError(f"cone {int(dims.argmin())} has dimension {dims.min()}, expected 1 or more")
        wrong = np.flatnonzero(~(np.isfinite(friction) & (friction >= 0)))
        if len(wrong):
            raise ProblemError(
                f"contact {wrong[0]} has friction coefficient {friction[wrong[0]]}, expected a finite number >= 0"
            )
        friction = np.where(dims == 1, 0.0, friction)
        for name, value in (("dims", dims), ("friction", friction)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def coulomb(cls, friction: ArrayLike, dimension: int = 3) -> Self:
        """One Coulomb cone per entry of `friction`."""
        mu = np.atleast_1d(np.asarray(friction, dtype=np.float64))
        return cls(np.full(len(mu), dimension), mu)

    @classmethod
    def half_lines(cls, count: int) -> Self:
        """`count` frictionless contacts or limits, one row each."""
        return cls(np.ones(count, dtype=np.int64), np.zeros(count))

    @classmethod
    def join(cls, *parts: Cones) -> Self:
        """The blocks of all `parts`, one after another."""
        return cls(np.concatenate([p.dims for p in parts]), np.concatenate([p.friction for p in parts]))

    @property
    def count(self) -> int:
        """Number of blocks (contacts)."""
        return len(self.dims)

    @property
    def rows(self) -> int:
        """Number of rows of all blocks."""
        return int(self.start[-1])

    @cached_property
    def start(self) -> Indices:
        """First row of each block, then the number of rows; shape (contacts + 1,)."""
        start = np.concatenate(([0], np.cumsum(self.dims))).astype(np.int64)
        start.flags.writeable = False
        return start

    @cached_property
    def block_of_row(self) -> Indices:
        """The block that each row belongs to."""
        return np.repeat(np.arange(self.count), self.dims)

    def project(self, x: Array) -> Array:
        """Euclidean projection of `x` on K."""
        out = np.empty(self.rows)
        kernels.project(self.start, self.friction, self._checked(x), out)
        return out

    def violation(self, impulse: Array) -> Array:
        """Distance-like violation of `impulse in K` per block, 0 inside."""
        out = np.empty(self.count)
        kernels.violations(self.start, self.friction, self._checked(impulse), False, out)
        return out

    def dual_violation(self, slip: Array) -> Array:
        """Distance-like violation of `slip in K*` per block, 0 inside."""
        out = np.empty(self.count)
        kernels.violations(self.start, self.friction, self._checked(slip), True, out)
        return out

    def _checked(self, x: Array) -> Array:
        # Kernels do not check bounds: a short vector would read foreign memory.
        if x.shape != (self.rows,):
            raise ProblemError(f"the vector has {x.size} entries, expected {self.rows} for {self.count} contacts")
        return np.ascontiguousarray(x, dtype=np.float64)
