"""The exact Coulomb law, one default setting, on all problems of the FCLIB collection.

    python benchmarks/coulomb.py [--repeat 5] [--tolerance 1e-6] [--json FILE]

Bars: 85 % of the 3D problems to 1e-6 in `abh`, and every one for which `reference_coulomb.csv` has 1e-6 or better; from
30 contacts on at most 3 times the time of the convex solve (median).
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from statistics import median
from typing import Any

import signorini as sg
from common import fclib_directory, print_rows, race, write_json
from signorini.solvers.cone_newton.condensed_system import PATTERNS

LARGE = 30
LEVELS = (1e-4, 1e-6, 1e-8)


def references(directory: Path) -> dict[str, float]:
    """Best known error by the first part of the file's name, whatever its ending was."""
    with (directory / "reference_coulomb.csv").open() as stream:
        return {row["file"].split(".")[0]: float(row["best_coul_abh"]) for row in csv.DictReader(stream)}


class Cold:
    """The exact law without the analyses that an earlier solve left behind."""

    name = "coulomb"

    def __init__(self, tolerance: float) -> None:
        self._solver = sg.Coulomb(tolerance=tolerance)

    def solve(self, problem: sg.ContactProblem, guess: Any = None) -> sg.Solution:
        PATTERNS.clear()
        return self._solver.solve(problem, guess)


def measure_file(path: Path, tolerance: float, repeat: int, known: dict[str, float]) -> dict[str, Any]:
    """Both laws on one file, in turn."""
    problem = sg.load_problem(path)
    solvers: dict[str, Any] = {"convex": sg.InteriorPoint(), "exact": Cold(tolerance)}
    race(problem, solvers, 1)
    found = race(problem, solvers, repeat)
    (_, convex_seconds), (exact, seconds) = found["convex"], found["exact"]
    return {
        "file": path.name, "contacts": problem.contacts, "dimension": int(problem.cones.dims[0]),
        "status": exact.status.name, "abh": exact.certificate.coulomb.abh, "scaled": exact.certificate.coulomb.scaled,
        "reference": known.get(path.name.split(".")[0], float("nan")), "outer": exact.iterations,
        "detail": exact.detail, "convex_ms": 1e3 * convex_seconds, "ms": 1e3 * seconds,
        "ratio": seconds / convex_seconds,
    }  # fmt: skip


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars."""
    solid = [row for row in rows if row["dimension"] == 3]
    ratios = [row["ratio"] for row in rows if row["contacts"] >= LARGE]
    return {
        "files": len(rows),
        **{f"share_3d_{level:.0e}": sum(row["abh"] <= level for row in solid) / len(solid) for level in LEVELS},
        "missed": [row["file"] for row in solid if not row["abh"] <= 1e-6],
        "missed_with_reference": [row["file"] for row in rows if row["reference"] <= 1e-6 < row["abh"]],
        "median_ratio_30_contacts": median(ratios) if ratios else None,
        "outer_median": median(row["outer"] for row in rows),
        "outer_max": max(row["outer"] for row in rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--match", default="", help="only files whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="write the numbers, - for standard output")
    options = parser.parse_args()
    directory = fclib_directory()
    known = references(directory)
    files = [path for path in sorted(directory.glob("*.hdf5")) if options.match in path.name]
    rows = [measure_file(path, options.tolerance, options.repeat, known) for path in files]
    totals = summary(rows)
    if options.json != "-":
        scientific, plain = "{:.1e}".format, "{:.2f}".format
        print_rows(
            rows,
            {
                "file": str, "contacts": str, "status": str, "outer": str, "abh": scientific, "reference": scientific,
                "convex_ms": plain, "ms": plain, "ratio": plain,
            },
        )  # fmt: skip
        for key, value in totals.items():
            print(f"{key}: {value}")
    if options.json:
        write_json(options.json, {"summary": totals, "files": rows})


if __name__ == "__main__":
    main()
