"""The command `signorini`: one file per sub-command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from signorini.cli.check import check
from signorini.cli.compare import compare
from signorini.cli.export import export
from signorini.cli.modes import modes
from signorini.cli.plot import plot
from signorini.cli.render import render
from signorini.cli.reproduce import reproduce
from signorini.cli.run import run
from signorini.cli.scenes import scenes
from signorini.cli.solve import solve
from signorini.cli.solvers import solvers
from signorini.cli.sweep import sweep
from signorini.cli.verify import verify
from signorini.cli.view import view
from signorini.cli.warm import warm

app = typer.Typer(
    name="signorini",
    help="Hard frictional contact: run scenes, solve problems, measure the answers, compare the solvers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # units stand in brackets, which markup would eat
)
app.command()(run)
app.command()(view)
app.command()(render)
app.command()(plot)
app.command()(scenes)
app.command()(check)
app.command()(modes)
app.command()(export)
app.command()(solve)
app.command()(compare)
app.command()(solvers)
app.command()(sweep)
app.command()(reproduce)
app.command()(verify)
app.command()(warm)


def _print_version(wanted: bool) -> None:
    if wanted:
        from signorini import __version__

        typer.echo(f"signorini {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of all commands; the work is done in the callbacks."""


def main() -> None:
    """Entry point of the command `signorini`."""
    # Where the caller has closed them, what is printed goes nowhere.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    app()
