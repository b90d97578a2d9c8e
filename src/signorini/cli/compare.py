"""`signorini compare`: all solvers on all problems, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import BAD_INPUT, console, plain_table, print_json, reports_errors, say_error, seconds_text
from signorini.cli.solve import print_reasons, run_attempts

if TYPE_CHECKING:
    from rich.table import Table

    from signorini.problem.errors import SignoriniError
    from signorini.studies.comparison import Summary
    from signorini.studies.profile import Profile

FACTORS = (1.0, 2.0, 5.0, 10.0, 100.0, float("inf"))
"""Factors of the best time at which a table lists the profile."""


@reports_errors
def compare(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|DIR", help="FCLIB or .npz files, folders of FCLIB files.")
    ],
    solvers: Annotated[str, typer.Option("--solvers", "--solver", help="Names separated by commas, or all.")] = "all",
    tolerance: Annotated[float, typer.Option(help="Error asked of the solvers, and at which times compete.")] = 1e-8,
    max_iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    time_budget: Annotated[float, typer.Option(metavar="S", help="Stop a solve after S seconds.")] = 10.0,
    repeat: Annotated[int, typer.Option(min=1, help="Solve so often and take the median time.")] = 1,
    csv: Annotated[Path | None, typer.Option(help="Write every certificate as CSV.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the performance profile.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> int:
    """Compare solvers: share of problems solved, iterations, time and the performance profile.

    Exit code 0: the comparison ran, whichever solver won. 2: bad input.
    """
    from signorini.studies.comparison import profile_of, summarise
    from signorini.studies.solve_files import Limits, problem_files

    unreadable: list[SignoriniError] = []
    limits = Limits(tolerance, max_iterations, time_budget)
    attempts = run_attempts(problem_files(paths), solvers, limits, unreadable, plot=plot, csv=csv, repeat=repeat)
    for error in unreadable:
        say_error(error)
    summaries, profile = summarise(attempts), profile_of(attempts, tolerance)
    if plot is not None and attempts:
        _draw(profile, summaries[0].problems, tolerance, plot)
    if json:
        from signorini.studies.attempt import row

        print_json(_document(summaries, profile, tolerance) | {"results": [row(a) for a in attempts]})
    elif attempts:
        _print(summaries, profile, tolerance)
        print_reasons(attempts)
    return BAD_INPUT if unreadable else 0


def _draw(profile: Profile, problems: int, tolerance: float, path: Path) -> None:
    from signorini.view.profile import draw_profile

    solving = {solver: ratios for solver, ratios in profile.ratios.items() if profile.share(solver, float("inf")) > 0}
    draw_profile(solving, path, f"{problems} problems to a scaled error of {tolerance:.0e}")


def _document(summaries: list[Summary], profile: Profile, tolerance: float) -> dict[str, object]:
    from dataclasses import asdict

    from signorini import __version__
    from signorini.studies.comparison import LEVELS

    return {
        "signorini": __version__,
        "tolerance": tolerance,
        "levels": LEVELS,
        "solvers": [asdict(summary) for summary in summaries],
        "profile": [
            {"solver": s.solver, "factor": factor, "share": float(profile.share(s.solver, factor))}
            for s in summaries
            for factor in FACTORS
        ],
    }


def _print(summaries: list[Summary], profile: Profile, tolerance: float) -> None:
    out = console()
    out.print(f"{summaries[0].problems} problems: share solved to a scaled error of at most")
    out.print(_summary_table(summaries))
    out.print(
        f"Performance profile: share of problems solved to {tolerance:.0e} within a factor of the best time on each"
    )
    out.print(_profile_table(summaries, profile))


def _summary_table(summaries: list[Summary]) -> Table:
    from signorini.studies.comparison import LEVELS

    headings = [f"{level:.0e}" for level in LEVELS] + ["iterations\nmedian", "\nmax", "time\nmedian", "\ntotal"]
    table = _empty_table([*headings, "refused", "crashed"])
    for s in summaries:
        median = "-" if s.iterations_median is None else f"{s.iterations_median:g}"
        most = "-" if s.iterations_max is None else str(s.iterations_max)
        table.add_row(
            s.solver,
            *(f"{share:.0%}" for share in s.shares),
            *(median, most, seconds_text(s.seconds_median), seconds_text(s.seconds_total or None)),
            *(str(s.refused or ""), str(s.crashed or "")),
        )
    return table


def _profile_table(summaries: list[Summary], profile: Profile) -> Table:
    table = _empty_table(["fastest" if f == 1 else "at all" if f == float("inf") else f"{f:g}x" for f in FACTORS])
    for s in summaries:
        table.add_row(s.solver, *(f"{float(profile.share(s.solver, factor)):.0%}" for factor in FACTORS))
    return table


def _empty_table(headings: list[str]) -> Table:
    table = plain_table()
    table.add_column("solver")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
