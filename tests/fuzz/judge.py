"""An independent judge: the equations of a step, its joints and its energy, recomputed with plain dense numpy.

Nothing here comes from the package but plain arrays: those of a problem and of its answer, masses, poses and speeds.
The natural map of a contact is `lambda - P(lambda - rho w)` with the slip `w = D v - b + E lambda` (under the exact law
plus `mu |w_t|` in the normal row), P the projection onto the set of its impulses, and `1/rho` the contact's share of
`D H^-1 D' + E`. It is an impulse, and is compared with the largest impulse of the step or of
what the free motion calls for.
"""

from __future__ import annotations

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


def errors(problem: Any, solution: Any, exact: bool) -> dict[str, float]:
    """Relative errors of stationarity, joints and contacts."""
    H, D, C, E = dense(problem.H), dense(problem.D), dense(problem.C), dense(problem.E)
    c, b, b_joint = (np.asarray(x, dtype=float) for x in (problem.c, problem.b_lambda, problem.b_gamma))
    answer = (solution.velocity, solution.contact_impulse, solution.joint_impulse)
    v, lam, gamma = (np.asarray(x, dtype=float) for x in answer)
    if not all(np.isfinite(x).all() for x in (v, lam, gamma)):
        return {"not finite": np.inf}
    free = np.linalg.solve(H, -c)
    terms = (H @ v, c, C.T @ gamma, D.T @ lam)
    # Weighed by the inverse mass: heavy bodies may not hide light ones.
    weight = 1.0 / np.sqrt(np.diag(H))
    scale = max(float(np.linalg.norm(weight * term)) for term in terms)
    rest = float(np.linalg.norm(weight * (terms[0] + terms[1] - terms[2] - terms[3])))
    found = {"stationarity": rest / max(scale, TINY), "joints": 0.0, "contacts": 0.0}
    pushed = np.linalg.solve(H, D.T @ lam)
    if len(b_joint):
        speed = np.abs(C) @ (np.abs(v) + np.abs(free) + np.abs(pushed)) + np.abs(b_joint)
        found["joints"] = float(np.abs(C @ v - b_joint).max() / max(float(speed.max()), TINY))
    found["contacts"] = _contacts(problem, exact, lam, D @ v - b + E @ lam, D @ free - b, (H, D, E))
    return found


def _contacts(problem: Any, exact: bool, lam: Any, slips: Any, free: Any, matrices: Any) -> float:
    H, D, E = matrices
    worst, largest = 0.0, TINY
    for rows, project, coefficients in _blocks(problem):
        size = rows.stop - rows.start
        rate = float(np.trace(D[rows] @ np.linalg.solve(H, D[rows].T)) + np.trace(E[rows, rows])) / size
        rho = 1.0 / max(rate, TINY)
        slip = np.array(slips[rows])
        if exact and coefficients:
            parts = _parts(slip, coefficients)
            slip[0] += sum(mu * float(np.linalg.norm(slip[part])) for mu, part in zip(coefficients, parts, strict=True))
        moved = lam[rows] - project(lam[rows] - rho * slip)
        worst = max(worst, float(np.linalg.norm(moved)))
        largest = max(largest, float(np.linalg.norm(lam[rows])), rho * float(np.linalg.norm(free[rows])))
    return worst / largest


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
