"""Pictures of sweeps: lines over one parameter, maps over two, parallel coordinates over more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.view.style import COLOURS, GREY, RC, check_picture_path

MOST_PANELS = 6
"""Measures that are drawn; more would be too small to read."""
PANEL = (4.2, 3.2)
"""Size of one panel [inches]."""
MOST_LINES = 2000
"""Runs that are drawn as lines of parallel coordinates."""
Columns = Mapping[str, NDArray[Any]]


def draw_sweep(
    columns: Columns, parameters: Sequence[str], measures: Sequence[str], path: Path, title: str = ""
) -> None:
    """Draw measures over the parameters that vary, chosen by how many do."""
    check_picture_path(path)
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    varying = [name for name in parameters if len(np.unique(columns[name])) > 1]
    shown = _shown(columns, measures)
    with mpl.rc_context(RC):
        if len(varying) <= 1 or _is_grid(columns, varying):
            across = 2 if len(shown) in (2, 4) else max(min(len(shown), 3), 1)
            down = max(-(-len(shown) // across), 1)
            figure = Figure(figsize=(PANEL[0] * across, PANEL[1] * down), layout="constrained")
            axes = figure.subplots(down, across, squeeze=False).ravel()
            for axis, measure in zip(axes, shown, strict=False):
                (_draw_lines if len(varying) <= 1 else _draw_map)(axis, columns, varying, measure)
            for axis in axes[len(shown) :]:
                axis.set_axis_off()
        else:
            figure = Figure(figsize=(1.6 * (len(varying) + len(shown)) + 2, 4.2), layout="constrained")
            _draw_parallel(figure, columns, varying, shown)
        figure.suptitle(title, fontsize=11)
        FigureCanvasAgg(figure)
        figure.savefig(path, dpi=150)


def _shown(columns: Columns, measures: Sequence[str]) -> list[str]:
    """Measures that are numbers; those that never change only if none does."""
    numbers = [name for name in measures if _is_number(columns[name])]
    changing = [name for name in numbers if len(np.unique(_finite(columns[name].astype(float)))) > 1]
    return (changing or numbers)[:MOST_PANELS]


def _is_number(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "fiub" and bool(np.isfinite(values.astype(float)).any())


def _is_grid(columns: Columns, varying: Sequence[str]) -> bool:
    """Whether two parameters take all combinations of their values."""
    if len(varying) != 2:
        return False
    a, b = (columns[name] for name in varying)
    pairs = {(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)}
    return len(pairs) == len(np.unique(a)) * len(np.unique(b))


def _places(values: NDArray[Any]) -> tuple[NDArray[Any], list[str] | None]:
    """Where values lie on an axis; texts are set side by side and named."""
    if values.dtype.kind in "fiu":
        return values.astype(float), None
    names = list(dict.fromkeys(values.tolist()))
    return np.array([names.index(v) for v in values.tolist()], dtype=float), [str(name) for name in names]


def _draw_lines(axis: Any, columns: Columns, varying: Sequence[str], measure: str) -> None:
    """Every run a dot, the mean of repeats a line."""
    axis.set_ylabel(measure)
    values = columns[measure].astype(float)
    name = varying[0] if varying else "run"
    places, names = _places(columns[name])
    axis.plot(places, values, "o", ms=4, color=GREY, alpha=0.5)
    unique = np.unique(places)
    if varying and np.isfinite(values).any():
        means = [np.mean(kept) if len(kept := _finite(values[places == p])) else np.nan for p in unique]
        axis.plot(unique, means, "-", color=COLOURS[0])
    if names is not None:
        axis.set_xticks(range(len(names)), names)
    elif varying and _is_logarithmic(unique):
        axis.set_xscale("log")
    axis.set_xlabel(name)


def _finite(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(values[np.isfinite(values)])


def _is_logarithmic(values: NDArray[Any]) -> bool:
    """Whether values lie more evenly in the logarithm."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return bool(np.std(np.diff(np.log(values))) * values[-1] < np.std(np.diff(values)) * np.log(values[-1] / values[0]))


def _draw_map(axis: Any, columns: Columns, varying: Sequence[str], measure: str) -> None:
    """Means over the repeats as colours; white where no run has a value."""
    (x, x_names), (y, y_names) = (_places(columns[name]) for name in varying)
    values = columns[measure].astype(float)
    xs, ys = np.unique(x), np.unique(y)
    means = np.full((len(ys), len(xs)), np.nan)
    for row, column in np.ndindex(means.shape):
        kept = _finite(values[(x == xs[column]) & (y == ys[row])])
        if len(kept):
            means[row, column] = kept.mean()
    image = axis.pcolormesh(np.arange(len(xs) + 1) - 0.5, np.arange(len(ys) + 1) - 0.5, means, cmap="viridis")
    axis.figure.colorbar(image, ax=axis, label=measure)
    axis.grid(visible=False)
    _name_ticks(axis.set_xticks, xs, x_names)
    _name_ticks(axis.set_yticks, ys, y_names)
    axis.set_xlabel(varying[0])
    axis.set_ylabel(varying[1])


def _name_ticks(put: Any, values: NDArray[Any], names: list[str] | None) -> None:
    """At most eight ticks, each with its value."""
    every = max(-(-len(values) // 8), 1)
    places = range(0, len(values), every)
    put(list(places), [names[k] if names is not None else f"{values[k]:.3g}" for k in places])


def _draw_parallel(figure: Any, columns: Columns, varying: Sequence[str], shown: Sequence[str]) -> None:
    """One upright axis per parameter and measure, one line per run, coloured by the first measure."""
    from matplotlib import colormaps

    axis, names = figure.subplots(), [*varying, *shown]
    first = min(len(varying), len(names) - 1)
    heights, ticks = [], []
    for name in names:
        places, words = _places(columns[name])
        low, high = np.nanmin(places), np.nanmax(places)
        heights.append((places - low) / ((high - low) or 1.0))
        ticks.append((words[0], words[-1]) if words is not None else (f"{low:.3g}", f"{high:.3g}"))
    lines = np.array(heights).T[:MOST_LINES]
    whole = np.isfinite(lines).all(axis=1)
    for line in lines[whole]:
        axis.plot(range(len(names)), line, lw=0.9, alpha=0.55, color=colormaps["viridis"](line[first]))
    for place, (low_text, high_text) in enumerate(ticks):
        axis.axvline(place, color=GREY, lw=0.8)
        axis.text(place, -0.03, low_text, ha="center", va="top", fontsize=8, color=GREY)
        axis.text(place, 1.03, high_text, ha="center", va="bottom", fontsize=8, color=GREY)
    axis.set_xticks(range(len(names)), names)
    axis.tick_params(axis="x", pad=14)
    axis.set_yticks([])
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    axis.set_ylim(-0.02, 1.02)
