"""The terms of a certificate, each evaluated from its definition.

This is the one deliberate second statement of the mathematics of contact in this package: solvers estimate their errors
with their own kernels, and what they believe is measured here again. Taken from the problem are its data (H, c, C, D,
E, the arrays of `Cones`) and what is linear algebra alone: H^-1, products with D, diag N, and the two sizes that give
errors their unit (`mean_weight`, `slip_size`). Tests compare all of it with dense algebra.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.kernels.certificate import rows, sets
from signorini.kernels.certificate.cones import cones_error
from signorini.kernels.certificate.numbers import norm as norm
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.contact_problem import LITTLE_SLIP, MOTION_ROUND_OFF, SLIP_ROUND_OFF, ContactProblem

IDLE_ROW = 1e-6
"""Rows of stationarity and joints in which nothing happens (no force, no motion) hold only round-off. They are
measured against this fraction of the largest momentum, in units of `sqrt(energy)`, instead of against themselves."""
IDLE_JOINTS = 10.0
"""How much more counts as nothing in the rows of joints: they ask for velocities that mend errors of position, and
redundant ones contradict one another by the round-off of positions over a short step."""
PREVENTED = 1e5
"""Motion that contacts would give to joined bodies counts up to this multiple of what else moves in the joint's row: on
a light body between heavy ones it is so large that a joint torn off would pass for held."""
ROUND_OFF = 1e-12
"""Contacts whose impulse and slip are below this fraction of the largest cannot be the worst ones."""

Blocks = tuple[Indices, Array, Array, Array, Array, Array]


def blocks_of(problem: ContactProblem) -> Blocks:
    """The sets K as `kernels.certificate.sets` reads them: start, mu, low, high, spinning, rolling."""
    cones = problem.cones
    return cones.start, cones.friction, cones.low, cones.high, cones.spinning, cones.rolling


def exact_slip(problem: ContactProblem, lam: Array, slip: Array) -> Array:
    """What the exact Coulomb law has in place of the slip u [m/s]: `u + skew lambda`, normals plus `mu |u_t|`."""
    exact = np.empty_like(slip)
    sets.exact_slip(blocks_of(problem), with_skew(problem, lam, slip), exact)
    return exact


def with_skew(problem: ContactProblem, lam: Array, slip: Array) -> Array:
    """`u + skew lambda` [m/s]."""
    if problem.skew is None:
        return slip
    whole = slip.copy()
    _add_product(problem.skew, lam, whole, np.zeros_like(whole))
    return whole


# --- rows of equations ---------------------------------------------------------------------------------------------


def forces(problem: ContactProblem, lam: Array, gamma: Array) -> tuple[Array, Array]:
    """`D' lambda + C' gamma` and `|D|' |lambda| + |C|' |gamma|` [N s, N m s]."""
    if problem.rows.rigid is not None and not len(gamma):
        return problem.rows.rigid.forces(lam)
    force, size = np.zeros(problem.velocities), np.zeros(problem.velocities)
    for A, impulse in ((problem.C, gamma), (problem.D, lam)):
        if len(impulse):
            rows.add_transposed_product(A.indptr, A.indices, A.data, impulse, force, size)
    return force, size


def caused(problem: ContactProblem, force: Array) -> Array:
    """The velocities that these forces cause, `H^-1 (force - c)` [m/s, rad/s]."""
    light = problem.mass.inverse_diagonal
    if light is not None:
        found: Array = rows.weighted_difference(team(len(force)), light, force, problem.c)
        return found
    return problem.mass.solve(force - problem.c) if problem.velocities else np.zeros(0)


def copied(x: Array) -> Array:
    """A copy of a vector."""
    found: Array = rows.copy(team(len(x)), x)
    return found


def stationarity(problem: ContactProblem, v: Array, force: Array, force_size: Array) -> tuple[float, float, Array]:
    """Largest |H v + c - force|, the same relative to the row's terms, and what counts as no velocity in each row."""
    H, idle = problem.H, np.empty(problem.velocities)
    many = team(problem.velocities)
    data = (problem.c, v, force, force_size, IDLE_ROW, idle)
    absolute, relative = rows.stationarity(many, H.indptr, H.indices, H.data, *data)
    return absolute, relative, idle


def joint_errors(problem: ContactProblem, v: Array, lam: Array, idle: Array) -> tuple[float, float]:
    """Largest |C v - b_gamma|, and the same relative to the row's terms and to the motion that the joint prevents."""
    if not problem.joint_rows:
        return 0.0, 0.0
    total, size = -problem.b_gamma, np.abs(problem.b_gamma)
    _add_product(problem.C, v, total, size)
    unused, pushed, resting = np.empty_like(total), np.zeros_like(size), np.zeros_like(size)
    _add_product(problem.C, problem.free_velocity, unused, size)
    _add_product(problem.C, problem.mass.solve(problem.rows.push(lam)), unused, pushed)
    _add_product(problem.C, IDLE_JOINTS * idle, unused, resting)
    size += resting + np.minimum(pushed, PREVENTED * size)
    absolute, relative = rows.row_errors(total, size)
    return absolute, relative


def _add_product(A: Csr, x: Array, total: Array, size: Array) -> None:
    """total += A x and size += |A| |x|."""
    rows.add_product(A.indptr, A.indices, A.data, x, total, size)


