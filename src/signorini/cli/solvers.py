"""`signorini solvers`: what there is to choose from."""

from __future__ import annotations

from typing import Annotated

import typer

from signorini.cli.output import console, print_json, reports_errors


@reports_errors
def solvers(
    settings: Annotated[bool, typer.Option("--settings", help="Also list their settings with the defaults.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> int:
    """List the solvers, one line each."""
    from rich.markup import escape

    from signorini.studies.solve_files import describe_solvers

    described = describe_solvers()
    if json:
        from dataclasses import asdict

        print_json([asdict(solver) for solver in described])
        return 0
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for solver in described:
        table.add_row(f"[bold]{solver.name}[/]", escape(solver.text))
        if settings:
            table.add_row("", escape(", ".join(f"{name}={default}" for name, default in solver.settings.items())))
    console().print(table)
    return 0
