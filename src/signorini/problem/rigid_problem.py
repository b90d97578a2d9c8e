"""The contact problem of rigid bodies, as a simulation makes one at every step."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

from signorini.kernels.linalg.dense import dot
from signorini.math.sparse import Array, Csr
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import SLIP_ROUND_OFF, ContactProblem, nothing
from signorini.problem.errors import ProblemError
from signorini.problem.inverse import BlockInverse
from signorini.problem.rigid_rows import RigidRows


class RigidProblem(ContactProblem):
    """A problem that keeps D as `RigidRows` and writes the matrix out when somebody asks for it."""

    @classmethod
    def vouched(
        cls,
        H: Csr,
        c: Array,
        C: Csr,
        b_gamma: Array,
        rows: RigidRows,
        b_lambda: Array,
        cones: Cones,
        name: str = "",
    ) -> Self:
        """The rigid problem of parts in canonical form that the caller vouches for and gives away: nothing is copied,
        and values are not looked at."""
        problem = cls.__new__(cls)
        m, n = cones.rows, len(c)
        shapes = (H.shape, C.shape, rows.shape, b_lambda.shape)
        if shapes != ((n, n), (len(b_gamma), n), (m, n), (m,)):
            raise ProblemError(f"H, C, D and b_lambda have the shapes {shapes}, expected them to fit {n} velocities")
        for vector in (c, b_gamma, b_lambda):
            vector.flags.writeable = False
        parts = {"H": H, "c": c, "C": C, "b_gamma": b_gamma, "b_lambda": b_lambda, "cones": cones, "name": name}
        vars(problem).update(parts, E=nothing((m, m)), skew=None, rigid_rows=rows)
        return problem

    @cached_property
    def D(self) -> Csr:
        """See `ContactProblem`."""
        assert self.rigid_rows is not None
        return self.rigid_rows.matrix

    @cached_property
    def _free_sums(self) -> tuple[float, float, float] | None:
        """Sums over all rows of `r^2`, of `diag N` and of `b_lambda^2`; None where H is not diagonal."""
        inverse, rows = self.inverse, self.rigid_rows
        if rows is None or not (isinstance(inverse, BlockInverse) and inverse.is_diagonal):
            return None
        return rows.free_sums(self.free_velocity, self.b_lambda, inverse.matrix.data)

    @cached_property
    def mean_weight(self) -> float:
        """See `ContactProblem`."""
        if self._free_sums is None or not self._free_sums[1] > 0:
            return super().mean_weight
        return self._free_sums[1] / self.contact_rows

    @cached_property
    def slip_size(self) -> float:
        """See `ContactProblem`; where r is clearly more than the round-off of its terms, they are not looked at.

        `|D_i| |v| <= sqrt(N_ii) sqrt(v'Hv)` for every row i, so that the norm of all terms is no more than
        `sqrt(trace(N) v'Hv) + |b_lambda|`; the free velocities have `v'Hv = -c'v`.
        """
        if self._free_sums is None:
            return super().slip_size
        square, trace, asked = self._free_sums
        norm, energy = math.sqrt(square), max(0.0, -dot(self.c, self.free_velocity, 0, len(self.c)))
        terms = math.sqrt(trace * energy) + math.sqrt(asked)
        return norm if norm >= SLIP_ROUND_OFF * terms else super().slip_size
