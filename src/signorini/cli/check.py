"""`signorini check`: degrees of freedom and joints of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import FAILED, console, plain_table, print_json, reports_errors

if TYPE_CHECKING:
    from signorini.studies.check_scene import SceneCheck

MOST_NAMES = 12
TELLING_DAMPING = 0.01
"""Share of critical damping from which second-order steps are worth a word."""


@reports_errors
def check(
    scene: Annotated[str, typer.Argument(metavar="SCENE|FILE.py", help="A scene, or a file with build().")],
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Scene parameter.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> int:
    """Count bodies, degrees of freedom and constraints, and name joints that are redundant, open or impossible.

    Exit code 0: the joints can be satisfied. 1: they contradict one another or cannot be closed. 2: bad input.
    """
    from signorini.studies.check_scene import check_scene

    found = check_scene(scene, settings or ())
    if json:
        print_json(found.document())
    else:
        _print(found)
    return 0 if found.ok else FAILED


def _print(found: SceneCheck) -> None:
    from rich.markup import escape
    from rich.table import Table

    m, model = found.mobility, found.model
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    redundant = {f"{name} ({rows} rows)": 0.0 for name, rows in m.redundant.items()}
    rows: list[tuple[str, str]] = [
        ("bodies", f"{m.bodies}, of which {m.movable} move freely"),
        ("joints", f"{len(model.joints)} with {m.rows} rows, of which {m.rank} are independent"),
        ("also", f"{len(model.limits)} limits, {len(model.dry_frictions)} brakes, {len(model.stiff_forces)} springs"),
        ("freedom", f"{m.degrees_of_freedom} degrees of freedom of {m.velocities} velocities"),
        ("redundant", _names(redundant) or "none"),
        ("open", _names({f"{name} by {error:.2g}": error for name, error in m.open.items()}) or "none"),
        ("contradicting", _names(dict.fromkeys(m.contradicting, 0.0)) or "none"),
        ("overlap", f"{1e3 * found.penetration:.2g} mm at most"),
    ]
    if found.assembly is not None:
        rows.append(("assembly", _assembly_text(found)))
    for word, text in rows:
        table.add_row(f"[bold]{word}[/]", escape(text))
    console().print(table)
    if found.springs or found.modes:
        _print_oscillations(found)


def _print_oscillations(found: SceneCheck) -> None:
    """Springs and modes with the damping that the first-order step adds to them."""
    out, table = console(), plain_table()
    table.add_column(f"oscillates (step {1e3 * found.step:g} ms)")
    table.add_column("frequency", justify="right")
    table.add_column("numerical damping", justify="right")
    shown = (*found.springs[:MOST_NAMES], *found.modes)
    for one in shown:
        table.add_row(one.name, f"{one.frequency:.3g} Hz", f"{one.damping:.2g} of critical")
    out.print(table)
    if len(found.springs) > MOST_NAMES:
        out.print(f"and {len(found.springs) - MOST_NAMES} slower springs")
    if max(one.damping for one in shown) >= TELLING_DAMPING:
        out.print("--integrator nonsmooth-alpha does not damp what it resolves; neither do smaller steps")


def _assembly_text(found: SceneCheck) -> str:
    assembly = found.assembly
    assert assembly is not None
    if assembly.worst:
        return f"cannot be closed: joint {assembly.worst} stays open by {assembly.after:.2g}"
    furthest = max((metres for metres, _ in assembly.moved.values()), default=0.0)
    return f"closes by moving {len(assembly.moved)} bodies, the furthest by {furthest:.2g} m"


def _names(items: dict[str, float]) -> str:
    names = list(items)
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
