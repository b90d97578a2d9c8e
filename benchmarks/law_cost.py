"""Whole runs under the exact Coulomb law and under the convex one, in turn.

    python benchmarks/law_cost.py [CASE ...] [--steps N] [--json FILE]

Bar: the exact law takes at most 1.5 times the processor time of the convex one. Both laws take turns in pieces of a
tenth of the run, so that a busy moment hits both.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import signorini as sg
from common import print_rows, write_json
from signorini.scenes import SCENES

PIECES = 10


@dataclass(frozen=True)
class Case:
    """A scene with parameters, for its own duration or less."""

    scene: str
    steps: int
    """At most; 0 for the scene's duration."""
    parameters: dict[str, Any] = field(default_factory=dict)


CASES = {
    "balls-280": Case("balls-in-box", 0),
    "balls-1190": Case("balls-in-box", 150, {"spheres": 1190}),
    "brick-wall": Case("brick-wall", 0),
    "gripper": Case("gripper", 0),
    "walker": Case("walker", 0),
    "chain": Case("chain", 0),
    "soft-gripper": Case("soft-gripper", 0),
}


class Trial:
    """One run under one law, and its processor time."""

    def __init__(self, case: Case, law: Literal["coulomb", "convex"]) -> None:
        scene = SCENES[case.scene]
        self._sim = sg.Simulation(scene.builder(**case.parameters), step=scene.step, law=law)
        self.seconds, self.failed, self.worst, self.contacts, self.slowest = 0.0, 0, 0.0, 0, 0.0

    def advance(self, steps: int) -> None:
        """So many steps more."""
        for _ in range(steps):
            begin = time.process_time()
            step = self._sim.advance()
            spent = time.process_time() - begin
            self.seconds, self.slowest = self.seconds + spent, max(self.slowest, spent)
            self.failed += not step.status.ok
            self.worst = max(self.worst, step.outcome.residual)
            self.contacts = step.contacts.count


def measure_case(name: str, most: int) -> dict[str, Any]:
    """Both laws, piece by piece."""
    case = CASES[name]
    scene = SCENES[case.scene]
    steps = min(case.steps or round(scene.duration / scene.step), most)
    for law in ("coulomb", "convex"):  # kernels are loaded
        Trial(case, law).advance(3)
    exact, convex = Trial(case, "coulomb"), Trial(case, "convex")
    done = 0
    for k in range(PIECES):
        piece = (k + 1) * steps // PIECES - done
        exact.advance(piece)
        convex.advance(piece)
        done += piece
    return {
        "case": name, "steps": steps, "contacts": exact.contacts, "convex_s": convex.seconds, "exact_s": exact.seconds,
        "ratio": exact.seconds / convex.seconds, "failed": exact.failed, "convex_failed": convex.failed,
        "worst": exact.worst, "slowest_s": exact.slowest,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"all by default: {', '.join(CASES)}")
    parser.add_argument("--steps", type=int, default=10**9, help="at most so many steps of each")
    parser.add_argument("--json", metavar="FILE", help="write the numbers, - for standard output")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [measure_case(name, options.steps) for name in options.cases or CASES]
    if options.json != "-":
        plain, scientific = "{:.2f}".format, "{:.1e}".format
        print_rows(
            rows,
            {
                "case": str, "steps": str, "contacts": str, "convex_s": plain, "exact_s": plain, "ratio": plain,
                "failed": str, "convex_failed": str, "worst": scientific, "slowest_s": plain,
            },
        )  # fmt: skip
    if options.json:
        write_json(options.json, {"cases": rows})


if __name__ == "__main__":
    main()
