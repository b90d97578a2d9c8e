"""Accuracy of projected Gauss-Seidel against its iterations: spheres in a shaker."""

from __future__ import annotations

import numpy as np

from signorini.scenes.shaker import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.stepping.step import DviStep
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H = 0.002
SMALL = 0.02
"""Diameter of the small spheres [m]."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Shake with few and with many sweeps per step."""
    sweeps = scale.sizes((5, 10, 20, 40, 80, 160, 320), (5, 20, 80, 320), (2, 50))
    spheres, steps = scale.number(300, 300, 30), scale.number(400, 150, 40)
    rows: list[tuple[Cell, ...]] = []
    speeds, depths = [], []
    for count in sweeps:
        tell(f"{count} sweeps")
        solver = ProjectedSOR(tolerance=1e-14, max_iterations=count, check_every=count)
        speed, depth = _errors(spheres, steps, solver)
        speeds.append(speed)
        depths.append(depth)
        rows.append((count, f"{speed:.1e}", f"{100 * depth / SMALL:.3f}"))
    tell("interior point")
    speed, depth = _errors(spheres, steps, InteriorPoint(tolerance=1e-8))
    rows.append(("interior point", f"{speed:.1e}", f"{100 * depth / SMALL:.1e}"))
    table = Table(
        "Errors against sweeps",
        ("sweeps per step", "mean speed violation [m/s]", "deepest penetration [% of the small diameter]"),
        tuple(rows),
        "The document shows both curves without numbers on them.",
    )
    x = np.array(sweeps, dtype=float)
    falls = speeds[-1] < 0.5 * speeds[0] and depths[-1] < depths[0]
    claims = (
        Claim(
            "both errors fall with the number of iterations",
            falls,
            f"{speeds[0]:.1e} to {speeds[-1]:.1e} m/s",
            place="001, tests",
        ),
    )
    figure = Figure(
        "Errors of the constraints against the sweeps per step.",
        (
            Panel("speed", "sweeps", "violation [m/s]", (Line("ours", x, np.array(speeds)),), True, True),
            Panel("position", "sweeps", "penetration [m]", (Line("ours", x, np.array(depths)),), True, True),
        ),
    )
    return Findings((table,), claims, (figure,), {"spheres": spheres, "steps": steps, "step [s]": H})


def _errors(spheres: int, steps: int, solver: ProjectedSOR | InteriorPoint) -> tuple[float, float]:
    """Mean over the steps of the worst approach speed that a step leaves, and the deepest penetration."""
    simulation = Simulation(build(spheres=spheres), law=CONVEX, step=H, solver=solver, on_failure="warn")
    taken = hard_steps(simulation, steps)
    late = taken[len(taken) // 2 :]
    return float(np.mean([_speed(step) for step in late])), max(step.contacts.deepest for step in late)


def _speed(step: DviStep) -> float:
    slip = step.problem.slip_of(step.solution.velocity, step.solution.contact_impulse)
    normal = slip[step.problem.cones.start[:-1]]
    return float(max(0.0, -normal.min(initial=0.0)))


STUDY = Study(
    "sor-accuracy",
    "Feasibility against iterations",
    "Anitescu and Tasora, slide 'feasibility accuracy'",
    "that both errors fall as the iterations rise",
    "the numbers: the slide's axes cannot be read",
    ("300 steel spheres, one in five of double size, in a box shaken at 5 Hz by 1 cm; step 2 ms",),
    run,
)
