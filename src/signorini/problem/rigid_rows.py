"""The contact Jacobian of rigid bodies without what is there twice: products with it that read no column numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from signorini.kernels.bodies import rigid_rows as kernels
from signorini.math.pool import Pool
from signorini.math.sparse import Array, Csr, Indices, assembled
from signorini.problem.products import checked

POOL = Pool()


@dataclass(frozen=True, eq=False)
class RigidRows:
    """D of contacts that have three rows each and act in opposite ways on the linear velocities of two bodies."""

    pairs: Indices
    """As in `Bodies`, shape (contacts, 2)."""
    entries: Array
    """The rows, shape (contacts, 27); see `kernels.rigid_rows`."""
    bodies: int

    @property
    def shape(self) -> tuple[int, int]:
        """Of D."""
        return 3 * len(self.pairs), 6 * self.bodies

    @cached_property
    def matrix(self) -> Csr:
        """D, written out."""
        indptr = np.empty(3 * len(self.pairs) + 1, dtype=np.int32)
        kernels.row_pointers(self.pairs, indptr)
        size = (int(indptr[-1]),)
        indices, data = POOL.empty(size, np.int32), POOL.empty(size)
        kernels.write_out(self.pairs, self.entries, indptr, indices, data)
        return assembled(data, indices, indptr, self.shape)

    def slips(self, velocity: Array, b: Array) -> Array:
        """D v - b."""
        out = np.empty(b.shape)
        kernels.slips(self.pairs, self.entries, self._by_body(velocity), _by_contact(b), _by_contact(out))
        return out

    def free_motion(self, velocity: Array, b: Array, weight: Array) -> tuple[Array, float, float, Array]:
        """D v - b, its norm, that of its terms `|D| |v| + |b|`, and diag(D W D') with a diagonal W."""
        slip, diagonal = np.empty(b.shape), np.empty(b.shape)
        norm, terms = kernels.free_motion(
            self.pairs, self.entries, self._by_body(velocity), _by_contact(b), self._by_body(weight),
            _by_contact(slip), _by_contact(diagonal),
        )  # fmt: skip
        return slip, norm, terms, diagonal

    def free_sums(self, velocity: Array, b: Array, weight: Array) -> tuple[float, float, float]:
        """Sums over all rows of `(D v - b)^2`, of `diag(D W D')` with a diagonal W, and of `b^2`."""
        found: tuple[float, float, float] = kernels.free_sums(
            self.pairs, self.entries, self._by_body(velocity), _by_contact(b), self._by_body(weight)
        )
        return found

    def forces(self, impulse: Array) -> tuple[Array, Array]:
        """`D' impulse` and `|D|' |impulse|`."""
        force, size = np.zeros((self.bodies, 6)), np.zeros((self.bodies, 6))
        x = checked(impulse, 3 * len(self.pairs))
        kernels.forces(self.pairs, self.entries, _by_contact(x), force, size)
        return force.reshape(-1), size.reshape(-1)

    def _by_body(self, vector: Array) -> Array:
        return checked(vector, 6 * self.bodies).reshape(-1, 6)


def _by_contact(vector: Array) -> Array:
    return vector.reshape(-1, 3)
