"""`signorini reproduce`: the published results beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import FAILED, console, plain_table, print_json, reports_errors

if TYPE_CHECKING:
    from signorini.studies.reproduce.runner import StudyOutcome


@reports_errors
def reproduce(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID ... | all]", help="Studies; none: list them.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes: all studies in about ten minutes.")] = False,
    tiny: Annotated[bool, typer.Option("--tiny", hidden=True)] = False,
    out: Annotated[Path, typer.Option(help="Directory of report.html and of the figures.")] = Path("out/reproduce"),
    jobs: Annotated[int, typer.Option(help="Studies at a time, in processes; those that compare times run alone.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> int:
    """Run studies: each prints its tables, published beside ours, and all go into one HTML report.

    Exit code 0: all claims hold, or are documented disagreements. 1: at least one does not. 2: bad input.
    """
    from signorini.studies.reproduce import chosen_studies
    from signorini.studies.reproduce.runner import as_dict, environment, run_studies
    from signorini.studies.reproduce.study import FULL, QUICK, TINY

    if not ids:
        return _list_studies(json)
    studies = chosen_studies(ids)
    out.mkdir(parents=True, exist_ok=True)
    scale = TINY if tiny else QUICK if quick else FULL
    remarks = console(stderr=True)
    outcomes = []
    for outcome in run_studies(studies, scale, lambda name, line: remarks.print(f"{name}: {line}"), jobs):
        outcomes.append(outcome)
        if not json:
            _print(outcome)
    _write(outcomes, scale.name, out)
    if json:
        print_json({"scale": scale.name, "machine": environment(), "studies": [as_dict(o) for o in outcomes]})
    remarks.print(f"written: {out / 'report.html'}")
    return 0 if all(outcome.holds for outcome in outcomes) else FAILED


def _list_studies(json: bool) -> int:
    from signorini.studies.reproduce import chosen_studies

    studies = chosen_studies([])
    if json:
        print_json({"studies": [{"id": s.id, "title": s.title, "source": s.source} for s in studies]})
        return 0
    table = plain_table()
    for heading in ("study", "what it shows", "source"):
        table.add_column(heading)
    for study in studies:
        table.add_row(study.id, study.title, study.source)
    console().print(table)
    console().print("run one: signorini reproduce ID, all: signorini reproduce all --quick")
    return 0


def _print(outcome: StudyOutcome) -> None:
    page = console()
    page.print(f"[bold]{outcome.study.id}[/bold]: {outcome.study.title} ({outcome.study.source})")
    for found in outcome.findings.tables:
        table = plain_table()
        table.title = found.title
        for name in found.columns:
            table.add_column(name, justify="right")
        for row in found.rows:
            table.add_row(*("-" if cell is None else str(cell) for cell in row))
        page.print(table)
        if found.note:
            page.print(found.note, style="dim")
    for claim in outcome.findings.claims:
        page.print(f"{claim.verdict}: {claim.text} ({claim.found}) [dim]{claim.owner}[/dim]")
    page.print()


def _write(outcomes: list[StudyOutcome], scale: str, out: Path) -> None:
    from signorini.studies.reproduce.report import as_html
    from signorini.studies.reproduce.runner import environment
    from signorini.view.study_figure import as_png

    (out / "report.html").write_text(as_html(outcomes, scale, environment()), encoding="utf-8")
    for outcome in outcomes:
        for number, figure in enumerate(outcome.findings.figures, 1):
            (out / f"{outcome.study.id}-{number}.png").write_bytes(as_png(figure))