# --- contacts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """Of problems whose rows have different units: brakes beside contacts, rolling friction."""

    root: Array
    """Turns impulses into roots of energies, see `kernels.certificate.sets.roots`; shape (contact rows,)."""
    size: float
    """`|g_free|` of the slips over root, without impulses, or that of `joined_slip` if it is larger; 1 where nothing
    moves and nothing is prescribed."""


def units_of(problem: ContactProblem) -> Units | None:
    """The units in which natural-map errors are measured; None for contacts alone, which have one for all rows."""
    if problem.cones.is_plain:
        return None
    D, root = problem.D, np.empty(problem.contact_rows)
    sets.roots(blocks_of(problem), problem.N_diagonal, problem.E.diagonal(), True, root)
    size = sets.free_size(D.indptr, D.indices, D.data, problem.free_velocity, problem.b_lambda, root, SLIP_ROUND_OFF)
    most = math.sqrt(problem.contact_rows * max(0.0, -float(problem.c @ problem.free_velocity)))
    size = max(size, MOTION_ROUND_OFF * most) if size != 0 else 0.0
    if problem.joint_rows and size < LITTLE_SLIP * most:
        size = max(size, norm(problem.joined_slip / root))
    return Units(root, size or 1.0)


def scaled(problem: ContactProblem, lam: Array, slip: Array, exact: bool, units: Units | None) -> float:
    """`FclibErrors.scaled` of impulses with these slips, by the exact or by the convex law.

    The natural map of `x = root impulse` and `g = slip / root` over the size of `g_free`.
    """
    if not problem.contacts:
        return 0.0
    if units is None:
        w, q = problem.mean_weight, problem.slip_size
        return w * _of_cones(problem, lam, slip, exact, 1.0 / w) / (q if q > 0 else 1.0)
    shifted = exact_slip(problem, lam, slip) if exact else slip
    return _of_all_kinds(problem, lam, shifted, units.root) / units.size


def unscaled(problem: ContactProblem, lam: Array, slip: Array, exact: bool) -> float:
    """`|r - P_K(r - u)|`, impulses and slips taken as plain numbers, as the FCLIB collection does."""
    if problem.cones.is_plain:
        return _of_cones(problem, lam, slip, exact, 1.0)
    shifted = exact_slip(problem, lam, slip) if exact else slip
    return _of_all_kinds(problem, lam, shifted, np.ones(problem.contact_rows))


def _of_cones(problem: ContactProblem, lam: Array, slip: Array, exact: bool, rho: float) -> float:
    """Norm of `lambda - P_K(lambda - rho u)` over half-lines and Coulomb cones."""
    whole = with_skew(problem, lam, slip) if exact else slip
    sets_k = (problem.cones.start, problem.cones.friction)
    return float(cones_error(team(problem.contacts), *sets_k, rho, exact, lam, whole))


def _of_all_kinds(problem: ContactProblem, lam: Array, slip: Array, root: Array) -> float:
    """Norm of the natural map of `root lambda` and `u / root`."""
    error, size = np.empty(problem.contacts), np.empty(problem.contacts)
    return float(sets.natural_map(blocks_of(problem), root, lam, slip, error, size))


def contact_errors(problem: ContactProblem, lam: Array, slip: Array) -> tuple[float, float, int, Array]:
    """Norm of the natural map [N s], its largest relative error, the contact where that is, the map per contact."""
    each, root = np.empty(problem.contacts), np.empty(problem.contact_rows)
    sets.roots(blocks_of(problem), problem.N_diagonal, problem.E.diagonal(), False, root)
    return *sets.contact_errors(blocks_of(problem), root, lam, slip, ROUND_OFF, each), each


def violations(problem: ContactProblem, lam: Array, slip: Array) -> tuple[float, float]:
    """How far the worst impulse lies outside K [N s], and the worst slip outside K* [m/s]."""
    blocks = blocks_of(problem)
    return float(sets.violation(blocks, lam)), float(sets.dual_violation(blocks, slip))


# --- energies ------------------------------------------------------------------------------------------------------


def work_and_size(problem: ContactProblem, lam: Array, slip: Array) -> tuple[float, float]:
    """`lambda'u + sigma(-u)` and `sum |lambda| (|u| + |r|)` [J]."""
    work, size = sets.work_and_size(lam, slip, problem.r)
    return work + float(sets.support(blocks_of(problem), slip)), size


def objectives(
    problem: ContactProblem, v: Array, lam: Array, gamma: Array, caused: Array, slip: Array
) -> tuple[float, float]:
    """Primal value at v, and the dual value at (lambda, gamma), which uses the velocities that these cause [J]."""
    compliance = 0.5 * _quadratic_form(problem.E, lam)
    primal = 0.5 * _quadratic_form(problem.H, v) + float(problem.c @ v) + compliance
    primal += float(sets.support(blocks_of(problem), slip))
    kinetic = 0.5 * _quadratic_form(problem.H, caused)
    dual = float(problem.b_lambda @ lam) + float(problem.b_gamma @ gamma) - kinetic - compliance
    return primal, dual


def _quadratic_form(A: Csr, x: Array) -> float:
    return float(rows.quadratic_form(A.indptr, A.indices, A.data, x))
