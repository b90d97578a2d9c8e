"""Residual against iteration and against time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.solution import History
from signorini.view.style import COLOURS, DASHES, GREY, colour_of, legend_below, picture, seconds_axis, spans_decades

MOST_LINES = 8
"""More curves than this are drawn as one median per solver."""
MOST_BANDS = 3
"""With more solvers than this, the spread around the medians would only hide them."""
SMALLEST = 1e-17
"""Where a residual of exactly zero is drawn."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The course of one solve."""

    problem: str
    solver: str
    history: History


def draw_convergence(curves: Sequence[Curve], path: Path, tolerance: float) -> None:
    """Draw `curves` in two panels: one line per solve, or one median per solver when there are many."""
    drawn = [c for c in curves if len(c.history.residual)]
    problems = list(dict.fromkeys(c.problem for c in drawn))
    with picture(path, 2, (10.0, 4.6)) as (figure, axes):
        many = len(drawn) > MOST_LINES
        draw = _draw_medians if many else _draw_lines
        entries = draw(axes, drawn)
        figure.suptitle(_title(problems, drawn, many), fontsize=11)
        seconds_axis(axes[1])
        for axis, label in zip(axes, ("iteration", "time"), strict=True):
            axis.set_xlabel(label)
            axis.set_yscale("log")
            axis.axhline(tolerance, color=GREY, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)
            _label_tolerance(axis, tolerance)
        axes[0].set_ylabel("residual, as the solver sees it [-]")
        if entries > 1 or many:
            legend_below(figure, axes[0], entries)


def _title(problems: list[str], curves: Sequence[Curve], many: bool) -> str:
    solvers = list(dict.fromkeys(c.solver for c in curves))
    if not curves:
        return "nothing was solved"
    if many and len(problems) > 1:
        spread = ", and the middle half of them shaded" if len(solvers) <= MOST_BANDS else ""
        return f"best residual so far, median of {len(problems)} problems{spread}"
    if len(problems) == 1:
        return problems[0] if len(solvers) > 1 else f"{problems[0]}, {solvers[0]}"
    return solvers[0] if len(solvers) == 1 else "residual of each solve"


def _label_tolerance(axis: Any, tolerance: float) -> None:
    axis.annotate(
        "tolerance",
        (0.0, tolerance),
        xycoords=("axes fraction", "data"),
        xytext=(4, 3),
        textcoords="offset points",
        color=GREY,
        fontsize=8.5,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
    )


def _draw_lines(axes: Any, curves: Sequence[Curve]) -> int:
    problems = list(dict.fromkeys(c.problem for c in curves))
    solvers = list(dict.fromkeys(c.solver for c in curves))
    for axis, pick in ((axes[0], _iterations), (axes[1], _seconds)):
        logarithmic = spans_decades([float(pick(c.history)[-1]) for c in curves])
        axis.set_xscale("log" if logarithmic else "linear")
        for curve in curves:
            x, y = _points(curve.history, pick(curve.history), logarithmic)
            which = problems.index(curve.problem)
            one_solver = len(solvers) == 1
            axis.plot(
                x,
                y,
                color=COLOURS[which % len(COLOURS)] if one_solver else colour_of(curve.solver),
                linestyle="-" if one_solver else DASHES[which % len(DASHES)],
                marker="o" if len(problems) == 1 or one_solver else "",
                markersize=3.2,
                markevery=_markers(len(x)),
                label=_label(curve, len(problems), len(solvers)),
            )
    return len(curves)


def _label(curve: Curve, problems: int, solvers: int) -> str:
    if problems == 1:
        return curve.solver
    return curve.problem if solvers == 1 else f"{curve.problem}, {curve.solver}"


def _markers(points: int) -> Any:
    """All points of a short curve, only the last of a long one."""
    return None if points <= 40 else [points - 1]


def _points(history: History, x: Array, logarithmic: bool) -> tuple[Array, Array]:
    y = np.maximum(np.where(np.isfinite(history.residual), history.residual, np.nan), SMALLEST)
    keep = x > 0 if logarithmic else np.ones(len(x), dtype=bool)
    return x[keep], y[keep]


def _draw_medians(axes: Any, curves: Sequence[Curve]) -> int:
    solvers = list(dict.fromkeys(c.solver for c in curves))
    for axis, pick in ((axes[0], _iterations), (axes[1], _seconds)):
        ends = [float(pick(c.history)[-1]) for c in curves]
        starts = [float(x[x > 0][0]) for c in curves if np.any((x := pick(c.history)) > 0)]
        logarithmic = spans_decades([*starts, *ends])
        axis.set_xscale("log" if logarithmic else "linear")
        for solver in solvers:
            mine = [c.history for c in curves if c.solver == solver]
            grid = _grid([pick(h) for h in mine], logarithmic)
            best = np.array([_best_so_far(pick(h), h.residual, grid) for h in mine])
            low, middle, high = np.percentile(best, [25, 50, 75], axis=0, method="nearest")
            colour = colour_of(solver)
            if len(solvers) <= MOST_BANDS:
                axis.fill_between(grid, low, high, color=colour, alpha=0.14, linewidth=0)
            axis.plot(grid, middle, color=colour, label=solver)
    return len(solvers)


def _grid(axes: Sequence[Array], logarithmic: bool) -> Array:
    """Where to compare the solves of one solver: from the earliest record to the latest."""
    everything = np.concatenate(axes)
    last = float(everything.max(initial=1e-9))
    if not logarithmic:
        return np.linspace(0.0, last, 200)
    first = float(everything[everything > 0].min(initial=last))
    return np.geomspace(first, last, 200) if last > first else np.array([first])


def _best_so_far(x: Array, residual: Array, grid: Array) -> Array:
    """The best residual recorded up to each point of `grid`; the first one before anything was recorded."""
    finite = np.where(np.isfinite(residual), residual, np.inf)
    best = np.maximum(np.minimum.accumulate(finite), SMALLEST)
    best = np.where(np.isfinite(best), best, 1.0)
    return np.asarray(best[np.maximum(np.searchsorted(x, grid, side="right") - 1, 0)])


def _iterations(history: History) -> Array:
    return history.iteration


def _seconds(history: History) -> Array:
    return history.seconds
