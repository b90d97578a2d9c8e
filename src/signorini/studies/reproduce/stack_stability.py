"""Towers of stones: few iterations let them fall, many or an interior point do not."""

from __future__ import annotations

import numpy as np

from signorini.scenes.polytope_stack import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.base import Solver
from signorini.solvers.interior_point import InteriorPoint
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H = 0.01
COMPARED = (20, 100)
"""Sweeps: in an earlier run the fewer of them ended nearer."""
STANDS = 0.05
"""Largest displacement of a stone in a tower that stands [m]."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Let towers stand, solver by solver."""
    levels, towers = scale.number(14, 10, 5), scale.number(3, 2, 1)
    steps = scale.number(300, 150, 40)
    counts = scale.sizes((3, 10, 20, 30, 100, 300), (3, 20, 100), (2, 100))
    solvers: dict[str, Solver] = {f"{sweeps} sweeps": _sweeps(sweeps) for sweeps in counts}
    solvers["interior point"] = InteriorPoint(tolerance=1e-8)
    rows: list[tuple[Cell, ...]] = []
    lines, firsts, drifts = [], [], []
    for name, solver in solvers.items():
        tell(name)
        drift = _drift(towers, levels, steps, solver)
        drifts.append(float(drift[-1]))
        firsts.append(float(drift[0]))
        rows.append((name, f"{drift[0]:.1e}", f"{drift[-1]:.1e}", "stands" if drift[-1] < STANDS else "falls"))
        lines.append(Line(name, H * np.arange(1, steps + 1), np.maximum(drift, 1e-12)))
    table = Table(
        "Towers after the run",
        ("solver", "displacement after one step [m]", "at the end [m]", "verdict"),
        tuple(rows),
        "Published in words: 100 iterations stable, few iterations unstable. What one step leaves falls with sweeps; "
        "what it adds up to need not: the next table has 20 and 100 sweeps on other stones.",
    )
    stones = _other_stones(towers, levels, steps, range(scale.number(8, 4, 1)), tell)
    found = ", ".join(f"{name} {drift:.1e} m" for name, drift in zip(solvers, drifts, strict=True))
    size = f"in {H * steps:g} s towers of {levels} stones"
    claims = _claims(found, firsts, drifts, counts.index(100), size)
    panel = Panel("towers", "time [s]", "largest displacement [m]", lines, log_y=True)
    settings: dict[str, Cell] = {"towers": towers, "stones per tower": levels, "step [s]": H, "steps": steps}
    return Findings(
        (table, stones), claims, (Figure("How far stones move from where they were put.", (panel,)),), settings
    )


def _creeping(drifts: list[float], hundred: int, size: str) -> str:
    """What is measured where towers move too far with 100 sweeps, as long as the most sweeps let them stand."""
    if drifts[0] <= STANDS or drifts[-2] >= STANDS or drifts[hundred] > 0.1 * drifts[0]:
        return ""
    return (
        f"{size} creep by {1e3 * drifts[hundred]:.0f} mm with 100 sweeps, where {1e3 * STANDS:g} mm count as standing, "
        f"and by {1e3 * drifts[-2]:.0f} mm with the most; with the fewest they move by {drifts[0]:.1f} m. The document "
        "does not tell the size of its stack; smaller towers stand with 100 sweeps (quick run)"
    )


def _claims(found: str, firsts: list[float], drifts: list[float], hundred: int, size: str) -> tuple[Claim, ...]:
    """`hundred` is the place of 100 sweeps; the interior point comes last; `size` is that of the towers."""
    return (
        Claim(
            "few sweeps move the towers more than many",
            drifts[0] > 3.0 * drifts[-2],
            f"{drifts[0]:.1e}, {drifts[-2]:.1e} m",
            place="001, stacks of polytopes",
        ),
        Claim(
            "the towers fall with the fewest sweeps and stand with 100 and more",
            drifts[0] > STANDS and max(drifts[hundred:-1]) < STANDS,
            found,
            place="001, stacks of polytopes",
            disagreement=_creeping(drifts, hundred, size),
        ),
        Claim(
            "every larger number of sweeps leaves less after one step",
            firsts[:-1] == sorted(firsts[:-1], reverse=True),
            ", ".join(f"{first:.1e}" for first in firsts[:-1]) + " m",
        ),
        Claim("the interior point moves them least", drifts[-1] <= min(drifts), f"{drifts[-1]:.1e} m"),
    )


def _other_stones(towers: int, levels: int, steps: int, seeds: range, tell: Tell) -> Table:
    """20 against 100 sweeps on other stones: whether what 20 did better in one run is more than chance."""
    rows: list[tuple[Cell, ...]] = []
    for seed in seeds:
        tell(f"stones of seed {seed}")
        ends = [float(_drift(towers, levels, steps, _sweeps(count), seed)[-1]) for count in COMPARED]
        rows.append((seed, *(f"{end:.1e}" for end in ends), "20" if ends[0] < ends[1] else "100"))
    return Table(
        "Displacement at the end by the stones [m]",
        ("seed of the stones", *(f"{count} sweeps" for count in COMPARED), "nearer with"),
        tuple(rows),
    )


def _sweeps(count: int) -> ProjectedSOR:
    return ProjectedSOR(tolerance=1e-12, max_iterations=count, check_every=count)


def _drift(
    towers: int, levels: int, steps: int, solver: Solver, seed: int = 0
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    model = build(towers=towers, levels=levels, seed=seed)
    simulation = Simulation(model, law=CONVEX, step=H, solver=solver, on_failure="warn")
    start = simulation.state.position.copy()
    out = np.empty(steps)
    for k in range(steps):
        position = simulation.advance().state.position
        out[k] = np.linalg.norm(position - start, axis=1).max()
    return out


STUDY = Study(
    "stack-stability",
    "High stacks",
    "Anitescu and Tasora, slide 'contacts between many polytopes and high friction'",
    "which numbers of iterations keep a stack standing",
    "the size of their stack is not told",
    ("towers of random frusta, friction 0.8, warm started, step 10 ms",),
    run,
)
