"""The contact Jacobian D: general sparse rows, or the compact rows of contacts between rigid bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from signorini.kernels.bodies import body_forces, free_motion, rigid_rows
from signorini.kernels.threads.team import Numbers, team
from signorini.math.cached import cached_property
from signorini.math.pool import Pool
from signorini.math.sparse import Array, Csr, Indices, assembled
from signorini.problem.bodies import Bodies, find_bodies
from signorini.problem.mass_matrix import BODY, MassMatrix
from signorini.problem.products import add_product, add_transposed_product, checked, multiply_magnitudes

POOL, SLIPS = Pool(), Pool()


class FreeMotion(NamedTuple):
    """The slips of free motion, and quantities of the same pass over D."""

    slip: Array
    """`D v - b` [m/s], shape (contact rows,)."""
    norm: float
    """|slip| [m/s]."""
    terms: float
    """Norm of the terms that may cancel in it, `|D| |v| + |b|` [m/s]."""
    diagonal: Array | None
    """diag(D H^-1 D') where H is diagonal [1/kg], shape (contact rows,); None elsewhere."""


class FreeSums(NamedTuple):
    """Sums over all rows, which need no vectors."""

    slip_square: float
    """Of `(D v - b)^2`."""
    trace: float
    """Of diag(D H^-1 D')."""
    b_square: float
    """Of `b^2`."""


class ContactRows(ABC):
    """D, shape (contact rows, n), and products with it."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(contact rows, n)."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} rows, {self.shape[1]} velocities)"

    @property
    @abstractmethod
    def csr(self) -> Csr:
        """D as a sparse matrix, in canonical form."""

    @property
    @abstractmethod
    def values(self) -> Array:
        """All stored numbers."""

    @property
    def rigid(self) -> RigidRows | None:
        """The compact rows of rigid contacts, if all rows are such."""
        return None

    @abstractmethod
    def slips(self, velocity: Array, b: Array) -> Array:
        """D v - b."""

    @abstractmethod
    def push(self, impulse: Array) -> Array:
        """D' impulse."""

    @abstractmethod
    def free_motion(self, velocity: Array, b: Array, mass: MassMatrix) -> FreeMotion:
        """The slips of given velocities, and quantities of the same pass."""

    def free_sums(self, velocity: Array, b: Array, mass: MassMatrix) -> FreeSums | None:
        """The sums alone, where they cost less than `free_motion`; None elsewhere."""
        return None

    @abstractmethod
    def bodies(self, mass: MassMatrix, start: Indices) -> Bodies | None:
        """The bodies that contacts touch, block i having the rows start[i]..start[i+1]-1; None if one touches three."""

    def magnitudes(self, velocity: Array) -> Array:
        """|D| |v|."""
        return multiply_magnitudes(self.csr, velocity)


@dataclass(frozen=True, eq=False, repr=False)
class SparseRows(ContactRows):
    """Any D."""

    matrix: Csr
    """Canonical."""

    @property
    def csr(self) -> Csr:
        return self.matrix

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    @property
    def values(self) -> Array:
        return self.matrix.data

    def slips(self, velocity: Array, b: Array) -> Array:
        return add_product(self.matrix, velocity, -b)

    def push(self, impulse: Array) -> Array:
        return add_transposed_product(self.matrix, impulse, np.zeros(self.shape[1]))

    def free_motion(self, velocity: Array, b: Array, mass: MassMatrix) -> FreeMotion:
        D, slip, weight = self.matrix, np.empty(self.shape[0]), mass.inverse_diagonal
        data = (D.indptr, D.indices, D.data, velocity, b)
        if weight is None:
            norm, terms = free_motion.free_slips(*data, slip)
            return FreeMotion(slip, norm, terms, None)
        diagonal = np.empty(self.shape[0])
        norm, terms = free_motion.slips_and_squares(*data, weight, slip, diagonal)
        return FreeMotion(slip, norm, terms, diagonal)

    def bodies(self, mass: MassMatrix, start: Indices) -> Bodies | None:
        return find_bodies(mass, self.matrix, start)


@dataclass(frozen=True, eq=False, repr=False)
class RigidRows(ContactRows):
    """Contacts of three rows that act in opposite ways on the linear velocities of two rigid bodies.

    27 numbers per contact replace 36 entries of a sparse matrix and their columns.
    """

    pairs: Indices
    """The two bodies of each contact, the smaller first, the same twice where there is one; shape (contacts, 2)."""
    entries: Array
    """The rows, shape (contacts, 27); see `kernels.bodies.rigid_rows`."""
    count: int
    """Number of bodies, six velocities each."""
    centres: Array | None = None
    """Where the bodies are [m], shape (bodies, 3): a hint for the order of loops, no part of the problem."""

    @property
    def shape(self) -> tuple[int, int]:
        return 3 * len(self.pairs), BODY * self.count

    @cached_property
    def csr(self) -> Csr:
        """D, written out."""
        indptr = np.empty(3 * len(self.pairs) + 1, dtype=np.int32)
        rigid_rows.row_pointers(self.pairs, indptr)
        size = (int(indptr[-1]),)
        indices, data = POOL.empty(size, np.int32), POOL.empty(size)
        rigid_rows.write_out(self.pairs, self.entries, indptr, indices, data)
        return assembled(data, indices, indptr, self.shape)

    @property
    def values(self) -> Array:
        return self.entries

    @property
    def rigid(self) -> RigidRows:
        return self

    def slips(self, velocity: Array, b: Array) -> Array:
        out = SLIPS.empty(b.shape)
        rigid_rows.slips(
            self._team, self.pairs, self.entries, self._by_body(velocity), _by_contact(b), _by_contact(out)
        )
        return out

    def close(
        self, velocity: Array, gap: Array, bends: tuple[Array, Array, Array, float], h: float, most: float, b: Array
    ) -> Array:
        """Adds to b what closes gaps on bent paths in a step of h [s], in place; see
        `kernels.bodies.rigid_rows.close`."""
        own = self._by_body(velocity)
        rigid_rows.close(self._team, self.pairs, self.entries, own, gap, bends, h, most, _by_contact(b))
        return b

    def work(self, velocity: Array, impulse: Array) -> tuple[float, float, float]:
        """Of impulses at the slips of these velocities: along normals and both tangents [J]."""
        x = _by_contact(checked(impulse.reshape(-1), self.shape[0]))
        normal, one, other = rigid_rows.work(self._team, self.pairs, self.entries, self._by_body(velocity), x)
        return float(normal), float(one), float(other)

    def push(self, impulse: Array) -> Array:
        return self.forces(impulse)[0]

    def forces(self, impulse: Array) -> tuple[Array, Array]:
        """`D' impulse` and `|D|' |impulse|`."""
        force, size = np.zeros((self.count, BODY)), np.zeros((self.count, BODY))
        x = checked(impulse, self.shape[0])
        body_forces.forces(self._team, self.pairs, self.entries, _by_contact(x), force, size)
        return force.reshape(-1), size.reshape(-1)

    def free_motion(self, velocity: Array, b: Array, mass: MassMatrix) -> FreeMotion:
        if mass.inverse_diagonal is None:
            return SparseRows(self.csr).free_motion(velocity, b, mass)
        slip, diagonal = np.empty(b.shape), np.empty(b.shape)
        norm, terms = rigid_rows.free_motion(
            self._team, self.pairs, self.entries, self._by_body(velocity), _by_contact(b),
            self._by_body(mass.inverse_diagonal), _by_contact(slip), _by_contact(diagonal),
        )  # fmt: skip
        return FreeMotion(slip, norm, terms, diagonal)

    def free_sums(self, velocity: Array, b: Array, mass: MassMatrix) -> FreeSums | None:
        if mass.inverse_diagonal is None:
            return None
        found = rigid_rows.free_sums(
            self._team, self.pairs, self.entries, self._by_body(velocity), _by_contact(b),
            self._by_body(mass.inverse_diagonal),
        )  # fmt: skip
        return FreeSums(*found)

    def bodies(self, mass: MassMatrix, start: Indices) -> Bodies | None:
        first = mass.spatial_bodies
        return None if first is None else Bodies(first, self.pairs, self.centres)

    @property
    def _team(self) -> Numbers:
        """Of loops over the contacts."""
        return team(len(self.pairs))

    def _by_body(self, vector: Array) -> Array:
        return checked(vector, BODY * self.count).reshape(-1, BODY)


def _by_contact(vector: Array) -> Array:
    return vector.reshape(-1, 3)
