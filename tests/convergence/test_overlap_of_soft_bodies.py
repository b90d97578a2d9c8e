"""Soft cubes that fall onto soft cubes and slide: what they overlap by falls with the square of the step.

Overlaps are measured without the package's detection: samples of one surface inside tetrahedra of the other.
"""

from __future__ import annotations

import numpy as np
import pytest

from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.math.sparse import Array, Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint

pytestmark = pytest.mark.slow  # whole simulations

N = 6
SHARES = np.array([(i, j, N - i - j) for i in range(N + 1) for j in range(N + 1 - i)]) / N
"""Barycentric coordinates of the samples of a triangle."""
CELLS = 3
"""Of 67 mm, along each edge of a cube of 0.2 m."""


def cubes(seed: int) -> tuple[Model, tuple[FlexibleBody, FlexibleBody]]:
    """One on a floor, one turned at random that comes down beside its middle."""
    rng = np.random.default_rng(seed)
    model, smooth = Model(), Material(friction=0.0)
    model.add_fixed_body(HalfSpace(), material=smooth)
    mesh, rubber = Mesh.box((0.2, 0.2, 0.2), (CELLS,) * 3), Elastic(young=1e5, poisson=0.3, density=1000.0)
    body, common = SoftBody(mesh, rubber, stiffness_damping=2e-3), {"material": smooth, "self_contact": False}
    below = model.add_flexible(body, position=(0, 0, 0.1005), name="below", **common)
    turn = rng.standard_normal(4)
    place = (rng.uniform(-0.08, 0.08), rng.uniform(-0.08, 0.08), 0.40)
    velocity = (rng.uniform(-1, 1), rng.uniform(-1, 1), -1.0)
    above = model.add_flexible(
        body, position=place, orientation=turn / np.linalg.norm(turn), velocity=velocity, name="above", **common
    )
    return model, (below, above)


def surface(cells: Indices) -> Indices:
    """Faces that belong to one tetrahedron alone, shape (faces, 3)."""
    faces = np.concatenate([np.delete(cells, k, axis=1) for k in range(4)])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def distance(points: Array, a: Array, b: Array, c: Array) -> Array:
    """Of each point from the nearest of the triangles [m]."""
    u, v, p = b - a, c - a, points[:, None] - a
    gram = np.array([[(u * u).sum(1), (u * v).sum(1)], [(u * v).sum(1), (v * v).sum(1)]])
    d, e = np.einsum("mi,nmi->nm", u, p), np.einsum("mi,nmi->nm", v, p)
    det = gram[0, 0] * gram[1, 1] - gram[0, 1] ** 2
    s, t = (gram[1, 1] * d - gram[0, 1] * e) / det, (gram[0, 0] * e - gram[0, 1] * d) / det
    foot = s[..., None] * u + t[..., None] * v
    best = np.where((s >= 0) & (t >= 0) & (s + t <= 1), np.linalg.norm(p - foot, axis=2), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        way, q = end - start, points[:, None] - start
        share = np.clip(np.einsum("mi,nmi->nm", way, q) / (way * way).sum(1), 0, 1)
        best = np.minimum(best, np.linalg.norm(q - share[..., None] * way, axis=2))
    return np.asarray(best.min(axis=1))


def depth(x: Array, faces: Indices, y: Array, cells: Indices, others: Indices) -> float:
    """How deep samples of the faces of one body are inside the other [m]."""
    points = np.einsum("sk,fki->fsi", SHARES, x[faces]).reshape(-1, 3)
    points = points[((points > y.min(axis=0)) & (points < y.max(axis=0))).all(axis=1)]
    corner = y[cells]
    inverse = np.linalg.inv(np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2))
    shares = np.einsum("cij,ncj->nci", inverse, points[:, None] - corner[:, 0])
    inside = ((shares >= 0).all(axis=2) & (shares.sum(axis=2) <= 1)).any(axis=1)
    if not inside.any():
        return 0.0
    return float(distance(points[inside], *(y[others][:, k] for k in range(3))).max())


def deepest(seed: int, h: float) -> float:
    """Overlap at any multiple of 4 ms of the first 0.16 s [m]."""
    model, bodies = cubes(seed)
    sim = Simulation(model, step=h, solver=InteriorPoint(), law="convex")
    cells = Mesh.box((0.2, 0.2, 0.2), (CELLS,) * 3).cells
    faces, found = surface(cells), 0.0
    for step in range(1, round(0.16 / h) + 1):
        assert sim.advance().status.ok
        if step % round(0.004 / h) == 0:
            x, y = (sim.state.node_position[body.nodes] for body in bodies)
            found = max(found, depth(x, faces, y, cells, faces), depth(y, faces, x, cells, faces))
    return found


@pytest.mark.parametrize("seed", [1, 5])
def test_overlaps_fall_with_the_square_of_the_step(seed: int) -> None:
    """Seed 1: ridges press into faces that bend between their corners. Seed 5: a corner slides in a dent."""
    coarse, fine = deepest(seed, 0.004), deepest(seed, 0.002)
    assert coarse < 5e-4
    assert fine < 0.4 * coarse
