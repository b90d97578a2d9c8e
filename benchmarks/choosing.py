"""The measurements behind the page on choosing: solver, law, integrator and step. Prints Markdown tables.

python benchmarks/choosing.py [--quick]
"""

from __future__ import annotations

import argparse
import math
import time
import warnings

import numpy as np

import signorini as sg
from signorini.integrators import HHT, NonsmoothAlpha

SOLVERS = {
    "interior-point, 1e-8": sg.InteriorPoint(tolerance=1e-8),
    "projected-sor, 50 sweeps": sg.ProjectedSOR(tolerance=1e-12, max_iterations=50),
    "projected-sor, 500 sweeps": sg.ProjectedSOR(tolerance=1e-12, max_iterations=500),
    "apgd, 500 iterations": sg.APGD(tolerance=1e-12, max_iterations=500),
    "barzilai-borwein, 500 iterations": sg.BarzilaiBorwein(tolerance=1e-12, max_iterations=500),
}


def problem_of(scene: str, time: float, **settings: float) -> sg.ContactProblem:
    """The contact problem of a scene after some time [s]."""
    found = sg.SCENES[scene]
    sim = sg.Simulation(found.build(**settings), step=found.step)
    while sim.time < time:
        step = sim.advance()
    return step.problem


def solvers(problems: dict[str, sg.ContactProblem]) -> None:
    """Time and error of solvers on problems; times are ratios to the interior point's."""
    print("| solver |" + "".join(f" {name}: error, time |" for name in problems))
    print("|---|" + "---|" * len(problems))
    reference: dict[str, float] = {}
    for label, solver in SOLVERS.items():
        cells = []
        for name, problem in problems.items():
            solver.solve(problem)
            seconds = []
            for _ in range(3):
                begin = time.perf_counter()
                solution = solver.solve(problem)
                seconds.append(time.perf_counter() - begin)
            reference.setdefault(name, min(seconds))
            cells.append(f" {solution.certificate.error:.0e}, {min(seconds) / reference[name]:.2g} |")
        print(f"| {label} |" + "".join(cells))


def spring(integrator: object, h: float) -> float:
    """Share of its amplitude that an undamped spring of 1 Hz keeps over ten periods."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1.1, 0, 0), name="mass")
    model.add_spring(None, "mass", (0, 0, 0), (1.1, 0, 0), stiffness=(2 * math.pi) ** 2, length=1.0)
    run = sg.Simulation(model, step=h, integrator=integrator, contact="none").run(10.0)  # type: ignore[arg-type]
    x = run.position("mass")[:, 0] - 1.0
    return float(np.abs(x[run.times > 9.0]).max() / 0.1)


def pendulum(h: float, **settings: object) -> float:
    """Relative change of the energy of a double pendulum over 2 s."""
    model = sg.SCENES["double-pendulum"].build()
    run = sg.Simulation(model, step=h, **settings).run(2.0)  # type: ignore[arg-type]
    energy = run.diagnostics["kinetic_energy"] + run.diagnostics["potential_energy"]
    moving = float(run.diagnostics["kinetic_energy"].max())
    return float(np.abs(energy[10:] - energy[10]).max() / moving)


def slide(h: float, **settings: object) -> float:
    """Error of the way that a block slides on a floor from 2 m/s [m]."""
    model = sg.Model()
    surface = sg.Material(friction=0.3)
    model.add_fixed_body(sg.HalfSpace(), material=surface)
    model.add_body(
        sg.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05), velocity=(2, 0, 0), material=surface, name="block"
    )
    run = sg.Simulation(model, step=h, **settings).run(1.0)  # type: ignore[arg-type]
    return abs(float(run.position("block")[-1, 0]) - 2.0**2 / (2 * 0.3 * 9.81))


def integrators() -> None:
    """Damping of a spring and energy of a double pendulum."""
    known = {"dvi": "dvi", "NonsmoothAlpha(0.8)": NonsmoothAlpha(0.8), "HHT(-0.1)": HHT(alpha=-0.1)}
    steps = (0.01, 0.002)
    print("\n| integrator | " + " | ".join(f"spring of 1 Hz after 10 s, h = {1e3 * h:g} ms" for h in steps) + " |")
    print("|---|---|---|")
    for name, integrator in known.items():
        print(f"| {name} | " + " | ".join(f"{spring(integrator, h):.3f}" for h in steps) + " |")
    fine = (0.005, 0.001)
    choices: dict[str, dict[str, object]] = {
        "dvi, gaps linear": {},
        "dvi, gaps curved": {"gaps": "curved"},
        "NonsmoothAlpha(0.8)": {"integrator": NonsmoothAlpha(0.8)},
        "HHT(-0.1)": {"integrator": HHT(alpha=-0.1)},
    }
    print("\n| double pendulum, drift of energy in 2 s | " + " | ".join(f"h = {1e3 * h:g} ms" for h in fine) + " |")
    print("|---|---|---|")
    for name, settings in choices.items():
        print(f"| {name} | " + " | ".join(f"{pendulum(h, **settings):.1e}" for h in fine) + " |")


def laws() -> None:
    """Error of a sliding block."""
    steps = (0.01, 0.002)
    print(
        "\n| law | " + " | ".join(f"error of the way of a sliding block, h = {1e3 * h:g} ms [m]" for h in steps) + " |"
    )
    print("|---|---|---|")
    for name in ("coulomb", "convex"):
        print(f"| {name} | " + " | ".join(f"{slide(h, law=name):.1e}" for h in steps) + " |")


def main() -> None:
    """All tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="A small pile only.")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    problems = {"pile of 280 balls": problem_of("balls-in-box", 0.6, spheres=60 if quick else 280)}
    problems["stack, masses 1 : 1000"] = problem_of("sphere-stack", 0.02, count=5, ratio=1000.0)
    problems["brick wall"] = problem_of("brick-wall", 0.02)
    solvers(problems)
    integrators()
    laws()


if __name__ == "__main__":
    main()
