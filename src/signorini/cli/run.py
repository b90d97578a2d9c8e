"""`signorini run`: simulate a scene."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli.background_compile import compile_in_background
from signorini.cli.interruption import after_the_step
from signorini.cli.output import (
    FAILED,
    console,
    plain_table,
    print_json,
    renamed,
    reports_errors,
    say_error,
    seconds_text,
)

if TYPE_CHECKING:
    from signorini.simulation.run import Run
    from signorini.stepping.step import Step
    from signorini.studies.scene_run import Prepared
    from signorini.view.web import Viewer

SAVING = 5.0
"""Seconds that a flush under way may take when the user has no more patience."""
PATIENCE = 2.0
"""Seconds without a first step after which the reason is printed."""
SCENE_FILE = "With --resume: where the scene's functions are."
INTEGRATORS = "dvi, nonsmooth-alpha, hht, newmark, trapezoidal, implicit-euler, symplectic-euler, heun, runge-kutta-45."
COMPILING = (
    "compiling: the first run of a kind of scene takes up to a minute to start on an idle machine, later runs a few "
    "seconds; `signorini warm` compiles ahead"
)


@reports_errors
def run(
    scene: Annotated[str | None, typer.Argument(metavar="SCENE|FILE", help="A scene; a .py, .urdf, .xml.")] = None,
    duration: Annotated[float | None, typer.Option(metavar="S", help="Simulated time from the start [s].")] = None,
    time: Annotated[float | None, typer.Option(hidden=True)] = None,
    step: Annotated[float | None, typer.Option(metavar="S", help="Time step [s].")] = None,
    integrator: Annotated[str | None, typer.Option(help=INTEGRATORS)] = None,
    solver: Annotated[str | None, typer.Option(help="By name [default: auto, told by the summary].")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Largest error of a solved step.")] = None,
    max_iterations: Annotated[int | None, typer.Option(help="Most iterations or sweeps per step.")] = None,
    law: Annotated[str | None, typer.Option(help="Friction: coulomb (default), or convex, its relaxation.")] = None,
    on_failure: Annotated[str, typer.Option(help="When a step misses the tolerance: warn, fallback, raise.")] = "warn",
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Scene parameter.")] = None,
    ground: Annotated[bool, typer.Option("--ground", help="Put a plane below a robot, as --set ground=true.")] = False,
    record: Annotated[Path | None, typer.Option(help="Write the run to this file (HDF5).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --record replace an old record.")] = False,
    every: Annotated[int, typer.Option(metavar="N", help="Record the state of every N-th step.")] = 1,
    contacts: Annotated[bool, typer.Option(help="Record contacts and their impulses.")] = True,
    single: Annotated[bool, typer.Option("--single", help="Record states and contacts as float32.")] = False,
    resume: Annotated[Path | None, typer.Option(help="Go on with a record, in it or in --record NEW.")] = None,
    scene_file: Annotated[str | None, typer.Option("--scene", metavar="FILE.py", help=SCENE_FILE)] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the scene and of the simulation.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of loops and factorisations.")] = None,
    device: Annotated[str, typer.Option(help="Where steps are computed: cpu, or cuda, an NVIDIA GPU.")] = "cpu",
    picture: Annotated[Path | None, typer.Option(help="Draw the last state (.png, .pdf, .svg).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw residual, contacts, iterations over time.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Watch it in the browser while it computes.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Also print the time per stage.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Also print a line per step (to stderr).")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> int:
    """Simulate a scene and print a summary.

    Exit code 0: the run reached its end. 1: a step failed. 2: bad input, or a file that cannot be written. 130, 143,
    129: ended by Ctrl-C, SIGTERM, SIGHUP.
    """
    from signorini.studies.scene_run import Order, prepare

    _check_pictures(picture, plot)
    order = Order(
        scene=scene or scene_file, settings=(*(settings or ()), *(("ground=true",) if ground else ())),
        end=renamed(time, duration, "time", "duration"), step=step, integrator=integrator, solver=solver,
        tolerance=tolerance, max_iterations=max_iterations, law=law, on_failure=on_failure,  # type: ignore[arg-type]
        seed=seed, threads=threads, device=device, record=record, force=force, every=every, contacts=contacts,
        single=single, resume=resume,
    )  # fmt: skip
    with warnings.catch_warnings(action="always", category=UserWarning):
        prepared = prepare(order)
        compile_in_background(prepared.simulation.solver.name)
        done = _run(prepared, view, verbose)
    return done if isinstance(done, int) else _report(prepared, done, (picture, plot), profile, json)


def _check_pictures(*paths: Path | None) -> None:
    """Refuse names that no picture can have, before time is spent."""
    from signorini.view.style import check_picture_path

    for path in filter(None, paths):
        check_picture_path(path)


def _report(prepared: Prepared, done: Run, drawn: tuple[Path | None, Path | None], profile: bool, json: bool) -> int:
    """Draw and print; the exit code."""
    _draw(prepared, done, *drawn)
    if json:
        print_json({"scene": prepared.title, **done.summary(), **({"profile": done.seconds()} if profile else {})})
    else:
        _print(prepared.title, done, profile)
        _name_files(prepared.recorder.path if prepared.recorder else None, *drawn)
    return FAILED if done.message else 0


def _name_files(*paths: Path | None) -> None:
    """Tell the user what was written."""
    for path in paths:
        if path is not None:
            typer.echo(f"written: {path}")


def _run(prepared: Prepared, watch: bool, verbose: bool) -> Run | int:
    """The run, or the exit code of one that did not reach its end."""
    from signorini.problem.errors import SimulationError

    recorder = prepared.recorder

    def how_to_go_on() -> str:
        advice = f"go on with: signorini run --resume {recorder.path}" if recorder and recorder.published else ""
        return f"interrupted at t = {prepared.simulation.time:g} s; {advice or 'nothing was recorded'}"

    def save_at_once() -> None:
        text = how_to_go_on()
        if recorder is not None:
            recorder.save(SAVING)
        typer.echo(text, err=True)

    remark = threading.Timer(PATIENCE, lambda: typer.echo(COMPILING, err=True))
    remark.daemon = True
    remark.start()
    try:
        with after_the_step(save_at_once) as interruption, _watched(prepared, watch) as watcher:
            watchers = (*((watcher,) if watcher else ()), *((_print_step,) if verbose else ()))
            return prepared.run(not verbose, remark.cancel, interruption.check, watchers)
    except SimulationError as error:
        say_error(error)
        return FAILED
    except KeyboardInterrupt:
        typer.echo(how_to_go_on(), err=True)
        return interruption.exit_code
    finally:
        remark.cancel()


def _print_step(step: Step) -> None:
    """One line: where the step ended and how it was solved."""
    how, spent = step.outcome, [f"{name} {seconds_text(s)}" for name, s in step.seconds.items() if s > 0]
    typer.echo(
        f"step {step.number}, t = {step.state.time:.6g} s: {how.status.name.lower()}, {step.contacts.count} contacts, "
        f"{how.iterations} iterations, error {how.residual:.1e}; {', '.join(spent)}",
        err=True,
    )


@contextmanager
def _watched(prepared: Prepared, watch: bool) -> Iterator[Viewer | None]:
    """A viewer in the browser, which stays after the run until the user has seen enough."""
    if not watch:
        yield None
        return
    from signorini.view.web import view

    viewer = view(prepared.simulation, title=prepared.title)
    typer.echo(f"watch: {viewer.url}", err=True)
    yield viewer
    viewer.finish()
    if sys.stdin.isatty():
        typer.prompt("the run is done; Enter ends the viewer", default="", show_default=False, err=True)
    viewer.close()


def _draw(prepared: Prepared, done: Run, picture: Path | None, plot: Path | None) -> None:
    if picture is not None:
        from signorini.view.scene_picture import draw_scene

        draw_scene(prepared.model, done.state(), picture, title=f"{prepared.title}, t = {done.times[-1]:.3g} s")
    if plot is not None:
        from signorini.view.run_plot import draw_run

        draw_run(done, plot, prepared.title)


def _print(title: str, done: Run, profile: bool) -> None:
    from rich.table import Table

    out, summary = console(), done.summary()
    table = Table.grid(padding=(0, 2))
    (_, steps), *rest = summary.lines()
    for name, text in [("scene", f"{title}: {steps}"), *rest]:
        table.add_row(name, text)
    out.print(table)
    if profile:
        _print_profile(done)


def _print_profile(done: Run) -> None:
    seconds, steps = done.seconds(), max(len(done.diagnostics), 1)
    total = sum(seconds.values()) or 1.0
    table = plain_table()
    table.add_column("stage")
    for heading in ("total", "per step", "median", "share"):
        table.add_column(heading, justify="right")
    for stage, spent in seconds.items():
        middle = sorted(done.diagnostics[stage])[steps // 2] if len(done.diagnostics) else 0.0
        cells = (seconds_text(spent), seconds_text(spent / steps), seconds_text(float(middle)), f"{spent / total:.1%}")
        table.add_row(stage, *cells)
    console().print(table)
