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
OURS = ("thrown ball", "dropped brick")
"""Our scenes with friction, beside the document's."""
MODES: tuple[Literal["none", "partial", "full"], ...] = ("none", "partial", "full")
H = 0.02
TOLERANCE = 1e-8
BALLS_FULL = 400


def run(scale: Scale, tell: Tell) -> Findings:
    """The three scenes with the three warm starts."""
    calls = {"balls in box": scale.number(50, 50, 8)} | dict.fromkeys(list(PUBLISHED)[1:], 100)
    calls |= dict.fromkeys(OURS, 100)
    rows: list[tuple[Cell, ...]] = []
    totals: dict[str, list[int]] = {}
    for name, steps in calls.items():
        tell(name)
        totals[name] = [_total(name, scale, steps, mode) for mode in MODES]
        for mode, published, ours in zip(MODES, PUBLISHED.get(name, (None,) * 3), totals[name], strict=True):
            rows.append((name, steps, mode, published, ours))
    better = all(totals[name][2] <= published[2] for name, published in PUBLISHED.items())
    saved = all(totals[name][2] < totals[name][0] or totals[name][0] == 0 for name in PUBLISHED)
    claims = (
        Claim("a full warm start saves iterations in every scene", saved, str(totals), place="004, table 5.1"),
        Claim("with a full warm start every figure is at or below the published one", better, str(totals)),
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
        "A single contact without friction needs no iteration: its answer is a closed form. The brick put down takes "
        "one iteration more than published when cold.",
    )
    return Findings((table,), claims, (), {"step [s]": H, "tolerance": TOLERANCE, "balls": _balls(scale)})


def _balls(scale: Scale) -> int:
    return scale.number(280, 280, 20)


def _model(name: str, scale: Scale) -> Model:
    match name:
        case "balls in box":
            return balls_in_box.build(spheres=_balls(scale), friction=0.0)
        case "single ball":
            return single_ball.build(speed=0.0, friction=0.0)
        case "single brick":
            return single_brick.build(drop=0.0, tilt=0.0, friction=0.0)
        case "thrown ball":
            return single_ball.build()
        case _:
            return single_brick.build()


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
        "single ball and single brick: put down on the floor, without friction; below them our scenes of these names, "
        "with friction, from the drop to rest",
        "partial: the old velocities; full: the old impulses by contact identity, moved inside by what changed",
    ),
    run,
)
