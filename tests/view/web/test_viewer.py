"""The local server of the viewer, and pages as files."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.view.web import save_html


def small() -> sg.Model:
    model = sg.Model()
    model.add_body(sg.HalfSpace((0, 0, 1)), fixed=True)
    model.add_body(sg.Sphere(0.1), density=1000, position=(0, 0, 0.1), name="ball")
    return model


def got(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read().decode()


def test_a_simulation_is_watched_while_it_computes() -> None:
    sim = sg.Simulation(small(), step=0.01)
    viewer = sg.view(sim, browser=False)
    try:
        assert viewer.url.startswith("http://127.0.0.1:")
        page = got(viewer.url)
        assert '"live": true' in page
        assert "ball" in page
        assert json.loads(got(viewer.url + "frames?from=1"))["times"] == []
        sim.run(0.05, callbacks=[viewer])
        first = json.loads(got(viewer.url + "frames?from=1"))
        assert first["times"] == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
        assert sum(first["contact_counts"]) == 5
        assert not first["done"]
        viewer.finish()
        rest = json.loads(got(viewer.url + "frames?from=4"))
        assert rest["times"] == pytest.approx([0.04, 0.05])
        assert rest["done"]
        with pytest.raises(urllib.error.HTTPError):
            got(viewer.url + "../etc/passwd")
    finally:
        viewer.close()


def test_a_model_and_a_run_can_be_viewed() -> None:
    model = small()
    run = sg.Simulation(model, step=0.01).run(0.03)
    for what, more in ((model, {}), (run, {"model": model})):
        viewer = sg.view(what, browser=False, **more)
        try:
            assert "ball" in got(viewer.url)
            assert "<iframe" in viewer._repr_html_()
        finally:
            viewer.close()


def test_wrong_things_are_refused_in_words(tmp_path: Path) -> None:
    model = small()
    run = sg.Simulation(model, step=0.01).run(0.02)
    with pytest.raises(sg.SignoriniError, match="pass the model"):
        sg.view(sg.Run(run.frames), browser=False)
    with pytest.raises(sg.SignoriniError, match=r"Run, a Simulation or a Model"):
        sg.view(3, browser=False)  # type: ignore[arg-type]
    with pytest.raises(sg.SignoriniError, match=r"ends in \.html"):
        save_html(run, model, tmp_path / "run.h5")
    with pytest.raises(sg.SignoriniError, match="no folder"):
        save_html(run, model, tmp_path / "nowhere" / "run.html")


def test_command_writes_a_page(tmp_path: Path) -> None:
    record, page = tmp_path / "run.h5", tmp_path / "run.html"
    sg.Simulation(small(), step=0.01).run(0.03, record=record)
    done = CliRunner().invoke(app, ["view", str(record), "--html", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "http://" not in text
    assert "https://" not in text
    assert "@DATA@" not in text
    assert '"ball"' in text
    missing = CliRunner().invoke(app, ["view", str(tmp_path / "no.h5")])
    assert missing.exit_code == 2


def test_data_cannot_leave_their_script_element(tmp_path: Path) -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), density=1000, name="</script><script>alert(1)</script><!--")
    run = sg.Simulation(model, step=0.01).run(0.01)
    text = save_html(run, model, tmp_path / "evil.html").read_text()
    assert "<script>alert" not in text
    assert text.count("</script>") == 2
