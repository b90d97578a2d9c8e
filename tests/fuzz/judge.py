"""An independent judge: the equations of a step, its joints and its energy, recomputed with plain dense numpy.

Nothing here comes from the package but plain arrays: those of a problem and of its answer, masses, poses and speeds.
The natural map of a contact is `lambda - P(lambda - rho w)` with the slip `w = D v - b + E lambda` (under the exact law
plus `mu |w_t|` in the normal row), P the projection onto the set of its impulses, and `1/rho` a mean of the diagonal of
`D H^-1 D' + E`. Over all contacts together it is compared with what the motion without contacts calls for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

TINY = 1e-300


def dense(matrix: Any) -> Any:
    """A sparse or dense matrix as an array."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)


def nearest(x: Any, coefficients: tuple[float, ...]) -> Any:
    """The nearest point of `{(n, t_1, ..): mu_k n >= |t_k|}`, parts t_k of 2 (or all) rows; coefficients mu_k.

    With the normal n given, each part is cut to the length `mu_k n`; what remains is a convex function of n, whose
    derivative is found to be zero by bisection between 0 and a bound.
    """
    parts = _parts(x, coefficients)
    sizes = [float(np.linalg.norm(x[part])) for part in parts]
    if len(coefficients) == 1:  # the Coulomb cone in closed form: bisection would cost digits
        normal = _onto_cone(float(x[0]), sizes[0], coefficients[0])
    else:
        low, high = 0.0, abs(float(x[0])) + sum(mu * size for mu, size in zip(coefficients, sizes, strict=True))
        for _ in range(200):
            normal = 0.5 * (low + high)
            slope = normal - float(x[0])
            slope -= sum(mu * max(size - mu * normal, 0.0) for mu, size in zip(coefficients, sizes, strict=True))
            low, high = (low, normal) if slope > 0 else (normal, high)
    out = np.array(x, dtype=float)
    out[0] = normal
    for part, size, mu in zip(parts, sizes, coefficients, strict=True):
        if size > mu * normal:
            out[part] = x[part] * (mu * normal / size)
    return out


def _parts(x: Any, coefficients: tuple[float, ...]) -> list[slice]:
    if len(coefficients) == 1:
        return [slice(1, len(x))]
    return [slice(1, 3), slice(3, 4), slice(4, 6)]


def _onto_cone(normal: float, size: float, mu: float) -> float:
    if mu * normal >= size:
        return max(normal, 0.0)
    return max((mu * size + normal) / (1.0 + mu * mu), 0.0)


def _blocks(problem: Any) -> list[tuple[slice, Any, tuple[float, ...]]]:
    """Rows, projection and friction coefficients of each contact."""
    cones = problem.cones
    found, place = [], 0
    columns = zip(cones.dims, cones.friction, cones.low, cones.high, cones.spinning, cones.rolling, strict=True)
    for size, mu, low, high, spinning, rolling in columns:
        rows = slice(place, place + int(size))
        place += int(size)
        if size == 1:
            found.append((rows, _between(float(low), float(high)), ()))
        elif np.isnan(rolling):
            found.append((rows, _cone((float(mu),)), (float(mu),)))
        else:
            several = (float(mu), float(spinning), float(rolling))
            found.append((rows, _cone(several), several))
    return found


def _between(low: float, high: float) -> Any:
    return lambda x: np.clip(x, low, high)


def _cone(coefficients: tuple[float, ...]) -> Any:
    return lambda x: nearest(x, coefficients)


REST = 1e-5
"""Share of the largest momentum, in roots of energy, that counts as rest in the rows of joints."""
LEAST_SLIP, LEAST_MOTION, LITTLE = 1e-7, 1e-13, 1e-2
"""Free slips below these shares of their terms, and of what the free motion could make, are round-off. Below the last
share of what it could make, slips of the motion with joints count, if they are larger."""
STANDSTILL = 1e-13
"""Of what the free motion could make: joints that hold a body twice leave such slips, in either sense."""
ROUND_OFF = 1e-15
"""Of impulses: where a limit is 5000 N s, no impulse is closer to it."""


