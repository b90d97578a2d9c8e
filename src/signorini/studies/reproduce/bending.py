"""Three-point bending: the largest step of hard contact against that of penalty contact."""

from __future__ import annotations

import numpy as np

from signorini.scenes.three_point_bending import SIZE
from signorini.studies.reproduce.bending_runs import (
    DURATION,
    ENERGY,
    FINE,
    HOPELESS,
    NEAR,
    STIFFNESS,
    UNSOLVED,
    Bent,
    Cells,
    bend,
)
from signorini.studies.reproduce.study import Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

PUBLISHED = {"DVI": 0.06, "penalty, implicit Euler": 0.005}
"""Largest stable step [s], [Mangoni2018, 5.3.2]; with penalty steps had to be shorter than that."""
PENALTY = "penalty, implicit Euler"
LADDERS = {"DVI": (0.06, 0.1, 0.15, 0.2, 0.3), PENALTY: (0.02, 0.01, 0.005, 0.0025)}
"""Steps to try [s]: hard contact upwards until a run is not stable, penalty downwards until one is."""
ITERATED = 0.05
"""The document's step for the convergence of the interior point [s]."""
MOST = 20
"""Iterations, median, at that step."""
LEAST, RATIO = 0.1, 10.0
"""Bars: largest stable step with hard contact [s], and how many times that of penalty it is."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Longer and longer steps, until the beam is not where it should be."""
    cells: Cells = {"full": (26, 12, 3), "quick": (16, 4, 2), "tiny": (13, 2, 2)}[scale.name]
    tell(f"hard contact, h = {FINE} s")
    fine = bend("DVI", FINE, cells)
    runs: list[Bent] = []
    largest: dict[str, float] = {}
    for method, ladder in LADDERS.items():
        for h in ladder:
            tell(f"{method}, h = {h} s")
            runs.append(bend(method, h, cells, HOPELESS * fine.energy))
            if runs[-1].stable(fine):
                largest[method] = h
            if runs[-1].stable(fine) == (method != "DVI"):
                break
    tell(f"DVI, h = {ITERATED} s")
    runs.insert(0, bend("DVI", ITERATED, cells))
    return _findings(cells, fine, runs, largest)


def _findings(cells: Cells, fine: Bent, runs: list[Bent], largest: dict[str, float]) -> Findings:
    at = next(one for one in runs if one.h == ITERATED and one.method == "DVI")
    median = float(np.median(at.iterations))
    hard, soft = (largest.get(method, 0.0) for method in LADDERS)
    limits = Table(
        "Largest stable step [s]",
        ("contact", "published", "ours"),
        tuple((method, PUBLISHED[method], largest.get(method)) for method in LADDERS),
        f"Stable: no element inverted, at most {100 * UNSOLVED:g} % of the steps not solved, "
        f"energy at most {ENERGY:g} times and nodes at the end within {1e3 * NEAR:g} mm of "
        f"those of a run with h = {FINE} s. The document says what it tried, not what failed.",
    )
    claims = (
        Claim(
            "hard contact is stable at the document's limit of 0.06 s",
            hard >= PUBLISHED["DVI"],
            f"{hard} s",
            place="004, section 5.3.2",
        ),
        Claim(f"hard contact is stable at {LEAST} s", hard >= LEAST, f"{hard} s"),
        Claim(
            f"penalty needs steps at least {RATIO:g} times smaller",
            RATIO * soft <= hard,
            f"{hard} s / {soft or f'less than {LADDERS[PENALTY][-1]}'} s",
            place="004, section 5.3.2 (0.06 s against 0.005 s)",
        ),
        Claim(f"at most {MOST} iterations per step of {ITERATED} s, median", median <= MOST, f"{median:g}"),
    )
    settings: dict[str, Cell] = {
        "mesh": " x ".join(map(str, cells)), "beam [m]": " x ".join(map(str, SIZE)), "duration [s]": DURATION,
        "penalty stiffness [N/m]": STIFFNESS,
    }  # fmt: skip
    return Findings((limits, _table(fine, runs)), claims, (_figure(fine, runs, at),), settings)


def _table(fine: Bent, runs: list[Bent]) -> Table:
    columns = ("contact", "h [s]", "iterations, median", "steps not solved", "smallest volume [-]",
               "largest energy / fine", "off the fine run [mm]", "stable")  # fmt: skip
    rows = tuple(
        (
            one.method, one.h, float(np.median(one.iterations)) if len(one.steps) else None, one.unsolved,
            round(one.volume, 3), f"{one.energy / fine.energy:.3g}", f"{1e3 * one.off(fine):.3g}",
            "yes" if one.stable(fine) else "no",
        )
        for one in (fine, *runs)
    )  # fmt: skip
    return Table(
        "The runs", columns, rows, "A run ends early when an element turns inside out or too many steps are not solved."
    )


def _figure(fine: Bent, runs: list[Bent], at: Bent) -> Figure:
    """The lower edge of the beam at the end, and the convergence of a step."""
    last = {(one.method, one.stable(fine)): one for one in runs}
    shown = [("DVI, h = 0.01 s", fine)]
    for (method, stable), one in last.items():
        if stable or one.method != "DVI":
            shown.append((f"{method}, h = {one.h} s" + ("" if stable else ", not stable"), one))
    residuals = at.residuals()
    panels = (
        Panel("lower edge of the beam at the end", "x [m]", "z [m]", [_edge(name, one) for name, one in shown]),
        Panel(f"convergence, h = {ITERATED} s", "iteration", "error [-]",
              [Line("the longest step", np.arange(len(residuals)), residuals)], log_y=True),
    )  # fmt: skip
    return Figure("Left: where the beam ends. Right: the interior point in the step that took it longest.", panels)


def _edge(name: str, one: Bent) -> Line:
    return Line(name, one.shape[one.edge, 0], one.shape[one.edge, 2])


STUDY = Study(
    "bending",
    "Three-point bending, hard against penalty contact",
    "Mangoni 2018, section 5.3.2, table 5.4, figures 5.3 and 5.4",
    "largest stable steps, their ratio",
    "the curve of figure 5.4: its measure of the error is another one, and it is printed without numbers",
    (
        f"a beam of {SIZE[0]} x {SIZE[1]} x {SIZE[2]} m: the document prints the number of bricks alone",
        "friction 0.3; the third cylinder stops after 0.3 m; no damping",
        f"penalty: linear springs of {STIFFNESS:g} N/m and a tenth of critical damping per contact, implicit Euler, "
        "Newton's method with exact derivatives, at most 30 iterations",
        "what counts as stable was settled with runs at hand, and the limits depend on it: hard contact at 0.15 s "
        "fails by its energy alone, on its way; penalty may leave half of its steps unsolved. Were it a tenth, "
        "0.005 s would still count as stable on the full mesh, and nothing down to 0.001 s on 20 x 4 x 2 bricks",
    ),
    run,
)
