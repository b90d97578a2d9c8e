"""Settled piles of frictional spheres, as contact problems to measure solvers on.

Spheres of 70 mm diameter and 1000 kg/m3 fall as a jittered lattice into a box of 1 m x 1 m that is open on top, with
friction 0.4 and steps of 5 ms, until they are nearly at rest or `LARGEST_TIME` is over.
`make_pile` returns the `ContactProblem` of the next step. The settling is a plain projected Gauss-Seidel
loop of its own, so that no solver under test made its problem.

    python benchmarks/piles.py 280 1190 5000
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sp

from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem

RADIUS = 0.035
DENSITY = 1000.0
FRICTION = 0.4
STEP = 5e-3
GRAVITY = 9.81
SIDE = 1.0
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
INERTIA = 0.4 * MASS * RADIUS**2
MARGIN = 0.002
"""Pairs closer than this are contacts [m]; a sphere at rest falls 0.25 mm in a step."""
SWEEPS = 100
REST_SPEED = 0.03
"""A pile whose fastest sphere is slower than this is settled [m/s]."""
LARGEST_TIME = {280: 3.0, 1190: 4.0, 5000: 5.0, 20000: 6.0}
"""Simulated seconds after which a pile is taken as it is."""
CACHE = Path(__file__).parent / ".cache"
VERSION = 1


@dataclass(frozen=True)
class Contacts:
    """Sphere-sphere and sphere-wall contacts; body -1 is the box."""

    first: np.ndarray
    """Sphere that the normal points to, shape (contacts,)."""
    second: np.ndarray
    """The other sphere, -1 for the box, shape (contacts,)."""
    normal: np.ndarray
    """Unit vector from second to first, shape (contacts, 3)."""
    gap: np.ndarray
    """Distance Phi, negative in penetration [m], shape (contacts,)."""


@numba.njit(cache=True)
def _detect(position, radius, side, margin, first, second, normal, gap):
    """All pairs closer than `margin` by a uniform grid; returns their number (the outputs must be long enough)."""
    spheres = len(position)
    cell = 2.0 * radius + margin
    nx = int(side / cell) + 3
    lowest = position[:, 2].min()
    nz = int((position[:, 2].max() - lowest) / cell) + 3
    cells = nx * nx * nz
    count = np.zeros(cells + 1, dtype=np.int64)
    home = np.empty(spheres, dtype=np.int64)
    for i in range(spheres):
        cx = min(max(int(position[i, 0] / cell) + 1, 1), nx - 2)
        cy = min(max(int(position[i, 1] / cell) + 1, 1), nx - 2)
        cz = min(max(int((position[i, 2] - lowest) / cell) + 1, 1), nz - 2)
        home[i] = (cz * nx + cy) * nx + cx
        count[home[i] + 1] += 1
    for k in range(cells):
        count[k + 1] += count[k]
    member = np.empty(spheres, dtype=np.int64)
    filled = count[:-1].copy()
    for i in range(spheres):
        member[filled[home[i]]] = i
        filled[home[i]] += 1
    found = 0
    for i in range(spheres):
        x, y, z = position[i, 0], position[i, 1], position[i, 2]
        # The five sides of the box: floor, x = 0, x = side, y = 0, y = side.
        for wall in range(5):
            nxw, nyw, nzw, distance = 0.0, 0.0, 1.0, z - radius
            if wall == 1:
                nxw, nyw, nzw, distance = 1.0, 0.0, 0.0, x - radius
            elif wall == 2:
                nxw, nyw, nzw, distance = -1.0, 0.0, 0.0, side - x - radius
            elif wall == 3:
                nxw, nyw, nzw, distance = 0.0, 1.0, 0.0, y - radius
            elif wall == 4:
                nxw, nyw, nzw, distance = 0.0, -1.0, 0.0, side - y - radius
            if distance < margin:
                first[found], second[found], gap[found] = i, -1, distance
                normal[found, 0], normal[found, 1], normal[found, 2] = nxw, nyw, nzw
                found += 1
        for dz in range(-1, 2):
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    k = home[i] + (dz * nx + dy) * nx + dx
                    for p in range(count[k], count[k + 1]):
                        j = member[p]
                        if j <= i:
                            continue
                        ex, ey, ez = x - position[j, 0], y - position[j, 1], z - position[j, 2]
                        square = ex * ex + ey * ey + ez * ez
                        if square < cell * cell:
                            distance = math.sqrt(square)
                            first[found], second[found], gap[found] = i, j, distance - 2.0 * radius
                            normal[found, 0] = ex / distance
                            normal[found, 1] = ey / distance
                            normal[found, 2] = ez / distance
                            found += 1
    return found


@numba.njit(cache=True)
def _tangents(normal, one, two):
    """Two unit vectors with (normal, one, two) right-handed."""
    for i in range(len(normal)):
        x, y, z = normal[i, 0], normal[i, 1], normal[i, 2]
        if abs(x) < 0.6:
            ax, ay, az = 0.0, z, -y  # normal cross e_x
        else:
            ax, ay, az = -z, 0.0, x  # normal cross e_y
        length = math.sqrt(ax * ax + ay * ay + az * az)
        ax, ay, az = ax / length, ay / length, az / length
        one[i, 0], one[i, 1], one[i, 2] = ax, ay, az
        two[i, 0], two[i, 1], two[i, 2] = y * az - z * ay, z * ax - x * az, x * ay - y * ax


@numba.njit(cache=True)
def _sweeps(first, second, normal, bias, mass, inertia, radius, mu, sweeps, v, w, impulse):
    """Projected Gauss-Seidel on v and w; `impulse` (contacts, 3) is in world axes and starts at zero."""
    for _ in range(sweeps):
        for c in range(len(first)):
            i, j = first[c], second[c]
            nx, ny, nz = normal[c, 0], normal[c, 1], normal[c, 2]
            # Slip v_i - v_j + (w_i + w_j) x (-radius n).
            wx, wy, wz = w[i, 0], w[i, 1], w[i, 2]
            ux, uy, uz = v[i, 0], v[i, 1], v[i, 2]
            step = 3.0 * mass / (1.0 + 2.0 * (1.0 + mass * radius * radius / inertia))
            if j >= 0:
                wx, wy, wz = wx + w[j, 0], wy + w[j, 1], wz + w[j, 2]
                ux, uy, uz = ux - v[j, 0], uy - v[j, 1], uz - v[j, 2]
                step *= 0.5
            ux -= radius * (wy * nz - wz * ny)
            uy -= radius * (wz * nx - wx * nz)
            uz -= radius * (wx * ny - wy * nx)
            px = impulse[c, 0] - step * (ux - bias[c] * nx)
            py = impulse[c, 1] - step * (uy - bias[c] * ny)
            pz = impulse[c, 2] - step * (uz - bias[c] * nz)
            pn = px * nx + py * ny + pz * nz
            tx, ty, tz = px - pn * nx, py - pn * ny, pz - pn * nz
            tangent = math.sqrt(tx * tx + ty * ty + tz * tz)
            if pn + mu * tangent <= 0.0:
                pn, tx, ty, tz = 0.0, 0.0, 0.0, 0.0
            elif tangent > mu * pn:
                pn = (pn + mu * tangent) / (1.0 + mu * mu)
                shrink = mu * pn / tangent
                tx, ty, tz = shrink * tx, shrink * ty, shrink * tz
            dx = pn * nx + tx - impulse[c, 0]
            dy = pn * ny + ty - impulse[c, 1]
            dz = pn * nz + tz - impulse[c, 2]
            impulse[c, 0] += dx
            impulse[c, 1] += dy
            impulse[c, 2] += dz
            # Torque of the impulse at the contact point, -radius n x d, the same on both spheres.
            ax = -radius * (ny * dz - nz * dy) / inertia
            ay = -radius * (nz * dx - nx * dz) / inertia
            az = -radius * (nx * dy - ny * dx) / inertia
            v[i, 0] += dx / mass
            v[i, 1] += dy / mass
            v[i, 2] += dz / mass
            w[i, 0] += ax
            w[i, 1] += ay
            w[i, 2] += az
            if j >= 0:
                v[j, 0] -= dx / mass
                v[j, 1] -= dy / mass
                v[j, 2] -= dz / mass
                w[j, 0] += ax
                w[j, 1] += ay
                w[j, 2] += az


def detect(position: np.ndarray, margin: float = MARGIN) -> Contacts:
    """Contacts of spheres at `position` (spheres, 3) with one another and with the box."""
    room = 16 * len(position) + 16
    first, second = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    normal, gap = np.empty((room, 3)), np.empty(room)
    found = _detect(position, RADIUS, SIDE, margin, first, second, normal, gap)
    return Contacts(first[:found], second[:found], normal[:found], gap[:found])


def lattice(spheres: int, seed: int) -> np.ndarray:
    """Layers of a square lattice, with a jitter that keeps spheres apart."""
    rng = np.random.default_rng(seed)
    per_side = int(SIDE / (2.0 * RADIUS * 1.06))
    pitch = SIDE / per_side
    slack = (pitch - 2.0 * RADIUS) / 2.0
    layers = -(-spheres // per_side**2)
    z, y, x = np.indices((layers, per_side, per_side)).reshape(3, -1)[:, :spheres]
    position = pitch * np.column_stack([x + 0.5, y + 0.5, z + 1.0])
    return position + rng.uniform(-0.9 * slack, 0.9 * slack, position.shape)


def settle(spheres: int, seed: int = 0, progress: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and angular velocities of the pile at rest, each (spheres, 3)."""
    position = lattice(spheres, seed)
    v, w = np.zeros_like(position), np.zeros_like(position)
    limit = LARGEST_TIME.get(spheres, 3.0 + spheres / 5000.0)
    for count in range(round(limit / STEP)):
        contacts = detect(position)
        v[:, 2] -= STEP * GRAVITY
        impulse = np.zeros_like(contacts.normal)
        _sweeps(
            contacts.first, contacts.second, contacts.normal, -contacts.gap / STEP,
            MASS, INERTIA, RADIUS, FRICTION, SWEEPS, v, w, impulse,
        )  # fmt: skip
        position += STEP * v
        speed = float(np.sqrt((v * v).sum(axis=1)).max())
        if progress and count % 50 == 0:
            deepest = -contacts.gap.min(initial=0.0) / (2.0 * RADIUS)
            print(f"{count * STEP:.2f} s: {len(contacts.gap)} contacts, {speed:.3f} m/s, deepest {deepest:.2%}")
        if speed < REST_SPEED and count > 50:
            break
    return position, v, w


