"""Iterations of the interior point against the size of the problem."""

from __future__ import annotations

import numpy as np

from signorini.scenes.balls_in_box import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping.step import DviStep
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

PUBLISHED = {64: (1268, 17.2), 280: (5558, 17.9), 595: (11871, 17.7), 1190: (23938, 17.8)}
"""Balls -> (unknowns, mean iterations), [Mangoni2018, table 5.3]."""
ARTICLE = {1200: 16.7, 3200: 18.6, 4500: 19.4, 13800: 18.9}
"""Size of the matrix -> mean iterations, [MangoniTasora, table 1]."""
PER_BALL = 9.4
"""Velocities and contacts of one ball in our piles."""
TOLERANCE = 1e-8
"""Of our error; what it leaves is below the document's residuals and complementarity."""
LARGEST = 1190
"""Balls in a box of 1 m; smaller piles have smaller boxes, so that all have the same shape."""
ENVELOPES = (0.03, 0.06)
"""[m]: one, and the sum of two of Chrono's defaults, beside our own, which follows the speed."""
H = 0.02
MOST, GROWTH = 12.0, 0.16
"""Our bar; and what the article calls almost invariant: 16.7 to 19.4 iterations."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Drop balls into a box, one pile after another."""
    sizes = scale.sizes((64, 280, 595, 1190), (64, 280, 595), (20, 64))
    steps = scale.number(50, 50, 10)
    rows: list[tuple[Cell, ...]] = []
    recipe = InteriorPoint(TOLERANCE, system="condensed", **DOCUMENTS)
    recipes, means = [], []
    worst = 0.0
    for balls in sizes:
        tell(f"{balls} balls")
        recipes.append(_mean(_steps(balls, steps, ENVELOPES[0], recipe)))
        taken = _steps(balls, steps, None)
        means.append(_mean(taken))
        unknowns = int(np.mean([s.problem.velocities + s.problem.contacts for s in taken]))
        error = max(_document_error(step) for step in taken)
        worst = max(worst, error)
        published = PUBLISHED.get(balls, (None, None))
        counts = published[1], round(recipes[-1], 2), round(means[-1], 2)
        rows.append((balls, published[0], unknowns, *counts, f"{error:.0e}"))
    columns = ("balls", "published unknowns", "unknowns", "published iterations", "documents' recipe", "our default")
    table = Table(
        "Mean iterations per step",
        (*columns, "residual / document's limit"),
        tuple(rows),
        "The document's limits are 1e-10 for mean residuals and 1e-9 for the complementarity; below 1 means met. The "
        f"documents' recipe has an envelope of {1e3 * ENVELOPES[0]:g} mm, our default one that follows the speed.",
    )
    others = (_article(scale, steps, tell), _envelopes(sizes[min(1, len(sizes) - 1)], steps, tell))
    growth = recipes[-1] / recipes[0] - 1.0
    claims = (
        Claim(
            "by the documents' recipe the number of iterations hardly grows with the size",
            growth <= GROWTH,
            f"{100 * growth:+.0f} %",
            place="000, section 4.1; 004, section 5.3.1",
        ),
        Claim(f"by default at most {MOST:g} iterations at every size", max(means) <= MOST, f"{max(means):.1f}"),
        Claim("the document's tolerances are met in every step", worst <= 1.0, f"{worst:.0e} of the limit"),
    )
    history = taken[-1].solution.history
    ours = Line("ours", np.array([r[2] for r in rows], dtype=float), np.array(means))
    settings: dict[str, Cell] = {"step [s]": H, "steps": steps, "tolerance": TOLERANCE}
    curve = Line(f"{sizes[-1]} balls", history.iteration, history.residual)
    return Findings((table, *others), claims, (_figure(ours, curve),), settings)


def _mean(taken: list[DviStep]) -> float:
    """Iterations per step."""
    return float(np.mean([step.solution.iterations for step in taken]))


