"""Sweeps on real processes: workers that die, sweeps that are killed, a Dask cluster."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import signorini as sg
from signorini.problem.errors import StudyError
from signorini.studies.sweep.engines import cluster_executor

pytestmark = pytest.mark.slow

RUNS = 24
SCRIPT = """
import os, signal, sys, time
import signorini as sg

def fall(height=1.0, deadly=False):
    if deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, height), name="ball")
    return model

def z(run):
    time.sleep({pause})
    return float(run.position("ball")[-1, 2])

if __name__ == "__main__":
    table = sg.sweep(fall, {parameters}, z, duration=0.02, step=0.01, workers=2, out={out!r})
    table.to_csv(sys.argv[1])
"""


def _script(folder: Path, parameters: Any, out: Path, pause: float = 0.0) -> Path:
    path = folder / "study.py"
    path.write_text(SCRIPT.format(parameters=parameters, out=str(out), pause=pause))
    return path


def _table(path: Path) -> list[str]:
    """Lines without the seconds, which are the last but one."""
    return [",".join(line.split(",")[:-2]) for line in path.read_text().splitlines()]


def _descendants(pid: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def test_killed_workers_and_killed_sweeps_change_nothing(tmp_path: Path) -> None:
    """Workers and the whole sweep are killed at random times; the table is that of an undisturbed sweep."""
    parameters = {"height": [1.0 + 0.1 * k for k in range(RUNS)]}
    calm = _script(tmp_path, parameters, tmp_path / "calm")
    subprocess.run([sys.executable, calm, tmp_path / "calm.csv"], check=True, timeout=300)
    disturbed = _script(tmp_path, parameters, tmp_path / "disturbed", pause=0.2)
    dice, kills = random.Random(4), 0
    for _ in range(20):
        process = subprocess.Popen([sys.executable, disturbed, tmp_path / "disturbed.csv"])
        while process.poll() is None and kills < 6:
            time.sleep(dice.uniform(1.0, 3.0))
            workers = _descendants(process.pid)
            victim = process.pid if kills % 3 == 2 else dice.choice([*workers, process.pid][:2])
            if process.poll() is None:
                os.kill(victim, signal.SIGKILL)
                kills += 1
        if process.wait(timeout=300) == 0:
            break
    assert kills == 6
    assert _table(tmp_path / "disturbed.csv") == _table(tmp_path / "calm.csv")
    keys = [json.loads(line.rpartition("\t")[0])["key"] for line in _lines(tmp_path / "disturbed" / "rows.jsonl")]
    assert len(keys) == len(set(keys)) == RUNS  # nothing was done twice


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_a_run_that_kills_its_worker_becomes_a_row(tmp_path: Path) -> None:
    parameters = [{"height": 1.0, "deadly": False}, {"height": 2.0, "deadly": True}, {"height": 3.0, "deadly": False}]
    script = _script(tmp_path, parameters, tmp_path / "out")
    subprocess.run([sys.executable, script, tmp_path / "table.csv"], check=True, timeout=300)
    lines = _lines(tmp_path / "table.csv")
    assert [("solved" in line, "no worker could do it in 5 attempts" in line) for line in lines[1:]] == [
        (True, False),
        (False, True),
        (True, False),
    ]


def test_workers_end_with_a_killed_sweep(tmp_path: Path) -> None:
    script = _script(tmp_path, {"height": [1.0, 2.0, 3.0, 4.0]}, tmp_path / "out", pause=60.0)
    process = subprocess.Popen([sys.executable, script, tmp_path / "table.csv"])
    deadline = time.monotonic() + 60.0
    while len(_descendants(process.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    workers = _descendants(process.pid)
    assert workers
    time.sleep(3.0)  # until they watch their parent
    process.kill()
    process.wait()
    while any(map(_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(map(_alive, workers))


def _alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def _cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and its workers, as processes of their own."""
    pytest.importorskip("distributed", reason="Dask is not installed (extra cluster)")
    with ExitStack() as stack:
        file = folder / "scheduler.json"
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        dask = [sys.executable, "-m", "dask"]
        options = ["--port", "0", "--no-dashboard", "--scheduler-file", str(file), "--host", "127.0.0.1"]
        scheduler = subprocess.Popen([*dask, "scheduler", *options], **quiet)
        stack.callback(_end, scheduler)
        deadline = time.monotonic() + 60.0
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        address = json.loads(file.read_text())["address"]
        started = []
        for number in range(workers):
            own = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", f"worker-{number}"]
            process = subprocess.Popen([*dask, "worker", address, *own], **quiet)
            stack.callback(_end, process)
            started.append(process)
        yield address, started


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def test_a_dask_cluster_loses_nothing_with_a_worker(tmp_path: Path) -> None:
    parameters = {"angle": [5.0 + k for k in range(20)]}
    with _cluster(tmp_path, 2) as (address, workers):
        _wait_for_workers(address, 2)
        with cluster_executor(address) as executor:
            killed = False

            def kill_one() -> None:
                nonlocal killed
                rows = tmp_path / "out" / "rows.jsonl"
                if not killed and rows.exists() and len(_lines(rows)) >= 3:
                    workers[0].kill()
                    killed = True

            table = sg.sweep(
                "pendulum",
                parameters,
                "energy",
                duration=0.2,
                out=tmp_path / "out",
                executor=executor,
                between=kill_one,
            )
        assert killed
    assert table.all_solved
    alone = sg.sweep("pendulum", parameters, "energy", duration=0.2, workers=1)
    assert table["energy"].tolist() == alone["energy"].tolist()


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=120)


@pytest.mark.parametrize("address", ["nonsense", "host", "tcp://host", "tcp://", ""])
def test_an_address_that_is_none_is_told_at_once(address: str) -> None:
    with pytest.raises(StudyError, match="expected the address of a Dask scheduler"), cluster_executor(address):
        pass


def test_a_cluster_without_workers_says_what_to_start(tmp_path: Path) -> None:
    with (
        _cluster(tmp_path, 0) as (address, _),
        pytest.raises(StudyError, match="has no workers"),
        cluster_executor(address),
    ):
        pass
