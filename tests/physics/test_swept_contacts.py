"""Fast and turning bodies neither sink in, nor go through, nor come back without restitution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from signorini.collision.detector import Detector
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.triangle_mesh import TriangleMesh
from signorini.simulation.simulation import Simulation

DEEPEST = 1e-3
"""Relative to the smallest extent of the body."""
GAIN = 1e-3
"""Energy that may come from nowhere, relative to that before the impact."""


def stone(rng: np.random.Generator) -> ConvexHull:
    """Of 80 mm."""
    points = rng.normal(size=(20, 3))
    return ConvexHull(0.04 * rng.uniform(0.8, 1.0, (20, 1)) * points / np.linalg.norm(points, axis=1, keepdims=True))


def surface(half: float = 0.6, cells: int = 3) -> TriangleMesh:
    """A flat open surface at z = 0."""
    x = np.linspace(-half, half, cells + 1)
    corner = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = (q.reshape(-1) for q in (corner[:-1, :-1], corner[1:, :-1], corner[:-1, 1:], corner[1:, 1:]))
    return TriangleMesh(
        np.array([[u, v, 0.0] for u in x for v in x]), np.vstack((np.stack((a, b, c), 1), np.stack((c, b, d), 1)))
    )


BODIES: dict[str, Any] = {
    "stone": stone,
    "box": lambda _: Box((0.08, 0.06, 0.05)),
    "rod": lambda _: Box((0.4, 0.01, 0.01)),
    "plate": lambda _: Box((0.2, 0.2, 0.005)),
    "capsule": lambda _: Capsule(0.02, 0.08),
    "cylinder": lambda _: Cylinder(0.03, 0.08),
    "cone": lambda _: Cone(0.03, 0.06),
    "ellipsoid": lambda _: Ellipsoid((0.05, 0.03, 0.02)),
}
GROUNDS: dict[str, tuple[Any, float]] = {
    "half-space": (HalfSpace(), 0.0),
    "box": (Box((1.2, 1.2, 0.2)), -0.1),
    "sheet": (Box((1.2, 1.2, 0.001)), -0.0005),
    "hull": (ConvexHull(np.array([[x, y, z] for x in (-0.6, 0.6) for y in (-0.6, 0.6) for z in (-0.2, 0.0)])), 0.0),
    "mesh": (surface(), 0.0),
}


@dataclass(frozen=True)
class Fall:
    """What a body did."""

    depth: float
    """Largest overlap, relative to the smallest extent of the body."""
    gain: float
    """Energy that came from nowhere, relative to that before the impact."""
    through: bool
    failed: int


def fall(body: str, ground: str, speed: float, h: float, seed: int) -> Fall:
    """A body thrown at a ground at a random angle, turning."""
    rng = np.random.default_rng(seed)
    shape, (support, height) = BODIES[body](rng), GROUNDS[ground]
    model, material = Model(), Material(0.3)
    model.add_fixed_body(support, position=(0, 0, height), material=material, name="ground")
    q, start = rng.normal(size=4), shape.bounding_radius() + speed * h * rng.uniform(0.2, 3.0)
    thrown = model.add_body(
        shape, density=2000, position=(*rng.uniform(-0.05, 0.05, 2), start), orientation=q / np.linalg.norm(q),
        velocity=(*(0.1 * speed * rng.normal(size=2)), -speed), material=material, name="body",
        angular_velocity=rng.normal(size=3) * (40.0 if body in ("rod", "plate") else 10.0),
    )  # fmt: skip
    simulation, detector = Simulation(model, step=h, on_failure="warn"), Detector(model)
    deepest = gain = 0.0
    failed, energy = 0, np.inf
    for _ in range(max(8, int(np.ceil((3.0 * start / speed + 0.02) / h)))):
        step = simulation.advance()
        failed += not step.status.ok
        deepest = max(deepest, detector.detect(step.state, 0.0).deepest)
        gain += max(0.0, step.kinetic + step.potential - energy)
        energy = step.kinetic + step.potential
    size = 2.0 * shape.bounding_box().thinnest
    through = bool(step.state.position[1, 2] < -size)
    return Fall(deepest / size, gain / (0.5 * thrown.mass * speed**2), through, failed)


def check(found: Fall) -> None:
    assert not found.through
    assert found.depth < DEEPEST
    assert found.gain < GAIN


@pytest.mark.parametrize(
    ("body", "ground", "speed", "h"),
    [
        ("stone", "box", 2.0, 5e-3),
        ("stone", "sheet", 10.0, 5e-3),
        ("stone", "mesh", 10.0, 5e-3),
        ("rod", "half-space", 3.0, 5e-3),
        ("plate", "box", 3.0, 5e-3),
        ("capsule", "mesh", 5.0, 5e-3),
        ("cylinder", "mesh", 5.0, 5e-3),
        ("cone", "hull", 5.0, 5e-3),
        ("ellipsoid", "half-space", 3.0, 1e-2),
    ],
)
def test_bodies_thrown_at_a_ground_stay_on_it(body: str, ground: str, speed: float, h: float) -> None:
    for seed in range(4):
        check(fall(body, ground, speed, h, seed))


@pytest.mark.parametrize(
    ("body", "ground", "speed", "seed"),
    [
        ("rod", "mesh", 2.30, 187),
        ("rod", "mesh", 4.88, 146),
        ("rod", "half-space", 4.22, 33),
        ("stone", "mesh", 1.67, 87),
    ],
)
def test_bodies_that_tumble_do_not_gain_energy(body: str, ground: str, speed: float, seed: int) -> None:
    """Rods that turn by up to 0.5 rad in a step, and a stone that rolls over its edges."""
    check(fall(body, ground, speed, 5e-3, seed))


@pytest.mark.slow
def test_two_hundred_random_falls() -> None:
    rng = np.random.default_rng(2026)
    for seed in range(200):
        body, ground = rng.choice(list(BODIES)), rng.choice(list(GROUNDS))
        check(fall(str(body), str(ground), float(rng.uniform(1.0, 10.0)), 5e-3, seed))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["stone", "ellipsoid", "box"])
def test_two_bodies_that_meet_head_on_do_not_sink_into_one_another(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = Model(gravity=(0, 0, 0))
    shapes = [BODIES[kind](rng) for _ in range(2)]
    for side, shape in zip((-1.0, 1.0), shapes, strict=True):
        q = rng.normal(size=4)
        model.add_body(
            shape, density=2000, position=(side * 0.1, *rng.uniform(-0.01, 0.01, 2)), orientation=q / np.linalg.norm(q),
            velocity=(-side * 4.0, 0, 0), angular_velocity=10.0 * rng.normal(size=3), material=Material(0.3),
        )  # fmt: skip
    simulation, detector = Simulation(model, step=5e-3), Detector(model)
    size = 2.0 * min(shape.bounding_box().thinnest for shape in shapes)
    energy = np.inf
    for _ in range(20):
        step = simulation.advance()
        assert detector.detect(step.state, 0.0).deepest < DEEPEST * size
        assert step.kinetic < energy * (1.0 + 1e-6)
        energy = step.kinetic
