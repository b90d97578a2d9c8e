"""Settled spheres in a box: Signorini against MuJoCo, one thread, medians within one run.

    pip install "signorini[bench]"
    python benchmarks/mujoco_race.py [--spheres 280 1190] [--steps 100] [--settle 100] [--only 1e-8 Newton]
                                     [--seconds 90] [--json FILE]

Every engine starts from the pile of piles.py, goes on for `--settle` steps of its own, and is then timed for `--steps`
steps; engines take turns step by step, so that a busy moment hits all of them. MuJoCo is set stiff: solref 0.01 1,
solimp 0.99 0.999, elliptic cones. Penetration is the deepest in the timed steps, in percent of a diameter.
`--only` takes the engines whose names contain one of the words; after `--seconds` for one pile no further round of
timed steps begins, and `steps` tells how many were timed.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import signorini as sg
from common import print_rows, write_json
from piles import DENSITY, FRICTION, RADIUS, SIDE, STEP, pile_state
from simulation import pile_model, sweeping

NEWTON_LIMIT = 600
"""Spheres above which MuJoCo's Newton is left out: it needs tens of seconds per step."""
DIAMETER = 2.0 * RADIUS


@dataclass
class Engine:
    """One contestant: takes a step and tells (contacts, penetration [m], natural-map error or None)."""

    name: str
    step: Callable[[], tuple[int, float, float | None]]
    seconds: list[float] = field(default_factory=list)
    contacts: list[int] = field(default_factory=list)
    deepest: float = 0.0
    error: float | None = None

    def timed_step(self) -> None:
        """Take a step and note everything about it."""
        start = time.perf_counter()
        contacts, depth, error = self.step()
        self.seconds.append(time.perf_counter() - start)
        self.contacts.append(contacts)
        self.deepest = max(self.deepest, depth)
        if error is not None:
            self.error = max(self.error or 0.0, error)

    def row(self) -> dict[str, Any]:
        """Medians and worst cases."""
        return {
            "engine": self.name,
            "steps": len(self.seconds),
            "ms": 1e3 * median(self.seconds),
            "contacts": int(median(self.contacts)),
            "penetration": 100.0 * self.deepest / DIAMETER,
            "natural_map": self.error,
        }


def ours(name: str, spheres: int, solver: Any, **settings: Any) -> Engine:
    """Signorini with a solver, by the exact law if `settings` do not tell another."""
    simulation = sg.Simulation(pile_model(spheres), step=STEP, solver=solver, threads=1, **settings)

    def step() -> tuple[int, float, float]:
        taken = simulation.advance()
        return taken.contacts.count, taken.penetration, taken.solution.certificate.natural_map

    return Engine(name, step)


def mujoco_engine(spheres: int, solver: str) -> Engine:
    """MuJoCo on the same spheres."""
    try:
        import mujoco
    except ImportError:
        sys.exit('MuJoCo is absent: type pip install "signorini[bench]"')
    model = mujoco.MjModel.from_xml_string(_xml(spheres, solver))
    data = mujoco.MjData(model)

    def step() -> tuple[int, float, None]:
        mujoco.mj_step(model, data)
        gaps = data.contact.dist[: data.ncon]
        return int(data.ncon), max(0.0, -float(gaps.min(initial=0.0))), None

    return Engine(f"mujoco {solver}", step)


def _xml(spheres: int, solver: str) -> str:
    contact = f'solref="0.01 1" solimp="0.99 0.999" friction="{FRICTION} 0 0" condim="3"'
    planes = [
        ("0 0 0", "0 0 1"),
        ("0 0 0", "1 0 0"),
        (f"{SIDE} 0 0", "-1 0 0"),
        ("0 0 0", "0 1 0"),
        (f"0 {SIDE} 0", "0 -1 0"),
    ]
    walls = "".join(f'<geom type="plane" size="0 0 1" pos="{p}" zaxis="{z}" {contact}/>' for p, z in planes)
    ball = f'<freejoint/><geom type="sphere" size="{RADIUS}" density="{DENSITY}" {contact}/>'
    position, _, _ = pile_state(spheres)
    bodies = "".join(f'<body pos="{x} {y} {z}">{ball}</body>' for x, y, z in position)
    option = f'<option timestep="{STEP}" solver="{solver}" cone="elliptic" iterations="100" gravity="0 0 -9.81"/>'
    return f'<mujoco>{option}<size memory="2G"/><worldbody>{walls}{bodies}</worldbody></mujoco>'


def contestants(spheres: int, only: list[str]) -> list[Engine]:
    """Those whose names contain one of the words, all without any."""
    made: dict[str, Callable[[str], Engine]] = {
        "interior-point to 1e-8": lambda name: ours(name, spheres, sg.InteriorPoint(tolerance=1e-8)),
        "interior-point to 1e-6": lambda name: ours(name, spheres, sg.InteriorPoint(tolerance=1e-6)),
        "convex law to 1e-6": lambda name: ours(name, spheres, sg.InteriorPoint(tolerance=1e-6), law="convex"),
        "apgd to 1e-6": lambda name: ours(name, spheres, sg.APGD(tolerance=1e-6)),
        "50 sweeps of projected-sor": lambda name: ours(name, spheres, sweeping()),
        "mujoco PGS": lambda _: mujoco_engine(spheres, "PGS"),
        "mujoco CG": lambda _: mujoco_engine(spheres, "CG"),
    }
    if spheres <= NEWTON_LIMIT:
        made["mujoco Newton"] = lambda _: mujoco_engine(spheres, "Newton")
    return [make(name) for name, make in made.items() if not only or any(word in name for word in only)]


def race(spheres: int, steps: int, settle: int, only: list[str], seconds: float) -> list[dict[str, Any]]:
    """Engines on one pile."""
    engines, began = contestants(spheres, only), time.perf_counter()
    for engine in engines:
        for _ in range(settle):
            engine.step()
    for k in range(steps):
        if k and time.perf_counter() - began > seconds:
            break
        for engine in engines:
            engine.timed_step()
    return [{"spheres": spheres, **engine.row()} for engine in engines]


FORMATS: dict[str, Callable[[Any], str]] = {
    "engine": str,
    "spheres": str,
    "contacts": str,
    "steps": str,
    "ms": lambda v: f"{v:.2f}",
    "penetration": lambda v: f"{v:.2g} %",
    "natural_map": lambda v: "-" if v is None else f"{v:.1e}",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, nargs="*", default=[280, 1190])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--settle", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # fifty sweeps miss the tolerance, and are meant to
    rows = []
    for spheres in options.spheres:
        found = race(spheres, options.steps, options.settle, options.only, options.seconds)
        print_rows(found, FORMATS)
        rows += found
    if options.json:
        write_json(options.json, {"rows": rows})


if __name__ == "__main__":
    main()
