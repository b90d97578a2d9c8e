"""Figures of studies: a few named lines over one or two axes, as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.view.style import COLOURS, DASHES

FEW_LINES = 5
"""With more of them the legend stands below the panel: there is no free place inside."""
MANY_POINTS = 40
"""Curves of fewer points show each of them."""


@dataclass(frozen=True, eq=False)
class Line:
    """One curve."""

    label: str
    x: NDArray[Any]
    y: NDArray[Any]
    published: bool = False
    """Drawn as grey points: figures of the document."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True, eq=False)
class Picture:
    """An image in the place of a panel."""

    title: str
    image: NDArray[Any]
    """Shape (height, width, 3)."""


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels side by side."""

    caption: str
    panels: Sequence[Panel | Picture]


def as_png(figure: Figure) -> bytes:
    """The picture."""
    from matplotlib.figure import Figure as Canvas

    count = len(figure.panels)
    canvas = Canvas(figsize=(5.6 * count, 4.4), layout="constrained")
    axes = canvas.subplots(1, count, squeeze=False)[0]
    for axis, panel in zip(axes, figure.panels, strict=True):
        _draw(axis, panel)
    out = BytesIO()
    canvas.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _draw(axis: object, panel: Panel | Picture) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axis, Axes)
    if isinstance(panel, Picture):
        axis.imshow(panel.image, interpolation="none")
        axis.set_axis_off()
        axis.set_title(panel.title, fontsize=11)
        return
    number = 0
    for line in panel.lines:
        x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
        if line.published:
            axis.plot(x, y, "o", color="0.45", markersize=6, label=line.label, zorder=3)
            continue
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        marker = "." if len(x) < MANY_POINTS else ""
        axis.plot(x, y, label=line.label, marker=marker, linewidth=1.6, color=colour, linestyle=dash)
        number += 1
    if panel.log_x:
        axis.set_xscale("log")
    if panel.log_y:
        axis.set_yscale("log")
    axis.set_title(panel.title, fontsize=11)
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    axis.grid(True, color="0.9", linewidth=0.8)
    if len(panel.lines) > FEW_LINES:
        axis.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    elif len(panel.lines) > 1:
        axis.legend(fontsize=8, frameon=False)
