"""Time per step of an articulated chain by DVI and the interior point: how it grows with the links.

python benchmarks/chain.py [--links 50 500] [--steps 100] [--json FILE]

`bars`: the chain falls on one bar per ten links; spans between bars stay taut, so contacts grow more slowly than links.
`table`: it lies flat, two contacts per link. Steps in the air, where only joints act, are told beside the others.
"""

from __future__ import annotations

import argparse
from statistics import fmean, median
from typing import Any

import signorini as sg
from common import print_rows, write_json
from signorini.scenes import SCENES
from signorini.stepping.step import DviStep

WARM_UP = 10
"""Steps that are not counted: compilation, first analyses."""
HEIGHT = {"bars": 0.12, "table": 0.025}
"""Of the chain at the start [m]: it lands after 30 to 40 steps."""
STAGES = ("detect", "assemble", "solve", "advance")


def measure(place: str, sizes: list[int], steps: int) -> list[dict[str, Any]]:
    """Chains of both sizes take steps in turn, so that a busy moment hits both; more sizes would crowd out analyses."""
    chains = {}
    for links in sizes:
        bars = max(1, links // 10) if place == "bars" else 0
        chains[links] = sg.Simulation(SCENES["chain"].build(links=links, bars=bars, height=HEIGHT[place]), step=0.002)
    taken: dict[int, list[DviStep]] = {links: [] for links in sizes}
    for _ in range(WARM_UP + steps):
        for links, chain in chains.items():
            step = chain.advance()
            assert isinstance(step, DviStep)
            taken[links].append(step)
    return [_row(place, links, taken[links][WARM_UP:]) for links in sizes]


def _row(place: str, links: int, taken: list[DviStep]) -> dict[str, Any]:
    """Median milliseconds per step with contacts, in all and per stage, and of those before the first contact."""
    landed, air = ([s for s in taken if bool(s.contacts.count) is touching] for touching in (True, False))
    return {
        "place": place,
        "links": links,
        "air": 1e3 * median(sum(s.seconds.values()) for s in air),
        "milliseconds": 1e3 * median(sum(s.seconds.values()) for s in landed),
        **{stage: 1e3 * median(s.seconds[stage] for s in landed) for stage in STAGES},
        "contacts": fmean(s.contacts.count for s in landed),
        "iterations": fmean(s.solution.iterations for s in landed),
        "failures": sum(not s.solution.status.ok for s in taken),
    }


def main() -> None:
    """Print the table and the ratios of the longest chain to the shortest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = [row for place in HEIGHT for row in measure(place, options.links, options.steps)]
    numbers = dict.fromkeys(("air", "milliseconds", *STAGES, "contacts", "iterations"), "{:.2f}".format)
    print_rows(rows, {"place": str, "links": str, **numbers, "failures": str})
    ratios = {}
    for place in HEIGHT:
        first, *_, last = [row for row in rows if row["place"] == place]
        ratios[place] = last["milliseconds"] / first["milliseconds"]
        print(f"{place}: {last['links'] / first['links']:g} times the links, {ratios[place]:.1f} times the time")
    if options.json:
        write_json(options.json, {"rows": rows, "ratios": ratios})


if __name__ == "__main__":
    main()
