"""Many walkers in one process: steps per second by number of threads, beside MuJoCo's `rollout` where it is installed.

    python benchmarks/batch.py [--worlds 64] [--steps 50] [--threads 1 2] [--json FILE]

Walkers stand in steps of 5 ms; their twelve position motors are set every ten steps. MuJoCo has the same bodies,
joints, motors and contacts at its stiff settings. Times are wall times: they want a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np

import signorini as sg
from common import print_rows, write_json
from control_loop import walker

STEP = 0.005
BLOCK = 10
"""Steps between two settings of the targets."""


def ours(worlds: int, steps: int, threads: int) -> dict[str, Any]:
    """Steps per second of a batch."""
    batch = sg.Batch(walker("position motors"), worlds, step=STEP, threads=threads)
    targets = np.zeros((worlds, len(batch.motors)))
    batch.step(targets, steps=5)
    begin = time.perf_counter()
    for _ in range(steps // BLOCK):
        found = batch.step(targets, steps=BLOCK)
        assert found.ok.all()
    spent = time.perf_counter() - begin
    batch.close()
    rate = worlds * (steps // BLOCK) * BLOCK / spent
    return {
        "engine": "signorini",
        "threads": threads,
        "steps_per_second": rate,
        "residual": float(found.residual.max()),
    }


def theirs(worlds: int, steps: int, threads: int) -> dict[str, Any] | None:
    """Steps per second of MuJoCo's `rollout`, None where it is not installed."""
    try:
        from mujoco import MjData, mj_getState, mj_stateSize, mjtState
        from mujoco.rollout import Rollout

        from mujoco_scenes import twin
    except ModuleNotFoundError:
        return None
    other = twin(walker("position motors"), STEP)
    full = mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mj_stateSize(other.model, full))
    mj_getState(other.model, other.data, start, full)
    data = [MjData(other.model) for _ in range(threads)]
    with Rollout(nthread=threads if threads > 1 else 0) as rollout:
        rollout.rollout(other.model, data, np.tile(start, (worlds, 1)), nstep=5)
        begin = time.perf_counter()
        rollout.rollout(other.model, data, np.tile(start, (worlds, 1)), nstep=steps)
        spent = time.perf_counter() - begin
    return {"engine": "mujoco", "threads": threads, "steps_per_second": worlds * steps / spent}


def main() -> None:
    """All numbers of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, len(os.sched_getaffinity(0))}))
    parser.add_argument("--json")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for threads in options.threads:
        for engine in (ours, theirs):
            row = engine(options.worlds, options.steps, threads)
            if row is not None:
                first = next((old for old in rows if old["engine"] == row["engine"]), row)
                rows.append({**row, "gain": row["steps_per_second"] / first["steps_per_second"]})
    numbers = {"steps_per_second": "{:.0f}".format, "gain": "{:.2f}".format}
    print_rows(rows, {"engine": str, "threads": str, **numbers})
    if options.json:
        write_json(options.json, {"batch": rows})


if __name__ == "__main__":
    main()
