"""Force over distance of contacts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from signorini.math.sparse import Array
from signorini.view.curves import Curve, Panel, draw_panels


def draw_force_distance(cycles: Mapping[str, tuple[Array, Array]], path: Path, columns: int = 3) -> None:
    """Draw one panel per law, from its name, distances [m] and forces [N] (positive where the contact pushes)."""
    panels = [
        Panel(name, "distance [mm]", "force [N]", [Curve(1e3 * distance, force)])
        for name, (distance, force) in cycles.items()
    ]
    draw_panels(panels, path, columns)
