"""The interior point, one default setting, on all problems of the FCLIB collection.

    python benchmarks/fclib_sweep.py [--repeat 5] [--no-rival] [--json FILE]

Bars: scaled error 1e-6 on all files, 1e-8 on 90 % (files marked text6digit in problems.csv excepted), at most 30
iterations; from 100 contacts on at most half of Clarabel's median time at no worse a certificate; below 30 contacts
under 3 ms.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import cold, fclib_directory, print_rows, race, write_json

LARGE, SMALL = 100, 30


def rough_files(directory: Path) -> set[str]:
    """Files that were printed with 6 digits: no error below 1e-7 can be asked of them."""
    with (directory / "problems.csv").open() as stream:
        return {row["file"] for row in csv.DictReader(stream) if row["text6digit"] == "1"}


def measure_file(path: Path, rough: bool, repeat: int, rival: bool) -> dict[str, Any]:
    """Our answer, and Clarabel's where the problem is large enough for a race."""
    problem = sg.load_problem(path)
    solvers: dict[str, Any] = {"ours": sg.InteriorPoint()}
    if rival and problem.contacts >= LARGE:
        solvers["clarabel"] = sg.solvers.Clarabel(gap=1e-12)
    solvers["ours"].solve(cold(problem))
    found = race(problem, solvers, repeat)
    ours, seconds = found["ours"]
    row = {
        "file": path.name, "contacts": problem.contacts, "rough": rough, "status": ours.status.name,
        "iterations": ours.iterations, "error": ours.certificate.scaled, "coulomb": ours.certificate.coulomb.scaled,
        "ms": 1e3 * seconds, "clarabel_ms": np.nan, "clarabel_error": np.nan, "ratio": np.nan,
    }  # fmt: skip
    if "clarabel" in found:
        theirs, clarabel_seconds = found["clarabel"]
        row |= {
            "clarabel_ms": 1e3 * clarabel_seconds,
            "clarabel_error": theirs.certificate.scaled,
            "ratio": seconds / clarabel_seconds,
        }
    return row


def share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / len(values) if values else float("nan")


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars."""
    fine = [row for row in rows if not row["rough"]]
    small = [row["ms"] for row in rows if row["contacts"] < SMALL]
    ratios = [row["ratio"] for row in rows if np.isfinite(row["ratio"])]
    no_worse = [row["error"] <= max(row["clarabel_error"], 1e-8) for row in rows if np.isfinite(row["ratio"])]
    return {
        "files": len(rows),
        "share_1e-6": share(row["error"] <= 1e-6 for row in rows),
        "share_1e-8_without_text6digit": share(row["error"] <= 1e-8 for row in fine),
        "share_solved": share(row["status"] == "SOLVED" for row in rows),
        "iterations_max": max(row["iterations"] for row in rows),
        "iterations_median": median(row["iterations"] for row in rows),
        "median_ratio_to_clarabel_100_contacts": median(ratios) if ratios else None,
        "share_no_worse_than_clarabel_or_1e-8": share(no_worse) if no_worse else None,
        "ms_below_30_contacts_median": median(small) if small else None,
        "ms_below_30_contacts_max": max(small, default=None),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--no-rival", action="store_true", help="leave Clarabel out")
    parser.add_argument("--match", default="", help="only files whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="write the numbers, - for standard output")
    options = parser.parse_args()
    directory = fclib_directory()
    rough = rough_files(directory)
    files = [path for path in sorted(directory.glob("*.hdf5")) if options.match in path.name]
    rows = [measure_file(path, path.name in rough, options.repeat, not options.no_rival) for path in files]
    totals = summary(rows)
    if options.json != "-":
        scientific, plain = "{:.1e}".format, "{:.2f}".format
        print_rows(
            rows,
            {
                "file": str, "contacts": str, "status": str, "iterations": str, "error": scientific, "ms": plain,
                "clarabel_ms": plain, "clarabel_error": scientific, "ratio": plain,
            },
        )  # fmt: skip
        for key, value in totals.items():
            print(f"{key}: {value:.4g}" if isinstance(value, float) else f"{key}: {value}")
    if options.json:
        write_json(options.json, {"summary": totals, "files": rows})


if __name__ == "__main__":
    main()
