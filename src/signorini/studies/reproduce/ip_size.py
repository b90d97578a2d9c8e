"""Iterations of the interior point against the size of the problem."""

from __future__ import annotations

import numpy as np

from signorini.scenes.balls_in_box import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.stepping.step import Step
from signorini.studies.reproduce.study import Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

PUBLISHED = {64: (1268, 17.2), 280: (5558, 17.9), 595: (11871, 17.7), 1190: (23938, 17.8)}
"""Balls -> (unknowns, mean iterations), [Mangoni2018, table 5.3]."""
TOLERANCE = 1e-8
"""Of our error; what it leaves is below the document's residuals and complementarity."""
ENVELOPE = 0.03
"""[m] on each ball: Chrono's default, with which the document's number of contacts per ball comes out."""
H = 0.02
MOST, GROWTH = 12.0, 0.10


def run(scale: Scale, tell: Tell) -> Findings:
    """Drop balls into a box, one pile after another."""
    sizes = scale.sizes((64, 280, 595, 1190), (64, 280, 595), (20, 64))
    steps = scale.number(50, 50, 10)
    rows: list[tuple[Cell, ...]] = []
    means: list[float] = []
    curve: Line | None = None
    worst = 0.0
    for balls in sizes:
        tell(f"{balls} balls")
        taken = _steps(balls, steps)
        means.append(float(np.mean([step.solution.iterations for step in taken])))
        unknowns = [s.problem.velocities + s.problem.contacts for s in taken]
        error = max(_document_error(step) for step in taken)
        worst = max(worst, error)
        published = PUBLISHED.get(balls, (None, None))
        rows.append((balls, published[0], int(np.mean(unknowns)), published[1], round(means[-1], 2), f"{error:.0e}"))
        history = taken[-1].solution.history
        curve = Line(f"{balls} balls", history.iteration, history.residual)
    table = Table(
        "Mean iterations per step",
        (
            "balls",
            "published unknowns",
            "unknowns",
            "published iterations",
            "iterations",
            "residual / document's limit",
        ),
        tuple(rows),
        "The document's limits are 1e-10 for mean residuals and 1e-9 for the complementarity; below 1 means met.",
    )
    growth = means[-1] / means[0] - 1.0
    claims = (
        Claim("the number of iterations hardly grows with the size", growth <= GROWTH, f"{100 * growth:+.0f} %"),
        Claim(f"at most {MOST:g} iterations on average at every size", max(means) <= MOST, f"{max(means):.1f}"),
        Claim("the document's tolerances are met in every step", worst <= 1.0, f"{worst:.0e} of the limit"),
    )
    assert curve is not None
    sizes_x = np.array([r[2] for r in rows], dtype=float)
    document = np.array(list(PUBLISHED.values()))
    figure = Figure(
        "Left: mean iterations against unknowns. Right: the last step of the largest pile.",
        (
            Panel(
                "iterations against size", "velocities + contacts", "mean iterations",
                (
                    Line("published", document[:, 0], document[:, 1], published=True),
                    Line("ours", sizes_x, np.array(means)),
                ),
                log_x=True,
            ),
            Panel("convergence", "iteration", "residual [-]", (curve,), log_y=True),
        ),
    )  # fmt: skip
    settings: dict[str, Cell] = {"step [s]": H, "steps": steps, "tolerance": TOLERANCE, "envelope [m]": ENVELOPE}
    return Findings((table,), claims, (figure,), settings)


def _steps(balls: int, steps: int) -> list[Step]:
    model = build(spheres=balls, friction=0.0)
    model.margin = ENVELOPE
    simulation = Simulation(model, step=H, solver=InteriorPoint(tolerance=TOLERANCE), warm_start="none")
    return [simulation.advance() for _ in range(steps)]


def _document_error(step: Step) -> float:
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
        f"contact envelope {ENVELOPE} m: the documents print 13 to 14 contacts per ball, which only an envelope of "
        "that size gives; most of these contacts are open",
        "balls start on a jittered lattice above the floor",
    ),
    run,
)
