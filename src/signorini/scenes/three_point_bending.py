"""A flexible beam on two fixed cylinders is bent by a third one that comes down."""

from __future__ import annotations

import math

import numpy as np

from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.math.rotations import about
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.cylinder import Cylinder
from signorini.scenes.scene import About, Scene

SIZE = (1.3, 0.6, 0.15)
"""Of the beam [m]: the document gives the number of bricks, 26 x 12 x 3, not their size; here cubes of 5 cm."""
ROOM = 1e-3
"""Between the beam and the third cylinder at the start [m]."""
LYING = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi)
"""Turns the axis of a cylinder from z to y."""


def build(
    cells_x: int = 26,
    cells_y: int = 12,
    cells_z: int = 3,
    young: float = 1e7,
    poisson: float = 0.3,
    density: float = 1000.0,
    diameter: float = 0.05,
    distance: float = 1.0,
    speed: float = 1.0,
    travel: float = 0.3,
    friction: float = 0.3,
) -> Model:
    """The beam lies along x, the cylinders along y."""
    model = Model()
    material = Material(friction=friction)
    size = np.array(SIZE)
    radius, width = 0.5 * diameter, size[1] + 0.1
    top = radius
    shape = Cylinder(radius, float(width))
    for name, x in (("left", -0.5 * distance), ("right", 0.5 * distance)):
        model.add_fixed_body(shape, position=(x, 0.0, 0.0), orientation=LYING, material=material, name=name)
    start = np.array([0.0, 0.0, top + size[2] + radius + ROOM])
    model.add_body(shape, motion=_driven(start, speed, travel), material=material, name="punch")
    mesh = Mesh.box(size, (cells_x, cells_y, cells_z))
    beam = SoftBody(mesh, Elastic(young=young, poisson=poisson, density=density))
    model.add_flexible(beam, position=(0.0, 0.0, top + 0.5 * size[2]), material=material, name="beam")
    return model


def _driven(start: Array, speed: float, travel: float) -> Motion:
    """Down at constant speed, then at rest."""

    def pose(time: float) -> tuple[Array, Array]:
        return start - np.array([0.0, 0.0, min(speed * time, travel)]), LYING.copy()

    return pose


SCENE = Scene(
    name="three-point-bending",
    description="A flexible beam of tetrahedra on two cylinders is bent by a third one.",
    builder=build,
    about={
        "cells_x": About("bricks of six tetrahedra along the beam", least=1),
        "cells_y": About("bricks across the beam", least=1),
        "cells_z": About("bricks over the height of the beam", least=1),
        "young": About("Young's modulus [Pa]", above=0),
        "poisson": About("Poisson's ratio [-]", least=0, most=0.49),
        "density": About("of the beam [kg/m3]", above=0),
        "diameter": About("of the cylinders [m]", above=0),
        "distance": About("between the fixed cylinders [m]", above=0),
        "speed": About("of the third cylinder, downwards [m/s]", above=0),
        "travel": About("way of the third cylinder; then it stands still [m]", least=0),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.05,
    duration=0.5,
    source="[Mangoni2018], table 5.4",
)
