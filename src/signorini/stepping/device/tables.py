"""What a GPU needs to know of a model, and what it cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from signorini.assembly.masses import Masses
from signorini.collision.mesh import Surface
from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision.conventions import BOX, CAPSULE, HALF_SPACE, MESH, SPHERE
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.pair_table import PairTable, is_plain
from signorini.problem.errors import ModelError

KNOWN = {SPHERE: "sphere", CAPSULE: "capsule", BOX: "box", HALF_SPACE: "half-space", MESH: "mesh"}
TOGETHER = {
    (SPHERE, SPHERE), (SPHERE, CAPSULE), (CAPSULE, CAPSULE), (SPHERE, BOX), (SPHERE, HALF_SPACE), (CAPSULE, HALF_SPACE),
    (BOX, HALF_SPACE), (HALF_SPACE, HALF_SPACE), (SPHERE, MESH), (HALF_SPACE, MESH), (MESH, MESH),
}  # fmt: skip
"""Pairs of kinds whose contacts the device finds."""
LAWS = (
    "friction", "compliance", "damping", "tangential_compliance", "tangential_damping", "cohesion", "cohesion_range",
    "heals", "spinning_friction", "rolling_friction",
)  # fmt: skip
"""Parameters that the device knows, in the order of the columns in `kernels.cuda.laws`."""
UNKNOWN = (
    "static_friction", "cross_friction", "restitution", "yield_force", "young",
)  # fmt: skip
"""Parameters of materials that it does not know."""
MOST_SURFACES = 256
"""All pairs of them are in one table."""
CLOSED = 1e-3
"""Gaps up to this share of the smallest margin are closed, as far as bonds are concerned."""
SKEW = 1e-12
"""Off-diagonal moments of inertia up to this share of the largest are round-off."""


@dataclass(frozen=True, eq=False)
class LawTable:
    """The laws of the pairs of surfaces of a model."""

    surface_of: Indices
    """Surface of each body, shape (bodies,)."""
    rows: Array
    """One row per pair of surfaces (first * surfaces + second), columns as in `kernels.cuda.laws`."""
    closed: float
    """Gaps up to this one are closed [m]."""

    @classmethod
    def of(cls, model: Model, margin: float) -> LawTable:
        """Of a model whose materials the device knows; `margin` is the smallest of its shapes [m]."""
        table = PairTable.of(model)
        laws = table.every()
        return cls(table.surface_of, np.stack([getattr(laws, name) for name in LAWS], axis=1) * 1.0, CLOSED * margin)


@dataclass(frozen=True, eq=False)
class DeviceTables:
    """A model as arrays."""

    shapes: tuple[Array, ...]
    """The fields of `ShapeArrays` but for the number of bodies."""
    centred: Array
    """Spheres about the origin of their body, shape (shapes,)."""
    weight: Array
    """Roots of inverse masses and principal moments, 0 for bodies that do not move freely, shape (bodies, 6)."""
    inertia: Array
    """Principal moments [kg m2], shape (bodies, 3)."""
    gravity: Array
    """[m/s2]."""
    laws: LawTable | None
    """None where materials have friction alone."""
    meshes: tuple[Any, ...]
    """All meshes one after the other, see `kernels.cuda.narrow.put_on_mesh`."""

    @property
    def resists_rolling(self) -> bool:
        """Whether any contact may resist rolling or spinning."""
        return self.laws is not None and bool(self.laws.rows[:, -2:].any())

    @classmethod
    def of(cls, model: Model) -> DeviceTables:
        """The tables; `ModelError` where the model has something that the device cannot do."""
        for trouble in _refusals(model):
            raise ModelError(f"device='cuda' {trouble}; device='cpu' (the default) can")
        table, masses = ShapeTable.of(model), Masses.of(model)
        moments = np.diagonal(masses.inertia, axis1=1, axis2=2)
        skew = np.abs(masses.inertia - moments[:, :, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
        wrong = np.flatnonzero(skew > SKEW * moments.max(axis=1, initial=0.0))
        if len(wrong):
            name = model.bodies[masses.movable[wrong[0]]].name
            raise ModelError(
                f"device='cuda' wants principal axes of inertia as body axes; turn the frame of body {name!r}"
            )
        _check_pairs(model, table)
        weight, inertia = np.zeros((len(model.bodies), 6)), np.ones((len(model.bodies), 3))
        weight[masses.movable, :3] = 1.0 / np.sqrt(masses.mass)[:, None]
        weight[masses.movable, 3:] = 1.0 / np.sqrt(moments)
        inertia[masses.movable] = moments
        gravity = np.asarray(model.gravity)
        asked, default = table.arrays.margin.reshape(-1, 2).T
        margin = float(np.where(asked >= 0, asked, default).min(initial=np.inf))
        laws = None if is_plain(model) else LawTable.of(model, margin)
        return cls(tuple(table.arrays[:12]), table.centred, weight, inertia, gravity, laws, _meshes(table))


def _meshes(table: ShapeTable) -> tuple[Any, ...]:
    """Surfaces of triangles and their trees; shapes that are one object share theirs."""
    number, surfaces, seen = np.zeros(len(table.shapes), dtype=np.int64), list[Surface](), dict[int, int]()
    for shape in np.flatnonzero(table.arrays.kind == MESH):
        known = seen.setdefault(id(table.shapes[shape]), len(surfaces))
        if known == len(surfaces):
            surfaces.append(Surface.of(table.shapes[shape].mesh()))
        number[shape] = known
    trees = [surface.tree for surface in surfaces]
    counts = [(0, 0), *((len(tree[2]), len(s.corners)) for tree, s in zip(trees, surfaces, strict=True))]
    start = np.cumsum(np.array(counts, dtype=np.int64), axis=0)
    low, high = (np.concatenate([np.empty((0, 3)), *(tree[k] for tree in trees)]) for k in range(2))
    leaf = np.concatenate([np.empty(0, np.int64), *(tree[2] for tree in trees)])
    corners = np.concatenate([np.empty((0, 3, 3)), *(surface.corners for surface in surfaces)])
    return number, start, np.array([s.solid for s in surfaces], dtype=np.bool_), low, high, leaf, corners


def _refusals(model: Model) -> Iterator[str]:
    """Unsupported features, in words."""
    for things, what in (
        (model.flexibles, "knows no flexible bodies"),
        (model.joints, "knows no joints or motors"),
        (model.limits, "knows no limits of joints"),
        (model.dry_frictions, "knows no friction in joints"),
        ([*model.stiff_forces, *model.forces], "knows no forces but weight and contact"),
    ):
        if things:
            yield f"{what} yet (this model has {len(things)})"
    materials = [body.material for _, _, body in model.bodies.kinds] + [p.material for p in model.pair_materials]
    for name in UNKNOWN:
        if any(getattr(material, name) for material in materials):
            yield f"knows of materials friction, springs and bonds, no {name} yet"
    if not is_plain(model) and len(PairTable.of(model).surfaces) > MOST_SURFACES:
        yield f"knows models of up to {MOST_SURFACES} different surfaces"


def _check_pairs(model: Model, table: ShapeTable) -> None:
    """Refuse kinds of shapes, and pairs of kinds that may meet, without a kernel on the device."""
    kind, body = table.arrays.kind, table.arrays.body
    movable = table.arrays.filters[:, 3] > 0
    strange = np.flatnonzero(~np.isin(kind, list(KNOWN)))
    if len(strange):
        shape, name = table.shapes[strange[0]], model.bodies[body[strange[0]]].name
        raise ModelError(
            f"device='cuda' knows {', '.join(KNOWN.values())}, no {type(shape).__name__} (body {name!r}) yet; "
            "device='cpu' (the default) can"
        )
    free, all_kinds = set(kind[movable].tolist()), set(kind.tolist())
    for a, b in combinations_with_replacement(sorted(all_kinds), 2):
        alone = a == b and len(np.unique(body[kind == a])) == 1
        if (a, b) not in TOGETHER and (a in free or b in free) and not alone:
            raise ModelError(
                f"device='cuda' finds no contacts of a {KNOWN[a]} with a {KNOWN[b]} yet; device='cpu' (the default) can"
            )
