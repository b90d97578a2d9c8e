"""The interior point against Clarabel on settled piles of spheres.

    python benchmarks/interior_point.py [280 1190 5000] [--json FILE]

Bars: at most 18, 22 and 32 iterations to a scaled error of 1e-8, and at least 1.5x, 2.5x and 2.5x faster than
Clarabel asked for 1e-12. Both solve cold copies in turn; seconds are medians.
"""

from __future__ import annotations

import argparse
from typing import Any

import signorini as sg
from common import print_rows, race, write_json
from piles import make_pile

BARS = {280: (18, 1.5), 1190: (22, 2.5), 5000: (32, 2.5)}
"""Spheres -> most iterations, least ratio."""
DUAL_ROWS = 4000
"""Clarabel also runs in dual form up to this many contact rows, and its faster form counts."""
FEW = 3
MANY = 5


def measure_pile(spheres: int, repeat: int | None) -> dict[str, Any]:
    """One row of the table."""
    problem = make_pile(spheres)
    solvers = {"ours": sg.InteriorPoint(tolerance=1e-8), "primal": sg.solvers.Clarabel(form="primal", gap=1e-12)}
    if problem.contact_rows <= DUAL_ROWS:
        solvers["dual"] = sg.solvers.Clarabel(form="dual", gap=1e-12)
    found = race(problem, solvers, repeat or (FEW if spheres >= 5000 else MANY))
    ours, seconds = found.pop("ours")
    form = min(found, key=lambda name: found[name][1])
    theirs, clarabel_seconds = found[form]
    most, least = BARS.get(spheres, (None, None))
    ratio = clarabel_seconds / seconds
    return {
        "pile": spheres,
        "contacts": problem.contacts,
        "iterations": ours.iterations,
        "error": ours.certificate.scaled,
        "status": ours.status.name,
        "seconds": seconds,
        "clarabel_form": form,
        "clarabel_iterations": theirs.iterations,
        "clarabel_error": theirs.certificate.scaled,
        "clarabel_seconds": clarabel_seconds,
        "ratio": ratio,
        "detail": ours.detail,
        "clarabel_all": {name: {"seconds": s, "error": x.certificate.scaled} for name, (x, s) in found.items()},
        "met": most is None or (ours.iterations <= most and ratio >= least and ours.certificate.scaled <= 1e-8),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("piles", type=int, nargs="*", default=list(BARS))
    parser.add_argument("--repeat", type=int, help="runs of each, 5 and for 5000 spheres 3")
    parser.add_argument("--json", metavar="FILE", help="write the numbers, - for standard output")
    options = parser.parse_args()
    warm = make_pile(20)
    sg.InteriorPoint().solve(warm)
    rows = [measure_pile(spheres, options.repeat) for spheres in options.piles]
    if options.json != "-":
        print_rows(
            rows,
            {
                "pile": str, "contacts": str, "iterations": str, "error": "{:.1e}".format, "seconds": "{:.4f}".format,
                "clarabel_form": str, "clarabel_iterations": str, "clarabel_error": "{:.1e}".format,
                "clarabel_seconds": "{:.4f}".format, "ratio": "{:.2f}".format, "met": str, "detail": str,
            },
        )  # fmt: skip
    if options.json:
        write_json(options.json, {"piles": rows})


if __name__ == "__main__":
    main()
