"""Find friction and restitution of a ball from its recorded flight, by least squares over sweeps.

python examples/fit_friction.py [--noise 1e-4] [--workers 2]

A ball is thrown at the floor; its bounces tell the restitution, its loss of speed along the floor tells the friction.
The measurement is made here by a simulation with known values and noise. Each Jacobian is one sweep.
"""

from __future__ import annotations

import argparse
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy.optimize import least_squares

import signorini as sg

TRUE = {"friction": 0.18, "restitution": 0.62}
TIMES = 20
"""Instants of the measurement."""
DURATION, STEP, NUDGE = 0.6, 0.002, 1e-3
"""[s], [s], step of the finite differences."""


def throw(friction: float = 0.2, restitution: float = 0.5) -> sg.Model:
    """A ball of 10 cm that flies forwards at 6 m/s, fast enough to slide in every bounce."""
    model = sg.Model()
    material = sg.Material(friction=friction, restitution=restitution)
    model.add_fixed_body(sg.HalfSpace(), material=material, name="floor")
    model.add_body(
        sg.Sphere(0.05), density=1000.0, position=(0, 0, 0.25), velocity=(6, 0, 0), material=material, name="ball"
    )
    return model


def track(run: sg.Run) -> dict[str, float]:
    """What a camera sees: x and z of the ball at even instants [m]."""
    path = run.position("ball")
    frames = np.linspace(0, len(path) - 1, TIMES + 1).astype(int)[1:]
    return {f"{axis}{k}": float(path[f, i]) for i, axis in ((0, "x"), (2, "z")) for k, f in enumerate(frames)}


def tracks(rows: list[dict[str, float]], executor: Executor | None) -> np.ndarray:
    """One line of coordinates per row of parameters."""
    table = sg.sweep(throw, rows, track, duration=DURATION, step=STEP, executor=executor)
    return np.array([table[name] for name in table.measures]).T


def fit(measured: np.ndarray, executor: Executor | None) -> tuple[dict[str, float], np.ndarray]:
    """The parameters that explain the measurement best, and their standard deviations."""
    names = list(TRUE)

    def row(x: np.ndarray) -> dict[str, float]:
        return {name: float(value) for name, value in zip(names, x, strict=True)}

    def jacobian(x: np.ndarray) -> np.ndarray:
        nudged = [row(x + sign * NUDGE * unit) for unit in np.eye(len(x)) for sign in (1.0, -1.0)]
        seen = tracks(nudged, executor)
        return (seen[0::2] - seen[1::2]).T / (2 * NUDGE)

    found = least_squares(
        lambda x: tracks([row(x)], executor)[0] - measured,
        x0=[0.1, 0.5],
        jac=jacobian,
        bounds=([NUDGE, NUDGE], [1.0, 1.0 - NUDGE]),
        xtol=1e-8,
    )
    variance = 2 * found.cost / max(len(measured) - len(names), 1)
    deviation = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)) * variance)
    return row(found.x), deviation


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """The parameters found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noise", type=float, default=1e-4, help="of the measurement [m]")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)

    # One pool for all sweeps: starting workers takes seconds, a flight takes milliseconds.
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as executor:
        exact = tracks([dict(TRUE)], executor)[0]
        measured = exact + np.random.default_rng(1).normal(0.0, options.noise, len(exact))
        found, deviation = fit(measured, executor)
    for (name, value), spread in zip(found.items(), deviation, strict=True):
        print(f"{name:12} found {value:.4f} +- {spread:.1g}, true {TRUE[name]:.4f}")
    return found


if __name__ == "__main__":
    main()
