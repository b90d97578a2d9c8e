"""The bits of a run depend on the model and its settings alone: a table of scenes, solvers and circumstances.

python tests/fuzz/determinism.py [--steps 4] [--scenes NAME ...] [--seconds 480] [--out determinism.jsonl]

Each circumstance is a process of its own that runs every scene with every solver and prints a digest of the states.
Digests are appended to a file, one line of JSON each; what stands there is not run again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pieces


@dataclass(frozen=True)
class Circumstance:
    """What may differ between two processes without changing a bit."""

    name: str
    threads: int | None = None
    variables: dict[str, str] = field(default_factory=dict)
    before: str = ""
    """Python code that runs first."""
    reverse: bool = False
    """Scenes in the opposite order, so that each has another history."""
    resumed: bool = False
    """Recorded, and gone on with from the record half-way."""


CIRCUMSTANCES = (
    Circumstance("plain"),
    Circumstance("threads=1", threads=1),
    Circumstance("threads=2", threads=2),
    Circumstance("one thread by variables", variables={"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}),
    Circumstance("another hash seed", variables={"PYTHONHASHSEED": "7"}),
    Circumstance("numba and BLAS used before", before="import numba, numpy as np; numba.set_num_threads(1); "
                 "a = np.random.rand(300, 300); np.linalg.solve(a, a)"),
    Circumstance("other scenes before", reverse=True),
    Circumstance("resumed half-way", resumed=True),
)  # fmt: skip
OF_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")
AT_ONCE = 8
"""Scenes that share a process, so that each but the first has a history."""
SOLVERS = ("interior-point", "projected-sor", "apgd")


def make_solver(name: str) -> Any:
    """Limits of iterations, never of time: those depend on the machine."""
    import signorini as sg

    if name == "interior-point":
        return sg.InteriorPoint(tolerance=1e-8, time_budget=1e6)
    kind = sg.ProjectedSOR if name == "projected-sor" else sg.APGD
    return kind(tolerance=1e-6, max_iterations=60, time_budget=1e6)


def digest(scene: str, solver: str, steps: int, way: Circumstance) -> str:
    """Of positions and velocities after every step."""
    import signorini as sg

    chosen = sg.SCENES[scene]
    found = hashlib.sha256()

    def add(state: Any) -> None:
        for part in (state.position, state.orientation, state.velocity, state.node_position, state.node_velocity):
            found.update(part.tobytes())

    sim = sg.Simulation(chosen.build(), step=chosen.step, solver=make_solver(solver), threads=way.threads)
    with tempfile.TemporaryDirectory() as folder:
        half = steps // 2 if way.resumed else 0
        if half:
            path = Path(folder) / "run.h5"
            sim.run(half * chosen.step, record=path, callbacks=[lambda step: add(step.state)])
            sim = sg.Simulation.resume(path, chosen.build())
        for _ in range(steps - half):
            add(sim.advance().state)
    return found.hexdigest()[:16]


def work(way: Circumstance, steps: int, seconds: float, runs: list[tuple[str, str]]) -> None:
    """Print one line of JSON for each scene and solver that is begun within `seconds`."""
    warnings.simplefilter("ignore")
    exec(way.before)
    begin = time.monotonic()
    for scene, solver in reversed(runs) if way.reverse else runs:
        if time.monotonic() - begin > seconds:
            return
        try:
            bits = digest(scene, solver, steps, way)
        except Exception as error:
            bits = f"{type(error).__name__}: {str(error)[:200]}"
        row = {"campaign": "determinism", "case": [way.name, scene, solver, steps], "bits": bits}
        print(json.dumps(row), flush=True)


def piece(steps: int, scenes: list[str], out: Path, seconds: float) -> None:
    """Run what does not stand in `out` yet, as far as the time goes; scene by scene, so that rows become complete."""
    end = time.monotonic() + seconds
    known = {tuple(row["case"]) for row in pieces.rows(out)}
    usual = {name: value for name, value in os.environ.items() if name not in OF_THREADS}
    for scene in range(0, len(scenes), AT_ONCE):
        for k, way in enumerate(CIRCUMSTANCES):
            wanted = [(one, solver) for one in scenes[scene : scene + AT_ONCE] for solver in SOLVERS]
            runs = [run for run in wanted if (way.name, *run, steps) not in known]
            left = end - time.monotonic()
            if not runs or left <= 0:
                continue
            command = [sys.executable, __file__, "--work", str(k), str(steps), str(left), json.dumps(runs)]
            with out.open("a") as file:
                subprocess.run(command, env={**usual, **way.variables}, stdout=file, check=True)


def table(steps: int, scenes: list[str], out: Path) -> dict[str, Any]:
    """Complete rows of scenes and solvers, and where their digests differ."""
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for row in pieces.rows(out):
        way, scene, solver, number = row["case"]
        if number == steps and scene in scenes:
            seen.setdefault((scene, solver), {})[way] = row["bits"]
    differ = {", ".join(key): bits for key, bits in seen.items() if len(set(bits.values())) > 1}
    errors = sorted({bits for row in seen.values() for bits in row.values() if ":" in bits})
    missing = len(scenes) * len(SOLVERS) * len(CIRCUMSTANCES) - sum(map(len, seen.values()))
    return {"runs": sum(map(len, seen.values())), "missing": missing, "differ": differ, "errors": errors}


def main() -> bool:
    """A piece of the table; whether anything differs."""
    import signorini as sg

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--scenes", nargs="+", default=list(sg.SCENES))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--out", type=Path, default=Path("determinism.jsonl"))
    chosen = parser.parse_args()
    piece(chosen.steps, chosen.scenes, chosen.out, chosen.seconds)
    result = table(chosen.steps, chosen.scenes, chosen.out)
    print(json.dumps(result, indent=1))
    return bool(result["differ"] or result["errors"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--work":
        work(CIRCUMSTANCES[int(sys.argv[2])], int(sys.argv[3]), float(sys.argv[4]), json.loads(sys.argv[5]))
    else:
        sys.exit(main())
