"""A few kills and faults; `make fuzz MINUTES=10` makes many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_faults_leave_whole_records(tmp_path: Path) -> None:
    """In a process of its own: it forks, which test runners with threads do not like."""
    script, out = Path(__file__).with_name("run.py"), tmp_path / "out.jsonl"
    command = [sys.executable, str(script), "kills", "--first", "3000000", "--count", "16", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(out.read_text().splitlines()) == 16
