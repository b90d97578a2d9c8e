"""`signorini verify`: check a record, save what can be saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import FAILED, print_json, reports_errors

if TYPE_CHECKING:
    from signorini.io.salvage import Salvaged
    from signorini.io.verify import Verdict


@reports_errors
def verify(
    record: Annotated[Path, typer.Argument(metavar="FILE", help="A record of a run.")],
    salvage: Annotated[
        Path | None, typer.Option(metavar="NEW", help="Write the leading frames that can be read to this file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> int:
    """Read every byte of a record: checksums, counts, finite numbers, model, checkpoint.

    Exit code 0: the record is whole. 1: something is wrong with it. 2: bad input, or nothing could be saved.
    """
    from signorini.io.salvage import salvage_record
    from signorini.io.verify import verify_record

    found = verify_record(record)
    saved = None if salvage is None else salvage_record(record, salvage)
    if json:
        print_json({**found.document(), "salvaged": None if saved is None else saved.document()})
    else:
        _print(found, saved)
    return 0 if found.ok else FAILED


def _print(found: Verdict, saved: Salvaged | None) -> None:
    if found.version:
        sums = "with checksums" if found.checksums else "without checksums"
        typer.echo(f"{found.path}: {found.steps} steps, {found.frames} frames, up to t = {found.time:g} s, {sums}")
    for text in found.wrong:
        typer.echo(f"wrong: {text}")
    if found.ok:
        typer.echo("whole: every data set was read, all numbers are finite")
    if found.functions:
        typer.echo(f"not in the record: functions of the model ({', '.join(found.functions[:3])})")
    if saved is not None:
        how = "bit for bit" if saved.exact else "from its last frame, not bit for bit"
        typer.echo(f"written: {saved.path}, {saved.steps} steps up to t = {saved.time:g} s; it can be resumed {how}")
