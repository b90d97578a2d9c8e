"""Stacked spheres: iterations against their number, for equal masses and for each ten times the one below."""

from __future__ import annotations

import numpy as np

from signorini.model.shapes.sphere import Sphere
from signorini.scenes.sphere_stack import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.studies.reproduce.pictures import picture
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H = 0.05
HOLDS = 1e-6
"""Deepest penetration in radii of the smallest sphere."""
PUBLISHED_LIMIT, BAR = 15, 25
TOLERANCE = 1e-8
CHANGES = 1.2
"""Mean iterations further apart than this factor have changed."""
SHOWN = 5
"""Spheres in the picture."""
Weights = dict[str, dict[int, float]]
"""Mass -> number of spheres -> mean iterations of stacks all of whose steps are solved."""
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
    unscaled, weights = _unscaled(equal, scale.number(10, 5, 3), tell)
    limit = Table("Largest stack of 10^n kg", ("published", "ours"), ((PUBLISHED_LIMIT, largest),))
    claims = _claims(lines, weights, min(BAR, max(graded)), largest)
    shown = build(count=SHOWN, mass=1.0, ratio=10.0)
    figure = Figure(
        "A stack whose masses grow tenfold; mean iterations per step against the number of spheres.",
        (
            picture(f"{SHOWN} spheres of 10^n kg", shown, shown.initial_state(), camera="front"),
            Panel("stacked spheres", "spheres", "iterations per step", lines),
        ),
    )
    return Findings((table, unscaled, limit), claims, (figure,), {"step [s]": H, "steps": steps})


def _unscaled(counts: tuple[int, ...], steps: int, tell: Tell) -> tuple[Table, Weights]:
    """Equal masses by the documents' recipe in SI, as in the thesis; and the mean iterations of what is solved."""
    solver = InteriorPoint(TOLERANCE, **{**DOCUMENTS, "system": "unsymmetric", "scaling": "none"})
    rows: list[tuple[Cell, ...]] = []
    weights: Weights = {}
    for label, mass in (("100 kg", 100.0), ("1e6 kg", 1e6), ("1e12 kg", 1e12)):
        tell(f"{label}, documents' recipe without scaling")
        weights[label] = {}
        for count in counts:
            simulation = Simulation(build(count=count, mass=mass), law=CONVEX, step=H, solver=solver, warm_start="none")
            taken = [simulation.advance() for _ in range(steps)]
            mean = float(np.mean([step.iterations for step in taken]))
            unsolved = sum(not step.status.ok for step in taken)
            rows.append((label, count, round(mean, 1), unsolved))
            if not unsolved:
                weights[label][count] = mean
    note = (
        f"{steps} steps each, to an error of {TOLERANCE:g}. Without scaling, residuals of 1e12 kg stand beside gaps of "
        "metres: such steps are not solved here; the thesis prints curves for them and no errors."
    )
    columns = ("masses", "spheres", "iterations per step", "steps not solved")
    return Table("Equal masses by the documents' recipe, without scaling", columns, tuple(rows), note), weights


def _claims(lines: list[Line], weights: Weights, bar: int, largest: int) -> tuple[Claim, ...]:
    """What the thesis concludes from its figure, and our bar."""
    straight = _straightness(lines[3])
    spread = [float(line.y.mean()) for line in lines[:3]]
    counts = sorted({count for solved in weights.values() for count in solved})
    every = {count: [solved[count] for solved in weights.values() if count in solved] for count in counts}
    alike = {count: means for count, means in every.items() if len(means) > 1}
    return (
        Claim(f"stacks of 10^n kg hold at {bar} spheres", largest >= bar, f"{largest} spheres"),
        Claim(
            "with equal masses the iterations do not grow with the number of spheres",
            all(line.y[-1] <= line.y[0] + 4 for line in lines[:3]),
            "; ".join(f"{line.label}: {line.y[0]:.0f} to {line.y[-1]:.0f}" for line in lines[:3]),
            place="004, section 5.3.3",
            disagreement=_slowly(lines[:3], weights),
        ),
        Claim(
            f"with masses of 10^n kg they grow linearly with n, up to the {PUBLISHED_LIMIT} spheres of the thesis",
            straight > STRAIGHT and bool(lines[3].y[-1] > lines[3].y[0]),
            f"{lines[3].y[0]:.0f} to {lines[3].y[-1]:.0f}, correlation {straight:.3f}",
            place="004, section 5.3.3",
        ),
        Claim(
            "with equal masses they change with the weight (documents' recipe, without scaling)",
            bool(alike) and all(max(means) > CHANGES * min(means) for means in alike.values()),
            "; ".join(f"{n} spheres: {' and '.join(f'{mean:.1f}' for mean in means)}" for n, means in alike.items())
            + ", stacks all of whose steps are solved",
            place="004, section 5.3.3",
        ),
        Claim(
            "by default they do not: the standard form is scaled by mass",
            max(spread) < CHANGES * min(spread),
            ", ".join(f"{line.label}: {mean:.1f}" for line, mean in zip(lines[:3], spread, strict=True)),
        ),
    )


def _slowly(lines: list[Line], weights: Weights) -> str:
    """By how much they grow, where that is little against the number of spheres; why they do is not known."""
    growth = max(float(line.y[-1] / line.y[0]) for line in lines)
    more = float(lines[0].x[-1] / lines[0].x[0])
    if growth**2 > more:
        return ""
    unscaled = weights["100 kg"]
    few, many = min(unscaled), max(unscaled)
    return (
        f"they grow, at any weight, but by no more than a factor of {growth:.1f} for {more:g} times the spheres; by "
        f"the documents' recipe without scaling and 100 kg, too: from {unscaled[few]:.0f} with {few} spheres to "
        f"{unscaled[many]:.0f} with {many}. The thesis prints a figure without numbers"
    )


def _straightness(line: Line) -> float:
    """Correlation of iterations with the number of spheres, as far as the thesis goes."""
    known = line.x <= PUBLISHED_LIMIT
    return float(np.corrcoef(line.x[known], line.y[known])[0, 1])


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
    "Mangoni 2018, section 5.3.3, figures 5.5 and 5.6",
    "iterations against the number of spheres, the largest stack that holds",
    "nothing else is printed",
    (
        "a stack holds when no sphere sinks by more than 1e-6 of the smallest radius",
        "cold starts, as in the document's figure; steps of a stack at rest from the first on",
        "density 1000 kg/m3; each sphere is guided along a vertical line as in the document",
    ),
    run,
)
