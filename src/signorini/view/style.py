"""One look for all pictures: colours that colour-blind readers can tell apart, few lines, no boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from signorini.problem.errors import FileError
from signorini.solvers import SOLVERS

# Okabe and Ito's palette; their yellow is replaced by brown because it vanishes on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
GREY = "#666666"
LETTERS_PER_INCH, LETTERS_PER_HANDLE = 11.0, 9.0
"""Estimates of the room that a legend needs."""
PICTURE_SUFFIXES = (".png", ".pdf", ".svg")

RC: dict[Any, Any] = {
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "svg.fonttype": "none",
}


def colour_of(solver: str) -> str:
    """The colour of a solver, the same in every picture."""
    names = list(SOLVERS)
    place = names.index(solver) if solver in names else len(names) - 1
    return COLOURS[place % len(COLOURS)]


def check_picture_path(path: Path) -> None:
    """Raise before hours of work if the picture cannot be written in the end."""
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise FileError(f"{path} has the ending '{path.suffix}', expected a picture: {', '.join(PICTURE_SUFFIXES)}")
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no directory {path.parent}; make it first")
    if path.is_dir():
        raise FileError(f"{path} is a directory, expected the name of a picture to write")


@contextmanager
def picture(path: Path, columns: int, size: tuple[float, float]) -> Iterator[tuple[Any, Any]]:
    """A figure with `columns` panels side by side on one y axis, saved to `path` at the end of the block."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    check_picture_path(path)
    with mpl.rc_context(RC):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, columns, sharey=True, squeeze=False)[0]
        yield figure, axes
        try:
            figure.savefig(path, dpi=160)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {error.strerror or error}") from error


def legend_below(figure: Any, axis: Any, entries: int) -> None:
    """The legend of `axis` under the whole figure, in as many columns as fit."""
    handles, labels = axis.get_legend_handles_labels()
    longest = max((len(label) for label in labels), default=1)
    room = figure.get_figwidth() * LETTERS_PER_INCH
    columns = max(1, min(entries, int(room / (longest + LETTERS_PER_HANDLE))))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handlelength=2.6)


def seconds_axis(axis: Any) -> None:
    """Ticks of time with their unit, few enough not to touch."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    if axis.get_xscale() == "linear":
        axis.xaxis.set_major_locator(MaxNLocator(6))
    axis.xaxis.set_major_formatter(EngFormatter(unit="s"))


def spans_decades(values: Iterable[float], decades: float = 1.0) -> bool:
    """Whether positive `values` spread over so many decades that a logarithmic axis shows them better."""
    positive = [v for v in values if v > 0]
    return bool(positive) and max(positive) > min(positive) * 10**decades
