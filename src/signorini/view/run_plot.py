"""How a run went: residual, contacts, iterations and penetration over simulated time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.simulation.run import Run
from signorini.view.style import COLOURS, GREY, picture

SMALLEST = 1e-17
"""Where a residual of exactly zero is drawn."""


def draw_run(run: Run, path: str | Path, title: str = "") -> None:
    """Draw four panels over time: residual and tolerance, iterations, contacts, penetration."""
    rows = run.diagnostics
    time = np.asarray(rows["time"])
    with picture(Path(path), 1, (9.6, 6.2)) as (figure, axes):
        axes[0].remove()
        panels = figure.subplots(2, 2, sharex=True).ravel()
        _residual(panels[0], time, rows["residual"], run.settings["solver"])
        _curve(panels[1], time, rows["iterations"], "iterations", COLOURS[0])
        _curve(panels[2], time, rows["contacts"], "contacts", COLOURS[2])
        _penetration(panels[3], time, rows["penetration"], run.settings.get("smallest_radius"))
        for panel in panels[2:]:
            panel.set_xlabel("simulated time [s]")
        solver = run.settings["solver"]["name"]
        figure.suptitle(f"{title}, {solver}, step {1e3 * run.settings['step']:g} ms".lstrip(", "), fontsize=11)


def _residual(axis: Any, time: Array, residual: Array, solver: dict[str, Any]) -> None:
    axis.plot(time, np.maximum(residual, SMALLEST), color=COLOURS[1], linewidth=1.2)
    axis.set_yscale("log")
    axis.set_title("residual, by the certificate [-]", fontsize=10, loc="left")
    tolerance = solver.get("tolerance") or solver.get("settings", {}).get("tolerance")
    if tolerance:
        axis.axhline(tolerance, color=GREY, linewidth=1.0, linestyle=(0, (2, 2)))
        axis.annotate(
            "tolerance",
            (1.0, tolerance),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 3),
            textcoords="offset points",
            ha="right",
            color=GREY,
            fontsize=8.5,
        )


def _curve(axis: Any, time: Array, values: Array, name: str, colour: str) -> None:
    axis.plot(time, values, color=colour, linewidth=1.2)
    axis.set_title(f"{name} per step", fontsize=10, loc="left")
    axis.set_ylim(bottom=0)


def _penetration(axis: Any, time: Array, depth: Array, radius: float | None) -> None:
    """Relative to the smallest body where there is one; a logarithmic axis shows nothing at all as well as a little."""
    values, unit = (1e2 * depth / radius, "% of the smallest radius") if radius else (1e3 * depth, "mm")
    axis.plot(time, np.maximum(values, 1e-14), color=COLOURS[3], linewidth=1.2)
    axis.set_yscale("log")
    axis.set_title(f"deepest penetration [{unit}]", fontsize=10, loc="left")
