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
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
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


def test_one_scene_is_reported_in_full() -> None:
    result = run("scenes", "sphere-stack")
    for word in ("ratio", "float", "100.0", ">= 1", "[Mangoni2018, section 5.3.3]", "step 0.05 s"):
        assert word in result.stdout
    document = strict_json(run("scenes", "sphere-stack", "--json").stdout)
    assert document["parameters"][0]["name"] == "count"
    assert document["parameters"][0]["default"] == 10


# --- run ------------------------------------------------------------


def test_summary_in_words() -> None:
    result = run("run", *SMALL, "--duration", 0.02, "--profile")
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


def test_verbose_prints_every_step_beside_the_summary() -> None:
    result = process("run", *SMALL, "--duration", 0.02, "--verbose", "--json")
    assert result.returncode == 0, result.stderr
    assert strict_json(result.stdout)["steps"] == 4
    lines = [line for line in result.stderr.splitlines() if line.startswith("step ")]
    assert [line.split(":")[0] for line in lines] == [f"step {k}, t = {5 * k / 1000:g} s" for k in (1, 2, 3, 4)]
    assert all("solved" in line and "iterations, error" in line and "solve " in line for line in lines)


def test_json_is_strict_and_alone_on_stdout() -> None:
    result = process(
        "run", "sphere-stack", "--set", "count=3", "--set", "ratio=10", "--duration", 0.5, "--json", "--profile"
    )
    assert result.returncode == 0, result.stderr
    document = strict_json(result.stdout)
    assert set(KEYS) <= set(document)
    assert document["steps"] == 10
    assert document["failures"] == 0
    assert document["smallest_radius"] == pytest.approx((300.0 / (4000.0 * np.pi)) ** (1 / 3))
    assert document["penetration_max"] < 1e-6 * document["smallest_radius"]
    assert set(document["profile"]) == {"detect", "assemble", "solve", "advance", "correct", "record"}


