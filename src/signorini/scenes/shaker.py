"""Small and large steel spheres in a shaken box: the large ones rise."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import lattice
from signorini.scenes.scene import About, Scene


def build(
    spheres: int = 300,
    large_share: float = 0.2,
    small_diameter: float = 0.02,
    size_ratio: float = 2.0,
    side: float = 0.2,
    amplitude: float = 0.01,
    frequency: float = 5.0,
    friction: float = 0.3,
    density: float = 7800.0,
    seed: int = 0,
) -> Model:
    """A box that moves to and fro along x and up and down at twice the frequency, with the large spheres below."""
    model = Model()
    material = Material(friction=friction)
    motion = _shaking(amplitude, frequency)
    model.add_box_container(size=(side, side, side), material=material, motion=motion)
    large = round(large_share * spheres)
    shapes = Sphere(0.5 * size_ratio * small_diameter), Sphere(0.5 * small_diameter)
    below = lattice(large, 2.0 * shapes[0].radius, (side, side), seed) if large else np.zeros((0, 3))
    top = float(below[:, 2].max(initial=0.0)) + (shapes[0].radius if large else 0.0)
    above = lattice(spheres - large, small_diameter, (side, side), seed + 1, lift=top + 0.2 * small_diameter)
    for shape, centres in zip(shapes, (below, above), strict=True):
        for centre in centres:
            model.add_body(shape, density=density, position=centre, material=material)
    return model


def _shaking(amplitude: float, frequency: float) -> Motion:
    """A figure of eight in the plane xz that starts and stays smooth."""
    rate = 2.0 * math.pi * frequency

    def pose(time: float) -> tuple[Array, Array]:
        x, z = amplitude * math.sin(rate * time), 0.5 * amplitude * (1.0 - math.cos(2.0 * rate * time))
        return np.array([x, 0.0, z]), IDENTITY.copy()

    return pose


SCENE = Scene(
    name="shaker",
    description="Small and large steel spheres in a shaken box: size segregation.",
    builder=build,
    about={
        "spheres": About("number of spheres", least=1),
        "large_share": About("share of large spheres [-]", least=0, most=1),
        "small_diameter": About("diameter of the small spheres [m]", above=0),
        "size_ratio": About("large over small diameter [-]", least=1),
        "side": About("side of the square box [m]", above=0),
        "amplitude": About("of the horizontal motion; half of it vertically [m]", least=0),
        "frequency": About("of the horizontal motion; twice of it vertically [Hz]", least=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "density": About("density of the spheres [kg/m3]", above=0),
        "seed": About("seed of the jitter of the start", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]: 300 to 1500 spheres",
)
