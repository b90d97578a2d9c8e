"""The mathematical object in the middle: physics on its left makes it, solvers on its right solve it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from signorini.kernels.linalg.dense import dot
from signorini.math.sparse import Array, Csr, canonical, frozen_vector
from signorini.problem.bodies import Bodies
from signorini.problem.cones import Cones
from signorini.problem.contact_rows import ContactRows, FreeMotion, FreeSums
from signorini.problem.derived import derived, derived_from
from signorini.problem.errors import ProblemError
from signorini.problem.joined_motion import joined_velocity
from signorini.problem.mass_matrix import MassMatrix, gram
from signorini.problem.natural_map_scale import NaturalMapScale
from signorini.problem.parts import accept, nothing
from signorini.problem.products import add_product, add_transposed_product, asymmetry, multiply, multiply_magnitudes

SLIP_ROUND_OFF = 1e-7
"""Slips below this share of their terms are round-off and no scale for errors."""
MOTION_ROUND_OFF = 1e-13
"""Slips below this share of their bound by the free momentum are round-off."""
LITTLE_SLIP = 1e-2
"""Free slips below this share of that bound are compared with those that joints transmit."""
OPERATOR = ("H", "D", "E")
"""Parts of the Delassus operator."""
FREE, JOINTS = ("H", "c", "D", "b_lambda"), ("C", "b_gamma")
"""Parts of the slips of free motion; what joints add."""


@dataclass(frozen=True, eq=False, init=False)
class ContactProblem:
    """One time step of hard frictional contact as a convex cone program.

    With v the new velocities, gamma the joint impulses, lambda the contact impulses and y the slack::

        minimise    1/2 v'Hv + c'v + 1/2 lambda'E lambda
        subject to  C v                      = b_gamma         (joints, motors)
                    D v - b_lambda + E lambda = y,  y in K*    (contacts)
        KKT         H v + c - C' gamma - D' lambda = 0,   lambda in K,  lambda perpendicular to y

    K is a product of blocks (see `Cones`): half-lines, Coulomb and rolling cones, K* their dual; and intervals, which
    add the energy `sigma(-y)` that brakes take, their support function, to what is minimised. The dual problem is
    `min 1/2 lambda'N lambda + r'lambda` over K, with the Delassus operator `N = D H^-1 D' + E` and
    `r = -D H^-1 c - b_lambda`.

    A **dual-only problem** (FCLIB's local form: W, q, mu and no velocities) is the case n = 0, E = W,
    b_lambda = -q; make it with `ContactProblem.from_delassus`.

    Units: SI. v in m/s and rad/s, impulses in N s and N m s, H in kg and kg m2, b in m/s, E in m/(s N s).
    """

    mass: MassMatrix
    """H, symmetric positive definite, shape (n, n): mass, for finite elements `M - h dF/dv - h^2 dF/dq`."""
    c: Array
    """`-(M v_old + h f)`, shape (n,)."""
    C: Csr
    """Joint Jacobian, shape (joint rows, n)."""
    b_gamma: Array
    """`-Psi/h - dPsi/dt`, shape (joint rows,)."""
    rows: ContactRows
    """D, the contact Jacobian, shape (contact rows, n), rows of one contact (normal, tangent, tangent)."""
    b_lambda: Array
    """`-Phi/h` in normal rows, 0 in tangent rows, plus the terms of contact laws; shape (contact rows,)."""
    cones: Cones
    """One block per contact."""
    E: Csr
    """Compliance, symmetric positive semidefinite, shape (contact rows, contact rows); 0 is rigid."""
    name: str
    """Shown in tables."""
    skew: Csr | None
    """Antisymmetric part of the W of an FCLIB file (which is measured, so not quite symmetric), or None. The convex
    problem cannot include it; the error of the exact law does."""

    def __init__(
        self,
        H: Any = None,
        c: Any = None,
        C: Any = None,
        b_gamma: Any = None,
        D: Any = None,
        b_lambda: Any = None,
        cones: Cones | None = None,
        E: Any = None,
        name: str = "",
        skew: Any = None,
    ) -> None:
        parts = {
            "H": H, "c": c, "C": C, "b_gamma": b_gamma, "D": D, "b_lambda": b_lambda, "cones": cones, "E": E,
            "name": name, "skew": skew,
        }  # fmt: skip
        self._keep(accept(parts, new=parts))

    def _keep(self, parts: dict[str, Any]) -> Self:
        """Set the parts, which are in canonical form."""
        self.__dict__.update(parts)
        self.__dict__["mass"], self.__dict__["rows"] = self.__dict__.pop("H"), self.__dict__.pop("D")
        return self

    @classmethod
    def unchecked(
        cls,
        H: MassMatrix,
        c: Array,
        C: Csr,
        b_gamma: Array,
        D: ContactRows,
        b_lambda: Array,
        cones: Cones,
        name: str = "",
    ) -> Self:
        """A rigid problem from parts in canonical form, which become the problem's: nothing is copied or checked. For
        simulations, which make a problem in every step."""
        m, n = cones.rows, len(c)
        shapes = (H.shape, C.shape, D.shape, b_lambda.shape)
        if shapes != ((n, n), (len(b_gamma), n), (m, n), (m,)):
            raise ProblemError(f"H, C, D and b_lambda have the shapes {shapes}, expected them to fit {n} velocities")
        for vector in (c, b_gamma, b_lambda):
            vector.flags.writeable = False
        parts = {"H": H, "c": c, "C": C, "b_gamma": b_gamma, "D": D, "b_lambda": b_lambda, "cones": cones}
        return cls.__new__(cls)._keep({**parts, "E": nothing((m, m)), "name": name, "skew": None})

    @classmethod
    def from_delassus(cls, N: Any, r: Any, cones: Cones, name: str = "") -> Self:
        """The dual-only problem `min 1/2 lambda'N lambda + r'lambda` over K.

        A slightly unsymmetric N (a measured one) is split: the symmetric half is solved, the other is kept in `skew`.
        """
        full = canonical(N)
        if full.shape != (cones.rows, cones.rows):
            raise ProblemError(
                f"N has shape {full.shape}, expected ({cones.rows}, {cones.rows}) for {cones.count} contacts"
            )
        skew = None
        if asymmetry(full) > 0:
            skew = (full - full.T) * 0.5
            full = (full + full.T) * 0.5
        return cls(E=full, b_lambda=-frozen_vector(r), cones=cones, name=name, skew=skew)

    def changed(self, **parts: Any) -> Self:
        """The same problem with other `parts` (names as in the constructor); what does not depend on them is shared."""
        own = {
            "H": self.mass, "c": self.c, "C": self.C, "b_gamma": self.b_gamma, "D": self.rows,
            "b_lambda": self.b_lambda, "cones": self.cones, "E": self.E, "name": self.name, "skew": self.skew,
        }  # fmt: skip
        unknown = parts.keys() - own.keys()
        if unknown:
            raise ProblemError(f"a problem has no part {', '.join(sorted(unknown))}; its parts are {', '.join(own)}")
        twin = type(self).__new__(type(self))._keep(accept({**own, **parts}, new=parts))
        for name, depends_on in derived_from(ContactProblem).items():
            if name in self.__dict__ and not depends_on & parts.keys():
                twin.__dict__[name] = self.__dict__[name]
        return twin

    @property
    def H(self) -> Csr:
        """The mass matrix as a sparse matrix, shape (n, n)."""
        return self.mass.csr

    @property
    def D(self) -> Csr:
        """The contact Jacobian as a sparse matrix, shape (contact rows, n)."""
        return self.rows.csr

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"ContactProblem({name}{self.velocities} velocities, {self.joint_rows} joint rows, {self.cones!r})"

    # --- sizes ---------------------------------------------------------------------------------------------

    @property
    def velocities(self) -> int:
        """Number of velocity unknowns n; 0 for a dual-only problem."""
        return len(self.c)

    @property
    def joint_rows(self) -> int:
        """Number of rows of C."""
        return len(self.b_gamma)

    @property
    def contact_rows(self) -> int:
        """Number of rows of D."""
        return self.cones.rows

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return self.cones.count

    @property
    def is_dual_only(self) -> bool:
        """Whether there are no velocities, only impulses (FCLIB's local form)."""
        return self.velocities == 0

    # --- derived quantities, computed once and shared ----------------------------------------------------------

    @derived("H", "D", "cones")
    def bodies(self) -> Bodies | None:
        """The rigid bodies that contacts touch, from the patterns of H and D; None where a contact touches three."""
        return self.rows.bodies(self.mass, self.cones.start)

    @derived("H", "c")
    def free_velocity(self) -> Array:
        """`-H^-1 c`: the velocities without joints and contacts, shape (n,)."""
        return -self.mass.solve(self.c) if self.velocities else np.zeros(0)

    @property
    def r(self) -> Array:
        """Slip without any impulse, `-D H^-1 c - b_lambda` [m/s], shape (contact rows,)."""
        return self._free_motion.slip

    @derived(*FREE)
    def _free_motion(self) -> FreeMotion:
        return self.rows.free_motion(self.free_velocity, self.b_lambda, self.mass)

    @derived(*FREE)
    def _free_sums(self) -> FreeSums | None:
        return self.rows.free_sums(self.free_velocity, self.b_lambda, self.mass)

    @derived("H", "D")
    def whitened(self) -> Csr | None:
        """`D G` with `G G' = H^-1` (see `MassMatrix`), so that `N = (D G)(D G)' + E`; None for a general H."""
        return self.mass.whiten(self.D)

    @derived(*OPERATOR)
    def N(self) -> Csr:
        """The Delassus operator `D H^-1 D' + E`, explicit, shape (contact rows, contact rows)."""
        if self.is_dual_only:
            return self.E
        product = self.mass.congruence(self.D) if self.whitened is None else gram(self.whitened)
        return canonical(product + self.E) if self.E.nnz else product

    @derived(*OPERATOR)
    def N_diagonal(self) -> Array:
        """Diagonal of N, without forming N when H is block diagonal."""
        if self.is_dual_only:
            return np.asarray(self.N.diagonal())
        diagonal = None if self.mass.inverse_diagonal is None else self._free_motion.diagonal
        if diagonal is None:
            diagonal = self.mass.congruence_diagonal(self.D)
        return np.asarray(diagonal + self.E.diagonal()) if self.E.nnz else diagonal

    @derived(*OPERATOR)
    def mean_weight(self) -> float:
        """`w = mean(diag N)` over the contact rows [1/kg], 1 where that is 0."""
        if not self.contact_rows:
            return 1.0
        sums = None if self.E.nnz else self._free_sums
        mean = float(self.N_diagonal.sum() if sums is None else sums.trace) / self.contact_rows
        return mean if mean > 0 else 1.0

    def apply_N(self, impulse: Array) -> Array:
        """`N @ impulse` without forming N."""
        own = multiply(self.E, impulse)
        return own if self.is_dual_only else self.rows.slips(self.mass.solve(self.rows.push(impulse)), -own)

    @derived(*OPERATOR, "cones")
    def rho(self) -> Array:
        """`1 / mean(diag N)` of each contact [kg]: turns a slip into an impulse of the right size."""
        mean = (
            np.add.reduceat(self.N_diagonal, self.cones.start[:-1]) / self.cones.dims if self.contacts else np.zeros(0)
        )
        return np.asarray(1.0 / np.where(mean > 0, mean, 1.0))

    @derived(*FREE, *JOINTS)
    def slip_size(self) -> float:
        """`|r|` [m/s], the scale of natural-map errors; 0 only without motion and prescribed velocity.

        Where r is the round-off of terms that cancel (two bodies that move together), it is not a measure of anything:
        then a ten-millionth of `||D| |v_free| + |b_lambda||` takes its place. A bound of these terms is often enough:
        `|D_i| |v| <= sqrt(N_ii) sqrt(v'Hv)` for every row i, so that their norm is at most `sqrt(trace(N) v'Hv) +
        |b_lambda|`; the free velocities have `v'Hv = -c'v`. The same bound without `b_lambda` detects round-off where
        the terms themselves are round-off, as in the hinges of a falling robot. Where r is little beside this bound and
        there are joints, `|joined_slip|` counts if it is larger.
        """
        energy = self.free_energy
        if self._free_sums is not None:
            norm = math.sqrt(self._free_sums.slip_square)
            terms = math.sqrt(self._free_sums.trace * energy) + math.sqrt(self._free_sums.b_square)
            if norm >= (LITTLE_SLIP if self.joint_rows else SLIP_ROUND_OFF) * terms:
                return norm
        found = max(self._free_motion.norm, SLIP_ROUND_OFF * self._free_motion.terms)
        soft = float(self.E.diagonal().sum()) if self.E.nnz else 0.0
        most = math.sqrt(max(0.0, float(self.N_diagonal.sum()) - soft) * energy)
        if found > 0.0:  # otherwise there is no motion, so neither a scale nor its round-off
            found = max(found, MOTION_ROUND_OFF * most)
        if not self.joint_rows or found >= LITTLE_SLIP * most:
            return found
        return max(found, float(np.linalg.norm(self.joined_slip)))

    @derived(*FREE, *JOINTS)
    def joined_slip(self) -> Array:
        """`D v - b_lambda` of the motion with joints, r without any: gravity turns a bar only on a hinge."""
        if not self.joint_rows or not self.velocities:
            return self.r
        velocity = joined_velocity(self.mass, self.C, self.b_gamma, self.free_velocity)
        return np.asarray(self.D @ velocity - self.b_lambda)

    @derived("H", "c")
    def free_energy(self) -> float:
        """`v'Hv` of the free velocities, twice their kinetic energy [J]."""
        return max(0.0, -float(dot(self.c, self.free_velocity, 0, len(self.c))))

    @derived(*FREE, *JOINTS, "E", "cones")
    def natural_map_scale(self) -> NaturalMapScale:
        """The unit-free natural-map error for blocks of all kinds; for cones alone there are faster kernels."""
        terms = self.rows.magnitudes(self.free_velocity) + np.abs(self.b_lambda)
        most = math.sqrt(self.contact_rows * self.free_energy)
        return NaturalMapScale.of(
            self.cones, (self.N_diagonal, self.E.diagonal()), (self.r, SLIP_ROUND_OFF * terms),
            (MOTION_ROUND_OFF * most, LITTLE_SLIP * most), lambda: self.joined_slip if self.joint_rows else None,
        )  # fmt: skip

    @derived("H", "c", "C")
    def joint_size(self) -> Array:
        """`|C| |H^-1 c|` [m/s]: the motion that each joint row would have to stop, shape (joint rows,).

        A joint's error is relative to this and to `|C| |v| + |b_gamma|`: at rest C v is round-off, and so is |C| |v|.
        """
        return multiply_magnitudes(self.C, self.free_velocity)

    def velocity_of(self, contact_impulse: Array, joint_impulse: Array | None = None) -> Array:
        """`H^-1 (D' lambda + C' gamma - c)`, the velocities that given impulses cause."""
        if self.is_dual_only:
            return np.zeros(0)
        force = self.rows.push(contact_impulse)
        if joint_impulse is not None and self.joint_rows:
            add_transposed_product(self.C, joint_impulse, force)
        force -= self.c
        return self.mass.solve(force)

    def slip_of(self, velocity: Array, contact_impulse: Array) -> Array:
        """`u = D v - b_lambda + E lambda` [m/s]."""
        slip = self.rows.slips(velocity, self.b_lambda)
        return add_product(self.E, contact_impulse, slip) if self.E.nnz else slip

    def exact_slip(self, slip: Array, contact_impulse: Array) -> Array:
        """What the exact Coulomb law has in place of the slip u [m/s]: `u + skew lambda`, normals plus `mu |u_t|`.

        With it, `lambda in K`, `y in K*` and `lambda'y = 0` say that a sliding contact does not lift (de Saxce).
        """
        whole = slip if self.skew is None else add_product(self.skew, contact_impulse, slip.copy())
        return self.cones.with_de_saxce(whole)
