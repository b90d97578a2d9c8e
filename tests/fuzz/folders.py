"""Damaged files beside others: journals of records that were being written, and folders of sweeps."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from files import LONGEST, outcome, use_record
from mutations import BLIND, ODD_JSON, mutate_tree
from seeds import mechanism

import signorini as sg
from signorini.io.recorder import Recorder
from signorini.sweeps import SweepTable

Rng = np.random.Generator


def live_record(folder: Path) -> dict[str, bytes]:
    """A record as a program that was killed leaves it, with its journal."""
    found: dict[str, bytes] = {}

    def copy(step: Any) -> None:
        if step.number == 6:
            found.update({path.name: path.read_bytes() for path in folder.iterdir() if "run.h5" in path.name})

    recorder = Recorder(folder / "run.h5", flush_steps=2)
    sg.Simulation(mechanism(), step=0.005, solver="projected-sor").run(0.04, record=recorder, callbacks=[copy])
    assert sorted(found) == [".run.h5.journal", "run.h5"]
    return found


def run_sweep(folder: Path) -> SweepTable:
    """Three short runs; what is missing in the folder is done in this process."""
    with ThreadPoolExecutor(1) as executor:
        return sg.sweep("pendulum", {"angle": [10.0, 20.0, 30.0]}, measure=["energy", "last(position(bar).z)"],
                        duration=0.004, step=0.002, out=folder, executor=executor)  # fmt: skip


def finished_sweep(folder: Path) -> dict[str, bytes]:
    """The folder of a sweep that is done."""
    run_sweep(folder / "sweep")
    return {name: (folder / "sweep" / name).read_bytes() for name in ("sweep.json", "rows.jsonl")}


def with_odd_values(content: bytes, rng: Rng) -> bytes:
    """A value of one line of JSON replaced; its checksum, where it has one, is right again."""
    lines = content.splitlines() if b"\t" in content else [content]
    place = int(rng.integers(len(lines)))
    text, tab, _ = lines[place].rpartition(b"\t") if b"\t" in content else (lines[place], b"", b"")
    tree = json.loads(text)
    if rng.random() < 0.1:
        tree = ODD_JSON[int(rng.integers(len(ODD_JSON)))]
    else:
        mutate_tree(tree, rng)
    new = json.dumps(tree).encode()
    lines[place] = new + (b"\t%08x" % zlib.crc32(new) if tab else b"")
    return b"\n".join(lines) + b"\n"


def use_sweep(folder: Path) -> str:
    """Go on with a sweep and look at its table."""
    table = run_sweep(folder)
    for name in table.columns:
        table[name]
    str(table)
    table.to_csv(folder / "table.csv")
    return "read"


class DamagedFolders:
    """Case n: one file of a folder changed by the random numbers of seed n."""

    name = "folders"
    hang = LONGEST

    def loads(self) -> list[Callable[[], object]]:
        """Make the sound folders."""
        return [self._make]

    def _make(self) -> None:
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as name:
            self.originals = {"journal": live_record(Path(name)), "sweep": finished_sweep(Path(name))}

    def start(self, folder: Path) -> None:
        """Where cases are written."""
        self.folder = folder
        np.seterr(all="ignore")

    def trial(self, number: int) -> dict[str, Any]:
        """Damage one file and read the folder."""
        rng = np.random.default_rng(number)
        kind = ("journal", "sweep")[int(rng.integers(2))]
        place = self.folder / kind
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        files = dict(self.originals[kind])
        name = sorted(files)[int(rng.integers(len(files)))]
        if kind == "sweep" and rng.random() < 0.6:
            files[name], how = with_odd_values(files[name], rng), "odd values"
        else:
            way = BLIND[int(rng.integers(len(BLIND)))]
            files[name], how = way(bytearray(files[name]), rng), way.__name__
        for each, content in files.items():
            (place / each).write_bytes(content)
        row = {"kind": kind, **outcome(use_sweep if kind == "sweep" else lambda p: use_record(p / "run.h5"), place)}
        return {**row, "source": name, "how": how} if "bad" in row else row
