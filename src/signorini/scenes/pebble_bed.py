"""Pebbles of two sizes drain through the conical outlet of a silo."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about as turn
from signorini.math.rotations import multiply
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import Y, Z, lattice
from signorini.scenes.scene import About, Scene

PANELS = 12
"""Plane panels around the axis, for the wall and for the cone."""
THICKNESS = 0.05
"""Of a panel, outwards [m]."""


def build(
    pebbles: int = 400,
    small_diameter: float = 0.04,
    size_ratio: float = 1.5,
    small_share: float = 0.5,
    silo_radius: float = 0.25,
    outlet_radius: float = 0.09,
    cone_angle: float = 30.0,
    friction: float = 0.3,
    density: float = 1700.0,
    seed: int = 0,
) -> Model:
    """A silo of plane panels about the z axis, its outlet at z = 0, a floor below, pebbles above the cone."""
    model = Model()
    material = Material(friction=friction)
    cone = (silo_radius - outlet_radius) * math.tan(math.radians(90.0 - cone_angle))
    large = size_ratio * small_diameter
    side = math.sqrt(2.0) * (silo_radius - 0.1 * large)
    centres = lattice(pebbles, large, (side, side), seed, lift=cone + 0.1 * large)
    centres[:, :2] -= 0.5 * side
    top = float(centres[:, 2].max()) + large
    _add_ring(model, material, silo_radius, silo_radius, cone, top, "wall")
    _add_ring(model, material, outlet_radius, silo_radius, 0.0, cone, "cone")
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), position=(0.0, 0.0, -0.4), material=material, name="floor")
    small = np.random.default_rng(seed).random(pebbles) < small_share
    shapes = Sphere(0.5 * large), Sphere(0.5 * small_diameter)
    for centre, which in zip(centres, small, strict=True):
        model.add_body(shapes[int(which)], density=density, position=centre, material=material)
    return model


def _add_ring(model: Model, material: Material, low: float, high: float, bottom: float, top: float, name: str) -> None:
    """Panels whose inner faces touch the circles of radius `low` at `bottom` and `high` at `top`.

    Panels are rectangles wide enough for the larger end: what is too wide at the other end lies outside the silo,
    because the face of each panel is a supporting plane of the space inside.
    """
    rise, out = top - bottom, high - low
    length, lean = math.hypot(rise, out), math.atan2(out, rise)
    width = 2.0 * high * math.tan(math.pi / PANELS)
    panel = Box((THICKNESS, width, length))
    middle = np.array([0.5 * (low + high), 0.0, 0.5 * (bottom + top)])
    outwards = np.array([math.cos(lean), 0.0, -math.sin(lean)])
    for k in range(PANELS):
        around = turn(Z, 2.0 * math.pi * k / PANELS)
        centre = _rotated(2.0 * math.pi * k / PANELS, middle + 0.5 * THICKNESS * outwards)
        pose = multiply(around, turn(Y, lean))
        model.add_fixed_body(panel, position=centre, orientation=pose, material=material, name=f"{name}-{k}")


def _rotated(angle: float, point: Array) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]])


SCENE = Scene(
    name="pebble-bed",
    description="Pebbles of two sizes drain through the conical outlet of a silo.",
    builder=build,
    about={
        "pebbles": About("number of pebbles", least=1),
        "small_diameter": About("diameter of the small pebbles [m]", above=0),
        "size_ratio": About("large over small diameter [-]", least=1),
        "small_share": About("share of small pebbles [-]", least=0, most=1),
        "silo_radius": About("radius of the silo [m]", above=0),
        "outlet_radius": About("radius of the outlet [m]", above=0),
        "cone_angle": About("half angle of the cone, from the vertical [degrees]", above=0, most=89),
        "friction": About("Coulomb coefficient [-]", least=0),
        "density": About("density of the pebbles [kg/m3]", above=0),
        "seed": About("seed of the jitter of the start and of the sizes", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]: up to 30000 pebbles",
)
