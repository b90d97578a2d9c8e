"""A packaging machine: a belt brings parcels to a stop, a crank pushes each of them aside onto another belt."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about
from signorini.model.functions.smooth_step import SmoothStep
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene

PARCEL = (0.14, 0.10, 0.08)
"""[m]."""
THICK = 0.02
"""Of belts, stop and pusher [m]."""
STEP_DOWN = 0.002
"""How much lower the belt that takes parcels away is [m]."""
CRANK, ROD = 0.09, 0.22
"""Lengths [m]: the pusher travels twice the crank."""
ROOM = 0.05
"""Between a parcel and the pusher that is drawn back [m]."""
BACK = 0.35
"""When the pusher is drawn back farthest, in turns of the crank; parcels reach the stop after half a turn."""
UP = np.array([0.0, 0.0, 1.0])


def build(
    parcels: int = 4, pitch: float = 0.4, speed: float = 0.4, friction: float = 0.4, density: float = 300.0
) -> Model:
    """Parcels come along x, one every `pitch / speed` seconds, which is a turn of the crank; they leave along y."""
    model = Model()
    rough = Material(friction=friction)
    length, width, height = PARCEL
    infeed = (parcels * pitch + 0.5 * length + 0.5, 1.6 * width, THICK)
    end = 0.5 * length + THICK  # the parcel that is at the stop has its middle at x = 0
    model.add_fixed_body(Box(infeed), position=(end - 0.5 * infeed[0], 0, -0.5 * THICK), surface_velocity=(speed, 0, 0),
                         material=rough, name="infeed")  # fmt: skip
    model.add_fixed_body(Box((THICK, infeed[1], height)), position=(0.5 * (length + THICK), 0, 0.5 * height),
                         material=Material(friction=0.1), name="stop")  # fmt: skip
    side = 0.5 * infeed[1]
    away = parcels * pitch + 0.6
    model.add_fixed_body(Box((0.5, away, THICK)), position=(0, side + 0.5 * away, -0.5 * THICK - STEP_DOWN),
                         surface_velocity=(0, speed, 0), material=rough, name="outfeed")  # fmt: skip
    for k in range(parcels):
        model.add_body(Box(PARCEL), density=density, position=(-(k + 0.5) * pitch, 0, 0.5 * height), material=rough,
                       velocity=(speed, 0, 0), name=f"parcel-{k}")  # fmt: skip
    _add_pusher(model, 2.0 * math.pi * speed / pitch)
    return model


def _add_pusher(model: Model, rate: float) -> None:
    """Crank, rod and pusher; the crank turns at `rate` [rad/s]."""
    angle = -0.5 * math.pi - 2.0 * math.pi * BACK
    pin = CRANK * np.array([math.cos(angle), math.sin(angle), 0.0])
    reach = math.sqrt(ROD**2 - pin[0] ** 2)
    z = 0.5 * PARCEL[2]
    # Drawn back farthest, crank and rod fold together: the face of the pusher is then `ROOM` off the parcel.
    hub = np.array([0.0, -0.5 * PARCEL[1] - ROOM - 0.5 * THICK - (ROD - CRANK), z])
    wrist = hub + np.array([0.0, pin[1] + reach, 0.0])
    model.add_body(Box((2.2 * CRANK, 0.02, 0.02)), mass=1.0, position=hub, orientation=about(UP, angle), name="crank",
                   mask=0)  # fmt: skip
    middle, lean = 0.5 * (hub + pin + wrist), math.atan2(reach, -pin[0])
    model.add_body(Box((ROD, 0.015, 0.015)), mass=0.4, position=middle, orientation=about(UP, lean), name="rod", mask=0)
    face = Box((0.9 * PARCEL[0], THICK, 0.6 * PARCEL[2]))
    model.add_body(face, mass=0.5, position=wrist, material=Material(friction=0.1), name="pusher")
    model.add_revolute(None, "crank", position=hub, axis=UP, name="hub")
    model.add_revolute("crank", "rod", position=hub + pin, axis=UP, name="crank-pin")
    model.add_revolute("rod", "pusher", position=wrist, axis=UP, name="wrist-pin")
    model.add_prismatic(None, "pusher", axis=(0, 1, 0), position=wrist, name="slide")
    model.add_motor("hub", speed=SmoothStep(rate, 0.05), name="motor")


SCENE = Scene(
    name="packaging",
    description="A belt brings parcels, a crank pushes each of them onto another belt.",
    builder=build,
    about={
        "parcels": About("number of parcels", least=1),
        "pitch": About("from one parcel to the next; more than 0.2 [m]", above=0.2),
        "speed": About("of the belts [m/s]", above=0),
        "friction": About("of parcels and belts [-]", least=0),
        "density": About("of the parcels [kg/m3]", above=0),
    },
    step=0.004,
    duration=5.0,
    source="[Anitescu2007]: a packaging device",
)
