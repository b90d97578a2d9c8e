"""Half a million pebbles of two sizes in a silo with a hopper of triangles, on a GPU: time per simulated second, film.

    python benchmarks/gpu_pebbles.py --pebbles 500000 --duration 1 --json FILE [--frames FOLDER]

Pebbles of 40 and 60 mm fall into a silo with a conical outlet for `--settle` seconds that are not counted, then drain
for `--duration` seconds at h = 1 ms. Pictures are painted after the run by the renderer; `signorini`'s ffmpeg, or any
other, makes a film of them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import environment, write_json
from signorini.math.sparse import Array

STEP, SWEEPS, FRICTION, DENSITY = 1e-3, 150, 0.3, 1700.0
RECOVERY = 0.5
"""Overlaps are pushed apart at this speed at most [m/s]."""
SMALL, LARGE = 0.04, 0.06
"""Diameters [m]."""
AROUND = 96
"""Panels around the axis."""
PITCH = 1.03
"""Of the lattices of the start, over the diameter."""
SLENDER = 6.0
"""How high the silo is filled: pebbles over the cube of its radius in small diameters."""


def silo(radius: float, outlet: float, cone: float, top: float) -> sg.TriangleMesh:
    """Wall and cone about the z axis, open at both ends; squares as good as possible."""
    side = 2.0 * math.pi * radius / AROUND
    steep = math.hypot(radius - outlet, cone)
    low, high = max(2, round(steep / side)), max(2, round((top - cone) / side))
    r = np.concatenate([np.linspace(outlet, radius, low + 1), np.full(high, radius)])
    z = np.concatenate([np.linspace(0.0, cone, low + 1), np.linspace(cone, top, high + 1)[1:]])
    angle = 2.0 * math.pi * np.arange(AROUND) / AROUND
    points = np.stack(
        [np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.repeat(z[:, None], AROUND, axis=1)], axis=-1
    )
    i, j = (part.ravel() for part in np.meshgrid(np.arange(len(r) - 1), np.arange(AROUND), indexing="ij"))
    a, b = i * AROUND + j, i * AROUND + (j + 1) % AROUND
    c, d = a + AROUND, b + AROUND
    return sg.TriangleMesh(points.reshape(-1, 3), np.concatenate([np.stack([a, d, b], 1), np.stack([a, c, d], 1)]))


def layers(pebbles: int, radius: float, bottom: float) -> tuple[Array, Array]:
    """Centres of large and of small pebbles above `bottom`: layers of either in turns, square lattices with jitter."""
    rng, found, left, z = np.random.default_rng(0), ([], []), pebbles, bottom
    while left:
        for kind, diameter in enumerate((LARGE, SMALL)):
            pitch = PITCH * diameter
            half = int(radius / pitch)
            x, y = (part.ravel() * pitch for part in np.mgrid[-half : half + 1, -half : half + 1])
            inside = np.hypot(x, y) < radius - 0.55 * diameter
            layer = np.stack([x[inside], y[inside], np.full(inside.sum(), z + 0.5 * pitch)], axis=1)[:left]
            found[kind].append(layer + rng.uniform(-0.5, 0.5, layer.shape) * (pitch - diameter))
            left, z = left - len(layer), z + pitch
    return np.concatenate(found[0]), np.concatenate(found[1])


def bed(pebbles: int) -> sg.Model:
    """The silo, a floor below and the pebbles above the cone."""
    radius = SMALL * (pebbles / SLENDER) ** (1.0 / 3.0)
    outlet, cone = 0.3 * radius, 0.9 * radius
    large, small = layers(pebbles, radius, cone)
    model, material = sg.Model(), sg.Material(friction=FRICTION)
    wall = silo(radius, outlet, cone, float(max(large[:, 2].max(), small[:, 2].max())) + LARGE)
    model.add_fixed_body(wall, material=material, name="silo")
    floor = (0.0, 0.0, -radius)
    model.add_fixed_body(sg.HalfSpace((0.0, 0.0, 1.0)), position=floor, material=material, name="floor")
    for diameter, centres, name in ((LARGE, large, "large"), (SMALL, small, "small")):
        model.add_bodies(sg.Sphere(0.5 * diameter), centres, density=DENSITY, material=material, name=name)
    return model


def run(model: sg.Model, settle: float, duration: float, every: int) -> tuple[dict[str, Any], list[Array]]:
    """Seconds, contacts, errors and penetrations of the counted steps; positions of every so many of all steps."""
    sor = sg.ProjectedSOR(max_iterations=SWEEPS, tolerance=1e-3, check_every=SWEEPS)
    sim = sg.Simulation(model, step=STEP, solver=sor, device="cuda", max_recovery_speed=RECOVERY)
    seconds, contacts, errors, depths, frames = list[float](), list[int](), list[float](), list[float](), list[Array]()
    before, counted = round(settle / STEP), round(duration / STEP)
    begin = time.perf_counter()
    first = 0.0
    for number in range(before + counted):
        last = time.perf_counter()
        step = sim.advance()
        now = time.perf_counter()
        first = first or now - last
        if number >= before:
            seconds.append(now - last)
            contacts.append(step.contacts.count)
            errors.append(step.residual)
            depths.append(step.contacts.deepest)
        if every and number % every == 0:
            frames.append(np.float32(step.state.position))
    end, reach = step.state, float(np.hypot(*model.bodies[0].shapes[0].shape.vertices[:, :2].T).max())
    return {
        "pebbles": len(model.bodies) - 2,
        "triangles": len(model.bodies[0].shapes[0].shape.triangles),
        "sweeps": SWEEPS,
        "first_step_s": round(first, 2),
        "all_steps_s": round(time.perf_counter() - begin, 2),
        "simulated_s": duration,
        "counted_steps_s": round(sum(seconds), 2),
        "step_ms": round(1e3 * median(seconds), 2),
        "contacts": [min(contacts), int(median(contacts)), max(contacts)],
        "error": [float(f"{q:.2e}") for q in (min(errors), median(errors), max(errors))],
        "deepest_mm": [round(1e3 * q, 3) for q in (median(depths), max(depths))],
        "drained": int((end.position[2:, 2] < 0).sum()),
        "outside": int(((end.position[2:, 2] > 0) & (np.hypot(*end.position[2:, :2].T) > reach)).sum()),
        "fastest_m_s": round(float(np.linalg.norm(end.velocity, axis=1).max()), 2),
    }, frames


def paint(model: sg.Model, frames: list[Array], folder: Path, threads: int) -> float:
    """Pictures of the frames, half of the silo taken away; returns seconds."""
    from signorini.view.render import PictureSettings, Renderer
    from signorini.view.render.movie_files import save_picture

    begin = time.perf_counter()
    start = model.initial_state()
    states = [replace(start, position=np.float64(frame)) for frame in frames]
    settings = PictureSettings(size=(640, 720), camera="front", section=("y", 0.0))
    renderer = Renderer(model, states[:1], settings)  # the camera sees what the start takes
    folder.mkdir(parents=True, exist_ok=True)

    def one(k: int) -> None:
        save_picture(renderer.image(states[k]), folder / f"frame-{k:05d}.png")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(len(states))))
    return time.perf_counter() - begin


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pebbles", type=int, default=500_000)
    parser.add_argument("--settle", type=float, default=0.3)
    parser.add_argument("--duration", type=float, default=1.0)
    parser.add_argument("--frames", type=Path)
    parser.add_argument("--every", type=int, default=25, help="steps between two pictures")
    parser.add_argument("--threads", type=int, default=16, help="of the painter")
    parser.add_argument("--json")
    chosen = parser.parse_args()
    begin = time.perf_counter()
    model = bed(chosen.pebbles)
    building = time.perf_counter() - begin
    found, frames = run(model, chosen.settle, chosen.duration, chosen.every if chosen.frames else 0)
    found = {"environment": environment(), "building_s": round(building, 2), **found}
    print(json.dumps(found), flush=True)
    if chosen.json:
        write_json(chosen.json, found)
    if chosen.frames:
        print(f"{len(frames)} pictures in {paint(model, frames, chosen.frames, chosen.threads):.1f} s")


if __name__ == "__main__":
    main()
