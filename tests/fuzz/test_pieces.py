"""Campaigns in pieces: crashes, hangs and errors are noted, and what is done is not done again."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pieces


class Odd:
    """Cases that end in every way."""

    name = "odd"
    hang = 0.5
    loaded = False

    def loads(self) -> list[Callable[[], object]]:
        """Two things, of which the second counts."""
        return [lambda: None, lambda: setattr(self, "loaded", True)]

    def start(self, folder: Path) -> None:
        """Where it may write."""
        self.folder = folder

    def trial(self, number: int) -> dict[str, Any] | None:
        """By the last digit."""
        assert self.loaded
        digit = number % 10
        if digit == 1:
            ctypes.string_at(0)
        if digit == 2:
            while True:
                pass
        if digit == 3:
            raise ValueError("three")
        if digit == 4:
            return None
        if digit == 5:
            os._exit(3)
        if digit == 6:
            time.sleep(30.0)
        return {"result": "fine" * (50_000 if digit == 7 else 1)}


def test_every_end_of_a_case_is_noted(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = pieces.run(Odd(), range(20), out, processes=3)
    found = {row["case"]: row for row in pieces.rows(out)}
    assert sorted(found) == [n for n in range(20) if n % 10 != 4]
    assert sorted(n for n in found if "bad" in found[n]) == [n for n in range(20) if n % 10 in (1, 2, 3, 5, 6)]
    assert result["done"] == 18
    for n in (1, 11):
        assert found[n]["bad"].startswith(f"crash: exit {-signal.SIGSEGV}")
        assert "string_at" in found[n]["bad"]
        assert found[n + 1]["bad"].startswith("hang")
        assert "in trial" in found[n + 1]["bad"]
        assert "ValueError: three" in found[n + 2]["bad"]
        assert found[n + 4]["bad"].startswith("crash: exit 3")
        assert found[n + 5]["bad"].startswith("hang")  # it waits for ever, without computing


class Starved(Odd):
    """A case that computes whenever it may, which is hardly ever."""

    hang = 0.1

    def trial(self, number: int) -> dict[str, Any]:
        """Beside a process that takes the processor for itself, for longer than a case may wait."""
        place = {min(os.sched_getaffinity(0))}
        os.sched_setaffinity(0, place)
        busy = os.fork()
        while not busy:
            pass
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        end = time.monotonic() + 15.0 * self.hang
        while time.monotonic() < end:
            pass
        os.kill(busy, signal.SIGKILL)
        os.waitpid(busy, 0)
        return {"result": "fine"}


def test_waiting_for_a_processor_is_no_hang(tmp_path: Path) -> None:
    assert pieces.run(Starved(), range(1), tmp_path / "out.jsonl")["bad"] == []


def test_pieces_add_up(tmp_path: Path) -> None:
    """The sum of two pieces, of which the first was torn in the middle of a line, has each case once."""
    out = tmp_path / "out.jsonl"
    pieces.run(Odd(), [0, 3, 7, 8, 9], out)
    whole = out.read_text()
    out.write_text(whole[:-5])
    again = pieces.run(Odd(), [0, 3, 7, 8, 9, 10], out)
    assert (again["known"], again["done"]) == (4, 2)
    assert [row["case"] for row in pieces.rows(out)] == [0, 3, 7, 8, 9, 10]
    assert pieces.run(Odd(), range(10, 20), out, seconds=0.0)["done"] == 0


def test_the_sum_of_files(tmp_path: Path) -> None:
    lines = [
        {"campaign": "files", "case": 1, "kind": "record", "result": "read", "seconds": 0.25},
        {"campaign": "files", "case": 2, "kind": "record", "result": "refused", "seconds": 0.25},
        {"campaign": "models", "case": 2, "totals": {"steps": 5}, "bad": [{"what": "NaN in silence"}]},
    ]
    paths = [tmp_path / name for name in "ab"]
    paths[0].write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    paths[1].write_text("".join(json.dumps(line) + "\n" for line in lines[1:]))
    script = Path(__file__).with_name("run.py")
    command = [sys.executable, str(script), "--sum", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["counts"]["files"] == {
        "bad": 0, "cases": 2, "processor time [s]": 0.5, "record read": 1, "record refused": 1,
    }  # fmt: skip
    assert found["counts"]["models"]["steps"] == 5
    assert [row["case"] for row in found["bad"]] == [2]
