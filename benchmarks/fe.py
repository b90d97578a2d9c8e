"""A block of 10140 tetrahedra falls on rigid ground with friction: the cost of a step in factorisations of its matrix.

python benchmarks/fe.py [--steps 30] [--json FILE]

A step is all of it: detection, assembly, solve, advance. Per iteration of the interior point it is divided by one
numerical factorisation plus one solve of H = M - h dF/dv - h^2 dF/dq by the same back end, analysis left out.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

import signorini as sg
from common import write_json
from signorini.fe.materials.elastic import Elastic
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.solvers.linear import MatrixKind, back_end
from signorini.stepping.step import DviStep

BAR = 3.0
CELLS = (13, 13, 10)
SIZE = (0.26, 0.26, 0.2)
H = 0.005


def block() -> sg.Model:
    model = sg.Model()
    material = sg.Material(friction=0.5)
    model.add_fixed_body(sg.HalfSpace(), material=material)
    rubber = Elastic(young=1e6, poisson=0.3, density=1000.0)
    body = SoftBody(Mesh.box(SIZE, CELLS), rubber, stiffness_damping=1e-3)
    model.add_flexible(
        body, position=(0, 0, 0.15), orientation=(1, 0.05, 0.03, 0), velocity=(1, 0, 0), material=material
    )
    return model


def factorisation(matrix: Any, repeat: int = 7) -> tuple[float, float, float]:
    """Median seconds of the analysis, of one factorisation and of one solve of H."""
    upper = sp.csr_array(sp.triu(matrix, format="csr"))
    upper.sort_indices()
    upper.indptr, upper.indices = upper.indptr.astype(np.int32), upper.indices.astype(np.int32)
    start = time.perf_counter()
    factors = back_end("auto").analyse(upper, MatrixKind.POSITIVE_DEFINITE)
    analysis = time.perf_counter() - start
    seconds: list[list[float]] = [[], []]
    right = np.ones(matrix.shape[0])
    for _ in range(repeat):
        for kept, work in (
            (seconds[0], lambda: factors.factor(upper.data)),
            (seconds[1], lambda: factors.solve(right)),
        ):
            start = time.perf_counter()
            work()
            kept.append(time.perf_counter() - start)
    return analysis, median(seconds[0]), median(seconds[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    simulation = sg.Simulation(block(), step=H)
    rows: list[dict[str, Any]] = []
    matrix: Any = None
    for _ in range(arguments.steps):
        start = time.perf_counter()
        step = simulation.advance()
        wall = time.perf_counter() - start
        assert isinstance(step, DviStep)
        matrix = step.problem.H
        if step.iterations > 1:
            rows.append({"contacts": step.contacts.count, "iterations": step.iterations, "wall": wall, **step.seconds})
    rows = rows[2:]  # compiled and analysed by then
    analysis, factor, solve = factorisation(matrix)
    ratios = [row["wall"] / row["iterations"] / (factor + solve) for row in rows]
    split = {name: median(row.get(name, 0.0) for row in rows) for name in ("detect", "assemble", "solve", "advance")}
    print(f"{matrix.shape[0]} velocities, {matrix.nnz} entries, up to {max(row['contacts'] for row in rows)} contacts")
    print(f"H: analysis {1e3 * analysis:.1f} ms, factorisation {1e3 * factor:.1f} ms, solve {1e3 * solve:.1f} ms")
    parts = ", ".join(f"{name} {1e3 * value:.1f} ms" for name, value in split.items())
    wall, iterations = (median(row[name] for row in rows) for name in ("wall", "iterations"))
    print(f"step: {1e3 * wall:.0f} ms, {iterations:g} iterations; {parts}")
    print(f"per iteration, over factorisation + solve: {median(ratios):.2f} (largest {max(ratios):.2f}), bar {BAR:g}")
    if arguments.json:
        write_json(arguments.json, {"rows": rows, "analysis": analysis, "factor": factor, "solve": solve,
                                    "ratio": median(ratios), "largest": max(ratios)})  # fmt: skip


if __name__ == "__main__":
    main()
