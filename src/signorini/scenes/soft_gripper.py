"""Two soft fingers close on a rigid ball and lift it by friction."""

from __future__ import annotations

import numpy as np

from signorini.fe.materials.neo_hookean import NeoHookean
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene

FINGER = (0.03, 0.04, 0.1)
"""Thickness, width and height of a finger [m]."""
START = 0.01
"""Between finger and ball at the start [m]."""
CLOSING, WAITING = 0.3, 0.1
"""How long the fingers close, and stay so before they rise [s]."""


def build(
    radius: float = 0.04,
    mass: float = 0.2,
    squeeze: float = 0.008,
    lift: float = 0.15,
    cells: int = 4,
    young: float = 3e5,
    friction: float = 0.6,
) -> Model:
    """The fingers stand left and right of the ball and move along x, then up."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace(), material=material, name="table")
    model.add_body(Sphere(radius), mass=mass, position=(0.0, 0.0, radius), material=material, name="ball")
    thickness, _, height = FINGER
    mesh = Mesh.box(FINGER, (max(2, cells // 2), max(2, cells - 1), 2 * cells))
    finger = SoftBody(mesh, NeoHookean(young=young, poisson=0.4, density=1100.0), stiffness_damping=2e-3)
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * (radius + START + 0.5 * thickness)
        body = model.add_flexible(
            finger, position=(x, 0.0, 0.5 * height + 0.002), material=material, name=f"{name}-finger"
        )
        outer = mesh.nodes_where(lambda p: side * p[:, 0] > 0.499 * thickness)  # noqa: B023 - used at once
        model.hold_nodes(body, outer, _gripping(-side * (START + squeeze), lift))
    return model


def _gripping(way: float, lift: float) -> Motion:
    """Along x by `way`, then up by `lift`, both gently."""

    def pose(time: float) -> tuple[Array, Array]:
        rise = (time - CLOSING - WAITING) / 0.4
        return np.array([way * _gentle(time / CLOSING), 0.0, lift * _gentle(rise)]), IDENTITY.copy()

    return pose


def _gentle(share: float) -> float:
    """From 0 to 1, starting and ending at rest."""
    s = min(max(share, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


SCENE = Scene(
    name="soft-gripper",
    description="Two soft fingers close on a rigid ball and lift it by friction.",
    builder=build,
    about={
        "radius": About("of the ball [m]", above=0),
        "mass": About("of the ball [kg]", above=0),
        "squeeze": About("how far each finger is pressed against the ball [m]", least=0),
        "lift": About("how high the ball is lifted [m]", least=0),
        "cells": About("cells across a finger", least=2),
        "young": About("Young's modulus of the fingers [Pa]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.01,
    duration=1.0,
)
