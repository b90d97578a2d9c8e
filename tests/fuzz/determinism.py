"""The bits of a run depend on the model and its settings alone: a table of scenes, solvers and circumstances.

python tests/fuzz/determinism.py [STEPS [SCENE ...]]

Each circumstance is a process of its own that runs every scene with every solver and prints a digest of the states.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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


def work(way: Circumstance, steps: int, scenes: list[str]) -> None:
    """Print one line of JSON for each scene and solver."""
    warnings.simplefilter("ignore")
    exec(way.before)
    for scene in reversed(scenes) if way.reverse else scenes:
        for solver in SOLVERS:
            try:
                bits = digest(scene, solver, steps, way)
            except Exception as error:
                bits = f"{type(error).__name__}: {str(error)[:200]}"
            print(json.dumps([scene, solver, bits]), flush=True)


def table(steps: int, scenes: list[str]) -> dict[str, Any]:
    """Digests of all circumstances, and where they differ."""
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for k, way in enumerate(CIRCUMSTANCES):
        command = [sys.executable, __file__, "--work", str(k), str(steps), *scenes]
        usual = {name: value for name, value in os.environ.items() if name not in OF_THREADS}
        done = subprocess.run(command, env={**usual, **way.variables}, stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            scene, solver, bits = json.loads(line)
            seen.setdefault((scene, solver), {})[way.name] = bits
    differ = {
        f"{scene}, {solver}": bits
        for (scene, solver), bits in seen.items()
        if len(set(bits.values())) > 1 or len(bits) < len(CIRCUMSTANCES)
    }
    errors = sorted({bits for row in seen.values() for bits in row.values() if ":" in bits})
    return {"runs": sum(map(len, seen.values())), "equal": not differ, "differ": differ, "errors": errors}


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--work":
        work(CIRCUMSTANCES[int(sys.argv[2])], int(sys.argv[3]), sys.argv[4:])
    else:
        import signorini as sg

        result = table(int(sys.argv[1]) if len(sys.argv) > 1 else 4, sys.argv[2:] or list(sg.SCENES))
        print(json.dumps(result, indent=1))
        sys.exit(bool(result["differ"] or result["errors"]))
