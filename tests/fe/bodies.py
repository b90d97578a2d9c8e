"""Small flexible bodies for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.fe.cable import Cable
from signorini.fe.materials.elastic import Elastic
from signorini.fe.materials.material import SolidMaterial
from signorini.fe.materials.neo_hookean import NeoHookean
from signorini.fe.materials.saint_venant_kirchhoff import SaintVenantKirchhoff
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody

KINDS = ("tetra", "hexahedron", "tetra10")
MATERIALS: tuple[type[SolidMaterial], ...] = (Elastic, SaintVenantKirchhoff, NeoHookean)
RUBBER = {"young": 3.0, "poisson": 0.3, "density": 2.0}


def box(size: Any, divisions: Any, kind: str) -> Mesh:
    """A box of any kind of cell."""
    mesh = Mesh.box(size, divisions, "tetra" if kind == "tetra10" else kind)
    return mesh.quadratic() if kind == "tetra10" else mesh


def skewed_box(kind: str) -> Mesh:
    """A small box whose inner and outer nodes are moved about, so that no cell is regular."""
    mesh = box((1.0, 0.8, 0.6), (2, 2, 2), "hexahedron" if kind == "hexahedron" else "tetra")
    rng = np.random.default_rng(7)
    moved = Mesh(mesh.points + 0.04 * rng.uniform(-1, 1, mesh.points.shape), mesh.cells)
    return moved.quadratic() if kind == "tetra10" else moved


def rope(**changes: Any) -> Cable:
    """A cable of a few elements around part of a helix."""
    angle = np.linspace(0.0, 4.0, 5)
    places = np.column_stack((np.cos(angle), np.sin(angle), 0.2 * angle))
    return Cable.through(places, **{"radius": 0.1, "young": 50.0, "density": 3.0, **changes})


def every_body() -> dict[str, SoftBody | Cable]:
    """One body of each kind of element and material."""
    solids = {
        f"{kind}-{material.__name__}": SoftBody(skewed_box(kind), material(**RUBBER))
        for kind in KINDS
        for material in MATERIALS
    }
    closed = Cable.through(
        [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], closed=True, radius=0.1, young=50.0, density=3.0
    )
    return {**solids, "cable": rope(), "belt": closed}
