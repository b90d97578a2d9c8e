"""The browser viewer with many balls: seconds per picture in headless Chromium, and what a picture asks of a GPU.

    python benchmarks/viewer.py [--spheres 100000] [--pictures 3] [--picture FILE.png] [--json FILE]

Headless Chromium paints on the processor (SwiftShader), some hundred times slower than a GPU: the seconds tell what
fragments cost, the triangles and bytes what a GPU would have to do for each picture.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import signorini as sg
from common import print_rows, write_json
from signorini.io.diagnostics import table
from signorini.view.web.frames import packed
from signorini.view.web.page import data_of_state, page_of

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
           "--window-size=1280,720")  # fmt: skip
MEASURE = """
const s = window.signorini, c = document.getElementById("scene"), gl = c.getContext("webgl2"), px = new Uint8Array(4);
const timed = (work) => {
  const t = performance.now(); work(); s.draw(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, px);
  return (performance.now() - t) / 1e3;
};
timed(() => s.play(false));
const turned = [], moved = [];
for (let k = 0; k < PICTURES; k++) {
  turned.push(timed(() => { s.view.azimuth += 0.02; })); moved.push(timed(() => s.seek(k % 2 ? 0 : 1)));
}
document.getElementById("answer").textContent = JSON.stringify({turned, moved, pixels: c.width * c.height});
"""


def pile(count: int) -> sg.Model:
    """Balls on a lattice, shaken a little."""
    rng = np.random.default_rng(1)
    side = round(count ** (1 / 3) + 0.5)
    places = np.stack(np.unravel_index(np.arange(count), (side,) * 3), axis=1) + 0.5
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_bodies(sg.Sphere(0.01), 0.021 * places + 0.001 * rng.normal(size=places.shape), density=1000.0)
    return model


def page_of_pile(model: sg.Model) -> str:
    """The page with two states of a pile."""
    states = [model.initial_state(), model.initial_state()]
    states = [replace(state, time=float(k)) for k, state in enumerate(states)]
    frames = packed(model, states, [np.zeros((0, 9))] * 2, table([]))
    return page_of(data_of_state(model, states[0], frames, f"{len(model.bodies) - 1} balls", 1.0))


def in_chromium(page: str, pictures: int, picture: str | None) -> dict[str, Any]:
    """Seconds of each picture, as the page measures them."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        script = f'<pre id="answer"></pre><script>{{{MEASURE.replace("PICTURES", str(pictures))}}}</script></body>'
        file.write_text(page.replace("</body>", script))
        shot = [f"--screenshot={Path(picture).resolve()}"] if picture else ["--dump-dom"]
        command = [program, *OPTIONS, f"--user-data-dir={folder}/profile", *shot, file.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    return dict(json.loads(found[1])) if found else {}


def main() -> None:
    """Print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spheres", type=int, default=100_000)
    parser.add_argument("--pictures", type=int, default=3)
    parser.add_argument("--picture", help="write what is seen to this file instead")
    parser.add_argument("--json")
    options = parser.parse_args()
    page = page_of_pile(pile(options.spheres))
    found = in_chromium(page, options.pictures, options.picture)
    if not found:
        return
    row = {
        "balls": options.spheres,
        "page_MB": len(page) / 1e6,
        "turn_s": median(found["turned"]),
        "move_s": median(found["moved"]),
        "triangles_turn": 2 * options.spheres,
        "triangles_move": 4 * options.spheres,
        "MB_move": 64 * (options.spheres + 1) / 1e6,
        "pixels": found["pixels"],
    }
    print_rows([row], dict.fromkeys(("page_MB", "turn_s", "move_s", "MB_move"), "{:.3g}".format))
    if options.json:
        write_json(options.json, {"viewer": [row]})


if __name__ == "__main__":
    main()