def errors(problem: Any, solution: Any, exact: bool, resolution: tuple[float, float] = (0.0, 0.0)) -> dict[str, float]:
    """Errors as tolerances promise them: relative stationarity, joints and `contacts` (FCLIB's unit-free natural map).

    `resolution`: speeds that the round-off of places and of angles makes in a step [m/s, rad/s], which joints that hold
    a body twice pass on. Also `contact alone`, in which contacts between heavy bodies count as much as those of light
    ones; no promise.
    """
    H, D, C, E = dense(problem.H), dense(problem.D), dense(problem.C), dense(problem.E)
    c, b, b_joint = (np.asarray(x, dtype=float) for x in (problem.c, problem.b_lambda, problem.b_gamma))
    answer = (solution.velocity, solution.contact_impulse, solution.joint_impulse)
    v, lam, gamma = (np.asarray(x, dtype=float) for x in answer)
    if not all(np.isfinite(x).all() for x in (v, lam, gamma)):
        return {"not finite": np.inf}
    terms = (H @ v, c, C.T @ gamma, D.T @ lam)
    weight = 1.0 / np.sqrt(np.diag(H))  # of momenta: roots of energies, so that heavy bodies may not hide light ones
    largest = max(float(np.abs(weight * term).max(initial=0.0)) for term in terms)
    rest = float(np.linalg.norm(weight * (terms[0] + terms[1] - terms[2] - terms[3])))
    found = {"stationarity": rest / max(largest, TINY), "joints": 0.0}
    free, pushed = np.linalg.solve(H, -c), np.linalg.solve(H, D.T @ lam)
    if len(b_joint):
        speed = np.abs(v) + np.abs(free) + np.abs(pushed) + REST * largest * weight
        size = np.abs(C) @ speed + np.abs(b_joint)
        found["joints"] = float((np.abs(C @ v - b_joint) / np.maximum(size, TINY)).max())
    caused = free + pushed + np.linalg.solve(H, C.T @ gamma)
    slips = [D @ one - b + E @ lam for one in (v, caused)]
    least = LEAST_SLIP * (np.abs(D) @ np.abs(free) + np.abs(b)), math.sqrt(max(0.0, float(-c @ free)))
    delassus = D @ np.linalg.solve(H, D.T) + E
    asked = [D @ one - b for one in (free, _with_joints(H, C, b_joint, free))]
    unseen = np.abs(D) @ np.tile(np.repeat(resolution, 3), len(v) // 6)
    weights = _weights(_blocks(problem), problem.cones, np.diag(delassus), np.diag(delassus - E))
    scale = (weights, np.diag(delassus), *least)
    seen = [_contacts(problem, exact, lam, slip, (*asked, unseen), scale) for slip in slips]
    return {**found, "contacts": min(one[0] for one in seen), "contact alone": min(one[1] for one in seen)}


def _with_joints(H: Any, C: Any, b: Any, free: Any) -> Any:
    """The motion with joints and without contacts; contradictory joints in the sense of least squares.

    The free motion alone may call for nothing where joints pass it on: gravity does not turn a bar, but with a hinge.
    """
    if not len(b):
        return free
    half = np.linalg.solve(np.linalg.cholesky(H), C.T)  # momenta in roots of energy, so that units do not count
    size = np.maximum(np.linalg.norm(half, axis=0), TINY)
    impulse = np.linalg.lstsq((half.T @ half) / np.outer(size, size), (b - C @ free) / size, rcond=1e-12)[0] / size
    return free + np.linalg.solve(H, C.T @ impulse)


def _contacts(
    problem: Any, exact: bool, lam: Any, slips: Any, asked: tuple[Any, Any, Any], scale: tuple[Any, Any, Any, float]
) -> tuple[float, float]:
    """The natural map of all contacts together, and that of the worst one relative to the largest impulse.

    `asked`: slips that contacts have to stop, of the free motion and of that with joints, and those below resolution;
    `scale`: `_weights`, diagonal of the Delassus operator, least slips, root of the energy of the free motion.
    """
    weights, diagonal, least_slip, motion = scale
    blocks, root = _blocks(problem), np.sqrt(weights)
    free, joined, unseen = asked
    most = motion * math.sqrt(len(lam))
    size = max(np.linalg.norm(free / root), np.linalg.norm(least_slip / root), 0.0)
    size = max(size, LEAST_MOTION * most) if size > 0 else 0.0
    if size < LITTLE * most:
        size = max(size, np.linalg.norm(joined / root))
    total, worst, largest = 0.0, 0.0, TINY
    for rows, project, coefficients in blocks:
        slip = np.array(slips[rows])
        parts = list(zip(coefficients, _parts(slip, coefficients), strict=True)) if coefficients else []
        if exact:
            slip[0] += sum(mu * float(np.linalg.norm(slip[part])) for mu, part in parts)
        unit = root[rows]
        scaled = tuple(float(mu * unit[part.start] / unit[0]) for mu, part in parts)
        onto = _cone(scaled) if coefficients else lambda x, unit=unit, project=project: unit * project(x / unit)
        x = unit * lam[rows]
        total += max(0.0, float(np.linalg.norm(x - onto(x - slip / unit))) - ROUND_OFF * float(np.linalg.norm(x))) ** 2
        rho = 1.0 / max(float(diagonal[rows].mean()), TINY)
        worst = max(worst, float(np.linalg.norm(lam[rows] - project(lam[rows] - rho * slip))))
        largest = max(largest, float(np.linalg.norm(lam[rows])), rho * float(np.linalg.norm(free[rows])))
    total = max(0.0, math.sqrt(total) - STANDSTILL * most - float(np.linalg.norm(unseen / root)))
    return total / (size if size > 0 else 1.0), worst / largest


def _weights(blocks: Any, cones: Any, diagonal: Any, rigid: Any) -> Any:
    """1/mass of each row: the mean over all contacts, of intervals their own.

    Turns become speeds by the radius of gyration about their contact, that of `rigid`, the diagonal without E.
    """
    weight = np.array(diagonal, dtype=float)
    contact = np.zeros(len(weight), dtype=bool)
    for k, (rows, _, coefficients) in enumerate(blocks):
        interval = not coefficients and not (cones.low[k] == 0.0 and np.isinf(cones.high[k]))
        if not interval:
            contact[rows.start : min(rows.stop, rows.start + (3 if len(coefficients) == 3 else rows.stop))] = True
    if contact.any():
        weight[contact] = weight[contact].mean()
    weight = np.where(weight > 0, weight, 1.0)
    for rows, _, coefficients in blocks:
        first = rows.start
        for turn in (slice(first + 3, first + 4), slice(first + 4, first + 6)) if len(coefficients) == 3 else ():
            known = rigid if min(rigid[first : first + 3].mean(), rigid[turn].mean()) > 0 else diagonal
            mass, inertia = known[first : first + 3].mean(), known[turn].mean()
            weight[turn] = weight[first] * (inertia / mass if min(mass, inertia) > 0 else 1.0)
    return weight


# --- motion --------------------------------------------------------------------------------------------------------


def rotation(q: Any) -> Any:
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def energy(bodies: list[tuple[float, Any]], gravity: Any, state: Any) -> tuple[float, float]:
    """Kinetic and potential energy of bodies with (mass, inertia in their own axes) [J]."""
    kinetic = potential = 0.0
    for k, (mass, inertia) in enumerate(bodies):
        if mass <= 0.0 or not np.isfinite(mass):
            continue
        v, w = np.asarray(state.velocity[k]), np.asarray(state.angular_velocity[k])
        kinetic += 0.5 * mass * float(v @ v) + 0.5 * float(w @ inertia @ w)
        potential -= mass * float(np.dot(gravity, state.position[k]))
    return kinetic, potential


def point(state: Any, body: int, local: Any) -> Any:
    """Place in the world of a point of a body; body -1 is the world [m]."""
    if body < 0:
        return np.asarray(local)
    return np.asarray(state.position[body]) + rotation(state.orientation[body]) @ local


def local(state: Any, body: int, place: Any) -> Any:
    """The point of a body that is at `place` in the world [m]."""
    if body < 0:
        return np.asarray(place)
    return rotation(state.orientation[body]).T @ (np.asarray(place) - np.asarray(state.position[body]))
