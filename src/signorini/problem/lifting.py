"""Intervals and rolling blocks through half-lines and Coulomb cones alone, with velocities that have no mass.

Solvers of cone programs need no other sets. With the slips `u = D v - b + E lambda` of the problem::

    minimise    1/2 v'Hv + c'v + 1/2 lambda'E lambda + cost'a
    subject to  S u + Z a in K'*,      u = 0 in the free rows,      lambda = base + S'x + (free impulses),   x in K'

interval
    From the end that is nearer to 0, `lambda = base + sign x`. Rows `(sign u + a, a)`, two half-lines with impulses x
    and `width - x`; a is how fast the interval slips at its other end, at a cost of `width` per unit. An infinite
    other end needs no a. Without any end the row is free (a joint). Without width its impulse is zero.
rolling block
    Rows `(u_n - a_s - a_r, u_t)`, `(a_s, u_s)`, `(a_r, u_r)` in Coulomb cones of coefficients mu, spinning and rolling.
    a_s and a_r have neither mass nor cost, so the impulses of the three normals are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.cones import Cones


@dataclass(frozen=True, eq=False)
class Lifting:
    """The letters of the module; blocks that are plain stay as they are and come first."""

    cones: Cones
    """K'."""
    S: Csr
    """Shape (lifted rows, contact rows)."""
    Z: Csr
    """Shape (lifted rows, velocities without mass)."""
    U: Csr
    """Slips of the problem from those of the lifted rows, `U S = 1` and `U Z = 0`, in all rows that are neither free
    nor without impulse; shape (contact rows, lifted rows)."""
    like: Indices
    """The row of the problem that each lifted row is to be scaled like: its own, or that whose impulse it repeats."""
    cost: Array
    """[N s], shape (velocities without mass,)."""
    asks: Indices
    """The lifted block that each velocity without mass has to serve."""
    base: Array
    """[N s], shape (contact rows,)."""
    shift: Array
    """Widths in the second rows of intervals [N s], shape (lifted rows,)."""
    free: Indices
    """Rows of the problem whose impulse is free."""

    @classmethod
    def of(cls, cones: Cones, low: Array | None = None, high: Array | None = None) -> Self:
        """Of these cones; `low` and `high` take the place of the ends of the intervals (shape (contacts,))."""
        made = _Maker(cones)
        special = cones.is_interval | cones.is_rolling
        rows = np.flatnonzero(~special[cones.block_of_row])
        made.blocks(cones.take(np.flatnonzero(~special)), rows, np.ones(len(rows)), rows)
        made.intervals(cones.low if low is None else low, cones.high if high is None else high)
        made.rolling()
        return cls(*made.parts())

    def impulses(self, impulse: Array) -> Array:
        """x of the problem's impulses, where these lie in K."""
        return np.asarray(self.U.T @ (impulse - self.base)) + self.shift

    def velocities(self, slip: Array) -> Array:
        """The least velocities without mass that the slips require."""
        return self.cones.dual_violation(np.asarray(self.S @ slip))[self.asks]


class _Maker:
    """Collects blocks of lifted rows."""

    def __init__(self, cones: Cones) -> None:
        self._problem = cones
        self._cones: list[Cones] = []
        self._like: list[Indices] = []
        self._asks: list[Indices] = []
        self._cost: list[Array] = []
        self._entries: dict[str, list[tuple[Indices, Indices, Array]]] = {"S": [], "Z": [], "U": [], "shift": []}
        self._rows = self._extra = 0
        self._base, self._free = np.zeros(cones.rows), np.zeros(0, dtype=np.int64)

    def blocks(self, cones: Cones, source: Indices, sign: Array, like: Indices) -> Indices:
        """Blocks whose rows are `sign` times the slips in the rows `source` of the problem (-1: none); their rows."""
        rows = self._rows + np.arange(cones.rows)
        self._rows += cones.rows
        self._cones.append(cones)
        self._like.append(like)
        has = source >= 0
        self._entries["S"].append((rows[has], source[has], sign[has]))
        self._entries["U"].append((source[has], rows[has], sign[has]))
        return rows

    def velocities(self, cost: Array, asks: Indices, *rows: tuple[Indices, float]) -> None:
        """Velocities without mass, the lifted rows that they serve, and where they stand with what coefficients."""
        columns = self._extra + np.arange(len(cost))
        self._extra += len(cost)
        self._cost.append(cost)
        self._asks.append(asks)
        for row, coefficient in rows:
            self._entries["Z"].append((row, columns, np.full(len(row), coefficient)))

    def intervals(self, low: Array, high: Array) -> None:
        cones = self._problem
        kind = cones.is_interval
        self._free = cones.start[:-1][kind & np.isinf(low) & np.isinf(high)]
        chosen = np.flatnonzero(kind & (np.isfinite(low) | np.isfinite(high)) & (low < high))
        low, high, row = low[chosen], high[chosen], cones.start[chosen]
        upper = -low > high
        sign = np.where(upper, -1.0, 1.0)
        self._base[row] = np.where(upper, high, low)
        near = self.blocks(Cones.half_lines(len(row)), row, sign, row)
        two = np.isfinite(low) & np.isfinite(high)
        count = int(two.sum())
        far = self.blocks(Cones.half_lines(count), np.full(count, -1), np.ones(count), row[two])
        width = high[two] - low[two]
        self._entries["U"].append((row[two], far, -sign[two]))
        self._entries["shift"].append((far, np.zeros(count, dtype=np.int64), width))
        self.velocities(width, near[two], (near[two], 1.0), (far, 1.0))

    def rolling(self) -> None:
        cones = self._problem
        chosen = np.flatnonzero(cones.is_rolling)
        first = cones.start[chosen]
        rows = (first[:, None] + np.arange(3)).reshape(-1)
        normal = self.blocks(Cones.coulomb(cones.friction[chosen]), rows, np.ones(len(rows)), rows)[::3]
        for coefficient, begin, end in ((cones.spinning[chosen], 3, 4), (cones.rolling[chosen], 4, 6)):
            turns = coefficient > 0
            start = first[turns]
            source = np.hstack((np.full((len(start), 1), -1), start[:, None] + np.arange(begin, end)))
            like = np.where(source < 0, start[:, None], source).reshape(-1)
            width = source.shape[1]
            made = Cones.coulomb(coefficient[turns], width)
            head = self.blocks(made, source.reshape(-1), np.ones(source.size), like)[::width]
            self._entries["U"].append((start, head, np.ones(len(start))))
            self.velocities(np.zeros(len(start)), head, (normal[turns], -1.0), (head, 1.0))

    def parts(self) -> tuple[Cones, Csr, Csr, Csr, Indices, Array, Indices, Array, Array, Indices]:
        m, rows, extra = self._problem.rows, self._rows, self._extra
        shape = {"S": (rows, m), "Z": (rows, extra), "U": (m, rows), "shift": (rows, 1)}
        made = {}
        for name, entries in self._entries.items():
            i, j, value = (np.concatenate([entry[k] for entry in entries]) for k in range(3))
            made[name] = canonical(sp.coo_array((value, (i, j)), shape=shape[name]))
        cones, like = Cones.join(*self._cones), np.concatenate(self._like)
        asks = cones.block_of_row[np.concatenate(self._asks)]
        shift = made["shift"].toarray().reshape(-1)
        return (
            cones, made["S"], made["Z"], made["U"], like, np.concatenate(self._cost), asks, self._base, shift,
            self._free,
        )  # fmt: skip
