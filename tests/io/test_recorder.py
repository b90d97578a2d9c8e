"""Records: what is in them, killed runs, resumed runs, damaged files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from signorini.io.model_text import from_text, to_text
from signorini.io.recorder import Recorder
from signorini.math.rotations import about
from signorini.model.functions.sine import Sine
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import FileError, ModelError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

pytestmark = pytest.mark.slow  # writes, kills and resumes whole runs


def scene(count: int = 6) -> Model:
    """Balls and bricks that fall into a box, one on a guide."""
    model = Model()
    model.add_box_container(size=(0.35, 0.35, 1.0))
    for k in range(count):
        shape = Sphere(0.07) if k % 2 else Box((0.1, 0.12, 0.09))
        place = (0.1 + 0.01 * k, 0.12 + 0.15 * (k % 2), 0.1 + 0.1 * k)
        model.add_body(shape, density=1000, position=place, name=f"b{k}")
    model.add_guide("b0")
    return model


def arrays(run: Run) -> dict[str, Any]:
    states = {name: getattr(run, name)() for name in ("position", "orientation", "velocity", "angular_velocity")}
    numbers = {name: run.diagnostics[name] for name in ("number", "time", "contacts", "iterations", "residual")}
    contacts = [run.contacts(k) for k in range(len(run.times))]
    flat = {
        name: np.concatenate([getattr(c.contacts, name) for c in contacts])
        for name in ("gap", "identity", "normal", "body_a")
    }
    return {**states, **numbers, **flat, "impulse": np.concatenate([c.impulse for c in contacts]), "times": run.times}


def assert_same(one: Run, other: Run) -> None:
    first, second = arrays(one), arrays(other)
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name], err_msg=name)


def test_record_holds_what_memory_holds(tmp_path: Path) -> None:
    recorded = Simulation(scene(), step=0.005).run(0.25, record=tmp_path / "run.h5")
    kept = Simulation(scene(), step=0.005).run(0.25)
    assert_same(recorded, kept)
    loaded = Run.load(tmp_path / "run.h5")
    assert_same(loaded, kept)
    assert loaded.names == kept.names
    assert loaded.position("b3").shape == (51, 3)
    assert loaded.summary()["contacts_mean"] == kept.summary()["contacts_mean"]
    assert loaded.settings == kept.settings
    assert loaded.contacts(0).contacts.count == 0


def test_thinned_record(tmp_path: Path) -> None:
    whole = Simulation(scene()).run(0.1)
    thin = Simulation(scene()).run(0.1, record=Recorder(tmp_path / "run.h5", every=5, contacts=False))
    np.testing.assert_array_equal(thin.times, whole.times[::5])
    np.testing.assert_array_equal(thin.position(), whole.position()[::5])
    np.testing.assert_array_equal(thin.diagnostics["residual"], whole.diagnostics["residual"])
    assert thin.contacts().contacts.count == 0


@pytest.mark.parametrize("every", [1, 3])
def test_resumed_run_equals_the_uninterrupted_one(tmp_path: Path, every: int) -> None:
    whole = Simulation(scene(), seed=7).run(0.5, record=Recorder(tmp_path / "whole.h5", every=every))
    path = tmp_path / "part.h5"
    draws = []
    sim = Simulation(scene(), seed=7)
    sim.run(0.2, record=Recorder(path, every=every, notes={"scene": "mine"}))
    draws.append(sim.random.random())
    resumed = Simulation.resume(path)
    assert resumed.number == 40
    draws.append(resumed.random.random())
    run = resumed.run(0.3, record=Recorder(path, every=every))
    assert_same(run, whole)
    assert draws[0] == draws[1]
    assert run.frames.notes == {"scene": "mine"}  # type: ignore[attr-defined]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["part.h5", "whole.h5"]


def test_resume_into_another_file_and_twice(tmp_path: Path) -> None:
    whole = Simulation(scene()).run(0.3)
    Simulation(scene()).run(0.1, record=tmp_path / "a.h5")
    for _ in range(2):
        tail = Simulation.resume(tmp_path / "a.h5").run(0.2, record=tmp_path / "b.h5")
        np.testing.assert_array_equal(tail.state().position, whole.state().position)
        assert tail.times[0] == pytest.approx(0.1)
    assert len(Run.load(tmp_path / "a.h5").times) == 21


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from test_recorder import Recorder, Simulation, scene

def tell(step):
    print(step.number, flush=True)

Simulation(scene()).run(1000.0, record=Recorder(sys.argv[1], flush_steps=7), callbacks=[tell])
"""


