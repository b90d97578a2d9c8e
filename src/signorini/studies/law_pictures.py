"""One picture per contact law, each from a small simulation; those of the page on contact laws.

Run `python -m signorini.studies.law_pictures FOLDER` to draw them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from signorini.math.rotations import about, rotate
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.studies.contact_cycle import DRAWN, contact_cycle
from signorini.view.curves import Curve, Panel, draw_panels
from signorini.view.force_distance import draw_force_distance

G = 9.81
TIME = "time [s]"
SIDEWAYS = np.array([0.0, 1.0, 0.0])


def on_floor(shape: Box | Sphere, law: Material, **body: object) -> Model:
    """A body on a floor with a material of the pair; options as in `Model.add_body`."""
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    options = {"mass": 1.0, "position": (0, 0, 0.1), "name": "body", **body}
    model.add_body(shape, **options)  # type: ignore[arg-type]
    model.set_pair_material("floor", "body", law)
    return model


def bounces() -> list[Panel]:
    """A ball that falls, for three coefficients, with the heights of the closed form."""
    curves, height = [], 0.3
    for e in (0.9, 0.7, 0.5):
        law = Material(friction=0.0, restitution=e)
        run = Simulation(on_floor(Sphere(0.1), law, position=(0, 0, 0.1 + height)), step=1e-3).run(1.1)
        curves.append(Curve(run.times, run.position("body")[:, 2] - 0.1, f"e = {e}"))
        bounce = np.arange(1, 4)
        at = math.sqrt(2 * height / G) * (1 + 2 * (e - e**bounce) / (1 - e) + e**bounce)
        kept = at < 1.1
        curves.append(Curve(at[kept], height * np.power(e, 2.0 * bounce[kept]), "", known=True))
    return [Panel("heights of bounces", TIME, "height [m]", curves), cradle()]


def cradle() -> Panel:
    """Five balls in a row, the first one moving."""
    model = Model(gravity=(0, 0, 0))
    steel = Material(friction=0.1, restitution=1.0)
    for k in range(5):
        start = (0.2 * k - (0.15 if k == 0 else 0.0), 0, 0)
        model.add_body(Sphere(0.1), mass=1.0, position=start, velocity=(float(k == 0), 0, 0), material=steel)
    run = Simulation(model, step=2e-3).run(0.3)
    curves = [Curve(run.times, run.position(k)[:, 0]) for k in range(5)]
    return Panel("a row of balls that touch, e = 1", TIME, "place [m]", curves)


def swings() -> list[Panel]:
    """A ball on a compliant floor against the solution of its equation of motion."""
    k, mass, ratio = 1e4, 1.0, 0.1
    omega, sag = math.sqrt(k / mass), mass * G / k
    h = 0.02 / omega
    damping = 2 * ratio * math.sqrt(k * mass)
    law = Material(friction=0.0, compliance=1 / k, damping=damping)
    model = on_floor(Sphere(0.1), law, mass=mass, position=(0, 0, 0.1 - 1.8 * sag))
    run = Simulation(model, step=h).run(1500 * h)
    z = 1e3 * (run.position("body")[:, 2] - 0.1)
    damped = omega * math.sqrt(1 - ratio**2)
    wave = np.cos(damped * run.times) + ratio / math.sqrt(1 - ratio**2) * np.sin(damped * run.times)
    exact = 1e3 * sag * (-1 - 0.8 * np.exp(-ratio * omega * run.times) * wave)
    return [Panel("a mass on a contact", TIME, "height [mm]", [Curve(run.times, z), Curve(run.times, exact, "", True)])]


def slides() -> list[Panel]:
    """Boxes on slopes, static friction 0.6 and kinetic friction 0.4."""
    curves = []
    for slope, push in ((0.5, 0.0), (0.5, 0.1), (0.65, 0.0)):
        tilt = about(SIDEWAYS, math.atan(slope))
        down = rotate(tilt, np.array([1.0, 0, 0]))
        model = Model()
        model.add_fixed_body(HalfSpace(), orientation=tilt, name="floor")
        place = rotate(tilt, np.array([0, 0, 0.01]))
        size = Box((0.4, 0.4, 0.02))
        model.add_body(size, mass=1.0, position=place, orientation=tilt, velocity=push * down, name="box")
        model.set_pair_material("floor", "box", Material(0.4, static_friction=0.6))
        run = Simulation(model, step=4e-3).run(0.6)
        curves.append(Curve(run.times, run.velocity("box") @ down, f"slope {slope}, {'pushed' if push else 'at rest'}"))
    return [Panel("static 0.6, kinetic 0.4", TIME, "speed [m/s]", curves)]


def grains() -> list[Panel]:
    """Paths of boxes on a slope whose grain lies at different angles."""
    curves = []
    tilt = about(SIDEWAYS, math.radians(35))
    axes = np.stack([rotate(tilt, np.array(d, dtype=np.float64)) for d in ((1, 0, 0), (0, 1, 0))])
    for degrees in (0, 30, 60, 90):
        turn = math.radians(degrees)
        law = Material(0.1, cross_friction=0.5, direction=(math.cos(turn), math.sin(turn), 0))
        model = Model()
        model.add_fixed_body(HalfSpace(), orientation=tilt, name="floor")
        place = rotate(tilt, np.array([0, 0, 0.01]))
        model.add_body(Box((0.4, 0.4, 0.02)), mass=1.0, position=place, orientation=tilt, name="box")
        model.set_pair_material("floor", "box", law)
        run = Simulation(model, step=4e-3).run(0.6)
        x, y = (run.position("box") @ axes.T).T
        curves.append(Curve(x, y, f"{degrees}°"))
    return [Panel("grain, mu 0.1 along, 0.5 across", "downhill [m]", "sideways [m]", curves, equal=True)]


def rolls() -> list[Panel]:
    """A ball that rolls and one that spins, with the closed forms."""
    length, speed, spin = 0.02, 0.3, 5.0
    slow, stop = 5 / 7 * G * length / 0.1, 0.4 * 0.1**2 * spin / (0.01 * G)
    rolling = on_floor(Sphere(0.1), Material(0.5, rolling_friction=length), velocity=(speed, 0, 0),
                       angular_velocity=(0, speed / 0.1, 0))  # fmt: skip
    spinning = on_floor(Sphere(0.1), Material(0.5, spinning_friction=0.01), angular_velocity=(0, 0, spin))
    one, other = (Simulation(model, step=2e-3).run(0.3) for model in (rolling, spinning))
    speeds = _against(one, one.velocity("body")[:, 0], speed, speed / slow)
    spins = _against(other, other.angular_velocity("body")[:, 2], spin, stop)
    return [
        Panel("rolling friction, 20 mm", TIME, "speed [m/s]", speeds),
        Panel("spinning friction, 10 mm", TIME, "spin [rad/s]", spins),
    ]


def lifts() -> list[Panel]:
    """A box that slides to rest, by the convex cones and by the exact law."""
    h, mu, speed = 4e-3, 0.4, 2.0
    box, stop = Box((0.4, 0.4, 0.02)), speed / (mu * G)
    heights, speeds = [], []
    for law in ("convex", "coulomb"):
        model = on_floor(box, Material(mu), position=(0, 0, 0.01), velocity=(speed, 0, 0))
        run = Simulation(model, step=h, law=law).run(0.7)
        heights.append(Curve(run.times, 1e3 * (run.position("body")[:, 2] - 0.01), law))
        speeds.append(Curve(run.times, run.velocity("body")[:, 0], law))
        if law == "convex":
            slip = speed * np.maximum(1 - run.times / stop, 0.0)
            heights.append(Curve(run.times, 1e3 * h * mu * slip, "", True))
            speeds.append(Curve(run.times, slip, "", True))
    return [
        Panel("gap under a sliding box", TIME, "gap [mm]", heights),
        Panel("its speed", TIME, "speed [m/s]", speeds),
    ]


def belts() -> list[Panel]:
    """A box that is put on a belt."""
    model = Model()
    material = Material(0.5)
    model.add_fixed_body(HalfSpace(), surface_velocity=(1.0, 0, 0), material=material)
    model.add_body(Box((0.4, 0.4, 0.02)), mass=1.0, position=(0, 0, 0.01), material=material, name="body")
    run = Simulation(model, step=2e-3).run(0.35)
    exact = np.minimum(0.5 * G * run.times, 1.0)
    speed = run.velocity("body")[:, 0]
    return [
        Panel(
            "a box on a belt of 1 m/s",
            TIME,
            "speed [m/s]",
            [Curve(run.times, speed), Curve(run.times, exact, "", True)],
        )
    ]


PICTURES: dict[str, Callable[[], list[Panel]]] = {
    "restitution": bounces,
    "compliance": swings,
    "static-friction": slides,
    "grain": grains,
    "rolling": rolls,
    "belt": belts,
    "exact-coulomb": lifts,
}
"""Name of the file -> what is drawn."""


def draw_all(folder: Path) -> None:
    """All pictures, as PNG files."""
    for name, panels in PICTURES.items():
        draw_panels(panels(), folder / f"{name}.png")
    cycles = {name: contact_cycle(material) for name, material in DRAWN.items()}
    curves = {name: (cycle.distance, cycle.force) for name, cycle in cycles.items()}
    draw_force_distance(curves, folder / "force-distance.png")


def _against(run: Run, measured: Array, start: float, stop: float) -> list[Curve]:
    exact = np.maximum(start * (1 - run.times / stop), 0.0)
    return [Curve(run.times, measured), Curve(run.times, exact, "", known=True)]


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]))
