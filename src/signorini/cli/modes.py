"""`signorini modes`: natural frequencies of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import FAILED, console, print_json, reports_errors

if TYPE_CHECKING:
    from signorini.simulation.analyses.modes import Modes

AT_REST = 1e-6
"""Accelerations above this [m/s2, rad/s2] are reported."""
ROUND_OFF = 1e-12
"""Shares of the mass below this are shown as 0."""


@reports_errors
def modes(
    scene: Annotated[str, typer.Argument(metavar="SCENE|FILE.py", help="A scene, or a file with build().")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many modes, lowest first.")] = 10,
    settle: Annotated[bool, typer.Option("--settle", help="Find the static equilibrium first.")] = False,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Scene parameter.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> int:
    """Natural frequencies and effective masses about the start of a scene, or about its static equilibrium.

    Exit code 0: the modes were found. 1: no equilibrium was found. 2: bad input.
    """
    from signorini.scenes import find_scene
    from signorini.simulation.analyses.modes import modes as find_modes
    from signorini.simulation.analyses.statics import static_equilibrium

    chosen = find_scene(scene)
    model = chosen.build(**chosen.parse(settings or ()))
    rest = static_equilibrium(model) if settle else None
    found = find_modes(model, number, None if rest is None else rest.state)
    if json:
        print_json({"scene": chosen.name, "settled": None if rest is None else rest.status.ok, **found.document()})
    else:
        _print(found)
    return 0 if rest is None or rest.status.ok else FAILED


def _print(found: Modes) -> None:
    from rich.table import Table

    table = Table("mode", "frequency [Hz]", "mass x [kg]", "mass y [kg]", "mass z [kg]")
    for column in table.columns:
        column.justify = "right"
    for k, (frequency, masses) in enumerate(zip(found.frequency, found.effective_mass, strict=True), start=1):
        text = "unstable" if frequency < 0 else "rigid" if frequency == 0 else f"{frequency:.6g}"
        table.add_row(str(k), text, *(_text(mass, found.total_mass) for mass in masses))
    console().print(table)
    console().print(f"{found.total_mass:.6g} kg can move")
    if found.acceleration > AT_REST:
        console().print(
            f"the scene is not at rest here (accelerations up to {found.acceleration:.2g} m/s2 or rad/s2): --settle "
            "finds its equilibrium first"
        )


def _text(mass: float, total: float) -> str:
    return f"{mass:.4g}" if mass > ROUND_OFF * total else "0"