def _figure(ours: Line, last_step: Line) -> Figure:
    document = np.array(list(PUBLISHED.values()))
    published = Line("published", document[:, 0], document[:, 1], published=True)
    return Figure(
        "Left: mean iterations against unknowns. Right: the last step of the largest pile.",
        (
            Panel("iterations against size", "velocities + contacts", "mean iterations", (published, ours), log_x=True),
            Panel("convergence", "iteration", "residual [-]", (last_step,), log_y=True),
        ),
    )


def _article(scale: Scale, steps: int, tell: Tell) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for size, published in ARTICLE.items():
        balls = round(size / PER_BALL)
        mean: Cell = "not run in this size"
        unknowns: Cell = None
        if size <= scale.number(13800, 3200, 0):
            tell(f"{balls} balls")
            taken = _steps(balls, steps, None)
            mean = round(_mean(taken), 2)
            unknowns = int(np.mean([step.problem.velocities + step.problem.contacts for step in taken]))
        rows.append((size, unknowns, published, mean))
    return Table(
        "Mean iterations per step, sizes of the article",
        ("published size", "unknowns", "published iterations", "iterations"),
        tuple(rows),
        "The article does not say how many balls there were: we take as many as lead to that size here.",
    )


def _envelopes(balls: int, steps: int, tell: Tell) -> Table:
    variants = [("ours", None), *((f"{1e3 * width:g} mm", width) for width in ENVELOPES)]
    rows: list[tuple[Cell, ...]] = []
    for label, width in variants:
        tell(f"{balls} balls, envelope {label}")
        taken = _steps(balls, steps, width)
        contacts = float(np.mean([step.problem.contacts for step in taken])) / balls
        rows.append((label, round(contacts, 1), round(_mean(taken), 2)))
    return Table(
        f"What the contact envelope does, {balls} balls",
        ("envelope", "contacts per ball", "iterations"),
        tuple(rows),
        "The documents print 13.8 to 14.1 contacts per ball; most of those are open.",
    )


def _steps(balls: int, steps: int, envelope: float | None, solver: InteriorPoint | None = None) -> list[DviStep]:
    """Steps of a pile from the drop, cold; by our default solver unless another is given."""
    model = build(spheres=balls, friction=0.0, side=(balls / LARGEST) ** (1 / 3))
    model.margin = envelope
    solver = solver or InteriorPoint(tolerance=TOLERANCE)
    simulation = Simulation(model, law=CONVEX, step=H, solver=solver, warm_start="none")
    return hard_steps(simulation, steps)


def _document_error(step: DviStep) -> float:
    """The largest of the document's three measures over its limit [Mangoni2018, 5.1]."""
    problem, solution = step.problem, step.solution
    normal = problem.cones.start[:-1]
    slip = problem.slip_of(solution.velocity, solution.contact_impulse)[normal]
    primal = float(np.linalg.norm(np.minimum(slip, 0.0))) / max(1, problem.contacts)
    residual = problem.H @ solution.velocity + problem.c - problem.D.T @ solution.contact_impulse
    dual = float(np.linalg.norm(residual)) / max(1, problem.velocities)
    gap = abs(float(np.maximum(slip, 0.0) @ solution.contact_impulse[normal])) / max(1, problem.contacts)
    return max(primal / 1e-10, dual / 1e-10, gap / 1e-9)


STUDY = Study(
    "ip-size",
    "Iterations against size",
    "Mangoni and Tasora, table 1; Mangoni 2018, table 5.3 and figure 5.2",
    "iterations, their growth with the size",
    "seconds: other machines, other linear solvers",
    (
        "no friction, as in the documents' tests; a square box of 1 m in place of a round one",
        "a box of 1 m for 1190 balls and smaller ones for fewer: the documents print 13.8 to 14.1 contacts per ball at "
        "every size, so that their piles must have had the same shape",
        "our contact envelope, which follows the speed; others in the second table",
        "balls start on a jittered lattice above the floor",
    ),
    run,
)
