"""The mathematical object in the middle: physics on its left makes it, solvers on its right solve it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np

from signorini.kernels.bodies import free_motion
from signorini.kernels.cones import general_blocks as general
from signorini.kernels.cones.coulomb_cones import add_de_saxce
from signorini.math.sparse import Array, Csr, assembled, canonical, frozen_vector
from signorini.problem.bodies import Bodies, find_bodies
from signorini.problem.cones import Cones
from signorini.problem.errors import ProblemError
from signorini.problem.inverse import BlockInverse, Inverse, gram, gram_diagonal, make_inverse
from signorini.problem.natural_map_scale import NaturalMapScale
from signorini.problem.products import add_product, add_transposed_product, asymmetry, multiply, multiply_magnitudes
from signorini.problem.rigid_rows import RigidRows

SLIP_ROUND_OFF = 1e-7
"""Slips below this share of their terms are no scale for errors."""
SYMMETRY_TOLERANCE = 1e-9
"""H and E may differ from their transposes by this, relative to their largest entry."""


@dataclass(frozen=True, eq=False)
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

    H: Csr
    """Symmetric positive definite, shape (n, n): mass, for finite elements `M - h dF/dv - h^2 dF/dq`."""
    c: Array
    """`-(M v_old + h f)`, shape (n,)."""
    C: Csr
    """Joint Jacobian, shape (joint rows, n)."""
    b_gamma: Array
    """`-Psi/h - dPsi/dt`, shape (joint rows,)."""
    D: Csr
    """Contact Jacobian, shape (contact rows, n), rows of one contact (normal, tangent, tangent)."""
    b_lambda: Array
    """`-Phi/h` in normal rows, 0 in tangent rows, plus the terms of contact laws; shape (contact rows,)."""
    cones: Cones
    """One block per contact."""
    E: Csr
    """Compliance, symmetric positive semidefinite, shape (contact rows, contact rows); 0 is rigid."""
    name: str = ""
    """Shown in tables."""
    skew: Csr | None = field(default=None)
    """Antisymmetric part of the W of an FCLIB file (which is measured, so not quite symmetric), or None.
    The convex problem has no place for it; the true Coulomb error counts it."""

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
        cones = Cones.half_lines(0) if cones is None else cones
        c = frozen_vector([] if c is None else c)
        n, m = len(c), cones.rows
        b_gamma = frozen_vector([] if b_gamma is None else b_gamma)
        parts: dict[str, Any] = {
            "c": c,
            "b_gamma": b_gamma,
            "b_lambda": frozen_vector(np.zeros(m) if b_lambda is None else b_lambda),
            "H": _matrix("H", H, (n, n), f"c has {n} entries"),
            "C": _matrix("C", C, (len(b_gamma), n), f"b_gamma has {len(b_gamma)} entries and c has {n}"),
            "D": _matrix("D", D, (m, n), f"the cones have {m} rows in {cones.count} contacts and c has {n} entries"),
            "E": _matrix("E", E, (m, m), f"the cones have {m} rows in {cones.count} contacts"),
            "skew": None if skew is None else _matrix("skew", skew, (m, m), f"the cones have {m} rows"),
            "cones": cones,
            "name": name,
        }
        if len(parts["b_lambda"]) != m:
            raise ProblemError(
                f"b_lambda has {len(parts['b_lambda'])} entries, expected {m} for {cones.count} contacts"
            )
        for key, value in parts.items():
            object.__setattr__(self, key, value)
        self._check_values()

    def _check_values(self) -> None:
        for name in ("c", "b_gamma", "b_lambda"):
            _require_finite(name, getattr(self, name))
        for name in ("H", "C", "D", "E"):
            _require_finite(name, getattr(self, name).data)
        for name in ("H", "E"):
            found = asymmetry(getattr(self, name))
            if found > SYMMETRY_TOLERANCE:
                raise ProblemError(
                    f"{name} is not symmetric (relative difference {found:.1e}); pass ({name} + {name}')/2"
                )
        diagonal = self.H.diagonal()
        if len(diagonal) and diagonal.min() <= 0:
            row = int(diagonal.argmin())
            raise ProblemError(
                f"H has {diagonal[row]} on its diagonal in row {row}, expected a positive mass; "
                "take a fixed body's columns out of the problem instead"
            )
        compliance = self.E.diagonal()
        if len(compliance) and compliance.min() < 0:
            row = int(compliance.argmin())
            raise ProblemError(f"E has {compliance[row]} on its diagonal in row {row}, expected 0 or more")

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

    @cached_property
    def inverse(self) -> Inverse:
        """H^-1: block by block when H is block diagonal, through a sparse factorisation otherwise."""
        return make_inverse(self.H)

    @cached_property
    def bodies(self) -> Bodies | None:
        """The rigid bodies that contacts touch, as the patterns of H and D tell; None where a contact touches three."""
        return find_bodies(self.inverse, self.D, self.cones.start)

    @cached_property
    def rigid_rows(self) -> RigidRows | None:
        """D without what is there twice, where whoever made the problem knows it so."""
        return None

    @cached_property
    def free_velocity(self) -> Array:
        """`-H^-1 c`: the velocities without joints and contacts, shape (n,)."""
        return -self.inverse.solve(self.c) if self.velocities else np.zeros(0)

    @cached_property
    def r(self) -> Array:
        """Slip without any impulse, `-D H^-1 c - b_lambda` [m/s], shape (contact rows,)."""
        return self._free_motion[0]

    @cached_property
    def _free_motion(self) -> tuple[Array, float, float, Array | None]:
        """r, its norm, that of its terms `|D| |v_free| + |b_lambda|`, and diag(D H^-1 D') where H is diagonal."""
        inverse = self.inverse if self.velocities else None
        weight = inverse.matrix.data if isinstance(inverse, BlockInverse) and inverse.is_diagonal else None
        if weight is not None and self.rigid_rows is not None:
            return self.rigid_rows.free_motion(self.free_velocity, self.b_lambda, weight)
        D, slip = self.D, np.empty(self.contact_rows)
        data = (D.indptr, D.indices, D.data, self.free_velocity, self.b_lambda)
        if weight is None:
            return slip, *free_motion.free_slips(*data, slip), None
        diagonal = np.empty(self.contact_rows)
        return slip, *free_motion.slips_and_squares(*data, weight, slip, diagonal), diagonal

    @cached_property
    def whitened(self) -> Csr | None:
        """`D G` with `G G' = H^-1` (see `BlockInverse`), so that `N = (D G)(D G)' + E`; None for a general H."""
        return self.inverse.whiten(self.D) if isinstance(self.inverse, BlockInverse) else None

    @cached_property
    def N(self) -> Csr:
        """The Delassus operator `D H^-1 D' + E`, explicit, shape (contact rows, contact rows)."""
        if self.is_dual_only:
            return self.E
        product = self.inverse.congruence(self.D) if self.whitened is None else gram(self.whitened)
        return canonical(product + self.E) if self.E.nnz else product

    @cached_property
    def N_diagonal(self) -> Array:
        """Diagonal of N, without forming N when H is block diagonal."""
        if self.is_dual_only:
            return np.asarray(self.N.diagonal())
        if isinstance(self.inverse, BlockInverse) and self.inverse.is_diagonal:
            diagonal = self._free_motion[3]
            assert diagonal is not None
        elif isinstance(self.inverse, BlockInverse):
            # Rows that somebody has whitened already are at hand.
            white = vars(self).get("whitened")
            diagonal = self.inverse.congruence_diagonal(self.D) if white is None else gram_diagonal(white)
        else:
            white = self.whitened
            diagonal = self.inverse.congruence_diagonal(self.D) if white is None else gram_diagonal(white)
        return np.asarray(diagonal + self.E.diagonal()) if self.E.nnz else diagonal

    @cached_property
    def mean_weight(self) -> float:
        """`w = mean(diag N)` over the contact rows [1/kg], 1 where that is 0."""
        mean = float(self.N_diagonal.sum()) / self.contact_rows if self.contact_rows else 0.0
        return mean if mean > 0 else 1.0

    def apply_N(self, impulse: Array) -> Array:
        """`N @ impulse` without forming N."""
        out = multiply(self.E, impulse)
        if self.is_dual_only:
            return out
        force = add_transposed_product(self.D, impulse, np.zeros(self.velocities))
        return add_product(self.D, self.inverse.solve(force), out)

    @cached_property
    def rho(self) -> Array:
        """`1 / mean(diag N)` of each contact [kg]: turns a slip into an impulse of the right size."""
        mean = (
            np.add.reduceat(self.N_diagonal, self.cones.start[:-1]) / self.cones.dims if self.contacts else np.zeros(0)
        )
        return np.asarray(1.0 / np.where(mean > 0, mean, 1.0))

    @cached_property
    def slip_size(self) -> float:
        """`|r|` [m/s], what natural-map errors are relative to; 0 only when nothing moves and nothing is asked.

        Where r is the round-off of terms that cancel (two bodies that move together), it is not a measure of anything:
        then a ten-millionth of `||D| |v_free| + |b_lambda||` takes its place.
        """
        _, norm, terms, _ = self._free_motion
        return max(norm, SLIP_ROUND_OFF * terms)

    @cached_property
    def natural_map_scale(self) -> NaturalMapScale:
        """The unit-free natural-map error for blocks of all kinds; cones alone have faster ways to the same number."""
        terms = multiply_magnitudes(self.D, self.free_velocity) + np.abs(self.b_lambda)
        return NaturalMapScale.of(self.cones, self.N_diagonal, self.r, SLIP_ROUND_OFF * terms)

    @cached_property
    def joint_size(self) -> Array:
        """`|C| |H^-1 c|` [m/s]: the motion that each joint row would have to stop, shape (joint rows,).

        A joint's error is relative to this and to `|C| |v| + |b_gamma|`: at rest C v is round-off, and so is |C| |v|.
        """
        return multiply_magnitudes(self.C, self.free_velocity)

    def velocity_of(self, contact_impulse: Array, joint_impulse: Array | None = None) -> Array:
        """`H^-1 (D' lambda + C' gamma - c)`, the velocities that given impulses cause."""
        if self.is_dual_only:
            return np.zeros(0)
        force = add_transposed_product(self.D, contact_impulse, np.zeros(self.velocities))
        if joint_impulse is not None and self.joint_rows:
            add_transposed_product(self.C, joint_impulse, force)
        force -= self.c
        return self.inverse.solve(force)

    def slip_of(self, velocity: Array, contact_impulse: Array) -> Array:
        """`u = D v - b_lambda + E lambda` [m/s]."""
        rows = self.rigid_rows
        slip = add_product(self.D, velocity, -self.b_lambda) if rows is None else rows.slips(velocity, self.b_lambda)
        return add_product(self.E, contact_impulse, slip) if self.E.nnz else slip

    def exact_slip(self, slip: Array, contact_impulse: Array) -> Array:
        """What the exact Coulomb law has in place of the slip u [m/s]: `u + skew lambda`, normals plus `mu |u_t|`.

        With it, `lambda in K`, `y in K*` and `lambda'y = 0` say that a sliding contact does not lift (de Saxce).
        """
        whole = slip if self.skew is None else add_product(self.skew, contact_impulse, slip.copy())
        exact = np.empty_like(whole)
        if self.cones.is_plain:
            add_de_saxce(self.cones.start, self.cones.friction, whole, exact)
        else:
            general.add_de_saxce(self.cones.start, self.cones.table, whole, exact)
        return exact

    def with_b_lambda(self, b_lambda: Array) -> Self:
        """The same problem with another b_lambda; shares all that does not depend on it."""
        twin = object.__new__(type(self))
        own = ("r", "_free_motion", "_free_sums", "slip_size", "natural_map_scale")
        shared = {key: value for key, value in self.__dict__.items() if key not in own}
        for key, value in (shared | {"b_lambda": frozen_vector(b_lambda)}).items():
            object.__setattr__(twin, key, value)
        return twin


def _matrix(name: str, value: Any, shape: tuple[int, int], reason: str) -> Csr:
    """`value` in canonical form, zeros of that shape for None."""
    if value is None:
        if name == "H" and shape[0]:
            raise ProblemError(f"H is missing, expected shape {shape} because {reason}")
        return nothing(shape)
    matrix = canonical(value)
    if matrix.shape != shape:
        raise ProblemError(f"{name} has shape {matrix.shape}, expected {shape} because {reason}")
    return matrix


@lru_cache(maxsize=8)
def nothing(shape: tuple[int, int]) -> Csr:
    """Zeros, read-only, shared by all problems of that size."""
    return assembled(np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(shape[0] + 1, dtype=np.int32), shape)


def _require_finite(name: str, values: Array) -> None:
    if not np.all(np.isfinite(values)):
        raise ProblemError(f"{name} holds {int(np.sum(~np.isfinite(values)))} entries that are not finite numbers")
