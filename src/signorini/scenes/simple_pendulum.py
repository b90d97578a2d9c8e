"""IFToMM benchmark A01: a point mass on a massless bar swings from the horizontal."""

from __future__ import annotations

from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene


def build(length: float = 1.0, mass: float = 1.0) -> Model:
    """A mass held by a distance joint; it starts at rest at (-length, 0, 0)."""
    model = Model()
    start = (-length, 0.0, 0.0)
    model.add_body(Sphere(0.05 * length), mass=mass, position=start, name="mass")
    model.add_distance(None, "mass", (0.0, 0.0, 0.0), start, name="bar")
    return model


SCENE = Scene(
    name="simple-pendulum",
    description="A point mass on a massless bar swings from the horizontal (IFToMM benchmark A01).",
    builder=build,
    about={
        "length": About("length of the bar [m]", above=0),
        "mass": About("[kg]", above=0),
    },
    step=0.005,
    duration=10.0,
    integrator="hht",
    source="IFToMM library of computational benchmark problems, A01",
)
