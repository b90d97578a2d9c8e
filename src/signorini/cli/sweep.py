"""`signorini sweep`: many runs of one scene into one table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signorini.cli.interruption import after_the_step
from signorini.cli.output import FAILED, console, plain_table, print_json, renamed, reports_errors

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from signorini.studies.sweep.parameters import Value
    from signorini.studies.sweep.source import SceneSource
    from signorini.studies.sweep.table import SweepTable

TABLE, PARQUET, PICTURE = "table.csv", "table.parquet", "picture.png"
MOST_ROWS, MOST_REASONS, MOST_NAMED = 20, 5, 5
"""Of the table that is printed; runs that are named with the same reason."""


Vary = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=...", help="LOW:HIGH:COUNT, LOW:HIGH:COUNT:log, A,B,C, or LOW:HIGH with --samples."),
]
Rows = Annotated[Path | None, typer.Option(metavar="FILE", help="CSV or Parquet, one row of parameters per run.")]
Samples = Annotated[int | None, typer.Option(metavar="N", help="Points in the intervals LOW:HIGH.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME|COLUMN=EXPRESSION", help="Such as energy, or top=max(position(bar).z)."),
]
Settings = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="What does not vary.")]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Rows, table and picture; lets a sweep go on.")]
Restart = Annotated[bool, typer.Option("--restart", help="Throw old rows in the folder away.")]
Accept = Annotated[bool, typer.Option("--accept-changes", help="Keep old rows though scene or version changed.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Processes [default: one per core].")]
Cluster = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786.")]


@reports_errors
def sweep(
    scene: Annotated[str, typer.Argument(metavar="SCENE|FILE", help="A scene; a .py, .urdf, .xml.")],
    vary: Vary = None,
    rows: Rows = None,
    samples: Samples = None,
    design: Annotated[str, typer.Option(help="Of the samples: latin, sobol.")] = "latin",
    measure: Measures = None,
    settings: Settings = None,
    duration: Annotated[float | None, typer.Option(metavar="S", help="Simulated time of each run [s].")] = None,
    time: Annotated[float | None, typer.Option(hidden=True)] = None,
    step: Annotated[float | None, typer.Option(metavar="S", help="Time step [s].")] = None,
    repeat: Annotated[int, typer.Option(metavar="N", help="Runs per point, each with a seed of its own.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the first repeat and of the samples.")] = 0,
    out: Out = None,
    records: Annotated[bool, typer.Option("--records", help="Record every run in the folder.")] = False,
    restart: Restart = False,
    accept_changes: Accept = False,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> int:
    """Run a scene for many parameters and collect one table; stopped and started again, it goes on.

    Exit code 0: every run came to its end. 1: some did not, their rows say why. 2: bad input. 130: Ctrl-C.
    """
    source, fixed = _source(scene, settings or [])
    parameters = _parameters(source, vary or [], rows, samples, design, seed)
    duration = renamed(time, duration, "time", "duration")
    options = {
        "duration": duration,
        "step": step,
        "settings": fixed,
        "repeat": repeat,
        "seed": seed,
        "workers": workers,
    }
    place = {"out": out, "records": records, "restart": restart, "accept_changes": accept_changes}
    table = _table(scene, parameters, measure, cluster, {**options, **place})
    if isinstance(table, int):
        return table
    written = _write(table, out, source.name)
    if json:
        names = {"parameters": table.parameters, "measures": table.measures}
        print_json({"scene": source.name, **names, "rows": table.rows})
    else:
        _print(table, written)
    return FAILED if table.failed else 0


def _table(
    scene: str,
    parameters: list[dict[str, Value]],
    measure: list[str] | None,
    cluster: str | None,
    options: dict[str, Any],
) -> SweepTable | int:
    """The table, or the exit code of a sweep that was interrupted."""
    from signorini.studies.sweep import sweep as many_runs

    with after_the_step() as interruption, _executor(cluster) as executor:
        between = interruption.check
        try:
            return many_runs(scene, parameters, measure, executor=executor, progress=True, between=between, **options)
        except KeyboardInterrupt:
            typer.echo(_how_to_go_on(options["out"]), err=True)
            return interruption.exit_code


def _source(scene: str, settings: list[str]) -> tuple[SceneSource, dict[str, Value]]:
    """The scene, and what `--set` says of it."""
    from signorini.problem.errors import StudyError
    from signorini.studies.sweep.source import SceneSource

    source = SceneSource.of(scene, {})
    fixed = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not text:
            raise StudyError(f"--set got {setting!r}, expected name=value")
        fixed[name] = source.parse(name, text)
    return source, fixed


def _parameters(
    source: SceneSource, vary: list[str], rows: Path | None, samples: int | None, design: str, seed: int
) -> list[dict[str, Value]]:
    from signorini.problem.errors import StudyError
    from signorini.studies.sweep.parameters import parse_variation, planned, read_rows

    if rows is not None:
        if vary or samples is not None:
            raise StudyError("--rows gives all parameters; leave --vary and --samples out")
        return read_rows(rows)
    if not vary:
        raise StudyError("nothing varies; add for example --vary step=1e-3,2e-3, or --rows parameters.csv")
    variations = [parse_variation(text, source.parse) for text in vary]
    source.check({v.name: v.values[0] for v in variations if v.values})
    return planned(variations, samples, design, seed)  # type: ignore[arg-type]


@contextmanager
def _executor(cluster: str | None) -> Iterator[Executor | None]:
    if cluster is None:
        yield None
        return
    from signorini.studies.sweep.engines import cluster_executor

    with cluster_executor(cluster) as executor:
        yield executor


def _how_to_go_on(out: Path | None) -> str:
    if out is None:
        return "interrupted; nothing was kept: add --out FOLDER to be able to go on"
    return f"interrupted; finished runs are in {out}: the same command goes on from there"


def _write(table: SweepTable, out: Path | None, title: str) -> list[Path]:
    """Table and picture in the folder of the sweep."""
    if out is None:
        return []
    from signorini.problem.errors import FileError, MissingExtraError

    written = [out / TABLE]
    try:
        table.to_csv(out / TABLE)
        try:
            table.to_parquet(out / PARQUET)
            written.append(out / PARQUET)
        except MissingExtraError as error:
            typer.echo(f"no {PARQUET}: {error}", err=True)
        table.draw(out / PICTURE, title)
    except OSError as error:
        raise FileError(
            f"table and picture cannot be written to {out}: {error.strerror or error}; all rows are there: make room "
            "on the disk and type the same command again"
        ) from error
    return [*written, out / PICTURE]


def _print(table: SweepTable, written: list[Path]) -> None:
    repeated = ["seed"] if any(row["repeat"] for row in table.rows) else []
    names = [*table.parameters, *repeated, *table.measures, "status"]
    printed = plain_table()
    for name in names:
        printed.add_column(name, justify="left" if name == "status" else "right")
    for row in table.rows[:MOST_ROWS]:
        printed.add_row(*(_cell(row.get(name)) for name in names))
    console().print(printed)
    if len(table) > MOST_ROWS:
        typer.echo(f"... and {len(table) - MOST_ROWS} more rows")
    typer.echo(f"{len(table)} runs: {table.counts_text()}")
    for reason, runs in list(table.reasons().items())[:MOST_REASONS]:
        typer.echo(f"{_runs(runs)}: {reason}", err=True)
    for path in written:
        typer.echo(f"written: {path}")


def _runs(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"run {numbers[0]}"
    named = ", ".join(map(str, numbers[:MOST_NAMED]))
    return f"runs {named}{f', ... ({len(numbers)} runs)' if len(numbers) > MOST_NAMED else ''}"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
