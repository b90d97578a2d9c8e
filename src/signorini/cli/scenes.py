"""`signorini scenes`: the ready-made models and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from signorini.cli.output import console, plain_table, print_json, reports_errors

if TYPE_CHECKING:
    from signorini.scenes import Scene


@reports_errors
def scenes(
    name: Annotated[str | None, typer.Argument(metavar="[NAME|FILE.py]", help="Tell all about one scene.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> int:
    """List the scenes, or the parameters of one."""
    from signorini.scenes import SCENES, find_scene

    chosen = list(SCENES.values()) if name is None else [find_scene(name)]
    if json:
        documents = [_document(scene) for scene in chosen]
        print_json(documents if name is None else documents[0])
    elif name is None:
        _print_list(chosen)
    else:
        _print_one(chosen[0])
    return 0


def _document(scene: Scene) -> dict[str, Any]:
    return {
        "name": scene.name,
        "description": scene.description,
        "step": scene.step,
        "duration": scene.duration,
        "integrator": scene.integrator,
        "source": scene.source or None,
        "parameters": [
            {
                "name": p.name,
                "type": p.type.__name__,
                "default": p.default,
                "help": p.about.help,
                "bounds": p.bounds() or None,
            }
            for p in scene.parameters.values()
        ],
    }


def _print_list(chosen: list[Scene]) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for scene in chosen:
        table.add_row(f"[bold]{scene.name}[/]", scene.description)
    console().print(table)
    console().print("\nParameters: signorini scenes NAME. Run one: signorini run NAME --set parameter=value")


def _print_one(scene: Scene) -> None:
    from rich.markup import escape

    out = console()
    out.print(f"[bold]{scene.name}[/]: {escape(scene.description)}")
    out.print(f"step {scene.step:g} s, duration {scene.duration:g} s, integrator {scene.integrator}")
    if scene.source:
        out.print(f"source: {escape(scene.source)}")
    table = plain_table()
    for heading in ("parameter", "type", "default", "bounds", "meaning"):
        table.add_column(heading, no_wrap=heading != "meaning")
    for p in scene.parameters.values():
        table.add_row(p.name, p.type.__name__, str(p.default), p.bounds(), escape(p.about.help))
    if scene.parameters:
        out.print(table)
