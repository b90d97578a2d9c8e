"""One HTML page with all tables and figures, readable without a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from signorini.studies.reproduce.runner import StudyOutcome
from signorini.studies.reproduce.study import Cell, Claim, Table
from signorini.view.study_figure import as_png

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.7rem; } h2 { margin-top: 3rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .92rem; display: block; overflow-x: auto; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid #888; vertical-align: bottom; }
.published { background: #f3f1ea; } .note, .small { color: #555; font-size: .9rem; }
.holds { color: #00704f; } .fails { color: #b03a00; }
img { max-width: 100%; } figcaption { color: #555; font-size: .9rem; }
"""


def as_html(outcomes: Sequence[StudyOutcome], scale: str, machine: Mapping[str, str]) -> str:
    """The page."""
    contents = "".join(
        f'<li><a href="#{o.study.id}">{escape(o.study.id)}</a>: {escape(o.study.title)}, {_verdict(o)}</li>'
        for o in outcomes
    )
    facts = ", ".join(f"{escape(name)} {escape(value)}" for name, value in machine.items())
    body = "".join(_section(outcome) for outcome in outcomes)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signorini: published results</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        "<h1>Published results, side by side</h1>"
        f'<p>Run: {escape(scale)}. <span class="small">{facts}</span></p>'
        "<p>Shaded columns are what the documents print; the others were measured in this run.</p>"
        f"<ol>{contents}</ol>{body}</body></html>"
    )


def _verdict(outcome: StudyOutcome) -> str:
    held = sum(claim.holds for claim in outcome.findings.claims)
    kind = "holds" if outcome.holds else "fails"
    return f'<span class="{kind}">{held} of {len(outcome.findings.claims)} claims hold</span>'


def _section(outcome: StudyOutcome) -> str:
    study, findings = outcome.study, outcome.findings
    settings = ", ".join(f"{escape(name)} {escape(_text(value))}" for name, value in findings.settings.items())
    choices = "".join(f"<li>{escape(choice)}</li>" for choice in study.choices)
    parts = [
        f'<h2 id="{study.id}">{escape(study.id)}: {escape(study.title)}</h2>',
        f'<p>Source: {escape(study.source)}. <span class="small">{outcome.seconds:.0f} s.</span></p>',
        f'<p class="small">Comparable: {escape(study.comparable)}. Not comparable: {escape(study.not_comparable)}.</p>',
        f"<ul>{''.join(_claim(claim) for claim in findings.claims)}</ul>",
        *(_table(table) for table in findings.tables),
        *(
            f'<figure><img alt="{escape(figure.caption)}" src="data:image/png;base64,'
            f'{b64encode(as_png(figure)).decode()}"><figcaption>{escape(figure.caption)}</figcaption></figure>'
            for figure in findings.figures
        ),
        f'<p class="small">What the documents leave open was chosen:</p><ul class="small">{choices}</ul>',
        f'<p class="small">Settings: {settings}.</p>' if settings else "",
    ]
    return "".join(parts)


def _claim(claim: Claim) -> str:
    kind = "holds" if claim.settled else "fails"
    owner = f'<span class="small">{escape(claim.owner)}</span>'
    verdict = f'<span class="{kind}">{escape(claim.verdict)}</span>'
    return f"<li>{owner}: {escape(claim.text)}: {verdict} ({escape(claim.found)})</li>"


def _table(table: Table) -> str:
    shaded = [' class="published"' if name.startswith("published") else "" for name in table.columns]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(table.columns, shaded, strict=True))
    rows = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(_text(cell))}</td>" for cell, kind in zip(row, shaded, strict=True))
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f"<h3>{escape(table.title)}</h3><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _text(cell: Cell) -> str:
    return "-" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)
