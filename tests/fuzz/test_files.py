"""A short campaign of damaged files; `make fuzz MINUTES=10` runs a long one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import pieces
from files import DamagedFiles
from folders import DamagedFolders


@pytest.mark.slow
def test_damaged_files_are_refused_or_sound(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = pieces.run(DamagedFiles(), range(70_000_000, 70_002_000), out)
    assert result["bad"] == []
    assert result["done"] == 2000
    seen = {(row["kind"], row["result"]) for row in pieces.rows(out)}
    assert seen == {(kind, way) for kind in ("record", "fclib", "robot", "mesh") for way in ("read", "refused")}


@pytest.mark.slow
def test_damaged_folders_are_refused_or_sound(tmp_path: Path) -> None:
    """Journals of records, and folders of sweeps whose rows are odd but have the right checksum."""
    out = tmp_path / "out.jsonl"
    result = pieces.run(DamagedFolders(), range(120), out)
    assert result["bad"] == []
    seen = {(row["kind"], row["result"]) for row in pieces.rows(out)}
    assert seen == {(kind, way) for kind in ("journal", "sweep") for way in ("read", "refused")}