def assemble(position: np.ndarray, v: np.ndarray, w: np.ndarray, contacts: Contacts, name: str = "") -> ContactProblem:
    """The `ContactProblem` of one step: v and w per sphere, rows (normal, tangent, tangent), `b_lambda = -Phi/h`."""
    spheres, count = len(position), len(contacts.gap)
    one, two = np.empty_like(contacts.normal), np.empty_like(contacts.normal)
    _tangents(contacts.normal, one, two)
    mass = np.tile([MASS] * 3 + [INERTIA] * 3, spheres)
    velocity = np.hstack([v, w]).reshape(-1)
    force = np.tile([0.0, 0.0, -MASS * GRAVITY, 0.0, 0.0, 0.0], spheres)
    axes = np.arange(3)
    rows, columns, values = [], [], []

    def add(which: np.ndarray, body: np.ndarray, row: int, column: int, block: np.ndarray) -> None:
        rows.append(np.repeat(3 * which + row, 3))
        columns.append((6 * body[:, None] + column + axes).reshape(-1))
        values.append(block.reshape(-1))

    for body, sign in ((contacts.first, 1.0), (contacts.second, -1.0)):
        which = np.flatnonzero(body >= 0)
        for row, direction in enumerate((contacts.normal, one, two)):
            add(which, body[which], row, 0, sign * direction[which])
        # Arm -radius n on the first sphere, +radius n on the second with the opposite sign: -radius n x t on both.
        add(which, body[which], 1, 3, -RADIUS * two[which])
        add(which, body[which], 2, 3, RADIUS * one[which])
    D = sp.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(3 * count, 6 * spheres)
    )
    D.eliminate_zeros()
    b = np.zeros(3 * count)
    b[::3] = -contacts.gap / STEP
    return ContactProblem(
        H=sp.diags_array(mass),
        c=-(mass * velocity + STEP * force),
        D=D,
        b_lambda=b,
        cones=Cones.coulomb(np.full(count, FRICTION)),
        name=name,
    )


