"""`signorini sweep` as a user types it."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # every test starts a process

COMMAND = [sys.executable, "-m", "signorini", "sweep"]


def _run(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def test_table_picture_and_json(tmp_path: Path) -> None:
    order = (
        "pendulum",
        "--vary",
        "angle=10:30:3",
        "--vary",
        "step=0.01,0.02",
        "--duration",
        "0.1",
        "--out",
        tmp_path / "s",
    )
    done = _run(*order, "--measure", "energy", "--measure", "z=last(position(bar).z)")
    assert done.returncode == 0, done.stderr
    assert "6 runs: 6 solved" in done.stdout
    names = {"table.csv", "table.parquet", "picture.png", "rows.jsonl", "sweep.json"}
    assert names <= {path.name for path in (tmp_path / "s").iterdir()}
    again = _run(*order, "--measure", "energy", "--measure", "z=last(position(bar).z)", "--json")
    found = json.loads(again.stdout)
    assert [row["angle"] for row in found["rows"]] == [10.0, 10.0, 20.0, 20.0, 30.0, 30.0]
    assert found["measures"] == ["energy", "z"]


def test_a_scene_of_the_user_and_runs_that_fail(tmp_path: Path) -> None:
    scene = tmp_path / "mine.py"
    scene.write_text(
        "import signorini as sg\n"
        "def build(mass: float = 1.0):\n"
        "    if mass > 2:\n"
        "        raise RuntimeError('too heavy')\n"
        "    model = sg.Model()\n"
        "    model.add_body(sg.Sphere(0.1), mass=mass, position=(0, 0, 1), name='ball')\n"
        "    return model\n"
    )
    done = _run(scene, "--vary", "mass=1,2,3", "--duration", "0.02", "--out", tmp_path / "s")
    assert done.returncode == 1
    assert "2 solved, 1 error" in done.stdout
    assert "line 4: raise RuntimeError('too heavy')" in done.stderr
    repeated = _run(scene, "--vary", "mass=1,3", "--repeat", "2", "--seed", "7", "--duration", "0.02")
    assert repeated.stdout.split()[:2] == ["mass", "seed"]
    assert "runs 2, 3: " in repeated.stderr
    scene.write_text(scene.read_text().replace("mass > 2", "mass > 4"))
    changed = _run(scene, "--vary", "mass=1,2,3", "--duration", "0.02", "--out", tmp_path / "s")
    assert changed.returncode == 2
    assert "the scene changed since" in changed.stderr
    assert "--accept-changes" in changed.stderr
    accepted = _run(scene, "--vary", "mass=1,2,3", "--duration", "0.02", "--out", tmp_path / "s", "--accept-changes")
    assert accepted.returncode == 0
    assert "3 solved" in accepted.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("pendulum",), "nothing varies"),
        (("pendulum", "--vary", "angel=1,2"), "did you mean 'angle'"),
        (("pendulum", "--vary", "angle=5:1:3"), "empty"),
        (("pendulum", "--vary", "angle=500,1"), "expected >= -180"),
        (("pendulum", "--vary", "angle=1,2", "--measure", "sum(("), "no expression"),
        (("pendulum", "--vary", "angle=1,2", "--measure", "energi"), "there is no measure"),
        (("pendulum", "--vary", "angle=1,2", "--rows", "rows.csv"), "leave --vary"),
        (("pendulum", "--vary", "angle=1,2", "--workers", "0"), "workers is 0"),
        (("pendulum", "--vary", "angle=1,2", "--set", "length"), "expected name=value"),
        (("nothing", "--vary", "angle=1,2"), "no scene called"),
        (("pendulum", "--vary", "angle=0:9", "--samples", "3", "--design", "x"), "the design is 'x'"),
        (("pendulum", "--vary", "angle=1,2", "--cluster", "tcp://127.0.0.1:1"), "no Dask scheduler answers"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], word: str, tmp_path: Path) -> None:
    if "--cluster" in arguments:
        pytest.importorskip("distributed", reason="Dask is not installed (extra cluster)")
    done = _run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "s"
    order = [*COMMAND, "pendulum", "--vary", "angle=1:60:60", "--duration", "40", "--out", str(out), "--workers", "1"]
    process = subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not (out / "rows.jsonl").exists() or len((out / "rows.jsonl").read_text().splitlines()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, remarks = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in remarks
    kept = (out / "rows.jsonl").read_text().splitlines()
    assert 3 <= len(kept) < 60
    done = subprocess.run(order, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert (out / "rows.jsonl").read_text().splitlines()[: len(kept)] == kept
    assert "60 runs: 60 solved" in done.stdout


@pytest.mark.parametrize(("room", "what"), [(8_000, "rows.jsonl cannot be written"), (15_000, "table and picture")])
def test_no_room_on_the_disk(room: int, what: str, tmp_path: Path) -> None:
    """It is told, and with room again the table becomes that of a sweep that had it all the time."""
    order = ("pendulum", "--vary", "angle=10:30:30", "--duration", "0.02", "--workers", "1", "--out", tmp_path / "s")
    limit = (room, resource.RLIM_INFINITY)
    short = _run(*order, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert short.returncode == 2
    assert what in short.stderr
    assert "make room" in short.stderr
    assert "Traceback" not in short.stderr
    assert _run(*order).returncode == 0
    assert _run(*order[:-1], tmp_path / "whole").returncode == 0
    tables = [(tmp_path / name / "table.csv").read_text().splitlines() for name in ("s", "whole")]
    rows = [[line.split(",") for line in table] for table in tables]
    seconds = rows[0][0].index("seconds")
    assert [row[:seconds] for row in rows[0]] == [row[:seconds] for row in rows[1]]


def test_workers_load_nothing_from_the_current_folder(tmp_path: Path) -> None:
    for name in ("multiprocessing", "numpy"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path; Path('ran').touch(); raise SystemExit(1)")
    # As the installed command `signorini` starts, which does not look in the current folder either.
    program = "import sys; sys.path[:] = [p for p in sys.path if p]; from signorini.cli.main import main; main()"
    order = ("sweep", "pendulum", "--vary", "angle=10,20", "--duration", "0.02", "--workers", "1")
    done = subprocess.run(
        [sys.executable, "-c", program, *order], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert "2 runs: 2 solved" in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists()
