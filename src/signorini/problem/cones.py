"""The product of sets K that the contact impulses live in: cones, intervals, rolling blocks."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.kernels.cones import general_blocks as general
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices, room_for
from signorini.problem.errors import ProblemError

Mask = NDArray[np.bool_]

ROLLING_ROWS = general.ROLLING_ROWS
"""Rows of a rolling block: normal, two tangents, spin about the normal, roll about the two tangents."""
OTHERWISE = {"low": 0.0, "high": np.inf, "rolling": np.nan, "spinning": np.nan}
"""Values in blocks of other kinds."""


@dataclass(frozen=True, eq=False)
class Cones:
    """A product of blocks, one per contact, in the order of the rows of D. Four kinds:

    half-line
        One row, `impulse >= 0`. Frictionless contacts, limits.
    Coulomb cone
        Two rows or more, (normal, tangent, ...): `mu n >= |t|`, dual `y_n >= mu |y_t|`. With mu = 0 it is a half-line
        whose tangent impulses are zero.
    interval
        One row, `low <= impulse <= high` with `low <= 0 <= high`, either end may be infinite. With the slip u:
        impulse = low where u > 0, impulse = high where u < 0, anything between where u = 0. Brakes, friction in
        joints, motors with limited force. [0, inf) is the half-line, (-inf, inf) a joint.
    rolling block
        Six rows, (normal, tangent, tangent, spin about the normal, roll about the two tangents):
        `mu n >= |t|`, `spinning n >= |s|`, `rolling n >= |r|` with two lengths [m]; dual
        `y_n >= mu |y_t| + spinning |y_s| + rolling |y_r|`. A coefficient 0 leaves no impulse to its rows.

    In all four the impulse lies in K and minus the slip in the normal cone of K there: `impulse = P_K(impulse - u)`.
    An interval is no cone; what stands for `u in K*` and `impulse'u = 0` is the support function
    `sigma(-u) = max over K of -u'impulse = high (-u)_+ - low u_+`: in general `impulse'u + sigma(-u) >= 0`, and 0 at
    the solution. For cones sigma is 0 on K* and infinite elsewhere.
    """

    dims: Indices
    """Rows of each block, shape (contacts,)."""
    friction: Array
    """Friction coefficient mu of each block [-], shape (contacts,); 0 for half-lines and intervals."""
    low: Array = None  # type: ignore[assignment]
    """Lower ends of intervals [N s or N m s], <= 0, shape (contacts,); 0 for other blocks. None: all 0."""
    high: Array = None  # type: ignore[assignment]
    """Upper ends of intervals [N s or N m s], >= 0, shape (contacts,); inf for other blocks. None: all inf."""
    rolling: Array = None  # type: ignore[assignment]
    """Rolling friction length of rolling blocks [m], shape (contacts,); nan for other blocks. None: all nan."""
    spinning: Array = None  # type: ignore[assignment]
    """Spinning friction length of rolling blocks [m], shape (contacts,); nan for other blocks. None: all nan."""

    def __post_init__(self) -> None:
        dims = np.array(self.dims, dtype=np.int64).reshape(-1)
        count = len(dims)
        friction = np.array(self.friction, dtype=np.float64).reshape(-1)
        if dims.shape != friction.shape:
            raise ProblemError(f"cones have {count} dimensions but {len(friction)} friction coefficients")
        if count and dims.min() < 1:
            raise ProblemError(f"cone {int(dims.argmin())} has dimension {dims.min()}, expected 1 or more")
        _require(np.isfinite(friction) & (friction >= 0), friction, "friction coefficient", "a finite number >= 0")
        friction = np.where(dims == 1, 0.0, friction)
        for name, value in (("dims", dims), ("friction", friction)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        given = {name: getattr(self, name) for name in OTHERWISE}
        for name, values in given.items():
            object.__setattr__(self, name, _usual(count)[name] if values is None else _ends(name, values, count))
        if all(values is None for values in given.values()):
            object.__setattr__(self, "is_plain", True)  # the value of the cached property, known here
        else:
            _check_intervals(dims, self.low, self.high)
            _check_rolling(dims, self.rolling, self.spinning)

    def __repr__(self) -> str:
        half_lines = (self.dims == 1) & ~self.is_interval
        counts = {
            "half-lines": int(half_lines.sum()),
            "Coulomb cones": int(((self.dims > 1) & ~self.is_rolling).sum()),
            "intervals": int(self.is_interval.sum()),
            "rolling blocks": int(self.is_rolling.sum()),
        }
        return f"Cones({', '.join(f'{count} {kind}' for kind, count in counts.items() if count) or 'none'})"

    @classmethod
    def coulomb(cls, friction: ArrayLike, dimension: int = 3) -> Self:
        """One Coulomb cone per entry of `friction`."""
        mu = np.atleast_1d(np.asarray(friction, dtype=np.float64))
        return cls(np.full(len(mu), dimension), mu)

    @classmethod
    def unchecked(cls, friction: Array) -> Self:
        """One Coulomb cone of three rows per entry of `friction`, whose values are not checked. For simulations, which
        make a problem in every step."""
        cones, mu = cls.__new__(cls), friction.copy()
        mu.flags.writeable = False
        vars(cones).update(_usual(len(mu)), friction=mu, is_plain=True)
        return cones

    @classmethod
    def half_lines(cls, count: int) -> Self:
        """`count` frictionless contacts or limits, one row each."""
        return cls(np.ones(count, dtype=np.int64), np.zeros(count))

    @classmethod
    def intervals(cls, low: ArrayLike, high: ArrayLike) -> Self:
        """Impulses between `low` <= 0 and `high` >= 0 [N s or N m s], one row each; ends may be infinite."""
        ends = [np.atleast_1d(np.asarray(end, dtype=np.float64)) for end in (low, high)]
        low, high = np.broadcast_arrays(*ends)
        return cls(np.ones(len(low), dtype=np.int64), np.zeros(len(low)), low, high)

    @classmethod
    def rolling_contacts(cls, friction: ArrayLike, rolling: ArrayLike, spinning: ArrayLike) -> Self:
        """Contacts with friction [-] and the lengths of rolling and spinning friction [m], six rows each."""
        parts = [np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (friction, rolling, spinning)]
        mu, roll, spin = np.broadcast_arrays(*parts)
        return cls(np.full(len(mu), ROLLING_ROWS), mu, rolling=roll, spinning=spin)

    @classmethod
    def join(cls, *parts: Cones) -> Self:
        """The blocks of all `parts`, one after another."""
        return cls(*(np.concatenate([getattr(p, field.name) for p in parts]) for field in fields(cls)))

    def take(self, blocks: ArrayLike) -> Self:
        """The blocks of these numbers, in this order; a number may come twice."""
        chosen = np.asarray(blocks, dtype=np.int64).reshape(-1)
        return type(self)(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @property
    def count(self) -> int:
        """Number of blocks (contacts)."""
        return len(self.dims)

    @cached_property
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

    # --- kinds -----------------------------------------------------------------------------------------------

    @cached_property
    def is_interval(self) -> Mask:
        """Which blocks are intervals other than [0, inf), shape (contacts,), bool."""
        return np.asarray((self.low != 0.0) | (self.high != np.inf))

    @cached_property
    def is_rolling(self) -> Mask:
        """Which blocks are rolling blocks, shape (contacts,), bool."""
        return ~np.isnan(self.rolling)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all blocks are half-lines and Coulomb cones."""
        return not (self.is_interval.any() or self.is_rolling.any())

    @cached_property
    def table(self) -> Array:
        """Kind, mu, low, high, spinning, rolling of each block, as `kernels.general_blocks` reads them."""
        table = np.empty((self.count, general.COLUMNS))
        general.fill_table(self.friction, self.low, self.high, self.spinning, self.rolling, table)
        table.flags.writeable = False
        return table

    def scaled_table(self, factor: Array) -> Array:
        """`table` of the set of `factor * impulse`, with one factor per row, equal in rows of equal units."""
        table, first = self.table.copy(), self.start[:-1]
        normal = factor[first]
        table[:, general.LOW] *= normal
        table[:, general.HIGH] *= normal
        wide = self.dims > 1
        table[wide, general.MU] *= factor[first[wide] + 1] / normal[wide]
        roll = self.is_rolling
        table[roll, general.SPIN] *= factor[first[roll] + 3] / normal[roll]
        table[roll, general.ROLL] *= factor[first[roll] + 4] / normal[roll]
        return table

    def group_means(self, rows: Array) -> Array:
        """Means of positive numbers over rows of one block and equal units (n and t; s; r), one entry per row.

        Groups of zeros (a contact between two fixed bodies) get 1.
        """
        if self.count == 0:
            return np.zeros(0)
        group = np.zeros(self.rows, dtype=np.int64)
        group[self.start[:-1]] = 1
        for offset in (3, 4):
            group[self.start[:-1][self.is_rolling] + offset] = 1
        group = np.cumsum(group) - 1
        mean = np.bincount(group, rows) / np.bincount(group)
        return np.where(mean > 0, mean, 1.0)[group]

    # --- what K asks of impulses and slips --------------------------------------------------------------------

    @cached_property
    def recession(self) -> Cones:
        """The recession cone of K: cones are their own, intervals with finite ends have none."""
        low, high = (np.where(np.isfinite(end), 0.0, end) for end in (self.low, self.high))
        return Cones(self.dims, self.friction, low, high, self.rolling, self.spinning)

    def project(self, x: Array) -> Array:
        """Euclidean projection of `x` on K."""
        out = np.empty(self.rows)
        general.project(self.start, self.table, self._checked(x), out)
        return out

    def violation(self, impulse: Array) -> Array:
        """Distance-like violation of `impulse in K` per block, 0 inside."""
        out = np.empty(self.count)
        general.violations(self.start, self.table, self._checked(impulse), out)
        return out

    def dual_violation(self, slip: Array) -> Array:
        """Distance-like violation per block of `slip in K*` (of a finite support function, for intervals), 0 inside."""
        out = np.empty(self.count)
        general.dual_violations(self.start, self.table, self._checked(slip), out)
        return out

    def support(self, slip: Array) -> float:
        """`sigma(-slip)` of the intervals' finite ends [J], see the class; 0 without intervals."""
        return float(general.support(self.start, self.table, self._checked(slip)))

    def with_de_saxce(self, slip: Array) -> Array:
        """`slip` with `mu |u_t|` (and `spinning |u_s| + rolling |u_r|`) added to each normal: the exact law [m/s]."""
        out = np.empty(self.rows)
        general.add_de_saxce(self.start, self.table, self._checked(slip), out)
        return out

    def _checked(self, x: Array) -> Array:
        # Kernels do not check bounds: a short vector would read foreign memory.
        if x.shape != (self.rows,):
            raise ProblemError(f"the vector has {x.size} entries, expected {self.rows} for {self.count} contacts")
        return np.ascontiguousarray(x, dtype=np.float64)


