"""A beam held at one end bends under its own weight."""

from __future__ import annotations

from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.model.model import Model
from signorini.scenes.scene import About, Scene


def build(
    length: float = 1.0,
    width: float = 0.1,
    height: float = 0.1,
    cells: int = 10,
    element: str = "tetra10",
    young: float = 2e6,
    poisson: float = 0.3,
    density: float = 1000.0,
    damping: float = 0.02,
) -> Model:
    """The beam lies along x, held at its left end."""
    model = Model()
    divisions = (cells, max(1, round(cells * width / length)), max(1, round(cells * height / length)))
    mesh = Mesh.box((length, width, height), divisions, "hexahedron" if element == "hexahedron" else "tetra")
    body = SoftBody(
        mesh.quadratic() if element == "tetra10" else mesh,
        Elastic(young=young, poisson=poisson, density=density),
        stiffness_damping=damping,
    )
    beam = model.add_flexible(body, position=(0.5 * length, 0.0, 0.0), name="beam")
    model.hold_nodes(beam, lambda x: x[:, 0] < 1e-9 * length)
    return model


SCENE = Scene(
    name="cantilever",
    description="A beam held at one end bends under its own weight.",
    builder=build,
    about={
        "length": About("of the beam [m]", above=0),
        "width": About("of the beam [m]", above=0),
        "height": About("of the beam [m]", above=0),
        "cells": About("bricks along the beam; as large across", least=1),
        "element": About("of the mesh; tetra10 bends without locking", choices=("tetra", "hexahedron", "tetra10")),
        "young": About("Young's modulus [Pa]", above=0),
        "poisson": About("Poisson's ratio [-]", least=0, most=0.49),
        "density": About("[kg/m3]", above=0),
        "damping": About("share of the stiffness that damps (Rayleigh) [s]", least=0),
    },
    step=0.01,
    duration=2.0,
)