def test_options_reach_the_simulation(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    options = ("--solver", "projected-sor", "--tolerance", 1e-4, "--max-iterations", 70, "--seed", 5, "--threads", 1)
    result = run("run", *SMALL, "--duration", 0.02, "--step", 0.01, "--record", file, *options, "--json")
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
    assert run("run", *SMALL, "--duration", 0.1, "--record", whole).exit_code == 0
    assert run("run", *SMALL, "--duration", 0.05, "--record", parts).exit_code == 0
    result = run("run", "--resume", parts, "--duration", 0.1)
    assert result.exit_code == 0, result.output
    one, other = Run.load(whole), Run.load(parts)
    assert len(other.diagnostics) == 20
    assert np.array_equal(one.position(), other.position())
    assert np.array_equal(one.velocity(), other.velocity())
    again = run("run", "--resume", parts)
    assert again.exit_code == 2
    assert "has reached t = 0.1 s already" in again.stderr
    assert "--step cannot be changed" in run("run", "--resume", parts, "--step", 0.1).stderr
    assert "--device cannot be changed" in run("run", "--resume", parts, "--device", "cuda").stderr


def test_exact_law_is_chosen_recorded_and_resumed(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert run("run", *SMALL, "--duration", 0.4, "--law", "coulomb", "--record", whole).exit_code == 0
    result = run("run", *SMALL, "--duration", 0.3, "--law", "coulomb", "--record", parts, "--json")
    assert result.exit_code == 0, result.output
    assert strict_json(result.stdout)["solver"] == "coulomb"
    assert run("run", "--resume", parts, "--duration", 0.4).exit_code == 0
    one, other = Run.load(whole), Run.load(parts)
    assert one.settings["law"] == "coulomb"
    assert one.diagnostics["contacts"].max() > 0
    assert np.array_equal(one.position(), other.position())


def test_kinematic_scene_is_resumed_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "shaker.h5"
    assert run("run", "shaker", "--set", "spheres=5", "--duration", 0.01, "--record", file).exit_code == 0
    result = run("run", "--resume", file, "--duration", 0.02)
    assert result.exit_code == 0, result.output
    assert Run.load(file).times[-1] == pytest.approx(0.02)


def test_users_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    result = process(
        "run", "mine.py", "--set", "height=0.05", "--duration", 0.05, "--record", "r.h5", "--json", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert strict_json(result.stdout)["steps"] == 10
    saved = Run.load(tmp_path / "r.h5")
    np.testing.assert_allclose(saved.position("cube")[-1], [0.0, 0.0, 0.05], atol=1e-9)
    assert process("run", "--resume", tmp_path / "r.h5", "--duration", 0.1).returncode == 0


def test_pictures(tmp_path: Path) -> None:
    picture, plot = tmp_path / "pile.png", tmp_path / "plot.png"
    result = run("run", *SMALL, "--duration", 0.02, "--picture", picture, "--plot", plot)
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 5_000
    assert plot.stat().st_size > 10_000
    assert f"written: {picture}" in result.stdout.replace("\n", "")


def told(text: str) -> str:
    """What was said, but for the remark that the first run compiles."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("compiling: "))


def test_failed_steps_are_reported() -> None:
    tight = ("--solver", "projected-sor", "--max-iterations", 1, "--tolerance", 1e-14)
    result = run("run", "brick-wall", "--duration", 0.02, *tight)
    assert result.exit_code == 0
    assert "4 steps ended at the iteration limit, errors" in told(result.stdout)
    assert told(result.stderr).startswith("warning: ")
    stopped = run("run", "brick-wall", "--duration", 0.02, *tight, "--on-failure", "raise")
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
        (["run", "domino", "--duration", "-1"], "duration is -1, expected"),
        (["run", "domino", "--tolerance", "-1"], "tolerance is -1.0, expected"),
        (["run", "domino", "--solver", "linear"], "is for joints alone; use interior-point"),
        (["run", "domino", "--law", "newton"], "law is 'newton', expected one of convex, coulomb"),
        (["run", "domino", "--threads", "0"], "threads is 0, expected"),
        (["run", "domino", "--device", "gpu"], "device is 'gpu', expected one of cpu, cuda"),
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
    running = endless(file)
    os.kill(running.pid, signal.SIGINT)
    _, remarks = running.communicate(timeout=180)  # a step that compiles is finished first
    assert running.returncode == 130
    assert f"go on with: signorini run --resume {file}" in remarks
    assert Run.load(file).state() is not None


# --- files and signals ------------------------------------------------------------


def test_old_record_is_replaced_only_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    assert run("run", *SMALL, "--duration", 0.02, "--record", file).exit_code == 0
    before = file.read_bytes()
    refused = run("run", *SMALL, "--duration", 0.01, "--record", file)
    assert refused.exit_code == 2
    assert "add --force to replace it, or go on with it: signorini run --resume" in refused.stderr
    assert file.read_bytes() == before
    assert run("run", *SMALL, "--duration", 0.01, "--record", file, "--force").exit_code == 0
    assert len(Run.load(file).diagnostics) == 2
    other = tmp_path / "thesis.h5"
    other.write_text("years of work")
    assert run("run", *SMALL, "--duration", 0.01, "--record", other, "--force").exit_code == 2
    assert other.read_text() == "years of work"


SHAKEN = """
from pathlib import Path
import signorini as sg

Path(__file__).with_name("ran").touch()

def build():
    model = sg.Model()
    model.add_body(sg.HalfSpace((0, 0, 1)), name="floor", motion=lambda t: ((0.01 * t, 0, 0), (1, 0, 0, 0)))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), name="ball")
    return model
"""


def test_record_never_runs_code(tmp_path: Path) -> None:
    scene, file, ran = tmp_path / "mine.py", tmp_path / "run.h5", tmp_path / "ran"
    scene.write_text(SHAKEN)
    assert run("run", scene, "--duration", 0.02, "--record", file).exit_code == 0
    assert ran.exists()
    ran.unlink()
    refused = run("run", "--resume", file, "--duration", 0.04)
    assert refused.exit_code == 2
    assert f"signorini run --resume {file} --scene" in refused.stderr
    assert not ran.exists()
    allowed = run("run", "--resume", file, "--duration", 0.04, "--scene", scene)
    assert allowed.exit_code == 0, allowed.output
    assert ran.exists()
    assert Run.load(file).times[-1] == pytest.approx(0.04)


def test_scene_that_is_all_data_is_resumed_without_its_file(tmp_path: Path) -> None:
    scene, file = tmp_path / "mine.py", tmp_path / "run.h5"
    scene.write_text(MINE)
    assert run("run", scene, "--duration", 0.02, "--record", file).exit_code == 0
    scene.write_text("raise SystemExit('this must not run')")
    assert run("run", "--resume", file, "--duration", 0.04).exit_code == 0


def test_changed_scene_is_refused(tmp_path: Path) -> None:
    scene, file = tmp_path / "mine.py", tmp_path / "run.h5"
    scene.write_text(SHAKEN)
    assert run("run", scene, "--duration", 0.02, "--record", file).exit_code == 0
    scene.write_text(SHAKEN.replace("mass=1.0", "mass=2.0"))
    refused = run("run", "--resume", file, "--duration", 0.04, "--scene", scene)
    assert refused.exit_code == 2
    assert "other bodies" in refused.stderr


def test_law_of_a_resumed_run_is_that_of_the_record(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    convex = (*SMALL, "--law", "convex", "--record")
    assert run("run", *convex, whole, "--duration", 0.3).exit_code == 0
    assert run("run", *convex, parts, "--duration", 0.2).exit_code == 0
    assert run("run", "--resume", parts, "--duration", 0.3).exit_code == 0
    one, other = Run.load(whole), Run.load(parts)
    assert other.settings["law"] == "convex"
    assert np.array_equal(one.position(), other.position())


def test_modules_in_the_current_folder_are_not_run(tmp_path: Path) -> None:
    """The process that compiles in the background starts in the folder of the user."""
    (tmp_path / "numpy.py").write_text("from pathlib import Path; Path('ran').touch(); raise SystemExit(1)")
    program = (
        "import sys; sys.path[:] = [p for p in sys.path if p]\n"
        "import signorini.cli.background_compile as b, signorini.kernels.compile as c, subprocess\n"
        "c.is_cached = lambda _: False\n"
        "plain = subprocess.Popen\n"
        "subprocess.Popen = lambda *a, **k: plain(*a, **k).wait()\n"
        "b.compile_in_background('projected-sor')"
    )
    subprocess.run([sys.executable, "-P", "-c", program], cwd=tmp_path, check=True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_a_run_as_an_interruption_does(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "run.h5"
    running = endless(file)
    os.kill(running.pid, number)
    _, remarks = running.communicate(timeout=180)
    assert running.returncode == 128 + number
    assert f"go on with: signorini run --resume {file}" in remarks
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.h5"]


STUCK = """
import sys, time, ctypes
import signorini as sg
from signorini.cli.main import main

class Stuck:
    name, tolerance, calls = "stuck", 1e-8, 0
    def solve(self, problem, guess=None):
        Stuck.calls += 1
        while Stuck.calls > 20:  # as in a compiler that swallows interruptions
            try:
                ctypes.CDLL(None).sleep(30)
            except KeyboardInterrupt:
                pass
        return sg.ProjectedSOR().solve(problem, guess)

import signorini.studies.scene_run as scene_run
scene_run._solver = lambda order, scene: Stuck()
sys.argv = ["signorini", "run", "balls-in-box", "--set", "spheres=6", "--set", "side=0.2", "--duration", "100",
            "--law", "convex", "--record", sys.argv[1]]
main()
"""


def test_second_interruption_acts_at_once_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    running = subprocess.Popen([sys.executable, "-c", STUCK, str(file)], stderr=subprocess.PIPE, text=True)
    wait_for(file)
    time.sleep(2.0)
    os.kill(running.pid, signal.SIGINT)
    time.sleep(0.5)
    os.kill(running.pid, signal.SIGINT)
    begin = time.monotonic()
    _, remarks = running.communicate(timeout=60)
    assert time.monotonic() - begin < 5.0
    assert running.returncode == 130
    assert "go on with" in remarks
    assert len(Run.load(file).diagnostics) == 20


def wait_for(file: Path) -> None:
    limit = time.monotonic() + 180
    while not file.exists() and time.monotonic() < limit:
        time.sleep(0.05)


def endless(file: Path) -> subprocess.Popen[str]:
    """A run that records and goes on until it is told to stop."""
    command = [sys.executable, "-m", "signorini", "run", *SMALL, "--duration", "1000", "--record", str(file)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(file)
    time.sleep(0.3)
    return running


def test_a_run_goes_on_with_another_solver_in_a_file_of_its_own(tmp_path: Path) -> None:
    old, new = tmp_path / "old.h5", tmp_path / "new.h5"
    assert run("run", *SMALL, "--duration", 0.02, "--record", old).exit_code == 0
    refused = run("run", "--resume", old, "--duration", 0.04, "--solver", "projected-sor")
    assert refused.exit_code == 2
    assert "--solver cannot be changed" in refused.stderr
    assert "--record NEW.h5" in refused.stderr
    before = old.read_bytes()
    words = ("--solver", "projected-sor", "--max-iterations", 500)
    forked = run("run", "--resume", old, "--record", new, "--duration", 0.04, *words, "--json")
    assert forked.exit_code == 0, forked.stderr
    summary = json.loads(forked.stdout)
    assert "projected-sor" in summary["solver"]
    assert summary["time"] == pytest.approx(0.04)
    assert old.read_bytes() == before
    assert "--step cannot be changed" in run("run", "--resume", old, "--record", new, "--step", 0.1).stderr


def test_the_old_name_of_the_duration_works_with_a_warning() -> None:
    result = run("run", *SMALL, "--time", 0.02, "--json")
    assert result.exit_code == 0
    assert "--time is now --duration" in result.stderr
    assert json.loads(result.stdout)["time"] == pytest.approx(0.02)
