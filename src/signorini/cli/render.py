"""`signorini render`: a film or a picture of a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import progress_bar, reports_errors

if TYPE_CHECKING:
    pass


@reports_errors
def render(
    record: Annotated[Path, typer.Argument(help="A record, as `signorini run SCENE --record run.h5` writes it.")],
    out: Annotated[Path, typer.Option(help="film.mp4, film.gif, a folder, or last.png.")] = Path("film.mp4"),
    camera: Annotated[str, typer.Option(help="iso, front, back, left, right, top; or 30,20: angles.")] = "iso",
    size: Annotated[str, typer.Option(metavar="WxH", help="Width and height in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Simulated seconds per second of film; 0.1: slow motion.")] = 1.0,
    first: Annotated[float | None, typer.Option("--from", metavar="S", help="Begin at this time, in s.")] = None,
    last: Annotated[float | None, typer.Option("--to", metavar="S", help="End at this time, in s.")] = None,
    zoom: Annotated[float, typer.Option(help="Above 1 the camera comes nearer.")] = 1.0,
    follow: Annotated[str | None, typer.Option(metavar="BODY", help="The camera goes along with it.")] = None,
    colour: Annotated[str, typer.Option(help="body, or speed.")] = "body",
    contacts: Annotated[bool, typer.Option("--contacts", help="Draw contact forces over faded bodies.")] = False,
    joints: Annotated[bool, typer.Option("--joints", help="Draw axes of joints and motors.")] = False,
    hide: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Leave bodies out; * is any.")] = None,
    opacity: Annotated[list[str] | None, typer.Option(metavar="NAME=X", help="Of bodies, 0 to 1.")] = None,
    section: Annotated[str | None, typer.Option(metavar="x=0.5", help="Leave out what is beyond.")] = None,
    scene: Annotated[str | None, typer.Option(help="Where the functions of the recorded model are.")] = None,
) -> int:
    """Make a film or a picture of a run; no display is needed.

    Exit code 0, or 2 for a record that cannot be shown or a file that cannot be written.
    """
    from signorini.io.record_reader import RecordReader
    from signorini.simulation.run import Run
    from signorini.studies.export_run import model_of
    from signorini.view.render.film import Timing, render_run
    from signorini.view.render.movie_files import check_movie_path
    from signorini.view.render.settings import PictureSettings

    check_movie_path(out)
    settings = PictureSettings(
        size=_size(size), camera=camera, zoom=zoom, follow=follow, colour=colour, hide=tuple(hide or ()),  # type: ignore[arg-type]
        opacity=dict(_named(text, "--opacity") for text in opacity or ()), contacts=contacts, joints=joints,
        section=None if section is None else _named(section, "--section"),
    )  # fmt: skip
    run = Run.load(record)
    with progress_bar("painting") as told:
        timing = Timing(fps, speed, first, last)
        written = render_run(
            run, model_of(RecordReader(record), scene), out, settings, timing, title=record.stem, progress=told
        )
    typer.echo(f"written: {written}")
    return 0


def _size(text: str) -> tuple[int, int]:
    from signorini.problem.errors import ModelError

    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise ModelError(f"--size is {text!r}, expected width x height in pixels, such as 1280x720")
    return int(width), int(height)


def _named(text: str, option: str) -> tuple[str, float]:
    from signorini.problem.errors import ModelError

    name, _, value = text.rpartition("=")
    try:
        return name, float(value)
    except ValueError:
        raise ModelError(f"{option} is {text!r}, expected a name and a number: {option} NAME=0.3") from None
