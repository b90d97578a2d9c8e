"""Curves of the channels of a run over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import ModelError
from signorini.simulation.channels import Channel
from signorini.view.curves import Curve, Panel, draw_panels

MOST_PANELS, MOST_CURVES = 24, 12


def draw_channels(times: Array, channels: Sequence[Channel], path: str | Path) -> None:
    """One panel for each quantity and part; parts with one number each share the panel of their quantity."""
    groups: dict[str, list[Channel]] = {}
    for channel in channels:
        groups.setdefault(channel.name if channel.columns else channel.quantity, []).append(channel)
    if len(groups) > MOST_PANELS:
        raise ModelError(f"{len(groups)} panels are too many, {MOST_PANELS} fit: name quantities, --body or --joint")
    panels = [_panel(name, group, times) for name, group in groups.items()]
    draw_panels(panels, Path(path), columns=min(3, max(1, round(len(panels) ** 0.5))))


def _panel(name: str, group: list[Channel], times: Array) -> Panel:
    curves = []
    for channel in group[:MOST_CURVES]:
        for label, values in channel.series().items():
            parts = label.split("/")
            word = parts[-1] if channel.columns else (parts[1] if len(parts) > 1 else "")
            curves.append(Curve(times, np.asarray(values, dtype=np.float64), word if len(group) > 1 or word else ""))
    title = name.replace("_", " ").replace("/", " ")
    if len(group) > MOST_CURVES:
        title += f" ({MOST_CURVES} of {len(group)})"
    unit = group[0].unit
    return Panel(title, "time [s]", f"{group[0].quantity.replace('_', ' ')} [{unit or '-'}]", curves)
