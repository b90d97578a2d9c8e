"""`signorini warm`: compile ahead, so that first runs start at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import FAILED, compiling, reports_errors, seconds_text

if TYPE_CHECKING:
    from signorini.studies.warm_up_scenes import Warmed


@reports_errors
def warm(
    scenes: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENE|FILE...]", help="All scenes and solvers, unless named.")
    ] = None,
) -> int:
    """Compile the loops of scenes and solvers ahead: later runs start at once. All of them take some minutes.

    Exit code 0: done. 1: some could not be run. 2: bad input.
    """
    from signorini.studies import warm_up_scenes

    done = []
    chosen = warm_up_scenes.tasks(scenes or ())
    for number, (name, task) in enumerate(chosen.items(), start=1):
        with compiling(f"{number} of {len(chosen)}, {name}") as tell:
            done.append(warm_up_scenes.warm(name, task, tell))
        _tell(done[-1])
    return FAILED if any(warmed.refused for warmed in done) else 0


def _tell(warmed: Warmed) -> None:
    functions = f"{warmed.compiled} functions compiled" if warmed.compiled else "was compiled already"
    typer.echo(f"{warmed.name}: {warmed.refused or f'{functions}, {seconds_text(warmed.seconds)}'}")
