"""`signorini view`: a recorded run in the browser, or as one HTML file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from signorini.cli.output import reports_errors


@reports_errors
def view(
    record: Annotated[Path, typer.Argument(help="A record, as `signorini run SCENE --record run.h5` writes it.")],
    html: Annotated[Path | None, typer.Option(help="Write one HTML file that plays in any browser, offline.")] = None,
    port: Annotated[int, typer.Option(help="Of the local server; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(help="127.0.0.1 is this machine alone.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> int:
    """Watch a run: bodies, contacts and curves, in the browser.

    Exit code 0, or 2 for a record that cannot be shown.
    """
    from signorini.simulation.run import Run
    from signorini.view.web import save_html
    from signorini.view.web import view as show

    run = Run.load(record)
    model = run.model()
    if html is not None:
        written = save_html(run, model, html, title=record.stem)
        typer.echo(f"written: {written} ({written.stat().st_size / 1e6:.1f} MB)")
        return 0
    viewer = show(run, model, browser=browser, host=host, port=port, title=record.stem)
    typer.echo(f"{viewer.url}   (Ctrl-C ends it)")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        viewer.close()
    return 0
