"""`signorini solvers`: what there is to choose from."""

from __future__ import annotations

from typing import Annotated

import typer

from signorini.cli.output import console, print_json, reports_errors


@reports_errors
def solvers(json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False) -> int:
    """List the solvers, one line each."""
    from signorini.studies.solve_files import describe_solvers

    described = describe_solvers()
    if json:
        print_json([{"name": name, "description": text} for name, text in described.items()])
        return 0
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, text in described.items():
        table.add_row(f"[bold]{name}[/]", text)
    console().print(table)
    return 0
