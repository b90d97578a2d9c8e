"""Many problems, many solvers: what becomes of refusals, crashes and missing libraries."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from signorini.io.fclib import save_problem
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import FileError, MissingExtraError, SignoriniError, SolverError
from signorini.solvers.base import Solver
from signorini.studies.attempt import COLUMNS, CRASHED, REFUSED, Attempt, attempt, row
from signorini.studies.comparison import profile_of, summarise
from signorini.studies.solve_files import (
    Limits,
    choose_solvers,
    collect,
    describe_solvers,
    problem_files,
    solve_files,
)
from signorini.studies.warm_up import ball_towers, dual_only, warm_up_problems

pytestmark = pytest.mark.usefixtures("plain_solvers")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for k, problem in enumerate([ball_towers(1), dual_only(ball_towers(1))]):
        save_problem(problem, tmp_path / f"balls{k}.hdf5")
    (tmp_path / "notes.txt").write_text("not a problem")
    return tmp_path


def run(directory: Path, names: str = "all") -> list[Attempt]:
    solvers = choose_solvers(names, Limits(tolerance=1e-9))
    return list(solve_files(problem_files([directory]), solvers, []))


def test_small_problems_of_both_forms_have_the_same_answer() -> None:
    (solver,) = choose_solvers("plain-gradient", Limits(tolerance=1e-10)).values()
    first, second = (solver.solve(problem) for problem in (ball_towers(1), dual_only(ball_towers(1))))
    assert first.status.ok
    assert second.status.ok
    assert first.contact_impulse == pytest.approx(second.contact_impulse, abs=1e-8)


def test_all_leaves_out_what_is_not_installed_and_a_name_does_not() -> None:
    assert list(choose_solvers("all", Limits())) == ["plain-gradient", "no-contacts", "crashes"]
    with pytest.raises(MissingExtraError, match="pip install"):
        choose_solvers("not-installed", Limits())


def test_solvers_are_chosen_by_name() -> None:
    assert list(choose_solvers(" crashes, plain-gradient,crashes", Limits())) == ["crashes", "plain-gradient"]
    with pytest.raises(SolverError, match="no solver called 'newton'; choose one of plain-gradient"):
        choose_solvers("newton", Limits())
    with pytest.raises(SolverError, match="no solver is named"):
        choose_solvers(",", Limits())
    with pytest.raises(SolverError, match="tolerance is -1"):
        choose_solvers("plain-gradient", Limits(tolerance=-1.0))


def test_limits_reach_the_solver_and_defaults_stay() -> None:
    (solver,) = choose_solvers("plain-gradient", Limits(1e-5, max_iterations=3)).values()
    assert (solver.tolerance, solver.max_iterations, solver.time_budget) == (1e-5, 3, 10.0)  # type: ignore[attr-defined]
    answer = solver.solve(ball_towers(1))
    assert answer.iterations == 3


def test_every_outcome_has_its_row(directory: Path) -> None:
    attempts = run(directory)
    assert [(a.problem.name, a.solver, a.outcome) for a in attempts] == [
        (name, solver, outcome)
        for name in ("balls0", "balls1")
        for solver, outcome in (("plain-gradient", "solved"), ("no-contacts", REFUSED), ("crashes", CRASHED))
    ]
    solved, refused, crashed = (row(a) for a in attempts[:3])
    assert tuple(solved) == tuple(refused) == COLUMNS
    assert solved["form"] == "global"
    assert solved["dimension"] == 3
    assert float(str(solved["scaled"])) <= 1e-9
    assert refused["scaled"] is None
    assert "this one has 2" in str(refused["message"])
    assert crashed["message"] == "ZeroDivisionError: division by zero"


def test_each_solve_starts_from_an_untouched_problem() -> None:
    seen: list[ContactProblem] = []
    (inner,) = choose_solvers("plain-gradient", Limits()).values()

    class Watcher:
        name = "watcher"

        def solve(self, problem: ContactProblem, guess: object = None) -> object:
            assert "N" not in problem.__dict__, "an earlier solve left its work behind"
            seen.append(problem)
            return inner.solve(problem)

    watcher: Solver = Watcher()  # type: ignore[assignment]
    result = attempt(ball_towers(1), "watcher", watcher, repeat=3)
    assert result.solved
    assert len(seen) == 3
    assert result.seconds > 0


def test_unreadable_files_are_collected_and_the_rest_is_solved(directory: Path) -> None:
    (directory / "balls0.hdf5").write_text("damaged")
    unreadable: list[SignoriniError] = []
    solvers = choose_solvers("plain-gradient", Limits())
    attempts = list(solve_files(problem_files([directory]), solvers, unreadable))
    assert [a.problem.name for a in attempts] == ["balls1"]
    assert len(unreadable) == 1
    assert "balls0" in str(unreadable[0])


def test_files_are_found(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert [p.name for p in problem_files([directory])] == ["balls0.hdf5", "balls1.hdf5"]
    assert problem_files([directory / "notes.txt"]) == [directory / "notes.txt"], "a file named on purpose is tried"
    with pytest.raises(FileError, match="holds no FCLIB files"):
        problem_files([tmp_path_factory.mktemp("empty")])
    with pytest.raises(FileError, match="no such file"):
        problem_files([directory / "absent.hdf5"])
    with pytest.raises(FileError, match="no file to solve"):
        problem_files([])


def test_csv_keeps_rows_of_an_interrupted_study(directory: Path, tmp_path: Path) -> None:
    def interrupted() -> object:
        yield from run(directory)[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(interrupted(), tmp_path / "table.csv")  # type: ignore[arg-type]
    with (tmp_path / "table.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["status"] for line in lines] == ["solved", "refused"]
    assert lines[1]["scaled"] == ""


def test_summary_counts_every_problem(directory: Path) -> None:
    attempts = run(directory)
    plain, refusing, crashing = summarise(attempts)
    assert plain.shares == (1.0, 1.0, 1.0)
    assert plain.problems == 2
    assert plain.iterations_max is not None
    assert (refusing.refused, refusing.shares, refusing.seconds_median) == (2, (0.0, 0.0, 0.0), None)
    assert (crashing.crashed, crashing.refused) == (2, 0)
    profile = profile_of(attempts, 1e-8)
    assert profile.share("plain-gradient", 1.0) == 1.0
    assert profile.share("crashes", math.inf) == 0.0


def test_solvers_are_described_by_their_first_line() -> None:
    plain = describe_solvers()[0]
    assert plain.name == "plain-gradient"
    assert plain.text == "Projected gradient with a fixed step: slow, short and surely right."
    assert plain.settings == {"tolerance": "1e-08", "max_iterations": "20000", "time_budget": "10.0"}


def test_warm_up_problems_are_of_different_kinds_and_can_be_solved() -> None:
    (solver,) = choose_solvers("plain-gradient", Limits(tolerance=1e-8)).values()
    problems = warm_up_problems()
    assert len({(p.is_dual_only, p.velocities, p.contact_rows) for p in problems}) == len(problems)
    assert all(solver.solve(p).status.ok for p in problems)
