"""Soft and rigid bodies fall into a box and come to rest on one another."""

from __future__ import annotations

import numpy as np

from signorini.fe.materials.neo_hookean import NeoHookean
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import lattice
from signorini.scenes.scene import About, Scene


def build(
    soft: int = 6,
    rigid: int = 12,
    size: float = 0.1,
    side: float = 0.35,
    young: float = 2e5,
    friction: float = 0.4,
    seed: int = 0,
) -> Model:
    """Soft cubes and balls between rigid spheres, boxes and capsules of the same size."""
    model = Model()
    material = Material(friction=friction)
    model.add_box_container(size=(side, side, side), material=material)
    centres = lattice(soft + rigid, 1.5 * size, (side, side), seed)
    rng = np.random.default_rng(seed)
    rubber = NeoHookean(young=young, poisson=0.4, density=1000.0)
    cube = SoftBody(Mesh.box((0.8 * size,) * 3, (2, 2, 2)), rubber, stiffness_damping=2e-3)
    ball = SoftBody(Mesh.ball(0.5 * size, 2), rubber, stiffness_damping=2e-3)
    shapes = (Sphere(0.5 * size), Box((0.7 * size,) * 3), Capsule(0.25 * size, 0.4 * size))
    is_soft = np.zeros(soft + rigid, dtype=bool)
    is_soft[rng.permutation(soft + rigid)[:soft]] = True
    for k, centre in enumerate(centres):
        turn = rng.standard_normal(4)
        if is_soft[k]:
            body = (cube, ball)[k % 2]
            model.add_flexible(body, position=centre, orientation=turn, material=material, self_contact=False)
        else:
            shape = shapes[k % len(shapes)]
            model.add_body(shape, density=1000.0, position=centre, orientation=turn, material=material)
    return model


SCENE = Scene(
    name="soft-pile",
    description="Soft cubes and balls and rigid bodies fall into a box.",
    builder=build,
    about={
        "soft": About("number of soft bodies", least=0),
        "rigid": About("number of rigid bodies", least=0),
        "size": About("of the bodies [m]", above=0),
        "side": About("of the square box [m]", above=0),
        "young": About("Young's modulus of the soft bodies [Pa]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "seed": About("seed of places and directions", least=0),
    },
    step=0.01,
    duration=1.0,
)