def _usual(count: int) -> dict[str, Any]:
    """Parts of `count` spatial Coulomb cones, friction apart: views of shared read-only arrays."""
    found = {name: values[:count] for name, values in _usual_parts(room_for(count + 1)).items()}
    found["start"] = _usual_parts(room_for(count + 1))["start"][: count + 1]
    return found


@lru_cache(maxsize=8)
def _usual_parts(room: int) -> dict[str, Any]:
    parts: dict[str, Any] = {name: np.full(room, value) for name, value in OTHERWISE.items()}
    parts |= {"dims": np.full(room, 3), "start": 3 * np.arange(room)}
    for values in parts.values():
        values.flags.writeable = False
    return parts


def _ends(name: str, given: ArrayLike, count: int) -> Array:
    values = np.array(given, dtype=np.float64).reshape(-1)
    if len(values) != count:
        raise ProblemError(f"cones have {count} dimensions but {len(values)} values of {name}")
    values.flags.writeable = False
    return values


def _require(fine: Mask, values: Array, what: str, expected: str) -> None:
    wrong = np.flatnonzero(~fine)
    if len(wrong):
        raise ProblemError(f"contact {wrong[0]} has {what} {values[wrong[0]]}, expected {expected}")


def _check_intervals(dims: Indices, low: Array, high: Array) -> None:
    wrong = np.flatnonzero(~((low <= 0) & (high >= 0) & (low < np.inf) & (high > -np.inf)))
    if len(wrong):
        k = wrong[0]
        raise ProblemError(
            f"block {k} is the interval [{low[k]}, {high[k]}], expected low <= 0 <= high; "
            "take a constant impulse p into the problem as c - D'p"
        )
    wrong = np.flatnonzero((dims > 1) & ((low != 0) | (high != np.inf)))
    if len(wrong):
        k = wrong[0]
        raise ProblemError(
            f"block {k} has {dims[k]} rows and the ends [{low[k]}, {high[k]}]: an interval has one row; "
            "leave low at 0 and high at inf for cones"
        )


def _check_rolling(dims: Indices, rolling: Array, spinning: Array) -> None:
    found = ~np.isnan(rolling) | ~np.isnan(spinning)
    for values, what in ((rolling, "rolling friction length"), (spinning, "spinning friction length")):
        fine = ~found | (np.isfinite(values) & (values >= 0))
        _require(fine, values, what, "a finite number >= 0 [m], or nan in both lengths for other blocks")
    wrong = np.flatnonzero(found & (dims != ROLLING_ROWS))
    if len(wrong):
        k = wrong[0]
        raise ProblemError(
            f"block {k} has rolling friction and {dims[k]} rows, expected {ROLLING_ROWS}: "
            "normal, two tangents, spin about the normal, roll about the two tangents"
        )