def endless_run(path: Path) -> subprocess.Popen[str]:
    """Another process that records a run and prints the number of each step."""
    command = [sys.executable, "-c", KILLED, str(path), str(Path(__file__).parent)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("after", [1, 60])
def test_killed_run_is_readable_and_resumes_bit_for_bit(tmp_path: Path, after: int) -> None:
    path = tmp_path / "killed.h5"
    process = endless_run(path)
    assert process.stdout is not None
    done = 0
    for line in process.stdout:
        done = int(line)
        if done >= after:
            break
    time.sleep(0.02 * (os.getpid() % 3))  # at no special moment
    process.send_signal(signal.SIGKILL)
    process.wait()
    run = Run.load(path)
    steps = run.summary()["steps"]
    assert steps >= done - 7
    assert len(run.times) == steps + 1
    sim = Simulation.resume(path)
    assert sim.number == steps
    target = steps + 20
    resumed = sim.run(20 * 0.005, record=path)
    assert resumed.summary()["steps"] == target
    assert_same(resumed, Simulation(scene()).run(target * 0.005))


def test_file_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    process = endless_run(path)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if int(line) >= 20:
                break
        assert Run.load(path).summary()["steps"] >= 7
    finally:
        process.kill()
        process.wait()


def test_error_during_a_run_keeps_the_record(tmp_path: Path) -> None:
    def fail(step: Any) -> None:
        if step.number == 5:
            raise RuntimeError("stop here")

    with pytest.raises(RuntimeError, match="stop here"):
        Simulation(scene()).run(1.0, record=tmp_path / "run.h5", callbacks=[fail])
    assert Run.load(tmp_path / "run.h5").summary()["steps"] == 5


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Run.load(tmp_path / "absent.h5")
    text = tmp_path / "text.h5"
    text.write_text("not a record")
    with pytest.raises(FileError, match="no HDF5 file"):
        Run.load(text)
    with pytest.raises(FileError, match="no HDF5 file"):
        Run.load(tmp_path)
    with pytest.raises(FileError, match="no directory"):
        Simulation(scene()).run(0.01, record=tmp_path / "absent" / "run.h5")
    with pytest.raises(FileError, match="is a directory"):
        Simulation(scene()).run(0.01, record=tmp_path)


def test_another_hdf5_file_is_no_record(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(FileError, match="no record"):
        Run.load(tmp_path / "other.h5")


def test_truncated_or_damaged_files_raise_file_errors(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    Simulation(scene()).run(0.3, record=path)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    failed = 0
    for trial in range(60):
        broken = bytearray(content)
        if trial % 2:
            broken = broken[: int(rng.integers(1, len(content)))]
        else:
            for place in rng.integers(0, len(content), 200):
                broken[place] ^= 0xFF
        damaged = tmp_path / "damaged.h5"
        damaged.write_bytes(bytes(broken))
        try:
            arrays(Run.load(damaged))
            Simulation.resume(damaged)
        except (FileError, ModelError):
            failed += 1
    assert failed > 30


def test_bad_start_leaves_the_old_record_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    Simulation(scene()).run(0.05, record=path)
    before = path.read_bytes()
    with pytest.raises(ModelError):
        Simulation(scene()).run(-1.0, record=path)
    assert path.read_bytes() == before


def test_model_as_text_comes_back_bit_for_bit() -> None:
    model = Model(gravity=(0.1, 0, -9.81), margin=0.01)
    model.add_fixed_body(HalfSpace((0.6, 0, 0.8)), position=(0.1, 0.2, 1 / 3), material=Material(0.7))
    model.add_body([(Sphere(0.1), (0, 0, 0.3), (1, 0, 0, 0)), (Box((0.1, 0.2, 0.3)), (0, 0, 0), about((1, 1, 0), 0.3))],
                   density=900, velocity=(1, 2, 3), name="compound", group=2, mask=5)  # fmt: skip
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) / 3
    model.add_body(ConvexHull(corners), mass=3.0, orientation=about((1, 2, 3), 1.0), angular_velocity=(1, 0, 1))
    model.add_guide("compound")
    again = from_text(to_text(model))
    assert to_text(again) == to_text(model)
    for one, other in zip(model.bodies, again.bodies, strict=True):
        np.testing.assert_array_equal(one.inertia, other.inertia)
        assert one.mass == other.mass
    states = [Simulation(m).run(0.1).state() for m in (model, again)]
    np.testing.assert_array_equal(states[0].position, states[1].position)


def test_functions_have_to_be_given_again(tmp_path: Path) -> None:
    def shaken() -> Model:
        model = Model()
        model.add_body(
            HalfSpace((0, 0, 1)), name="floor", motion=lambda t: ((0.02 * np.sin(9 * t), 0, 0), (1, 0, 0, 0))
        )
        model.add_body(Box((0.2, 0.2, 0.2)), density=1000, position=(0, 0, 0.1), name="box")
        return model

    whole = Simulation(shaken()).run(0.3)
    path = tmp_path / "run.h5"
    Simulation(shaken()).run(0.1, record=path)
    with pytest.raises(ModelError, match="pass model="):
        Simulation.resume(path)
    with pytest.raises(ModelError, match="other bodies"):
        Simulation.resume(path, scene())
    assert_same(Simulation.resume(path, shaken()).run(0.2, record=path), whole)


@pytest.mark.parametrize("version", [1, 2])
def test_records_of_older_versions_are_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.h5"
    Simulation(scene()).run(0.01, record=path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = version
    with pytest.raises(FileError, match="older version"):
        Run.load(path)


def test_resumed_mechanism_equals_the_uninterrupted_one(tmp_path: Path) -> None:
    """Joints, a motor, limits and friction that are all at work when the run is cut."""

    def arm() -> Model:
        model = Model()
        for k in range(2):
            model.add_body(Box((1.0, 0.1, 0.1)), mass=2.0, position=(k + 0.5, 0, 0), mask=0, name=f"arm-{k}")
        model.add_revolute(None, "arm-0", (0, 0, 0), (0, 1, 0), name="shoulder")
        model.add_revolute("arm-0", "arm-1", (1, 0, 0), (0, 1, 0), limits=(-0.1, 0.2), friction=0.3, name="elbow")
        model.add_motor("shoulder", speed=Sine(amplitude=3.0, frequency=1.0), name="motor")
        return model

    whole = Simulation(arm(), step=0.005).run(0.6)
    assert np.abs(whole.limit_impulse("elbow")[:81]).max() > 0.0
    path = tmp_path / "arm.h5"
    Simulation(arm(), step=0.005).run(0.4, record=path)
    assert_same(Simulation.resume(path).run(0.2, record=path), whole)


def test_single_precision_halves_the_numbers_and_resumes_bit_for_bit(tmp_path: Path) -> None:
    def sim() -> Simulation:
        model = Model()
        model.add_box_container((0.4, 0.4, 1.0))
        for k in range(5):
            model.add_body(Sphere(0.04), density=1000, position=(0.1 + 0.05 * (k % 2), 0.2, 0.05 + 0.09 * k))
        return Simulation(model)

    whole = sim().run(0.2, record=Recorder(tmp_path / "double.h5"))
    sim().run(0.1, record=Recorder(tmp_path / "single.h5", single=True))
    rest = Simulation.resume(tmp_path / "single.h5")
    run = rest.run(0.1, record=tmp_path / "single.h5")
    assert np.array_equal(rest.state.position, whole.state().position)
    assert run.position().dtype == np.float64
    assert run.position() == pytest.approx(whole.position(), rel=1e-6, abs=1e-7)
    assert run.contacts().impulse == pytest.approx(whole.contacts().impulse, rel=1e-5, abs=1e-6)
    with h5py.File(tmp_path / "single.h5") as file:
        assert file["frames/position"].dtype == file["contacts/gap"].dtype == np.float32
        assert file["checkpoint/0/position"].dtype == np.float64
