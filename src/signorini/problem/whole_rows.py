"""The contact Jacobian of rigid bodies in rows of six: products with it that read no column numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels import whole_rows as kernels
from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.bodies import Bodies
from signorini.problem.products import checked


@dataclass(frozen=True, eq=False)
class WholeRows:
    """D of contacts that have three rows each, with all six velocities of the one or two bodies they touch."""

    pairs: Indices
    """As in `Bodies`, shape (contacts, 2)."""
    sixes: Array
    """Entries of D in their order, six per row; see `kernels.whole_rows`."""
    bodies: int

    @classmethod
    def of(cls, D: Csr, bodies: Bodies) -> WholeRows:
        """Of a matrix whose rows are known to be whole."""
        return cls(bodies.pairs, D.data.reshape(-1, 6), bodies.count)

    def slips(self, velocity: Array, b: Array) -> Array:
        """D v - b."""
        out = np.empty(b.shape)
        kernels.slips(self.pairs, self.sixes, self._by_body(velocity), _by_contact(b), _by_contact(out))
        return out

    def free_motion(self, velocity: Array, b: Array, weight: Array) -> tuple[Array, float, float, Array]:
        """D v - b, its norm, that of its terms `|D| |v| + |b|`, and diag(D W D') with a diagonal W."""
        slip, squares = np.empty(b.shape), np.empty(b.shape)
        norm, terms = kernels.free_motion(
            self.pairs, self.sixes, self._by_body(velocity), _by_contact(b), self._by_body(weight),
            _by_contact(slip), _by_contact(squares),
        )  # fmt: skip
        return slip, norm, terms, squares

    def forces(self, impulse: Array) -> tuple[Array, Array]:
        """`D' impulse` and `|D|' |impulse|`."""
        force, size = np.zeros((self.bodies, 6)), np.zeros((self.bodies, 6))
        x = checked(impulse, 3 * len(self.pairs))
        kernels.forces(self.pairs, self.sixes, _by_contact(x), force, size)
        return force.reshape(-1), size.reshape(-1)

    def _by_body(self, vector: Array) -> Array:
        return checked(vector, 6 * self.bodies).reshape(-1, 6)


def _by_contact(vector: Array) -> Array:
    return vector.reshape(-1, 3)
