"""Design a hopper: which slope and opening empty it soonest without letting the grains out too wide.

python examples/design_hopper.py [--generations 4] [--workers 2]

Differential evolution asks for a whole generation at once; each generation is one sweep.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy.optimize import differential_evolution

import signorini as sg
from signorini.math.rotations import about

GRAINS, RADIUS, WALL = 24, 0.02, 0.4
"""Number, [m], length of the sloping walls [m]."""
BOUNDS = {"slope": (20.0, 75.0), "opening": (0.05, 0.14)}
"""From horizontal [degrees]; width of the gap [m]."""
WIDTH_COST = 4.0
"""Seconds that a metre of opening costs: a wide gap needs a large valve below it."""
DURATION, STEP = 0.8, 0.005


def hopper(slope: float = 45.0, opening: float = 0.09) -> sg.Model:
    """Grains in a layer between two panes, above two sloping walls with a gap between them."""
    model = sg.Model()
    rough = sg.Material(friction=0.4)
    depth = 2.2 * RADIUS
    for side in (-1.0, 1.0):
        turn = math.radians(slope)
        middle = 0.5 * opening + 0.5 * WALL * math.cos(turn)
        model.add_fixed_body(
            sg.Box((WALL, depth, 0.02)),
            position=(side * middle, 0, 0.5 * WALL * math.sin(turn)),
            orientation=about(np.array([0.0, 1.0, 0.0]), -side * turn),
            material=rough,
        )
        model.add_fixed_body(sg.HalfSpace(normal=(0, -side, 0)), position=(0, side * 0.5 * depth, 0))
    columns = 6
    for k in range(GRAINS):
        row, column = divmod(k, columns)
        x = (column - 0.5 * (columns - 1) + 0.1 * (row % 2)) * 2.1 * RADIUS
        z = 0.12 + abs(x) * math.tan(math.radians(slope)) * 0.9 + 2.2 * RADIUS * row
        model.add_body(sg.Sphere(RADIUS), density=1500.0, position=(x, 0, z), material=rough, name=f"grain-{k}")
    return model


def emptied(run: sg.Run) -> dict[str, float]:
    """When all grains are below the gap [s], and how many are; those that never are count to the end and beyond."""
    below = run.position()[:, -GRAINS:, 2] < -2 * RADIUS
    left = below.sum(axis=1)
    times = np.where(below.any(axis=0), run.times[below.argmax(axis=0)], 2 * DURATION)
    return {"out": float(left[-1]), "seconds_to_empty": float(np.mean(times))}


def costs(x: np.ndarray, executor: Executor) -> np.ndarray:
    """Of designs in columns, shape (2, designs)."""
    rows = [dict(zip(BOUNDS, map(float, design), strict=True)) for design in np.atleast_2d(x.T)]
    settings = {"solver": sg.ProjectedSOR(tolerance=1e-4, max_iterations=200), "on_failure": "warn"}
    table = sg.sweep(hopper, rows, emptied, duration=DURATION, step=STEP, settings=settings, executor=executor)
    return np.asarray(table["seconds_to_empty"] + WIDTH_COST * table["opening"])


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """The best design and its cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as executor:
        first = float(costs(np.array([[30.0], [0.08]]), executor)[0])
        found = differential_evolution(
            costs,
            list(BOUNDS.values()),
            args=(executor,),
            maxiter=options.generations,
            popsize=4,
            seed=3,
            polish=False,
            vectorized=True,
            updating="deferred",
            callback=lambda x, convergence: print(f"slope {x[0]:.1f} degrees, opening {1e3 * x[1]:.0f} mm"),
        )
    best = {**dict(zip(BOUNDS, map(float, found.x), strict=True)), "cost": float(found.fun), "first": first}
    print(
        f"best: slope {best['slope']:.1f} degrees, opening {1e3 * best['opening']:.0f} mm; "
        f"cost {best['cost']:.3f} s after {first:.3f} s for the first guess (30 degrees, 80 mm)"
    )
    return best


if __name__ == "__main__":
    main()
