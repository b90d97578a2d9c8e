"""`signorini export`: a recorded run for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signorini.cli.output import print_json, reports_errors

MOST_NAMES = 3


@reports_errors
def export(
    source: Annotated[str, typer.Argument(metavar="RUN.h5|SCENE", help="A record; for .xml also a scene or a file.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .pvd, .glb, .xml, .hdf5, .npz or .mtx.")
    ],
    frame: Annotated[
        int | None, typer.Option(help="For .hdf5, .npz, .mtx: the step that begins at this frame.")
    ] = None,
    every: Annotated[int, typer.Option(help="Every n-th frame of a series or an animation.")] = 1,
    scene: Annotated[str | None, typer.Option(help="Where the functions of the recorded model are.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the files as JSON.")] = False,
) -> int:
    """Write a run for other programs: ParaView (.pvd), glTF (.glb), MJCF (.xml).

    The contact problem of a step: FCLIB (.hdf5), arrays (.npz), a folder of Matrix Market files (.mtx).
    """
    from signorini.studies.export_run import export as write

    files = write(source, target, frame, every, scene)
    if json:
        print_json({"files": [str(file) for file in files]})
        return 0
    for file in files[:MOST_NAMES]:
        typer.echo(f"written: {file}")
    if len(files) > MOST_NAMES:
        typer.echo(f"and {len(files) - MOST_NAMES} more beside it")
    return 0
