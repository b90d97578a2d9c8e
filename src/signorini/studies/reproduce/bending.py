"""Three-point bending: the largest step of hard contact against that of penalty contact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.scenes.three_point_bending import SIZE
from signorini.studies.reproduce.bending_runs import (
    DVI,
    ENERGY,
    FINE,
    HOPELESS,
    NEAR,
    PENALTY,
    STIFFER,
    STIFFNESS,
    Bent,
    Case,
    Cells,
    bend,
)
from signorini.studies.reproduce.pictures import picture, residual_lines
from signorini.studies.reproduce.study import Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

PUBLISHED = {DVI: 0.06, PENALTY: 0.005}
"""Largest stable step [s], [Mangoni2018, 5.3.2]; with penalty steps had to be shorter than that."""
UP, DOWN = (0.06, 0.1, 0.15, 0.2, 0.3), (0.03, 0.02, 0.01, 0.005, 0.0025)
"""Steps to try [s], by either law: upwards until a run is not stable; if already the first is not, downwards until one
is."""
CASES = {
    "full": tuple(Case(friction, travel) for friction in (0.0, 0.3) for travel in (0.1, 0.2, 0.3)),
    "quick": (Case(0.0, 0.1), Case(0.3, 0.1)),
    "tiny": (Case(0.3, 0.1),),
}
ITERATED = 0.05
"""The document's step for the convergence of the interior point [s]."""
MOST = 20
"""Iterations, median, at that step."""


@dataclass(eq=False)
class Sweep:
    """All runs of one case."""

    case: Case
    fine: Bent
    at: Bent
    """At the document's step."""
    runs: list[Bent]
    largest: dict[str, float | None]
    """Stable step of each law [s]; None where none was."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Longer and longer steps, until the beam is not where it should be."""
    cells: Cells = {"full": (26, 12, 3), "quick": (13, 2, 2), "tiny": (13, 2, 2)}[scale.name]
    sweeps = [_sweep(case, cells, tell) for case in CASES[scale.name]]
    stiffer = {} if scale.name == "tiny" else _stiffer(sweeps[0], cells, tell)
    return _findings(cells, sweeps, stiffer)


def _stiffer(sweep: Sweep, cells: Cells, tell: Tell) -> dict[str, float | None]:
    """The largest stable steps of stiffer penalty contacts [s], from that of the softer one down; where the softer one
    has none, stiffer ones are not tried and not in the answer."""
    found: dict[str, float | None] = {}
    longest = sweep.largest[PENALTY]
    for name in STIFFER:
        if longest is None:
            break
        steps = sorted((h for h in (*UP, *DOWN) if h <= longest), reverse=True)
        longest = found[name] = _first_stable(sweep, name, steps, cells, tell)
    return found


def _first_stable(sweep: Sweep, method: str, steps: Sequence[float], cells: Cells, tell: Tell) -> float | None:
    """The first of falling steps that is stable [s]; None where none is."""
    return next((h for h in steps if _tried(sweep, method, h, cells, tell).stable(sweep.fine)), None)


def _tried(sweep: Sweep, method: str, h: float, cells: Cells, tell: Tell) -> Bent:
    """One run, which the sweep keeps."""
    tell(f"{sweep.case}: {method}, h = {h} s")
    sweep.runs.append(bend(method, h, cells, sweep.case, HOPELESS * sweep.fine.energy))
    return sweep.runs[-1]


def _sweep(case: Case, cells: Cells, tell: Tell) -> Sweep:
    tell(f"{case}: hard contact, h = {FINE} s")
    fine = bend(DVI, FINE, cells, case)
    sweep = Sweep(case, fine, bend(DVI, ITERATED, cells, case), [], {})
    for method in PUBLISHED:
        sweep.largest[method] = _largest(sweep, method, cells, tell)
    return sweep


def _largest(sweep: Sweep, method: str, cells: Cells, tell: Tell) -> float | None:
    """The largest stable step [s]."""
    largest = None
    for h in UP:
        if not _tried(sweep, method, h, cells, tell).stable(sweep.fine):
            break
        largest = h
    return _first_stable(sweep, method, DOWN, cells, tell) if largest is None else largest


