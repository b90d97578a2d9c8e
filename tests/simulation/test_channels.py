"""The numbers of a run by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.io.tables import save_table
from signorini.problem.errors import FileError, ModelError
from signorini.simulation.channels import Channel, choose
from signorini.simulation.progress import describe
from signorini.simulation.run import Run
from signorini.view.channel_plot import draw_channels

STEP = 0.005


@pytest.fixture(scope="module")
def turning() -> Run:
    """A wheel that turns five times, and a box at rest on the floor."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=3.0, position=(1, 0, 0.1), name="box")
    wheel = model.add_body(sg.Cylinder(0.1, 0.02), mass=1.0, position=(0, 0, 1), name="wheel")
    hinge = model.add_revolute(None, wheel, position=(0, 0, 1), axis=(0, 0, 1), name="hinge")
    model.add_motor(hinge, speed=10.0 * np.pi, name="drive")
    return sg.Simulation(model, step=STEP).run(1.0)


def test_angles_go_on_over_many_turns(turning: Run) -> None:
    angle, rate = turning.joint_coordinate("hinge"), turning.joint_rate("hinge")
    assert angle[-1] == pytest.approx(10.0 * np.pi, rel=0.02)
    assert np.abs(np.diff(angle)).max() < 0.3
    assert rate[1:] == pytest.approx(10.0 * np.pi, rel=1e-6)


def test_forces_in_newtons(turning: Run) -> None:
    weight = 3.0 * 9.81
    on_box = turning.contact_force("box")
    assert on_box.shape == (len(turning.times), 3)
    assert on_box[-1] == pytest.approx([0, 0, weight], rel=1e-6, abs=1e-6)
    assert turning.contact_force("floor", "box")[-1] == pytest.approx([0, 0, -weight], rel=1e-6, abs=1e-6)
    assert turning.contact_force("wheel", "box")[-1] == pytest.approx([0, 0, 0])
    held = turning.joint_force("hinge")[-1]
    assert np.abs(held).max() == pytest.approx(9.81, rel=1e-6)
    assert np.array_equal(turning.joint_force("hinge") * STEP, turning.joint_impulse("hinge"))


def test_channels_are_listed_and_read(turning: Run) -> None:
    names = turning.channels()
    for name in ("energy", "body/box/position", "joint/hinge/angle", "joint/drive/force", "body/floor/contact_force"):
        assert name in names
    frames = len(turning.times)
    for channel in names.values():
        values = channel.read()
        assert values.shape == ((frames, len(channel.columns)) if channel.columns else (frames,)), channel.name
        assert np.isfinite(values).all()
    assert np.array_equal(turning.channel("body/box/position"), turning.position("box"))
    assert turning.channel("kinetic_energy")[1:] == pytest.approx(turning.diagnostics["kinetic"])


def test_table_is_ready_for_pandas(turning: Run) -> None:
    columns = turning.table(["position", "speed"], body="wheel")
    assert list(columns) == ["time", *(f"body/wheel/position/{c}" for c in "xyz"), "body/wheel/speed"]
    assert {len(values) for values in columns.values()} == {len(turning.times)}
    everything = turning.table(joint="hinge")
    assert {"joint/hinge/angle", "joint/hinge/rate", "joint/hinge/force/0"} <= set(everything)
    with pytest.raises(ModelError, match="did you mean 'angle'"):
        turning.table(["angel"], joint="hinge")
    with pytest.raises(ModelError, match="box"):
        turning.table(["position"], body="bocks")


def test_tables_are_exact(turning: Run, tmp_path: Path) -> None:
    columns = turning.table(["position"], body="wheel")
    save_table(columns, tmp_path / "a.csv")
    read = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True)
    assert np.array_equal(read["time"], turning.times)
    save_table(columns, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as stored:
        assert np.array_equal(stored["body/wheel/position/x"], columns["body/wheel/position/x"])
    parquet = pytest.importorskip("pyarrow.parquet")
    save_table(columns, tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").column_names == list(columns)
    with pytest.raises(FileError, match="expected a table"):
        save_table(columns, tmp_path / "a.xlsx")


def test_curves(turning: Run, tmp_path: Path) -> None:
    draw_channels(turning.times, choose(turning, ["angle", "rate", "position"], ["box"], ["hinge"]), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    for words in ("rate [rad/s]", "body box position", "time [s]"):
        assert words in text
    many = [Channel(f"body/{k}/position", "m", ("x",), lambda: np.zeros((201, 1))) for k in range(25)]
    with pytest.raises(ModelError, match="too many"):
        draw_channels(turning.times, many, tmp_path / "b.svg")


def test_recorded_run_gives_the_same(tmp_path: Path) -> None:
    model = sg.Model()
    bar = model.add_body(sg.Box((0.5, 0.05, 0.05)), mass=1.0, position=(0.25, 0, 0), name="bar")
    model.add_revolute(None, bar, position=(0, 0, 0), axis=(0, 1, 0), name="pin")
    run = sg.Simulation(model, step=STEP).run(0.1)
    sg.Simulation(model, step=STEP).run(0.1, record=tmp_path / "a.h5")
    loaded = Run.load(tmp_path / "a.h5")
    for name in ("joint/pin/angle", "joint/pin/force", "body/bar/velocity", "energy"):
        assert np.array_equal(run.channel(name), loaded.channel(name)), name


def test_summary_prints_in_words_and_is_still_a_dictionary(turning: Run) -> None:
    summary = turning.summary()
    assert json.loads(json.dumps(summary))["steps"] == 200
    text = str(summary)
    for words in ("200 steps of 5 ms", "every step solved", "measured by the certificate", "x real time"):
        assert words in text


def test_progress_keeps_to_the_room_there_is() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0)
    step = sg.Simulation(model).advance()
    for room in (20, 40, 60, 200):
        text = describe(step, 1.5, room)
        assert len(text) <= max(room, len("t = 0.005 s"))
        assert text.startswith("t = 0.005 s")
    assert "penetration" in describe(step, 1.5)
