"""Contacts in time and time per step of projected Gauss-Seidel for growing numbers of spheres in the shaker."""

from __future__ import annotations

import numpy as np

from signorini.scenes.shaker import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H, SWEEPS = 0.002, 400
SMALL = 0.02
PUBLISHED_DEPTH = 0.2
"""Percent of the diameter."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Shake boxes of more and more spheres; the box grows with them."""
    sizes = scale.sizes((300, 600, 900, 1200, 1500), (300, 900, 1500), (30, 60))
    steps = scale.number(500, 120, 40)
    rows: list[tuple[Cell, ...]] = []
    lines, per_contact, depths = [], [], []
    for spheres in sizes:
        tell(f"{spheres} spheres")
        model = build(spheres=spheres, side=0.2 * (spheres / 300.0) ** 0.5)
        solver = ProjectedSOR(tolerance=1e-12, max_iterations=SWEEPS, check_every=SWEEPS)
        simulation = Simulation(model, law=CONVEX, step=H, solver=solver, on_failure="warn")
        taken = [simulation.advance() for _ in range(steps)]
        late = taken[len(taken) // 2 :]
        contacts = np.array([step.contacts.count for step in taken], dtype=float)
        seconds = float(np.median([sum(step.seconds.values()) for step in late]))
        depth = 100.0 * max(step.contacts.deepest for step in late) / SMALL
        per_contact.append(seconds / max(1.0, float(contacts[len(taken) // 2 :].mean())))
        depths.append(depth)
        rows.append(
            (spheres, int(contacts[-1]), round(1e3 * seconds, 2), round(1e6 * per_contact[-1], 2), round(depth, 4))
        )
        lines.append(Line(f"{spheres} spheres", H * np.arange(1, steps + 1), contacts))
    columns = ("spheres", "contacts", "ms per step", "us per contact", "penetration [% of the diameter]")
    table = Table(
        "Time per step",
        columns,
        tuple(rows),
        "Seconds of the document are those of its machine; comparable is that the effort per contact is constant. The "
        "document has a penetration of 0.2 % at most.",
    )
    claims = _claims(per_contact[-1] / per_contact[0], max(depths))
    milliseconds = np.array([row[2] for row in rows], dtype=float)
    effort = Line("ours", np.array(sizes, dtype=float), milliseconds)
    panels = (
        Panel("contacts", "time [s]", "contacts", lines),
        Panel("time per step", "spheres", "ms per step", (effort,)),
    )
    figure = Figure("Number of contacts in time, and time per step against the number of spheres.", panels)
    return Findings((table,), claims, (figure,), {"step [s]": H, "sweeps": SWEEPS, "steps": steps})


def _claims(growth: float, depth: float) -> tuple[Claim, ...]:
    """`growth` of the effort per contact from the smallest to the largest box; `depth` [% of the diameter]."""
    return (
        Claim("the effort per contact does not grow", growth < 1.3, f"x {growth:.2f}", place="001, scalability"),
        Claim(
            f"penetration below {PUBLISHED_DEPTH} % of the diameter",
            depth < PUBLISHED_DEPTH,
            f"{depth:.3f} %",
            place="001, scalability",
        ),
    )


STUDY = Study(
    "sor-scaling",
    "Effort against the number of contacts",
    "Anitescu and Tasora, slide 'scalability'",
    "effort per contact, penetration",
    "seconds: another machine",
    (
        f"{SWEEPS} sweeps per step, warm started; half of them leave a penetration of 0.46 % in the largest box",
        "the box's area grows with the number of spheres",
    ),
    run,
    alone=True,
)
