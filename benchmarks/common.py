"""What the benchmarks share: cold copies of a problem, fair timing, where the FCLIB problems are."""

from __future__ import annotations

import gc
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy

import signorini as sg
from signorini.solvers.base import Solver
from signorini.solvers.cone_newton import condensed_system, saddle_system

ROOT = Path(__file__).resolve().parent.parent


def cold(problem: sg.ContactProblem) -> sg.ContactProblem:
    """A copy without the derived quantities that an earlier solve left behind, analyses of its pattern included."""
    condensed_system.PATTERNS.clear()
    saddle_system.PATTERNS.clear()
    p = problem
    return sg.ContactProblem(p.H, p.c, p.C, p.b_gamma, p.D, p.b_lambda, p.cones, p.E, p.name, p.skew)


def race(problem: sg.ContactProblem, solvers: dict[str, Solver], repeat: int) -> dict[str, tuple[sg.Solution, float]]:
    """Solution and median seconds of each solver; runs alternate, so that a busy moment hits all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    solutions: dict[str, sg.Solution] = {}
    for _ in range(repeat):
        for name, solver in solvers.items():
            fresh = cold(problem)
            gc.collect()
            start = time.perf_counter()
            solutions[name] = solver.solve(fresh)
            seconds[name].append(time.perf_counter() - start)
    return {name: (solutions[name], median(seconds[name])) for name in solvers}


def fclib_directory() -> Path:
    """`SIGNORINI_FCLIB`, or ../shared/fclib beside the repository."""
    directory = Path(os.environ.get("SIGNORINI_FCLIB", ROOT.parent / "shared" / "fclib"))
    if not directory.is_dir():
        sys.exit("the FCLIB problems are absent: put them in ../shared/fclib or set SIGNORINI_FCLIB")
    return directory


def environment() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "signorini": sg.__version__,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def print_rows(rows: Sequence[dict[str, Any]], formats: dict[str, Callable[[Any], str]]) -> None:
    """A plain table of the columns in `formats`."""
    lines = [list(formats)] + [[formats[key](row[key]) for key in formats] for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(formats))]
    for line in lines:
        print(
            "  ".join(
                cell.rjust(width) if k else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
        )


def write_json(path: str, document: dict[str, Any]) -> None:
    """Write `document` to `path`, or to standard output for `-`."""
    text = json.dumps({"environment": environment(), **document}, indent=1, default=float)
    if path == "-":
        print(text)
    else:
        Path(path).write_text(text + "\n")
