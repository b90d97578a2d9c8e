"""What each part of our interior point buys: every part switched off in turn, and the documents' recipe."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.scenes.balls_in_box import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.studies.reproduce.hard_steps import hard_steps
from signorini.studies.reproduce.recipes import DOCUMENTS
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell

TOLERANCE = 1e-8
H = 0.01
LARGEST = 1190
"""Balls in a box of 1 m; smaller piles have smaller boxes, so that all have the same shape."""
VARIANTS: dict[str, dict[str, Any]] = {
    "all parts": {},
    "centring of the documents": {"centring": "mehrotra"},
    "no centrality correctors": {"correctors": 0},
    "no semismooth finish": {"finish_below": 0.0},
    "no lift of small starts": {"lift": 0.0},
    "a step length each": {"step_rule": "split"},
    "adaptive fraction": {"fraction": "adaptive"},
    "the thesis' start": {"start": "cone"},
    "Nocedal's start": {"start": "nocedal"},
    "predictor alone": {"scheme": "predictor"},
    "Newton without predictor": {"scheme": "newton"},
    "augmented system": {"system": "augmented"},
    "unsymmetric system": {"system": "unsymmetric"},
    "four-block system": {"system": "four-block"},
    "no scaling": {"scaling": "none", "system": "unsymmetric"},
    "residuals carried along": {"residuals": "updated"},
    "carried along, a step length each": {"residuals": "updated", "step_rule": "split"},
    "quadratic step lengths": {"step_length": "quadratic"},
    "the documents' stop": {"stop": "residuals"},
    "the documents' stop, residuals carried along": {"stop": "residuals", "residuals": "updated"},
    "no refinement": {"refinements": 0},
    "the documents' recipe": {**DOCUMENTS, "system": "unsymmetric"},
    "the documents' recipe to the letter": {
        **DOCUMENTS,
        "system": "unsymmetric",
        "scaling": "none",
        "residuals": "updated",
        "stop": "residuals",
    },
}


def run(scale: Scale, tell: Tell) -> Findings:
    """Solve the same steps of a settling pile with each variant."""
    problems = _problems(scale.number(280, 140, 40), scale.number(8, 5, 2))
    rows: list[tuple[Cell, ...]] = []
    means: dict[str, float] = {}
    failures: dict[str, int] = {}
    for name, settings in VARIANTS.items():
        tell(name)
        solutions = [InteriorPoint(TOLERANCE, **{"system": "condensed", **settings}).solve(p) for p in problems]
        counts = [s.iterations for s in solutions]
        means[name] = float(np.mean(counts))
        failures[name] = sum(s.status not in (Status.SOLVED, Status.STOPPED) for s in solutions)
        seconds = statistics.median(s.seconds for s in solutions)
        worst = max(s.certificate.error for s in solutions)
        each = round(1e3 * sum(s.seconds for s in solutions) / sum(counts), 2)
        figures = round(means[name], 1), max(counts), failures[name], f"{worst:.0e}", round(1e3 * seconds, 1), each
        rows.append((name, *figures))
    table = Table(
        "One part at a time",
        ("variant", "mean iterations", "most", "failures", "largest error", "median ms", "ms per iteration"),
        tuple(rows),
        "Most rows differ from the first in one setting; the first has the condensed system. The documents' stop "
        "[MangoniTasora, eq. 38] at the same number, 1e-8, leaves larger errors, so that its iterations are not "
        "compared. Residuals that are carried along save their products, but do not notice what linear solves leave: "
        "some steps end above the tolerance, and count as failures.",
    )
    ours = means["all parts"]
    alike = {name: mean for name, mean in means.items() if not failures[name] and "stop" not in VARIANTS[name]}
    claims = (
        Claim("with all parts every step is solved", failures["all parts"] == 0, f"{ours:.1f} iterations"),
        Claim(
            "no variant that solves every step to the same error needs fewer than 0.9 of its iterations",
            min(alike.values()) >= 0.9 * ours,
            min(alike, key=lambda name: alike[name]),
        ),
        Claim(
            "a predictor-corrector needs fewer iterations than Newton's method alone",
            ours < means["Newton without predictor"],
            f"{ours:.1f} against {means['Newton without predictor']:.1f}",
            place="000, section 2.3",
        ),
    )
    contacts = int(np.mean([p.contacts for p in problems]))
    return Findings((table,), claims, (), {"steps": len(problems), "contacts": contacts, "tolerance": TOLERANCE})


def _problems(balls: int, count: int) -> list[ContactProblem]:
    """Steps of a pile that settles, with friction."""
    model = build(spheres=balls, friction=0.4, side=(balls / LARGEST) ** (1 / 3))
    simulation = Simulation(model, law=CONVEX, step=H, solver=InteriorPoint(TOLERANCE))
    steps = hard_steps(simulation, 20 + 10 * count)
    return [step.problem for step in steps[20::10]]


STUDY = Study(
    "ip-parts",
    "What each part of the interior point buys",
    "Mangoni and Tasora, sections 2.1 to 2.4; Mangoni 2018, sections 4.11 to 4.14",
    "iterations, errors and times with and without each part",
    "no figures are printed",
    (
        "every tenth step of balls that settle in a box of the shape of ip-size, friction 0.4, cold starts",
        "the documents' recipe: centring, step lengths, start and linear system of the documents together",
        "Newton without predictor aims at a tenth of the barrier; the documents do not say what share to take",
    ),
    run,
)
