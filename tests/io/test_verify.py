"""What is wrong with a record is found, and what can be read of it is saved."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from test_record_faults import STEPS, Writes, replayed, simulation

from signorini.io.recorder import Recorder
from signorini.io.salvage import salvage_record
from signorini.io.verify import verify_record
from signorini.problem.errors import FileError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

DATA = Path(__file__).parent / "data"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "run.h5"
    simulation().run(STEPS * 0.005, record=Recorder(path, flush_steps=10))
    return path


def test_whole_records(record: Path) -> None:
    found = verify_record(record)
    assert found.ok, found.wrong
    assert (found.steps, found.frames, found.checksums) == (STEPS, STEPS + 1, True)
    old = verify_record(DATA / "record-v3.h5")
    assert old.ok
    assert not old.checksums


def test_flipped_bits_are_found(record: Path) -> None:
    content = record.read_bytes()
    rng = np.random.default_rng(1)
    frames, noticed = Run.load(record).position(), 0
    for place in rng.integers(4096, len(content), 200):
        broken = bytearray(content)
        broken[place] ^= 1 << int(rng.integers(8))
        record.write_bytes(broken)
        if verify_record(record).ok:  # then nothing that is read has changed
            np.testing.assert_array_equal(Run.load(record).position(), frames)
        else:
            noticed += 1
    assert noticed > 50


@pytest.mark.parametrize("name", ["frames/position", "contacts/gap", "frames/time", "checkpoint/0/velocity"])
def test_numbers_that_are_not_finite_are_found(record: Path, name: str) -> None:
    with h5py.File(record, "r+") as file:
        for place in (name, name.replace("/0/", "/1/")):
            file[place][-1] = np.nan
    assert not verify_record(record).ok


def test_frame_that_cannot_be_read_ends_what_is_saved(record: Path, tmp_path: Path) -> None:
    whole = Run.load(record).position()
    with h5py.File(record, "r+") as file:
        file["frames/velocity"][41, 2] = np.inf
    saved = salvage_record(record, tmp_path / "saved.h5")
    assert (saved.frames, saved.steps, saved.exact) == (41, 40, False)
    assert verify_record(tmp_path / "saved.h5").ok
    again = Simulation.resume(tmp_path / "saved.h5").run(0.1, record=tmp_path / "saved.h5")
    np.testing.assert_array_equal(again.position()[:41], whole[:41])
    np.testing.assert_allclose(again.position()[:61], whole, atol=1e-6)


def test_lost_journal_and_cut_files_are_salvaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        writes = Writes(patch)
        simulation().run(STEPS * 0.005, record=Recorder(tmp_path / "run.h5", flush_steps=6, sync_seconds=0.0))
    whole = Run.load(tmp_path / "run.h5").position()
    copy, target, saved = tmp_path / "copy.h5", tmp_path / "saved.h5", 0
    contents = [replayed(writes.log, end, None)["record"] for end in range(60, len(writes.log), 5)]
    contents += [contents[-1][: len(contents[-1]) - cut] for cut in (100, 5_000, 20_000)]
    for content in contents:
        copy.write_bytes(content)
        target.unlink(missing_ok=True)
        try:
            found = salvage_record(copy, target)
        except FileError:
            continue
        saved += 1
        np.testing.assert_array_equal(Run.load(target).position(), whole[: found.frames])
    assert saved > len(contents) // 3  # the others are refused: nothing in them fits together


def test_salvage_replaces_nothing(record: Path, tmp_path: Path) -> None:
    before = record.read_bytes()
    with pytest.raises(FileError, match="exists already"):
        salvage_record(record, record)
    shutil.copy(record, tmp_path / "other.h5")
    with pytest.raises(FileError, match="exists already"):
        salvage_record(record, tmp_path / "other.h5")
    assert record.read_bytes() == before


def test_command(record: Path) -> None:
    from typer.testing import CliRunner

    from signorini.cli.main import app

    def run(*arguments: Any) -> Any:
        return CliRunner().invoke(app, ["verify", *map(str, arguments)])

    assert run(record).exit_code == 0
    assert "whole: every data set was read" in run(record).stdout
    assert '"ok": true' in run(record, "--json").stdout
    with h5py.File(record, "r+") as file:
        file["frames/position"][30] = np.nan
    damaged = run(record, "--salvage", record.with_name("saved.h5"))
    assert damaged.exit_code == 1
    assert "wrong: data" in damaged.stdout
    assert "written:" in damaged.stdout
    assert run(record.with_name("absent.h5")).exit_code == 1
