"""Failed steps of the scenes shipped, under their default law and solver.

    python benchmarks/scenes_reliability.py [SCENE ...] [--seconds 20] [--json FILE]

Bar: no failed step in 10,000. Every scene runs for its own duration, or as far as its wall time allows; results of
several calls add up in one file, scene by scene.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import signorini as sg
from common import write_json
from signorini.scenes import SCENES


def measure_scene(name: str, seconds: float) -> dict[str, Any]:
    """Steps, how they ended and the worst residual; first kernels are loaded by a step that does not count."""
    scene = SCENES[name]
    sg.Simulation(scene.builder(), step=scene.step).advance()
    sim = sg.Simulation(scene.builder(), step=scene.step)
    whole = round(scene.duration / scene.step)
    statuses: Counter[str] = Counter()
    failed: list[dict[str, Any]] = []
    worst, slowest, steps, begin = 0.0, 0.0, 0, time.perf_counter()
    while steps < whole and time.perf_counter() - begin < seconds:
        started = time.perf_counter()
        step = sim.advance()
        slowest = max(slowest, time.perf_counter() - started)
        steps += 1
        statuses[step.status.name] += 1
        worst = max(worst, step.outcome.residual)
        if not step.status.ok:
            failed.append({"step": steps, "status": step.status.name, "residual": step.outcome.residual})
    return {
        "scene": name, "steps": steps, "of": whole, "failed": len(failed), "statuses": dict(statuses),
        "worst_residual": worst, "ms_per_step": 1e3 * (time.perf_counter() - begin) / max(steps, 1),
        "slowest_s": slowest, "failures": failed[:20],
    }  # fmt: skip


def merged(path: str | None, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """These rows and those of other scenes that the file holds already."""
    new = {row["scene"] for row in rows}
    old = json.loads(Path(path).read_text())["scenes"] if path and path != "-" and Path(path).exists() else []
    return sorted([row for row in old if row["scene"] not in new] + rows, key=lambda row: str(row["scene"]))


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar."""
    steps, failed = sum(row["steps"] for row in rows), sum(row["failed"] for row in rows)
    return {
        "scenes": len(rows), "steps": steps, "failed": failed, "per_10000": 1e4 * failed / max(steps, 1),
        "scenes_with_failures": {row["scene"]: row["failed"] for row in rows if row["failed"]},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="all by default")
    parser.add_argument("--seconds", type=float, default=20.0, help="wall time of each scene [s]")
    parser.add_argument("--json", metavar="FILE", help="add the numbers to this file, - for standard output")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in options.scenes or SCENES:
        row = measure_scene(name, options.seconds)
        rows.append(row)
        if options.json != "-":
            print(
                f"{name:20} {row['steps']:5}/{row['of']:<6} failed {row['failed']:3}  worst {row['worst_residual']:.1e}"
                f"  {row['ms_per_step']:8.2f} ms  slowest {row['slowest_s']:.2f} s",
                flush=True,
            )
    every = merged(options.json, rows)
    if options.json != "-":
        print(summary(every))
    if options.json:
        write_json(options.json, {"summary": summary(every), "scenes": every})


if __name__ == "__main__":
    main()
