"""All that wants a GPU and many cores, in one call: kernels are compiled first, side by side, then parts run in turns.

    python benchmarks/device.py --out FOLDER [--parts gpu solvers pebbles threads batch sweeps] [--cores 16]

Every part is a benchmark of its own with its own results; what each prints is in FOLDER/log.txt.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def commands(out: Path, cores: int) -> dict[str, tuple[str, str]]:
    """Of each part: what compiles its kernels, and what is measured."""
    many = " ".join(str(1 << k) for k in range(cores.bit_length()))
    frames = f"--frames {out.parent / 'frames'}"
    small = {
        "pebbles": "gpu_pebbles.py --pebbles 2000 --settle 0 --duration 0.01",
        "threads": "threads.py 4000 --threads 1 2 --steps 1",
        "batch": "batch.py --worlds 4 --steps 10 --threads 1",
        "sweeps": "many_runs.py --runs 4 --workers 1 --kills 0",
    }
    whole = {
        "pebbles": f"gpu_pebbles.py --json {out}/gpu_pebbles.json {frames}",
        "threads": f"threads.py 20000 200000 --steps 6 --threads {many} --json {out}/threads.json",
        "batch": f"batch.py --worlds 1024 --steps 50 --threads 1 {cores} --json {out}/batch.json",
        "gpu": f"gpu.py 1000000 --json {out}/gpu.json",
        "solvers": f"gpu_solvers.py --json {out}/gpu_solvers.json",
        "sweeps": f"many_runs.py --workers 1 {cores} --kills 0 --json {out}/many_runs.json",
    }
    return {part: (small.get(part, ""), command) for part, command in whole.items()}


def start(command: str, log: Path) -> subprocess.Popen[bytes]:
    """A benchmark as a process of its own."""
    source = str(HERE.parent / "src")
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "ignore"}
    script, *arguments = command.split()
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, HERE / script, *arguments], cwd=HERE, env=environment, stdout=file, stderr=file
        )


def main() -> None:
    """Compile, then measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=[])
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    every = commands(chosen.out.resolve(), chosen.cores)
    parts = chosen.parts or list(every)
    log, begin = chosen.out / "log.txt", time.perf_counter()
    compiling = {part: start(every[part][0], chosen.out / f"compile-{part}.txt") for part in parts if every[part][0]}
    for part, process in compiling.items():
        process.wait()
        print(f"{time.perf_counter() - begin:6.0f} s: {part} compiled, status {process.returncode}", flush=True)
    for part in parts:
        process = start(every[part][1], log)
        process.wait()
        print(f"{time.perf_counter() - begin:6.0f} s: {part} done, status {process.returncode}", flush=True)


if __name__ == "__main__":
    main()
