"""`signorini solve`: solve the problems in FCLIB files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.output import (
    BAD_INPUT,
    FAILED,
    compiling,
    console,
    error_text,
    plain_table,
    print_json,
    reports_errors,
    say_error,
    seconds_text,
    with_progress,
)

if TYPE_CHECKING:
    from rich.table import Table

    from signorini.problem.errors import SignoriniError
    from signorini.studies.attempt import Attempt
    from signorini.studies.solve_files import Limits

NARROW = 110
"""Terminals with fewer columns get a table without the contacts."""


@reports_errors
def solve(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|DIR", help="FCLIB or .npz files, folders of FCLIB files.")
    ],
    solver: Annotated[str, typer.Option(help="Solvers by name, separated by commas, or all.")] = "interior-point",
    law: Annotated[str, typer.Option(help="Friction: convex, or coulomb, the exact law.")] = "convex",
    tolerance: Annotated[float | None, typer.Option(help="Largest error; default 1e-8, exact law 1e-6.")] = None,
    max_iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    time_budget: Annotated[float | None, typer.Option(metavar="S", help="Stop a solve after S seconds.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw residual against iteration and time.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the certificates as CSV.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every iteration.")] = False,
    history: Annotated[Path | None, typer.Option(help="Write every iteration as CSV.")] = None,
) -> int:
    """Solve contact problems and measure the answers.

    Exit code 0: all solved. 1: some solve failed. 2: bad input.
    """
    from signorini.studies.iteration_log import write_iterations
    from signorini.studies.solve_files import Limits, problem_files

    unreadable: list[SignoriniError] = []
    if tolerance is None:
        tolerance = 1e-6 if law == "coulomb" else 1e-8
    log = verbose or history is not None
    limits = Limits(tolerance, max_iterations, time_budget, log, law)  # type: ignore[arg-type]
    attempts = run_attempts(problem_files(paths), solver, limits, unreadable, plot=plot, csv=csv)
    for error in unreadable:
        say_error(error)
    if plot is not None:
        _draw(attempts, plot, tolerance)
    if history is not None:
        write_iterations(attempts, history)
    if verbose and not json:
        print_iterations(attempts)
    if json:
        print_json({"law": law} | _document(attempts, tolerance, unreadable))
    else:
        _print(attempts)
    return exit_code(attempts, unreadable, refusals_count="all" not in solver.split(","))


def run_attempts(
    files: list[Path],
    solver: str,
    limits: Limits,
    unreadable: list[SignoriniError],
    *,
    plot: Path | None,
    csv: Path | None,
    repeat: int = 1,
) -> list[Attempt]:
    """All solvers on all files, with progress, the CSV file being written on the way."""
    from signorini.kernels.watch import compilations
    from signorini.studies.solve_files import choose_solvers, collect, solve_files
    from signorini.view.style import check_picture_path

    if plot is not None:
        check_picture_path(plot)
    with compiling("preparing the solvers") as tell, compilations(tell):
        solvers = choose_solvers(solver, limits)
    attempts = solve_files(files, solvers, unreadable, repeat)
    return collect(with_progress(attempts, len(files) * len(solvers)), csv)


def exit_code(attempts: list[Attempt], unreadable: list[SignoriniError], *, refusals_count: bool) -> int:
    """The worst that happened; a refusal is a failure only of a solver that was asked by name."""
    from signorini.studies.attempt import BAD_PROBLEM, REFUSED

    if unreadable or any(a.outcome == BAD_PROBLEM for a in attempts):
        return BAD_INPUT
    judged = [a for a in attempts if refusals_count or a.outcome != REFUSED]
    return 0 if judged and all(a.solved for a in judged) else FAILED


def _draw(attempts: list[Attempt], path: Path, tolerance: float) -> None:
    from signorini.view.convergence import Curve, draw_convergence

    curves = [Curve(a.problem.name, a.solver, a.solution.history) for a in attempts if a.solution is not None]
    draw_convergence(curves, path, tolerance)


def print_iterations(attempts: list[Attempt]) -> None:
    """A table of every iteration of every solve."""
    from signorini.studies.iteration_log import rows_of

    for a in attempts:
        if a.solution is None:
            continue
        rows = list(rows_of(a.solution.history))
        console().print(f"{a.problem.name}, {a.solver}:", markup=False)
        table = plain_table()
        for name in rows[0] if rows else ():
            table.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*(f"{value:g}" if name == "iteration" else _number(value) for name, value in row.items()))
        console().print(table)


def _number(value: float) -> str:
    return "" if value != value else f"{value:.2g}"


def _document(attempts: list[Attempt], tolerance: float, unreadable: list[SignoriniError]) -> dict[str, object]:
    from signorini import __version__
    from signorini.studies.attempt import row

    return {
        "signorini": __version__,
        "tolerance": tolerance,
        "solved": sum(a.solved for a in attempts),
        "results": [row(a) for a in attempts],
        "errors": [str(error) for error in unreadable],
    }


def _print(attempts: list[Attempt]) -> None:
    out = console()
    if attempts:
        out.print(_table(attempts, narrow=out.width < NARROW))
        out.print(f"{sum(a.solved for a in attempts)} of {len(attempts)} solved")
    print_reasons(attempts)


def print_reasons(attempts: list[Attempt]) -> None:
    """Why there are attempts without a solution: one line for each solver and kind of failure."""
    groups: dict[tuple[str, str], list[str]] = {}
    for a in attempts:
        if a.message:
            groups.setdefault((a.solver, a.outcome), []).append(a.message)
    for (solver, outcome), messages in groups.items():
        count = f" {len(messages)} problems, the first" if len(messages) > 1 else ""
        console().print(f"{solver} {outcome}{count}: {messages[0]}", markup=False)


def _table(attempts: list[Attempt], *, narrow: bool) -> Table:
    """One row per attempt; a narrow table has no room for the contacts."""
    table = plain_table()
    table.add_column("problem", overflow="fold", min_width=10)
    if not narrow:
        table.add_column("contacts", justify="right")
    for heading in ("solver", "status"):
        table.add_column(heading, no_wrap=True)
    numbers = ["iter-\nations" if narrow else "iterations", "time", "scaled\nerror", "Coulomb\nerror"]
    for heading in numbers if narrow else [*numbers, "worst\ncontact"]:
        table.add_column(heading, justify="right", no_wrap=True)
    for a in attempts:
        cells = _cells(a)
        table.add_row(cells[0], *(cells[2:-1] if narrow else cells[1:]))
    return table


def _cells(a: Attempt) -> list[str]:
    colour = "green" if a.solved else "yellow" if a.solution is not None else "red"
    known = [a.problem.name, str(a.problem.contacts), a.solver, f"[{colour}]{a.outcome}[/]"]
    if a.solution is None:
        return [*known, *[""] * 5]
    certificate = a.solution.certificate
    return [
        *known,
        str(a.solution.iterations),
        seconds_text(a.seconds),
        error_text(certificate.scaled),
        error_text(certificate.coulomb.abh),
        str(certificate.worst_contact),
    ]
