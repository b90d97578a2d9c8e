"""Sweeps: overhead per run, throughput of more workers, and the table after many kills.

python benchmarks/many_runs.py [--runs 1000] [--workers 1 2] [--kills 50] [--json benchmarks/results/many_runs.json]
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import signorini as sg
from signorini.studies.sweep.worker import ONE_THREAD
from signorini.sweeps import SweepTable

STEPS, STEP = 100, 0.002
"""Of a pendulum."""


def throughput(runs: int, workers: int) -> dict[str, float]:
    """Runs per second on warm workers; milliseconds per run of its steps, of the whole run (model, simulation, steps,
    measures), and what the sweep adds to that; processor time of a worker per run, which knows nothing of what else the
    machine does but for the caches."""
    angles = [10.0 + 60.0 * k / runs for k in range(runs)]
    measures = {"of_steps": _seconds_of_steps, "energy": "energy", "clock": _clock}
    with ProcessPoolExecutor(workers, get_context("spawn")) as executor:
        options: dict[str, Any] = {"duration": STEPS * STEP, "step": STEP, "executor": executor}
        sg.sweep("pendulum", {"angle": [1.0 + k for k in range(8 * workers)]}, measures, **options)
        begin = time.perf_counter()
        table = sg.sweep("pendulum", {"angle": angles}, measures, **options)
        seconds = time.perf_counter() - begin
    assert table.all_solved
    of_steps, of_runs = float(table["of_steps"].sum()), float(table["seconds"].sum())
    return {
        "workers": workers,
        "runs": runs,
        "runs_per_second": runs / seconds,
        "milliseconds_of_steps": 1e3 * of_steps / runs,
        "milliseconds_of_runs": 1e3 * of_runs / runs,
        "overhead_milliseconds": 1e3 * (seconds * workers - of_runs) / runs,
        "processor_milliseconds": 1e3 * _processor_time(table),
    }


def _clock(_: sg.Run) -> dict[str, float]:
    return {"worker": os.getpid(), "processor": time.process_time()}


def _processor_time(table: SweepTable) -> float:
    """Of a worker from one run to the next, mean over all [s]."""
    total = count = 0.0
    for worker in set(table["worker"]):
        clock = table["processor"][table["worker"] == worker]
        total, count = total + float(clock.max() - clock.min()), count + len(clock) - 1
    return total / count


def machine(workers: int, seconds: float = 2.0) -> float:
    """How many times as much so many processes do as one, in plain Python that shares nothing: no sweep can gain more.

    Cores that share execution units, caches or a power budget are slower together than one of them alone.
    """

    def rate(count: int) -> float:
        with ProcessPoolExecutor(count, get_context("spawn")) as executor:
            list(executor.map(_turns, [0.2] * count))
            return sum(executor.map(_turns, [seconds] * count))

    return rate(workers) / rate(1)


def _turns(seconds: float) -> float:
    """Rounds per second of a loop of floating-point and dictionary work."""
    begin, rounds, table = time.perf_counter(), 0, dict.fromkeys(range(64), 0.0)
    while time.perf_counter() - begin < seconds:
        for k in range(2000):
            table[k & 63] += 0.5 * k
        rounds += 1
    return rounds / (time.perf_counter() - begin)


def _seconds_of_steps(run: sg.Run) -> float:
    return float(run.diagnostics["seconds"].sum())


def kills(count: int) -> dict[str, Any]:
    """Kill workers and whole sweeps at random times; compare the table with that of an undisturbed sweep."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        command = [
            sys.executable,
            "-m",
            "signorini",
            "sweep",
            "pendulum",
            "--vary",
            "angle=1:170:400",
            "--duration",
            "1.0",
        ]
        subprocess.run([*command, "--out", place / "calm"], check=True, stdout=subprocess.DEVNULL)
        dice, done, starts, sweeps, same = random.Random(1), 0, 0, 0, True
        while done < count:
            sweeps += 1
            target, ended = place / f"disturbed-{sweeps}", False
            while not ended:
                starts += 1
                process = subprocess.Popen(
                    [*command, "--out", target], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                while process.poll() is None:
                    time.sleep(dice.uniform(0.3, 3.0))
                    if done < count and process.poll() is None:
                        os.kill(dice.choice([process.pid, *_children(process.pid)]), signal.SIGKILL)
                        done += 1
                ended = process.returncode == 0
            same = same and _rows(place / "calm") == _rows(target)
    return {"kills": done, "sweeps": sweeps, "starts": starts, "same_table": same}


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "table.csv").open() as file:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]


def main() -> None:
    """Measure, print, write."""
    from common import write_json  # beside this file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--json", help="write the results here")
    options = parser.parse_args()
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    results: dict[str, Any] = {"throughput": []}
    for workers in options.workers:
        gain = {"gain_of_the_machine": machine(workers)} if workers > 1 else {}
        results["throughput"].append(throughput(options.runs, workers) | gain)
        print(results["throughput"][-1], flush=True)
    if options.kills:
        results["kills"] = kills(options.kills)
        print(results["kills"])
    if options.json:
        write_json(options.json, results)


if __name__ == "__main__":
    main()
