"""A flywheel that a brake stops and holds."""

from __future__ import annotations

from signorini.model.functions.constant import Constant
from signorini.model.functions.smooth_step import SmoothStep
from signorini.model.model import Model
from signorini.model.shapes.cylinder import Cylinder
from signorini.scenes.scene import About, Scene


def build(
    radius: float = 0.2,
    width: float = 0.05,
    density: float = 7800.0,
    speed: float = 50.0,
    torque: float = 5.0,
    brake: float = 20.0,
    delay: float = 0.2,
) -> Model:
    """A disc on a hinge along z, turning at `speed` under a constant torque; the brake is put on after a delay.

    With `brake` above `torque` it stops in finite time and then holds, at speed 0 exactly; below, it keeps turning.
    """
    model = Model()
    model.add_body(Cylinder(radius, width), density=density, angular_velocity=(0, 0, speed), name="wheel")
    model.add_revolute(None, "wheel", position=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model.add_motor("hinge", torque=Constant(torque), name="motor")
    model.add_brake("hinge", limit=SmoothStep(brake, 0.1, begin=delay), name="brake")
    return model


SCENE = Scene(
    name="flywheel",
    description="A flywheel under a torque, stopped and held by a brake.",
    builder=build,
    about={
        "radius": About("[m]", above=0),
        "width": About("[m]", above=0),
        "density": About("[kg/m3]", above=0),
        "speed": About("at the start [rad/s]"),
        "torque": About("that drives it [N m]"),
        "brake": About("largest torque of the brake [N m]", least=0),
        "delay": About("until the brake is put on [s]", least=0),
    },
    step=0.01,
    duration=4.0,
    source="[ChronoSlides003]: the differential inclusion of a flywheel with brake",
)
