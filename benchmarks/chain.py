"""Time per step of an articulated chain by DVI and the interior point: how it grows with the links.

python benchmarks/chain.py [--links 50 500] [--steps 150] [--json FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import signorini as sg
from common import print_rows, write_json
from signorini.scenes import SCENES

WARM_UP = 20
"""Steps that are not counted: compilation, first analyses."""
LINKS_PER_BAR = 10
"""As many bars per link at every length, so that the contacts grow with the links."""
STAGES = ("detect", "assemble", "solve", "advance")


def measure(links: int, steps: int) -> dict[str, Any]:
    """Median milliseconds per step, in all and per stage."""
    model = SCENES["chain"].build(links=links, bars=max(1, links // LINKS_PER_BAR))
    run = sg.Simulation(model, step=0.002).run((WARM_UP + steps) * 0.002)
    rows = run.diagnostics[WARM_UP:]
    told = {stage: 1e3 * float(np.median(rows[stage])) for stage in STAGES}
    return {
        "links": links,
        "milliseconds": 1e3 * float(np.median(rows["seconds"])),
        **told,
        "contacts": float(rows["contacts"].mean()),
        "iterations": float(rows["iterations"].mean()),
        "failures": run.summary()["failures"],
    }


def main() -> None:
    """Print the table and the ratio of the last to the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = [measure(links, options.steps) for links in options.links]
    plain = {"links": str, **dict.fromkeys(("milliseconds", *STAGES, "contacts", "iterations"), "{:.2f}".format)}
    print_rows(rows, {**plain, "failures": str})
    ratio = rows[-1]["milliseconds"] / rows[0]["milliseconds"]
    print(f"{rows[-1]['links'] / rows[0]['links']:g} times the links, {ratio:.1f} times the time")
    if options.json:
        write_json(options.json, {"rows": rows, "ratio": ratio})


if __name__ == "__main__":
    main()
