"""Scenes that the slides call real-time: seconds of computing per second of motion."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.scenes import non_convex, ragdolls
from signorini.simulation.simulation import Simulation
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell

SWEEPS = 30
ON_THE_WAY = (
    "of 16 ms per step of the non-convex shapes 10 are spent on looking whether bodies passed through one another on "
    "their way, which the slides' method does not do, and 2 on solving (profile of 80 steps); the slides print no "
    "numbers of bodies"
)
SCENES: dict[str, tuple[Callable[[], Model], float]] = {
    "contacts between articulated objects": (ragdolls.build, 0.01),
    "contacts between non-convex shapes": (non_convex.build, 0.01),
}
"""What the slides name -> scene and step [s]."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Run each scene by few sweeps, as fast as it goes."""
    steps = scale.number(500, 200, 40)
    rows: list[tuple[Cell, ...]] = []
    fast = []
    for name, (build, h) in SCENES.items():
        tell(name)
        _run(build(), h, steps)  # loops may have to be compiled
        model = build()
        seconds, contacts = _run(model, h, steps)
        factor = steps * h / float(seconds.sum())
        fast.append(factor)
        moving = sum(body.movable for body in model.bodies)
        rows.append((name, moving, contacts, round(factor, 1), round(1e3 * float(seconds.max()), 1), 1e3 * h))
    columns = ("scene", "bodies", "most contacts", "times real time", "slowest step [ms]", "step [ms]")
    note = "The slowest step may be one that other work on the machine held up."
    claim = Claim(
        "both scenes run in real time", min(fast) >= 1.0, ", ".join(f"{factor:.1f} times" for factor in fast),
        place="001, slides on articulated objects and non-convex shapes", disagreement=ON_THE_WAY,
    )  # fmt: skip
    return Findings((Table("Speed", columns, tuple(rows), note),), (claim,), (), {"sweeps": SWEEPS, "steps": steps})


def _run(model: Model, h: float, steps: int) -> tuple[Array, int]:
    """Seconds of each step, and the most contacts."""
    solver = ProjectedSOR(tolerance=1e-12, max_iterations=SWEEPS, check_every=SWEEPS)
    simulation = Simulation(model, law=CONVEX, step=h, solver=solver, on_failure="warn")
    seconds, contacts = np.empty(steps), 0
    for k in range(steps):
        begin = time.perf_counter()
        contacts = max(contacts, simulation.advance().contacts.count)
        seconds[k] = time.perf_counter() - begin
    return seconds, contacts


STUDY = Study(
    "real-time",
    "Scenes in real time",
    "Anitescu and Tasora, slides on articulated objects and on non-convex shapes",
    "whether a second of motion takes less than a second",
    "numbers of bodies: the slides print none",
    (f"our scenes ragdolls and non-convex at their usual sizes; {SWEEPS} sweeps per step of 10 ms",),
    run,
)
