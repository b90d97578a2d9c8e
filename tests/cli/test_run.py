"""`signorini run` and `signorini scenes` as a user types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.scenes import SCENES
from signorini.simulation.run import Run

pytestmark = pytest.mark.slow  # every test starts a process

KEYS = (
    "steps",
    "time",
    "contacts_mean",
    "iterations_mean",
    "residual_max",
    "penetration_max",
    "energy",
    "seconds_per_step",
)
SMALL = ("balls-in-box", "--set", "spheres=6", "--set", "side=0.2")
MINE = """
import signorini as sg

def build(height: float = 0.2):
    model = sg.Model()
    model.add_fixed(sg.HalfSpace((0, 0, 1)))
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=2.0, position=(0, 0, height), name="cube")
    return model
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signorini", *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


# --- scenes ------------------------------------------------------------


def test_scenes_are_listed() -> None:
    result = run("scenes")
    assert result.exit_code == 0
    for name, scene in SCENES.items():
        assert name in result.stdout
        assert scene.description in result.stdout
    documents = strict_json(run("scenes", "--json").stdout)
    assert [d["name"] for d in documents] == list(SCENES)


def test_one_scene_is_told_in_full() -> None:
    result = run("scenes", "sphere-stack")
    for word in ("ratio", "float", "100.0", ">= 1", "[Mangoni2018, section 5.3.3]", "step 0.05 s"):
        assert word in result.stdout
    document = strict_json(run("scenes", "sphere-stack", "--json").stdout)
    assert document["parameters"][0]["name"] == "count"
    assert document["parameters"][0]["default"] == 10


# --- run ------------------------------------------------------------


def test_summary_in_words() -> None:
    result = run("run", *SMALL, "--time", 0.02, "--profile")
    assert result.exit_code == 0, result.output
    for word in (
        "4 steps of 5 ms",
        "coulomb",
        "contacts",
        "penetration",
        "every step solved",
        "detect",
        "assemble",
    ):
        assert word in result.stdout


def test_json_is_strict_and_alone_on_stdout() -> None:
    result = process(
        "run", "sphere-stack", "--set", "count=3", "--set", "ratio=10", "--time", 0.5, "--json", "--profile"
    )
    assert result.returncode == 0, result.stderr
    document = strict_json(result.stdout)
    assert set(KEYS) <= set(document)
    assert document["steps"] == 10
    assert document["failures"] == 0
    assert document["smallest_radius"] == pytest.approx((300.0 / (4000.0 * np.pi)) ** (1 / 3))
    assert document["penetration_max"] < 1e-6 * document["smallest_radius"]
    assert set(document["profile"]) == {"detect", "assemble", "solve", "advance", "record"}


