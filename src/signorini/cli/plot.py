"""`signorini plot`: curves and tables of a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import console, plain_table, reports_errors

if TYPE_CHECKING:
    from signorini.simulation.channels import Channel

OVERVIEW = ("energy", "kinetic_energy", "contacts", "iterations", "residual", "penetration")


@reports_errors
def plot(
    record: Annotated[Path, typer.Argument(help="A record, as `signorini run SCENE --record run.h5` writes it.")],
    quantities: Annotated[list[str] | None, typer.Argument(help="position, angle, force, energy ...")] = None,
    body: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Of this body.")] = None,
    joint: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Of this joint or motor.")] = None,
    out: Annotated[Path, typer.Option(help="Picture (.png .pdf .svg) or table (.csv .npz .parquet).")] = Path(
        "plot.png"
    ),
    listed: Annotated[bool, typer.Option("--list", help="List what can be plotted, and stop.")] = False,
    scene: Annotated[str | None, typer.Option(help="Where the functions of the recorded model are.")] = None,
) -> int:
    """Plot quantities of a run over time, or write them as a table.

    Exit code 0, or 2 for a name that there is not.
    """
    from signorini.io.record_reader import RecordReader
    from signorini.io.tables import TABLES, check_table_path, save_table
    from signorini.simulation.channels import choose
    from signorini.simulation.run import Run
    from signorini.studies.export_run import model_of
    from signorini.view.channel_plot import draw_channels
    from signorini.view.style import check_picture_path

    tabular = out.suffix.lower() in TABLES
    if not listed:
        (check_table_path if tabular else check_picture_path)(out)
    run = Run.load(record, model_of(RecordReader(record), scene))
    wanted = quantities or (() if body or joint or listed or tabular else OVERVIEW)
    channels = choose(run, wanted, body or (), joint or ())
    if listed:
        _print(channels)
        return 0
    if tabular:
        columns = {"time": run.times}
        for channel in channels:
            columns |= channel.series()
        save_table(columns, out)
    else:
        draw_channels(run.times, channels, out)
    typer.echo(f"written: {out}")
    return 0


def _print(channels: list[Channel]) -> None:
    table = plain_table()
    for heading in ("channel", "unit", "components"):
        table.add_column(heading)
    for channel in channels:
        table.add_row(channel.name, channel.unit or "-", " ".join(channel.columns) or "-")
    console().print(table)
