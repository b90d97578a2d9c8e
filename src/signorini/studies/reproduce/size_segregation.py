"""Small and large spheres in a shaker: whether the large ones rise."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.scenes.shaker import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.pictures import picture
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H, SWEEPS = 0.005, 60
SPHERES, LARGE = 400, 0.05
"""Number of spheres, and the share of large ones."""
WIDE, NARROW = (0.03, 4.0), (0.01, 5.0)
"""Amplitude [m] and frequency [Hz] along x; half of it vertically, at twice the frequency."""
SAMPLES = 20
"""Per second, of the heights."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Shake spheres, the large ones below at the start, and look where they are."""
    duration = scale.number(10, 6, 2)
    cases = [(*WIDE, 0.3), (*NARROW, 0.3)]
    if scale.name == "full":
        cases += [(*WIDE, 0.6), (*WIDE, 0.1), (WIDE[0], 2.5, 0.3)]
    rows: list[tuple[Cell, ...]] = []
    lines, panels = [], []
    for amplitude, frequency, friction in cases:
        name = f"{1e3 * amplitude:g} mm, {frequency:g} Hz, mu = {friction:g}"
        tell(name)
        model = build(spheres=SPHERES, large_share=LARGE, amplitude=amplitude, frequency=frequency, friction=friction)
        solver = ProjectedSOR(tolerance=1e-6, max_iterations=SWEEPS, check_every=SWEEPS)
        simulation = Simulation(model, law=CONVEX, step=H, solver=solver, on_failure="warn")
        time, large, small = _heights(simulation, round(duration / H))
        rows.append(
            (name, *(round(1e3 * float(height[-1]), 1) for height in (large, small)), _when(time, large, small))
        )
        lines += [Line(f"large, {name}", time, 1e3 * large), Line(f"small, {name}", time, 1e3 * small)]
        panels.append(picture(name, model, simulation.state, camera="front"))
    columns = ("shaking", "large, mean height [mm]", "small, mean height [mm]", "large are above from [s]")
    note = (
        "The vertical motion has half the amplitude. With 5 mm, a quarter of a small diameter, no gaps open that small "
        "spheres could fall into, and the large ones stay below; with 15 mm they rise."
    )
    table = Table(f"Heights after {duration} s", columns, tuple(rows), note)
    risen = rows[0][3] is not None
    claim = Claim(
        "the spheres segregate by size: the large ones rise", risen,
        f"above from {rows[0][3]} s on" if risen else "not",
        place="001, slide on the shaker",
    )  # fmt: skip
    curves = Panel("mean heights above the floor of the box", "time [s]", "height [mm]", tuple(lines))
    figures = (Figure("Where large and small spheres are.", (curves,)), Figure("At the end.", tuple(panels[:2])))
    return Findings((table,), (claim,), figures, {"step [s]": H, "sweeps": SWEEPS, "spheres": SPHERES})


def _heights(simulation: Simulation, steps: int) -> tuple[Array, Array, Array]:
    """Times, and mean heights of the large and of the small spheres above the floor of the box [s], [m]."""
    bodies = simulation.model.bodies
    movable, mass = np.array([b.movable for b in bodies]), np.array([b.mass for b in bodies])
    large = movable & (mass > 1.5 * mass[movable].min())
    box = int(np.flatnonzero(~movable)[0])
    found = []
    every = max(1, round(1.0 / (SAMPLES * H)))
    for k in range(steps):
        state = simulation.advance().state
        if k % every == every - 1:
            height = state.position[:, 2] - state.position[box, 2]
            found.append((state.time, height[large].mean(), height[movable & ~large].mean()))
    time, high, low = np.array(found).T
    return time, high, low


def _when(time: Array, large: Array, small: Array) -> float | None:
    """From when on the large spheres are above; None where they are not at the end."""
    below = np.flatnonzero(large <= small)
    if len(below) and below[-1] == len(time) - 1:
        return None
    return round(float(time[below[-1] + 1]), 2) if len(below) else 0.0


STUDY = Study(
    "size-segregation",
    "Large spheres rise in a shaker",
    "Anitescu and Tasora, slide 'size-segregation in shaker'",
    "that the large spheres rise",
    "nothing is printed: neither sizes nor the motion",
    (
        "380 steel spheres of 20 mm and 20 of 40 mm in a box 0.2 m wide, the large ones below at the start",
        "the box moves in a figure of eight; 60 sweeps per step of 5 ms",
    ),
    run,
)
