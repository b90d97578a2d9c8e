"""The page in a real browser: headless Chromium with WebGL in software, from a file, without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import signorini as sg
from signorini.view.web import save_html
from signorini.view.web.scene import scene_of

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt install chromium"),
]
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--window-size=900,700",
)  # fmt: skip


def in_browser(page: Path, script: str) -> Any:
    """What `script`, an async JavaScript function body, returns in the page."""
    asked = page.with_name(f"asked-{page.name}")
    text = f"""<pre id="answer"></pre><script>
      (async () => {{
        let found;
        try {{ found = await (async () => {{ {script} }})(); }} catch (e) {{ found = "error: " + e; }}
      document.getElementById("answer").textContent = JSON.stringify(found); }})();</script></body>"""
    asked.write_text(page.read_text().replace("</body>", text))
    for budget in (8_000, 60_000):  # on a busy machine the page's own time runs ahead of its pictures
        done = subprocess.run(
            [str(CHROMIUM), *OPTIONS, f"--user-data-dir={page.parent / 'profile'}", f"--virtual-time-budget={budget}",
             "--dump-dom", asked.as_uri()],
            capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
        found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, done.stderr[-2000:]
        if found[1]:
            break
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") or "null")


def falling() -> sg.Model:
    model = sg.Model()
    model.add_body(sg.HalfSpace((0, 0, 1)), fixed=True, name="floor")
    model.add_body(sg.Sphere(0.2), density=1000, position=(0, 0, 0.5), name="<b>ball & co</b>")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), density=1000, position=(0.6, 0, 0.1), name="box")
    return model


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = falling()
    run = sg.Simulation(model, step=0.01).run(0.5)
    return save_html(run, model, tmp_path_factory.mktemp("page") / "run.html", title="a <ball> falls")


def test_bodies_and_frames_are_there_and_something_is_drawn(page: Path) -> None:
    found = in_browser(
        page,
        """
        const s = window.signorini; s.play(false); s.seek(0.5); s.draw();
        const gl = document.getElementById("scene").getContext("webgl2"), c = gl.canvas;
        const px = new Uint8Array(4 * c.width * c.height);
        gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, px);
        const shades = new Set();
        for (let i = 0; i < px.length; i += 40) shades.add(px[i] + 256 * px[i + 1] + 65536 * px[i + 2]);
        return {bodies: s.bodies.map((b) => b.name), frames: s.run.times.length, end: s.run.times.at(-1),
                shades: shades.size,
                title: document.querySelector("#title h1").textContent, error: gl.getError(),
                height: s.run.poses.at(-1)[7 * 1 + 2]};
        """,
    )
    assert found["bodies"] == ["floor", "<b>ball & co</b>", "box"]
    assert found["frames"] == 51
    assert found["end"] == pytest.approx(0.5)
    assert found["title"] == "a <ball> falls"
    assert found["height"] == pytest.approx(0.2, abs=1e-6)
    assert found["error"] == 0
    assert found["shades"] > 100


def test_play_advances_time(page: Path) -> None:
    found = in_browser(
        page,
        """
        const s = window.signorini; s.seek(0); s.ui.speed = 0.05; s.play(true);
        for (let k = 0; k < 300 && s.ui.time === 0; k += 1) await new Promise((go) => requestAnimationFrame(go));
        const middle = s.ui.time; s.ui.speed = 5;
        for (let k = 0; k < 300 && s.ui.playing; k += 1) await new Promise((go) => setTimeout(go, 100));
        return [middle, s.ui.time, s.ui.playing];
        """,
    )
    assert 0.0 < found[0] < 0.5
    assert found[1] == pytest.approx(0.5)
    assert found[2] is False


def test_picking_names_and_plots_the_body(page: Path) -> None:
    found = in_browser(
        page,
        """
        const s = window.signorini; s.play(false); s.seek(0.5); s.look("front"); s.draw();
        const c = document.getElementById("scene"), hits = {};
        for (let x = 0; x < c.width; x += 24) for (let y = 0; y < c.height; y += 24) hits[s.bodyAt(x, y)] = true;
        s.choose(1); s.draw();
        const drawn = document.querySelector("#picked canvas"), pen = drawn.getContext("2d");
        const ink = pen.getImageData(0, 0, drawn.width, drawn.height).data;
        return {hits, name: document.querySelector("#picked h2").textContent,
                shown: document.getElementById("picked").style.display,
                facts: document.querySelector("#picked .facts").textContent, ink: ink.some((v) => v > 0)};
        """,
    )
    assert {"1", "2"} <= set(found["hits"])
    assert found["name"] == "<b>ball & co</b>"
    assert found["shown"] == "block"
    assert "33.5 kg" in found["facts"]
    assert found["ink"]


def test_failed_steps_are_marked(tmp_path: Path) -> None:
    model = falling()
    with pytest.warns(UserWarning, match="iteration limit"):
        run = sg.Simulation(model, step=0.01, solver=sg.ProjectedSOR(max_iterations=1, tolerance=1e-12)).run(0.4)
    failures = run.summary()["failures"]
    assert failures > 0
    page = save_html(run, model, tmp_path / "failed.html")
    assert in_browser(page, "return window.signorini.run.failed.length;") == failures


def test_flexible_bodies_are_drawn(tmp_path: Path) -> None:
    model = sg.SCENES["soft-gripper"].build()
    run = sg.Simulation(model, step=0.01).run(0.05)
    page = save_html(run, model, tmp_path / "soft.html")
    found = in_browser(
        page, "const s = window.signorini; s.draw(); return [s.run.nodes[0].length, s.run.stress[0].length];"
    )
    assert found[0] == 3 * model.node_count
    assert found[1] > 0


def test_the_camera_sees_the_far_ends_of_springs() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, name="mass")
    near = scene_of(model, [model.initial_state()])
    model.add_spring(None, "mass", (0, 0, 3), (0, 0, 0), stiffness=10.0)
    far = scene_of(model, [model.initial_state()])
    assert near["reach"] < 0.5
    assert far["centre"][2] + far["reach"] >= 3.0