def _findings(cells: Cells, sweeps: list[Sweep], stiffer: dict[str, float | None]) -> Findings:
    median = max(float(np.median(sweep.at.iterations)) for sweep in sweeps)
    hard, soft = ([sweep.largest[method] or 0.0 for sweep in sweeps] for method in PUBLISHED)
    limits = Table(
        "Largest stable step [s]",
        ("friction", "travel [m]", *(f"{kind}{method}" for method in PUBLISHED for kind in ("published ", ""))),
        tuple(
            (s.case.friction, s.case.travel, *(x for m in PUBLISHED for x in (PUBLISHED[m], s.largest[m])))
            for s in sweeps
        ),
        "Stable, by either law: no element inverted, every step solved as one step, "
        f"energy at most {ENERGY:g} times and nodes at the end within {1e3 * NEAR:g} mm of "
        f"those of hard contact with h = {FINE} s. Steps tried: {', '.join(map(str, UP))} s upwards, else "
        f"{', '.join(map(str, DOWN))} s. The document is frictionless, says what it tried, not what failed, and not "
        "how far the punch went.",
    )
    claims = (
        Claim(
            "hard contact is stable at the document's limit of 0.06 s, in every case",
            min(hard) >= PUBLISHED["DVI"],
            ", ".join(f"{s.case}: {_told(s.largest['DVI'])}" for s in sweeps),
            place="004, section 5.3.2",
        ),
        Claim(
            "penalty needs steps shorter than 0.005 s, in every case",
            max(soft) < PUBLISHED[PENALTY],
            ", ".join(f"{s.case}: {_told(s.largest[PENALTY])}" for s in sweeps),
            place="004, section 5.3.2",
            disagreement=_gentler(sweeps, stiffer),
        ),
        Claim(f"at most {MOST} iterations per step of {ITERATED} s, median", median <= MOST, f"{median:g}"),
    )
    settings: dict[str, Cell] = {
        "mesh": " x ".join(map(str, cells)), "beam [m]": " x ".join(map(str, SIZE)),
        "penalty stiffness [N/m]": STIFFNESS,
    }  # fmt: skip
    tables = tuple(_table(sweep) for sweep in sweeps)
    of_stiffness = Table(
        f"Largest stable step against the penalty stiffness, {sweeps[0].case}",
        ("stiffness [N/m]", "[s]"),
        (
            (STIFFNESS, sweeps[0].largest[PENALTY]),
            *((k, stiffer.get(name, "not tried")) for name, k in STIFFER.items()),
        ),
        "The document does not tell its stiffness. Tried from the largest stable step of the softer contact down, if "
        "that has one.",
    )
    return Findings((limits, *tables, of_stiffness), claims, tuple(_figure(sweep) for sweep in sweeps), settings)


def _gentler(sweeps: list[Sweep], stiffer: dict[str, float | None]) -> str:
    """What is measured where penalty allows longer steps than published; empty where it allows longer ones than hard
    contact, which would turn the document's conclusion round."""
    over = [sweep for sweep in sweeps if (sweep.largest[PENALTY] or 0.0) >= PUBLISHED[PENALTY]]
    if any((sweep.largest[PENALTY] or 0.0) >= (sweep.largest[DVI] or 0.0) for sweep in over):
        return ""
    limits = ", ".join(f"{_told(h)} with {STIFFER[name]:g} N/m" for name, h in stiffer.items())
    reached = ", ".join(_told(sweep.largest[PENALTY]) for sweep in over)
    return (
        f"with {STIFFNESS:g} N/m steps of {reached} are stable on this mesh{f', {limits}' if limits else ''}; in every "
        "case hard contact allows longer ones. The document tells neither its stiffness nor what made a run unstable"
    )


def _told(step: float | None) -> str:
    return f"none down to {DOWN[-1]} s" if step is None else f"{step} s"


def _table(sweep: Sweep) -> Table:
    fine = sweep.fine
    columns = ("contact", "h [s]", "iterations, median", "steps not solved", "smallest volume [-]",
               "largest energy / fine", "off the fine run [mm]", "stable")  # fmt: skip
    rows = tuple(
        (
            one.method, one.h, float(np.median(one.iterations)) if one.iterations else None, one.unsolved,
            round(one.volume, 3), f"{one.energy / fine.energy:.3g}", f"{1e3 * one.off(fine):.3g}",
            "yes" if one.stable(fine) else "no",
        )
        for one in (fine, sweep.at, *sweep.runs)
    )  # fmt: skip
    note = (
        "A run ends early when an element turns inside out, a step is not solved, or energy grows. "
        "Penalty runs that fail end so: Newton's method, line search included, does not solve some step."
    )
    return Table(f"The runs, {sweep.case}", columns, rows, note)


def _figure(sweep: Sweep) -> Figure:
    """The beam, its lower edge at the end, and the convergence of a step."""
    fine = sweep.fine
    last = {(one.method, one.stable(fine)): one for one in sweep.runs}
    shown = [(f"DVI, h = {FINE} s", fine)]
    shown += [(f"{method}, h = {one.h} s", one) for (method, stable), one in last.items() if stable]
    panels = (
        picture(f"DVI, h = {FINE} s", fine.model, fine.state, camera="front"),
        Panel("lower edge of the beam at the end", "x [m]", "z [m]", [_edge(name, one) for name, one in shown]),
        Panel(f"convergence of the longest step, h = {ITERATED} s", "iteration", "residual [-]",
              residual_lines(sweep.at.longest()), log_y=True),
    )  # fmt: skip
    return Figure(
        f"{sweep.case}: the beam at the end; where others end; the documents' recipe in the longest step.", panels
    )


def _edge(name: str, one: Bent) -> Line:
    return Line(name, one.shape[one.edge, 0], one.shape[one.edge, 2])


STUDY = Study(
    "bending",
    "Three-point bending, hard against penalty contact",
    "Mangoni 2018, section 5.3.2, table 5.4, figures 5.3 and 5.4",
    "largest stable steps, their ratio",
    "the curves of figure 5.4: they are printed without numbers",
    (
        f"a beam of {SIZE[0]} x {SIZE[1]} x {SIZE[2]} m: the document prints the number of bricks alone",
        "friction 0 as in the document, where a guide keeps the middle of the beam in place, and 0.3; the punch "
        "stops after 0.1, 0.2 or 0.3 m; no damping",
        f"penalty: linear springs of {STIFFNESS:g} N/m and a tenth of critical damping per contact, implicit Euler, "
        "Newton's method with exact derivatives, at most 30 iterations, then as many with a line search",
        "one definition of stability for both laws; hard contact fails it at large steps by its energy on the way",
    ),
    run,
)
