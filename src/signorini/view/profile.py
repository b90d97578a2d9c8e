"""The performance profile as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from signorini.math.sparse import Array
from signorini.view.style import DASHES, colour_of, legend_below, picture

LEAST_FACTOR, MOST_FACTOR = 10.0, 10000.0
"""How far the axis of factors reaches at least and at most."""


def draw_profile(ratios: Mapping[str, Array], path: Path, title: str) -> None:
    """Draw the share of problems solved within a factor of the best time.

    Parameters
    ----------
    ratios
        Solver -> time over the best time on each problem, infinite where it failed.
    """
    finite = {solver: np.sort(r[np.isfinite(r)]) for solver, r in ratios.items()}
    slowest = max([f.max(initial=1.0) for f in finite.values()], default=1.0)
    reach = min(max(1.3 * slowest, LEAST_FACTOR), MOST_FACTOR)
    with picture(path, 1, (7.2, 4.8)) as (figure, axes):
        axis = axes[0]
        for k, (solver, steps) in enumerate(finite.items()):
            count = max(len(ratios[solver]), 1)
            x = np.concatenate([[1.0], steps, [max(reach, slowest)]])
            y = 100.0 * np.concatenate([[0.0], np.arange(1, len(steps) + 1), [len(steps)]]) / count
            dashes = DASHES[k // 3 % len(DASHES)]
            axis.plot(x, y, drawstyle="steps-post", color=colour_of(solver), linestyle=dashes, label=solver)
        axis.set_xscale("log")
        axis.set_xlim(1.0, reach)
        axis.set_ylim(-1.0, 101.0)
        axis.set_xlabel("factor of the best time on the same problem")
        axis.set_ylabel("problems solved within that factor [%]")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        figure.suptitle(title, fontsize=11)
        legend_below(figure, axis, len(finite))
