"""Pebbles that drain through a silo."""

from __future__ import annotations

import time

import numpy as np

from signorini.scenes.pebble_bed import build
from signorini.simulation.simulation import Simulation
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.studies.reproduce.study import CONVEX, Cell, Claim, Findings, Scale, Study, Table, Tell
from signorini.view.study_figure import Figure, Line, Panel

H, SWEEPS = 0.004, 60
PUBLISHED_PEBBLES, PUBLISHED_CONTACTS = 30_000, 120_000
MANY, FEW_STEPS = 100_000, 100
"""Beds from that size on take so few steps only."""


def run(scale: Scale, tell: Tell) -> Findings:
    """Let silos of growing size drain; the silo grows with the pebbles."""
    sizes = scale.sizes((1000, 8000, 30_000, 300_000), (400, 3000), (60, 120))
    rows: list[tuple[Cell, ...]] = [
        (PUBLISHED_PEBBLES, PUBLISHED_CONTACTS, "2 h of CPU for the run, published", None, None)
    ]
    lines, per_contact, drained = [], [], 0
    for pebbles in sizes:
        tell(f"{pebbles} pebbles")
        steps = scale.number(600, 300, 60) if pebbles < MANY else FEW_STEPS
        wide = (pebbles / 400.0) ** (1.0 / 3.0)
        model = build(pebbles=pebbles, silo_radius=0.25 * wide, outlet_radius=0.09 * max(1.0, wide**0.5))
        solver = ProjectedSOR(tolerance=1e-12, max_iterations=SWEEPS, check_every=SWEEPS)
        simulation = Simulation(model, law=CONVEX, step=H, solver=solver, on_failure="warn", threads=1)
        movable = np.array([body.movable for body in model.bodies])
        out = np.empty(steps)
        seconds, contacts = [], []
        for k in range(steps):
            begin = time.process_time()
            step = simulation.advance()
            seconds.append(time.process_time() - begin)
            out[k] = np.count_nonzero(step.state.position[movable, 2] < 0.0)
            contacts.append(step.contacts.count)
        most = int(np.max(contacts))
        middle = float(np.median(seconds[steps // 2 :]))
        per_contact.append(1e6 * middle / max(1.0, float(np.mean(contacts[steps // 2 :]))))
        drained = max(drained, int(out[-1]))
        told = f"{1e3 * middle:.1f} ms of CPU per step, {steps} steps"
        rows.append((pebbles, most, told, round(per_contact[-1], 2), int(out[-1])))
        lines.append(Line(f"{pebbles} pebbles", H * np.arange(1, steps + 1), out))
    table = Table(
        "Silos",
        ("pebbles", "most contacts", "time", "us of CPU per contact and step", "pebbles drained"),
        tuple(rows),
        "Their 30,000 pebbles made 4 contacts each. Medians over the second half of the steps, on one thread; 300,000 "
        "pebbles, the document's largest bed, come to rest on one another in so few steps, and do not drain.",
    )
    ratio = per_contact[-1] / per_contact[0]
    claims = (
        Claim(
            "the effort per contact stays the same as the bed grows",
            ratio < 1.6,
            f"x {ratio:.2f}",
            place="001, conclusions",
        ),
        Claim("pebbles drain", drained > 0, f"{drained} drained"),
    )
    panel = Panel("drain curve", "time [s]", "pebbles below the outlet", lines)
    settings: dict[str, Cell] = {"step [s]": H, "sweeps": SWEEPS}
    return Findings((table,), claims, (Figure("Pebbles that have left the silo.", (panel,)),), settings)


STUDY = Study(
    "pebble-bed",
    "Pebble bed reactor",
    "Anitescu and Tasora, slides 'refueling in a PBR'",
    "pebbles, contacts, effort per contact",
    "two hours of CPU: neither the simulated time nor the machine is told",
    ("half small, half 1.5 times as large; silo with a cone of 30 degrees; 60 sweeps per step of 4 ms",),
    run,
    alone=True,
)
