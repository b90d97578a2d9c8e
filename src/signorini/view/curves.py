"""Panels of curves: one look for the pictures of laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from signorini.math.sparse import Array
from signorini.view.style import COLOURS, GREY, picture

WIDTH, HEIGHT = 3.3, 2.7
"""Of a panel [in]."""
LETTERS = 34
"""That fit into a line of a title."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points that are joined, or, `known`, the answer that they should give, drawn thin and dashed."""

    x: Array
    y: Array
    label: str = ""
    known: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves on one pair of axes."""

    title: str
    x: str
    """Label of the axis, with its unit."""
    y: str
    curves: Sequence[Curve]
    equal: bool = False
    """Whether a unit is as long in x as in y."""


def draw_panels(panels: Sequence[Panel], path: Path, columns: int = 3) -> None:
    """Draw panels in rows of `columns`."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with picture(path, 1, (WIDTH * columns, HEIGHT * rows)) as (figure, axes):
        axes[0].remove()
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, panel in zip(grid, panels, strict=False):
            _draw(axis, panel)
        for axis in grid[len(panels) :]:
            axis.remove()


def _draw(axis: Any, panel: Panel) -> None:
    measured = 0
    for curve in panel.curves:
        if curve.known:
            axis.plot(curve.x, curve.y, color=GREY, linewidth=1.0, linestyle=(0, (3, 2)), label=curve.label, zorder=3)
            continue
        axis.plot(curve.x, curve.y, color=COLOURS[measured % len(COLOURS)], label=curve.label)
        measured += 1
    axis.set_title(fill(panel.title, LETTERS), fontsize=10, loc="left")
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    if panel.equal:
        axis.set_aspect("equal", adjustable="datalim")
    if any(curve.label for curve in panel.curves):
        axis.legend(fontsize=8)