def pile_state(spheres: int, seed: int = 0, progress: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The settled pile, from the cache where it has been made before."""
    path = CACHE / f"pile-{spheres}-seed{seed}-v{VERSION}.npz"
    if path.exists():
        with np.load(path) as data:
            return data["position"], data["v"], data["w"]
    position, v, w = settle(spheres, seed, progress)
    CACHE.mkdir(exist_ok=True)
    np.savez_compressed(path, position=position, v=v, w=w)
    return position, v, w


def make_pile(spheres: int, seed: int = 0) -> ContactProblem:
    """The contact problem of the next step of a settled pile of `spheres` spheres."""
    position, v, w = pile_state(spheres, seed)
    return assemble(position, v, w, detect(position), name=f"pile-{spheres}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spheres", type=int, nargs="*", default=[280, 1190])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--progress", action="store_true", help="print the settling")
    arguments = parser.parse_args()
    for spheres in arguments.spheres:
        start = time.perf_counter()
        position, v, _ = pile_state(spheres, arguments.seed, arguments.progress)
        problem = make_pile(spheres, arguments.seed)
        gap = detect(position).gap
        print(
            f"{problem.name}: {problem.contacts} contacts, {problem.velocities} velocities, "
            f"{problem.D.nnz} entries in D; deepest {-gap.min() / (2 * RADIUS):.2%} of a diameter, "
            f"fastest {np.sqrt((v * v).sum(axis=1)).max():.3f} m/s, {time.perf_counter() - start:.1f} s"
        )
        if problem.contact_rows <= 4000:
            rank = np.linalg.matrix_rank(problem.D.toarray())
            print(f"  rank of D: {rank} of {problem.contact_rows} rows and {problem.velocities} columns")


if __name__ == "__main__":
    main()
