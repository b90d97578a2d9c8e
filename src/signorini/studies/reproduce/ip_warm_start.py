"""What a warm start saves the interior point."""

from __future__ import annotations

from typing import Literal

from signorini.model.model import Model
from signorini.scenes import balls_in_box, single_ball, single_brick
from signorini.simulation.simulation import Simulation
from signorini.solvers.interior_point import InteriorPoint
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell

PUBLISHED = {"balls in box": (935, 927, 747), "single ball": (720, 515, 90), "single brick": (499, 370, 81)}
"""Total iterations with no, partial and full warm start, [Mangoni2018, table 5.1]."""
MODES: tuple[Literal["none", "partial", "full"], ...] = ("none", "partial", "full")
H = 0.02
TOLERANCE = 1e-8
BALLS_FULL = 400


def run(scale: Scale, tell: Tell) -> Findings:
    """The three scenes with the three warm starts."""
    calls = {"balls in box": scale.number(50, 50, 8), "single ball": 100, "single brick": 100}
    rows: list[tuple[Cell, ...]] = []
    totals: dict[str, list[int]] = {}
    for name, steps in calls.items():
        tell(name)
        totals[name] = [_total(name, scale, steps, mode) for mode in MODES]
        for mode, published, ours in zip(MODES, PUBLISHED[name], totals[name], strict=True):
            rows.append((name, steps, mode, published, ours))
    better = all(ours <= p for name in totals for ours, p in zip(totals[name], PUBLISHED[name], strict=True))
    saved = all(totals[name][2] <= totals[name][0] for name in totals)
    claims = (
        Claim("a full warm start saves iterations in every scene", saved, str(totals), place="004, table 5.1"),
        Claim("every figure at or below the published one", better, str(totals)),
        Claim(
            f"balls in box with a full warm start under {BALLS_FULL}",
            totals["balls in box"][2] < BALLS_FULL,
            str(totals["balls in box"][2]),
        ),
    )
    table = Table(
        "Iterations in total",
        ("scene", "solves", "warm start", "published iterations", "iterations"),
        tuple(rows),
    )
    return Findings((table,), claims, (), {"step [s]": H, "tolerance": TOLERANCE, "balls": _balls(scale)})


def _balls(scale: Scale) -> int:
    return scale.number(280, 280, 20)


def _model(name: str, scale: Scale) -> Model:
    if name == "balls in box":
        return balls_in_box.build(spheres=_balls(scale), friction=0.0)
    return single_ball.build() if name == "single ball" else single_brick.build()


def _total(name: str, scale: Scale, steps: int, mode: Literal["none", "partial", "full"]) -> int:
    simulation = Simulation(
        _model(name, scale), law=CONVEX, step=H, solver=InteriorPoint(tolerance=TOLERANCE), warm_start=mode
    )
    return sum(simulation.advance().iterations for _ in range(steps))


STUDY = Study(
    "ip-warm-start",
    "Warm start of the interior point",
    "Mangoni and Tasora, table 2; Mangoni 2018, table 5.1",
    "iterations in total, what a warm start saves",
    "nothing else is printed",
    (
        "balls in box: 280 balls without friction (the documents do not say how many), from the first drop",
        "single ball and single brick: our scenes of these names, from the drop to rest",
        "partial: the old velocities; full: the old impulses by contact identity, moved inside by what changed",
    ),
    run,
)
