"""Kills and faults of recorded runs: a record is a beginning of the undisturbed run, and goes on bit for bit.

Runs are forked from a process that has everything loaded, so that a fault costs tenths of a second.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import signorini as sg
from signorini.cli.interruption import after_the_step
from signorini.io.recorder import Recorder
from signorini.io.verify import verify_record

STEPS = 200
H = 0.005
PATIENCE = 60.0
"""A run that takes longer after its fault hangs, or ten times as long before it [s]."""
FINISHED, REFUSED = 0, 7


def simulation() -> sg.Simulation:
    """Balls that roll and bump into one another."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    for k in range(3):
        place = (0.21 * k, 0.01 * k, 0.12 + 0.05 * k)
        model.add_body(sg.Sphere(0.1), mass=1.0, position=place, velocity=(0.6 - 0.3 * k, 0, 0))
    return sg.Simulation(model, step=H, solver="projected-sor", threads=1)


def record_in_a_child(path: Path, flush: int, before: Callable[[], None], told: int, pace: float) -> int:
    """Fork a run that records; its process. It tells that it begins by `+` in `told`, and each step by a dot."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        code = _recorded(path, flush, before, told, pace)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush()
        os._exit(code)


def _recorded(path: Path, flush: int, before: Callable[[], None], told: int, pace: float) -> int:
    sim, recorder = simulation(), Recorder(path, flush_steps=flush)

    def tell(step: Any) -> None:
        if step.number == 2:
            before()
        os.write(told, b".")
        time.sleep(pace)

    with after_the_step() as interruption:
        try:
            os.write(told, b"+")
            sim.run(STEPS * H, record=recorder, callbacks=[tell, lambda _: interruption.check()])
        except KeyboardInterrupt:
            return interruption.exit_code
        except (OSError, sg.SignoriniError):
            return REFUSED
    return FINISHED


# --- faults --------------------------------------------------------------------------------------------------------


class Fault:
    """One fault of one run: how it is made, and how the run may end."""

    def __init__(self, kind: str, rng: np.random.Generator, folder: Path) -> None:
        self.kind, self.rng = kind, rng
        self.path = folder / "run.h5"
        self.flush = int(rng.choice([1, 2, 5, 20, 100]))
        self.at_step = int(rng.integers(0, STEPS + 20))
        self.pace = float(rng.choice([0.0, 0.0, 2e-4]))
        self.limit = int(rng.integers(1 << 12, 400_000))
        self.lifted = bool(rng.random() < 0.5)

    def before(self) -> None:
        """In the child, after the second step: no room from now on."""
        if self.kind == "full disk":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, resource.RLIM_INFINITY))

    def act(self, child: int) -> None:
        """In the parent, when the run has come to the step."""
        time.sleep(float(self.rng.uniform(0, 2e-3)))
        numbers = {"kill": [9], "interrupt": [2], "interrupt twice": [2, 2], "terminate": [15]}.get(self.kind, [])
        for number in numbers:
            try:
                os.kill(child, number)
            except ProcessLookupError:
                return
            time.sleep(float(self.rng.uniform(0, 3e-3)))

    def codes(self) -> tuple[int, ...]:
        """How the run may end; negative: by a signal."""
        signals = {"kill": (-9,), "interrupt": (130,), "interrupt twice": (130,), "terminate": (143,)}
        return (FINISHED, *signals.get(self.kind, (REFUSED,)))

    def lost(self) -> int:
        """Steps that may be missing."""
        return self.flush if self.kind in ("kill", "full disk") else 0


KINDS = ("kill", "kill", "kill", "interrupt", "interrupt twice", "terminate", "full disk", "read-only", "two writers")


def disturbed(fault: Fault) -> tuple[int, int]:
    """Run with the fault; its end and the steps that were done."""
    reader, writer = os.pipe()
    child = record_in_a_child(fault.path, fault.flush, fault.before, writer, fault.pace)
    os.close(writer)
    done, begun, acted, limit = 0, False, False, time.monotonic() + 10.0 * PATIENCE
    while True:
        if begun and not acted and done >= fault.at_step:
            fault.act(child)
            acted, limit = True, time.monotonic() + PATIENCE
        ready = select.select([reader], [], [], 0.2)[0]
        data = os.read(reader, 1 if not acted else 4096) if ready else b"-"
        if not data:
            break
        begun |= b"+" in data
        done += data.count(b".")
        if time.monotonic() > limit:
            os.kill(child, signal.SIGKILL)
            break
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return (status if time.monotonic() <= limit else 99), done


def second_writer(path: Path) -> int:
    """What a second run onto the same record ends with."""
    reader, writer = os.pipe()
    child = record_in_a_child(path, 5, lambda: None, writer, 0.0)
    os.close(writer)
    while os.read(reader, 4096):
        pass
    os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check_record(path: Path, whole: Any, least: int) -> str:
    """What is wrong with a record; empty if it is a beginning of the undisturbed run and goes on as that one did."""
    if not path.exists():
        return "" if least <= 1 else f"no record, expected {least} steps"
    run = sg.Run.load(path)
    steps = len(run.diagnostics)
    if steps < least:
        return f"{steps} steps, expected {least}"
    names = ("position", "orientation", "velocity", "angular_velocity")
    frames = {name: getattr(run, name)() for name in names}
    if any(not np.array_equal(frames[name], whole[name][: steps + 1]) for name in names):
        return "other frames"
    if not np.array_equal(run.diagnostics["number"], np.arange(1, steps + 1)):
        return "other diagnostics"
    if verify_record(path).wrong:
        return "verify is not content"
    if steps < STEPS:
        again = sg.Simulation.resume(path).run((STEPS - steps) * H, record=path)
        if any(not np.array_equal(getattr(again, name)(), whole[name]) for name in names):
            return "other frames after resuming"
    return ""


# --- campaign ------------------------------------------------------------------------------------------------------


class KillsAndFaults:
    """Case n: a run with a fault drawn by seed n."""

    name = "kills"
    hang = 120.0

    def loads(self) -> list[Callable[[], object]]:
        """The undisturbed run."""
        return [self._undisturbed]

    def _undisturbed(self) -> None:
        run = simulation().run(STEPS * H)
        self.whole = {
            name: getattr(run, name)() for name in ("position", "orientation", "velocity", "angular_velocity")
        }

    def start(self, folder: Path) -> None:
        """Where records are written."""
        self.folder = folder

    def trial(self, number: int) -> dict[str, Any]:
        """One fault."""
        rng = np.random.default_rng(number)
        kind = KINDS[int(rng.integers(len(KINDS)))]
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            Path(name).chmod(0o755)  # the run onto a folder that cannot be written is another user's
            fault = Fault(kind, rng, Path(name))
            try:
                wrong = _tried(fault, self.whole)
            except Exception:
                wrong = traceback.format_exc(limit=-4)
        row: dict[str, Any] = {"kind": kind}
        return {**row, "flush": fault.flush, "step": fault.at_step, "bad": wrong} if wrong else row


def _tried(fault: Fault, whole: Any) -> str:
    if fault.kind == "read-only":
        return _read_only(fault)
    if fault.kind == "two writers":
        return _two_writers(fault, whole)
    code, done = disturbed(fault)
    if code not in fault.codes():
        return f"ended with {code}"
    found = check_record(fault.path, whole, STEPS if code == FINISHED else max(0, done - fault.lost()))
    left = [path.name for path in fault.path.parent.iterdir() if path.name.startswith(".")]
    if fault.kind != "kill" and left:
        return f"left {left}"
    return found


def _read_only(fault: Fault) -> str:
    """A folder that cannot be written: an error, and nothing in it changes."""
    fault.path.write_bytes(b"not a record")
    old = (fault.path.stat().st_mtime_ns, fault.path.read_bytes())
    folder = fault.path.parent
    folder.chmod(0o555)
    child = os.fork()
    if not child:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            if os.getuid() == 0:
                os.setuid(65534)  # permissions do not bind root
            target = folder / ("run.h5" if fault.at_step % 2 else "new.h5")
            code = _recorded(target, 1, lambda: None, os.open(os.devnull, os.O_WRONLY), 0.0)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    folder.chmod(0o755)
    if code != REFUSED:
        return f"ended with {code}"
    same = old == (fault.path.stat().st_mtime_ns, fault.path.read_bytes())
    return "" if same and len(list(folder.iterdir())) == 1 else "the folder changed"


def _two_writers(fault: Fault, whole: Any) -> str:
    """The second run is refused, and the first goes on."""
    reader, writer = os.pipe()
    child = record_in_a_child(fault.path, fault.flush, lambda: None, writer, 2e-3)
    os.close(writer)
    for _ in range(4):
        os.read(reader, 1)
    second = second_writer(fault.path)
    while os.read(reader, 4096):
        pass
    os.close(reader)
    first = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if (first, second) != (FINISHED, REFUSED):
        return f"ended with {first} and {second}"
    return check_record(fault.path, whole, STEPS)