def test_options_reach_the_simulation(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    options = ("--solver", "projected-sor", "--tolerance", 1e-4, "--max-iterations", 70, "--seed", 5, "--threads", 1)
    result = run("run", *SMALL, "--time", 0.02, "--step", 0.01, "--record", file, *options, "--json")
    assert result.exit_code == 0, result.output
    assert strict_json(result.stdout)["solver"] == "projected-sor"
    saved = Run.load(file)
    assert saved.settings["step"] == 0.01
    assert saved.settings["seed"] == 5
    assert saved.settings["threads"] == 1
    assert "70" in json.dumps(saved.settings["solver"])
    start = SCENES["balls-in-box"].build(spheres=6, side=0.2, seed=5).initial_state()
    assert np.array_equal(saved.state(0).position, start.position)


def test_resumed_run_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert run("run", *SMALL, "--time", 0.1, "--record", whole).exit_code == 0
    assert run("run", *SMALL, "--time", 0.05, "--record", parts).exit_code == 0
    result = run("run", "--resume", parts, "--time", 0.1)
    assert result.exit_code == 0, result.output
    one, other = Run.load(whole), Run.load(parts)
    assert len(other.diagnostics) == 20
    assert np.array_equal(one.position(), other.position())
    assert np.array_equal(one.velocity(), other.velocity())
    again = run("run", "--resume", parts)
    assert again.exit_code == 2
    assert "has reached t = 0.1 s already" in again.stderr
    assert "--step cannot be changed" in run("run", "--resume", parts, "--step", 0.1).stderr


def test_exact_law_is_chosen_recorded_and_resumed(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert run("run", *SMALL, "--time", 0.4, "--law", "coulomb", "--record", whole).exit_code == 0
    result = run("run", *SMALL, "--time", 0.3, "--law", "coulomb", "--record", parts, "--json")
    assert result.exit_code == 0, result.output
    assert strict_json(result.stdout)["solver"] == "coulomb"
    assert run("run", "--resume", parts, "--time", 0.4).exit_code == 0
    one, other = Run.load(whole), Run.load(parts)
    assert one.settings["law"] == "coulomb"
    assert one.diagnostics["contacts"].max() > 0
    assert np.array_equal(one.position(), other.position())


def test_kinematic_scene_is_resumed_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "shaker.h5"
    assert run("run", "shaker", "--set", "spheres=5", "--time", 0.01, "--record", file).exit_code == 0
    result = run("run", "--resume", file, "--time", 0.02)
    assert result.exit_code == 0, result.output
    assert Run.load(file).times[-1] == pytest.approx(0.02)


def test_users_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    result = process(
        "run", "mine.py", "--set", "height=0.05", "--time", 0.05, "--record", "r.h5", "--json", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert strict_json(result.stdout)["steps"] == 10
    saved = Run.load(tmp_path / "r.h5")
    np.testing.assert_allclose(saved.position("cube")[-1], [0.0, 0.0, 0.05], atol=1e-9)
    assert process("run", "--resume", tmp_path / "r.h5", "--time", 0.1).returncode == 0


def test_pictures(tmp_path: Path) -> None:
    picture, plot = tmp_path / "pile.png", tmp_path / "plot.png"
    result = run("run", *SMALL, "--time", 0.02, "--picture", picture, "--plot", plot)
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 5_000
    assert plot.stat().st_size > 10_000
    assert f"written: {picture}" in result.stdout.replace("\n", "")


def told(text: str) -> str:
    """What was said, but for the remark that the first run compiles."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("compiling: "))


def test_failed_steps_are_told() -> None:
    tight = ("--solver", "projected-sor", "--max-iterations", 1, "--tolerance", 1e-14)
    result = run("run", "brick-wall", "--time", 0.02, *tight)
    assert result.exit_code == 0
    assert "missed the tolerance" in result.stdout
    assert told(result.stderr).startswith("warning: ")
    stopped = run("run", "brick-wall", "--time", 0.02, *tight, "--on-failure", "raise")
    assert stopped.exit_code == 1
    assert told(stopped.stderr).startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "no scene is named; type signorini scenes"),
        (["run", "ball-in-box"], "there is no scene called 'ball-in-box'; did you mean 'balls-in-box'?"),
        (["scenes", "dominos"], "did you mean 'domino'?"),
        (["run", "domino", "--solver", "interior-pont"], "did you mean 'interior-point'?"),
        (["run", "domino", "--set", "domino=3"], "has no parameter 'domino'; did you mean 'dominoes'?"),
        (["run", "domino", "--set", "dominoes=three"], "dominoes is 'three', expected an integer"),
        (["run", "domino", "--set", "dominoes=0"], "dominoes is 0, expected >= 1"),
        (["run", "domino", "--set", "dominoes"], "expected name=value"),
        (["run", "domino", "--step", "0"], "step is 0.0, expected"),
        (["run", "domino", "--step", "nan"], "step is nan, expected"),
        (["run", "domino", "--time", "-1"], "time is -1, expected"),
        (["run", "domino", "--tolerance", "-1"], "tolerance is -1.0, expected"),
        (["run", "domino", "--solver", "linear"], "is for joints alone; use interior-point"),
        (["run", "domino", "--law", "newton"], "law is 'newton', expected one of convex, coulomb"),
        (["run", "domino", "--threads", "0"], "threads is 0, expected"),
        (["run", "domino", "--seed", "-1"], "seed is -1, expected"),
        (["run", "domino", "--on-failure", "shrug"], "on_failure is 'shrug', expected one of raise, warn, fallback"),
        (["run", "domino", "--picture", "a.gif"], "expected a picture"),
        (["run", "domino", "--record", "/absent/run.h5"], "cannot be written"),
        (["run", "--resume", "absent.h5"], "no such file"),
        (["run", "absent.py"], "no such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    command = [sys.executable, "-m", "signorini", "run", *SMALL, "--time", "1000", "--record", str(file)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A test run in the background inherits an ignored SIGINT; a user's terminal does not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    limit = time.monotonic() + 180
    while not file.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(1.0)
    os.kill(running.pid, signal.SIGINT)
    _, remarks = running.communicate(timeout=180)  # a step that compiles is finished first
    assert running.returncode == 130
    assert f"go on with: signorini run --resume {file}" in remarks
    assert Run.load(file).state() is not None
