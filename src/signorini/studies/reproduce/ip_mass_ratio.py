"""Stacked spheres: iterations against their number, for equal masses and for each ten times the one below."""

from __future__ import annotations

import numpy as np

from signorini.model.shapes.sphere import Sphere
from signorini.scenes.sphere_stack import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H = 0.05
HOLDS = 1e-6
"""Deepest penetration in radii of the smallest sphere."""
PUBLISHED_LIMIT, BAR = 15, 25
STRAIGHT = 0.9
"""Least correlation of growth that counts as linear."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Let stacks stand for a while."""
    steps = scale.number(100, 30, 10)
    equal = scale.sizes((2, 5, 10, 20, 40), (2, 5, 10, 20), (2, 5))
    graded = scale.sizes((2, 5, 8, 10, 12, 15, 20, 25, 30), (2, 5, 10, 15, 20, 25), (2, 8, 15))
    rows: list[tuple[Cell, ...]] = []
    lines = []
    largest = 0
    for label, mass, ratio, counts in (
        ("100 kg", 100.0, 1.0, equal), ("1e6 kg", 1e6, 1.0, equal), ("1e12 kg", 1e12, 1.0, equal),
        ("10^n kg", 1.0, 10.0, graded),
    ):  # fmt: skip
        tell(label)
        means = []
        for count in counts:
            mean, depth = _stand(count, mass, ratio, steps)
            means.append(mean)
            rows.append((label, count, round(mean, 1), f"{depth:.0e}", "yes" if depth < HOLDS else "no"))
            if ratio > 1.0 and depth < HOLDS:
                largest = max(largest, count)
        lines.append(Line(label, np.array(counts, dtype=float), np.array(means)))
    table = Table(
        "Stacks",
        ("masses", "spheres", "iterations per step", "penetration [smallest radii]", "holds"),
        tuple(rows),
        "Figure 5.6 of the document shows curves without numbers; the largest stack is told in its text.",
    )
    limit = Table("Largest stack of 10^n kg", ("published", "ours"), ((PUBLISHED_LIMIT, largest),))
    claims = _claims(lines, min(BAR, max(graded)), largest)
    figure = Figure(
        "Mean iterations per step against the number of spheres.",
        (Panel("stacked spheres", "spheres", "iterations per step", lines),),
    )
    return Findings((table, limit), claims, (figure,), {"step [s]": H, "steps": steps})


def _claims(lines: list[Line], bar: int, largest: int) -> tuple[Claim, ...]:
    """What the thesis concludes from its figure, and our bar."""
    straight = _straightness(lines[3])
    weights = [float(line.y.mean()) for line in lines[:3]]
    return (
        Claim(f"stacks of 10^n kg hold at {bar} spheres", largest >= bar, f"{largest} spheres"),
        Claim(
            "with equal masses the iterations do not grow with the number of spheres",
            all(line.y[-1] <= line.y[0] + 4 for line in lines[:3]),
            "; ".join(f"{line.label}: {line.y[0]:.0f} to {line.y[-1]:.0f}" for line in lines[:3]),
            place="004, section 5.3.3",
        ),
        Claim(
            "with masses of 10^n kg they grow linearly with n",
            straight > STRAIGHT and bool(lines[3].y[-1] > lines[3].y[0]),
            f"{lines[3].y[0]:.0f} to {lines[3].y[-1]:.0f}, correlation {straight:.3f}",
            place="004, section 5.3.3",
        ),
        Claim(
            "with equal masses they change with the weight",
            max(weights) > 1.2 * min(weights),
            ", ".join(f"{line.label}: {mean:.1f}" for line, mean in zip(lines[:3], weights, strict=True)),
            place="004, section 5.3.3",
            disagreement="the standard form is scaled by mass, so that the unit of mass cannot matter",
        ),
    )


def _straightness(line: Line) -> float:
    """Correlation of iterations with the number of spheres."""
    return float(np.corrcoef(line.x, line.y)[0, 1])


def _stand(count: int, mass: float, ratio: float, steps: int) -> tuple[float, float]:
    """Mean iterations, and the deepest penetration in radii of the smallest sphere."""
    model = build(count=count, mass=mass, ratio=ratio)
    smallest = min(p.shape.radius for b in model.bodies for p in b.shapes if isinstance(p.shape, Sphere))
    # Cold, as in the document's figure: after a warm start a stack at rest needs no iterations at all.
    simulation = Simulation(model, law=CONVEX, step=H, solver=InteriorPoint(), warm_start="none")
    taken = [simulation.advance() for _ in range(steps)]
    deepest = max(step.contacts.deepest for step in taken)
    return float(np.mean([step.iterations for step in taken])), deepest / smallest


STUDY = Study(
    "ip-mass-ratio",
    "Stacked spheres of odd masses",
    "Mangoni 2018, section 5.3.3, figure 5.6",
    "iterations against the number of spheres, the largest stack that holds",
    "nothing else is printed",
    (
        "a stack holds when no sphere sinks by more than 1e-6 of the smallest radius",
        "cold starts, as in the document's figure; steps of a stack at rest from the first on",
        "density 1000 kg/m3; each sphere is guided along a vertical line as in the document",
    ),
    run,
)
