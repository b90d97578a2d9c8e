"""`signorini render` and `signorini plot` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.simulation.run import Run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("render") / "run.h5"
    done = CliRunner().invoke(app, ["run", "single-ball", "--duration", "0.1", "--record", str(path)])
    assert done.exit_code == 0, done.output
    return path


def render(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["render", *(str(word) for word in words)])
    return done.exit_code, done.output


def test_picture_and_film(record: Path, tmp_path: Path) -> None:
    code, said = render(record, "--out", tmp_path / "last.png", "--size", "200x100", "--contacts")
    assert (code, "written" in said) == (0, True), said
    with Image.open(tmp_path / "last.png") as picture:
        assert picture.size == (200, 100)
    code, said = render(record, "--out", tmp_path / "a.gif", "--size", "80x60", "--from", 0.05, "--fps", 50)
    assert code == 0, said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--size", "big"), "1280x720"),
        (("--camera", "isometric"), "iso"),
        (("--opacity", "ball"), "NAME=0.3"),
        (("--to", "7"), "0.1 s"),
        (("--follow", "nobody"), "nobody"),
        (("--out", "film.avi"), ".mp4"),
    ],
)
def test_wrong_words(record: Path, tmp_path: Path, words: tuple[str, str], said: str) -> None:
    out = () if "--out" in words else ("--out", tmp_path / "a.gif")
    code, text = render(record, *out, *words)
    assert code == 2
    assert said in text
    assert not list(tmp_path.iterdir())


def plot(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["plot", *(str(word) for word in words)])
    return done.exit_code, done.output


def test_plot_and_table(record: Path, tmp_path: Path) -> None:
    code, said = plot(record, "--list")
    assert code == 0
    assert "body/ball/position" in said
    assert plot(record, "--out", tmp_path / "a.png")[0] == 0
    assert plot(record, "position", "speed", "--body", "ball", "--out", tmp_path / "a.csv")[0] == 0
    assert (tmp_path / "a.csv").read_text().startswith("time,body/ball/position/x,")
    code, said = plot(record, "positon", "--body", "ball", "--out", tmp_path / "b.csv")
    assert (code, "did you mean 'position'" in said) == (2, True)
    assert plot(record, "--out", tmp_path / "a.doc")[0] == 2


def test_records_can_be_kept_small(tmp_path: Path) -> None:
    sizes = {}
    for name, words in (("all", ()), ("few", ("--every", "10", "--no-contacts"))):
        path = tmp_path / f"{name}.h5"
        done = CliRunner().invoke(app, ["run", "single-ball", "--duration", "0.5", "--record", str(path), *words])
        assert done.exit_code == 0, done.output
        run = Run.load(path)
        sizes[name] = len(run.times)
        assert run.summary()["steps"] == 50
        assert run.contacts().contacts.count == (1 if name == "all" else 0)
        assert run.times[-1] == pytest.approx(0.5)
    assert sizes == {"all": 51, "few": 6}
    done = CliRunner().invoke(
        app, ["run", "single-ball", "--duration", "0.1", "--record", str(tmp_path / "a.h5"), "--every", "0"]
    )
    assert (done.exit_code, "every is 0" in done.output) == (2, True)
