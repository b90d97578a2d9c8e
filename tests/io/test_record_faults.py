"""Records when something goes wrong: no room, interrupted flushes, torn files, two writers, old files in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from signorini.collision.contacts import Contacts
from signorini.io import journaled_file
from signorini.io.journal import journal_path
from signorini.io.record_reader import RecordReader
from signorini.io.record_writer import RecordWriter
from signorini.io.recorder import Recorder
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import FileError, SignoriniError, SimulationError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

STEPS = 60


def model() -> Model:
    found = Model()
    found.add_fixed_body(HalfSpace((0, 0, 1)))
    for k in range(4):
        found.add_body(Sphere(0.1), mass=1.0, position=(0.15 * k, 0.01 * k, 0.12 + 0.05 * k), velocity=(0.3, 0, 0))
    return found


def simulation() -> Simulation:
    return Simulation(model(), step=0.005, solver="projected-sor")


@pytest.fixture(scope="module")
def undisturbed() -> Run:
    return simulation().run(STEPS * 0.005)


def assert_whole(path: Path, undisturbed: Run, least: int) -> int:
    """The record is a beginning of the undisturbed run, and the rest is the same bit for bit; how long it was."""
    run = Run.load(path)
    steps = len(run.diagnostics)
    assert steps >= least
    assert len(run.times) == steps + 1
    np.testing.assert_array_equal(run.diagnostics["number"], np.arange(1, steps + 1))
    np.testing.assert_array_equal(run.times, undisturbed.times[: steps + 1])
    np.testing.assert_array_equal(run.position(), undisturbed.position()[: steps + 1])
    for k in range(steps + 1):
        np.testing.assert_array_equal(run.contacts(k).impulse, undisturbed.contacts(k).impulse)
    if steps < STEPS:
        again = Simulation.resume(path).run((STEPS - steps) * 0.005, record=path)
        np.testing.assert_array_equal(again.position(), undisturbed.position())
        np.testing.assert_array_equal(again.velocity(), undisturbed.velocity())
    return steps


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


# --- no room -------------------------------------------------------------------------------------------------------

FULL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[3])
from test_record_faults import Recorder, STEPS, simulation
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = int(sys.argv[2])
sim = simulation()

def squeeze(step):
    if step.number == 3:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    if step.number == 40:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

try:
    sim.run(STEPS * 0.005, record=Recorder(sys.argv[1], flush_steps=4), callbacks=[squeeze])
except OSError as error:
    print(type(error).__name__, error)
    raise SystemExit(7)
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1 << 12, 70_000, 80_000, 100_000])
def test_no_room_is_an_error_and_leaves_a_whole_record(tmp_path: Path, limit: int, undisturbed: Run) -> None:
    path = tmp_path / "run.h5"
    command = [sys.executable, "-c", FULL, str(path), str(limit), str(Path(__file__).parent)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 7), result.stderr  # no crash at the end
    steps = assert_whole(path, undisturbed, 1)
    if result.returncode == 7:
        assert "make room on the disk and go on with: signorini run --resume" in result.stdout
        assert f"whole up to step {steps}" in result.stdout
    else:
        assert steps == STEPS
    assert leftovers(tmp_path) == []


# --- interrupted flushes -------------------------------------------------------------------------------------------


class Stop(BaseException):
    """An exception that nothing catches."""


@pytest.mark.parametrize("call", range(0, 80, 3))
def test_error_inside_a_flush_loses_that_flush_alone(
    tmp_path: Path, call: int, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any write of HDF5 may be the one that fails."""
    path, calls = tmp_path / "run.h5", [0]
    plain = h5py.Dataset.__setitem__

    def failing(self: Any, *arguments: Any) -> None:
        if path.exists():
            calls[0] += 1
            if calls[0] == call + 1:
                raise Stop
        plain(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(h5py.Dataset, "__setitem__", failing)
        with pytest.raises(Stop):
            simulation().run(STEPS * 0.005, record=Recorder(path, flush_steps=5))
    assert_whole(path, undisturbed, 1)


@pytest.mark.parametrize("call", range(12))
def test_failing_write_to_the_disk_loses_that_flush_alone(
    tmp_path: Path, call: int, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls = tmp_path / "run.h5", [0]
    plain = journaled_file.write_all

    def failing(file: int, data: bytes, place: int) -> None:
        if path.exists():
            calls[0] += 1
            if calls[0] == call + 1:
                plain(file, data[: len(data) // 2], place)
                raise OSError(28, "No space left on device")
        plain(file, data, place)

    with monkeypatch.context() as patch:
        patch.setattr(journaled_file, "write_all", failing)
        with pytest.raises(FileError, match="make room on the disk"):
            simulation().run(STEPS * 0.005, record=Recorder(path, flush_steps=5, sync_seconds=0.0))
    assert_whole(path, undisturbed, 1)


@pytest.mark.parametrize("commit", [1, 2, 3, 7])
def test_interruption_waits_for_the_end_of_a_flush(
    tmp_path: Path, commit: int, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls = tmp_path / "run.h5", [0]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    plain = RecordWriter.commit

    def interrupted(self: Any, *arguments: Any) -> None:
        calls[0] += 1
        if calls[0] == commit:
            os.kill(os.getpid(), signal.SIGINT)
        plain(self, *arguments)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(RecordWriter, "commit", interrupted)
            with pytest.raises(KeyboardInterrupt):
                simulation().run(STEPS * 0.005, record=Recorder(path, flush_steps=5))
    finally:
        signal.signal(signal.SIGINT, before)
    assert leftovers(tmp_path) == []
    assert path.exists() == (commit > 1)
    if path.exists():
        assert assert_whole(path, undisturbed, 1) == 1 + 5 * (commit - 2)


def test_interruption_between_a_step_and_its_record(tmp_path: Path, undisturbed: Run) -> None:
    path = tmp_path / "run.h5"
    recorder = Recorder(path, flush_steps=5)
    plain = recorder.add

    def interrupted(step: Any, checkpoint: Any) -> None:
        if step.number == 13:
            raise KeyboardInterrupt
        plain(step, checkpoint)

    recorder.add = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        simulation().run(STEPS * 0.005, record=recorder)
    assert assert_whole(path, undisturbed, 12) == 12


# --- torn files ----------------------------------------------------------------------------------------------------


class Writes:
    """All writes to a record and its journal, so that any moment can be played back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log: list[tuple[str, str, bytes, int]] = []
        self._names: dict[int, str] = {}
        for name in ("pwrite", "ftruncate", "fsync"):
            monkeypatch.setattr(os, name, self._logged(name, getattr(os, name)))

    def _logged(self, name: str, plain: Any) -> Any:
        def call(file: int, *arguments: Any) -> Any:
            target = Path(os.readlink(f"/proc/self/fd/{file}")).name
            data = bytes(arguments[0]) if name == "pwrite" else b""
            self.log.append((name, target, data, int(arguments[-1]) if arguments else 0))
            return plain(file, *arguments)

        return call


def replayed(log: list[tuple[str, str, bytes, int]], end: int, torn: int | None) -> dict[str, bytearray]:
    """Contents of the files after `end` calls; of the last write only `torn` bytes where that is given."""
    files: dict[str, bytearray] = {}
    for k, (name, target, data, place) in enumerate(log[:end]):
        content = files.setdefault("journal" if target.endswith("journal") else "record", bytearray())
        if name == "ftruncate":
            content[:] = content[:place].ljust(place, b"\0")
        elif name == "pwrite":
            part = data[:torn] if torn is not None and k == end - 1 else data
            content.extend(bytes(max(0, place + len(part) - len(content))))
            content[place : place + len(part)] = part
    return files


def test_every_moment_of_a_record_is_whole(tmp_path: Path, undisturbed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between, or in the middle of, any two writes shows the last commit or the one before."""
    with monkeypatch.context() as patch:
        writes = Writes(patch)
        simulation().run(STEPS * 0.005, record=Recorder(tmp_path / "run.h5", flush_steps=6, sync_seconds=0.0))
    first = next(k for k, (name, *_) in enumerate(writes.log) if name == "fsync")
    seen = set()
    for end in range(first + 1, len(writes.log)):
        for torn in (None, len(writes.log[end - 1][2]) // 3):
            files = replayed(writes.log, end, torn)
            copy = tmp_path / "copy.h5"
            copy.write_bytes(files["record"])
            journal_path(copy).write_bytes(files.get("journal", b""))
            found = RecordReader(copy)
            steps, numbers = found.steps_done, found.rows["number"]
            np.testing.assert_array_equal(numbers, np.arange(1, steps + 1))
            np.testing.assert_array_equal(found.array("position"), undisturbed.position()[: steps + 1])
            assert found.checkpoint().number == steps
            seen.add(steps)
    assert seen >= {0, 1, 7, 13, STEPS}


def test_power_cut_loses_nothing_before_the_last_sync(
    tmp_path: Path, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writes since the last fsync of a file may reach the disk in any order, in part, or not at all."""
    with monkeypatch.context() as patch:
        writes = Writes(patch)
        simulation().run(STEPS * 0.005, record=Recorder(tmp_path / "run.h5", flush_steps=6, sync_seconds=0.0))
    first = next(k for k, (name, *_) in enumerate(writes.log) if name == "fsync")
    rng = np.random.default_rng(0)
    for _ in range(150):
        end = int(rng.integers(first + 3, len(writes.log)))
        log = writes.log[:end]
        durable = {
            target: max(
                (k for k, (name, other, *_) in enumerate(log) if name == "fsync" and other == target), default=-1
            )
            for target in {entry[1] for entry in log}
        }
        kept = [e for k, e in enumerate(log) if k < durable[e[1]] or (e[0] == "pwrite" and rng.random() < 0.5)]
        files = replayed(kept, len(kept), None)
        copy = tmp_path / "copy.h5"
        copy.write_bytes(files["record"])
        journal_path(copy).write_bytes(files.get("journal", b""))
        found = RecordReader(copy)
        np.testing.assert_array_equal(found.array("position"), undisturbed.position()[: found.steps_done + 1])
        assert found.checkpoint().number == found.steps_done


# --- files in the way ----------------------------------------------------------------------------------------------


def test_what_is_no_record_is_never_replaced(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.h5"
    thesis.write_text("years of work")
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["x"] = 1
    for path in (thesis, tmp_path / "data.h5"):
        before = path.read_bytes()
        with pytest.raises(FileError, match="is no record of a run: it is not replaced"):
            simulation().run(0.01, record=path)
        assert path.read_bytes() == before


def test_refused_run_leaves_the_old_record(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    simulation().run(0.05, record=path)
    before = path.read_bytes()

    def refuse(*_: Any) -> Any:
        raise SimulationError("refused at step 1")

    bad = simulation()
    bad._driver = type("Refusing", (), {"step": refuse, "h": 0.005, "layout": bad._driver.layout,
                                        "settings": bad._driver.settings, "compiled": None,
                                        "contacts_at": lambda *_: Contacts.empty()})()  # fmt: skip
    with pytest.raises(SimulationError):
        bad.run(0.05, record=path)
    assert path.read_bytes() == before
    assert leftovers(tmp_path) == []
    with pytest.raises(FileError, match="add --force to replace it"):
        simulation().run(0.05, record=Recorder(path, overwrite=False))


def test_second_writer_is_refused(tmp_path: Path, undisturbed: Run) -> None:
    path = tmp_path / "run.h5"
    refused = []

    def intrude(step: Any) -> None:
        if step.number in (1, 20):
            for attempt in (simulation, lambda: Simulation.resume(path)):
                with pytest.raises(FileError, match="is being written by another process"):
                    attempt().run(0.01, record=path)
                refused.append(step.number)

    simulation().run(STEPS * 0.005, record=path, callbacks=[intrude])
    assert refused == [1, 1, 20, 20]
    assert assert_whole(path, undisturbed, STEPS) == STEPS


def test_resume_keeps_a_symbolic_link(tmp_path: Path, undisturbed: Run) -> None:
    (tmp_path / "archive").mkdir()
    link, real = tmp_path / "run.h5", tmp_path / "archive" / "real.h5"
    simulation().run(0.1, record=real)
    link.symlink_to(real)
    Simulation.resume(link).run(STEPS * 0.005 - 0.1, record=link)
    assert link.is_symlink()
    assert assert_whole(real, undisturbed, STEPS) == STEPS


def test_lost_journal_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that was cut while pages were copied into it needs its journal."""
    with monkeypatch.context() as patch:
        writes = Writes(patch)
        simulation().run(STEPS * 0.005, record=Recorder(tmp_path / "run.h5", flush_steps=6, sync_seconds=0.0))
    copy, noticed = tmp_path / "copy.h5", 0
    for end in range(20, len(writes.log), 3):
        copy.write_bytes(replayed(writes.log, end, None)["record"])
        try:
            steps = RecordReader(copy).steps_done
            assert Run.load(copy).diagnostics["number"][-1:].tolist() in ([], [steps])
        except SignoriniError as error:
            noticed += "journal" in str(error)
    assert noticed > 3
