"""Runs the gallery, paints its pictures and writes docs/gallery.md: python docs/make_gallery.py [NAME ...]"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import signorini as sg
from signorini.scenes import find_scene
from signorini.view.render import PictureSettings, Renderer

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images" / "gallery"
SIZE, COLOURS = (480, 320), 200
INTRODUCTION = """# Gallery

{count} short examples, each with an answer that is known. The tests run all of them and check that answer; each is a
scene that you can run, watch and change:

```
signorini run examples/gallery/stone_arch.py --view
```

"""


def paint(path: Path) -> None:
    """Run an example and paint it."""
    scene = find_scene(str(path))
    model = scene.build()
    run = sg.Simulation(model, step=scene.step, integrator=scene.integrator).run(scene.duration)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    frames = np.unique(np.linspace(0, len(run.times) - 1, 8).astype(int))
    shown = int(np.searchsorted(run.times, getattr(module, "SHOWN", run.times[-1])))
    settings = PictureSettings(size=SIZE, camera=getattr(module, "CAMERA", "iso"))
    image = Renderer(model, [run.state(int(k)) for k in frames], settings).image(run.state(min(shown, frames[-1])))
    Image.fromarray(image).quantize(COLOURS).save(PICTURES / f"{path.stem}.png", optimize=True)


def page(paths: list[Path]) -> str:
    """All examples: title, picture, text, code."""
    parts = [INTRODUCTION.format(count=len(paths))]
    for path in paths:
        words = path.read_text().split('"""')[1].strip()
        title, _, rest = words.partition("\n")
        parts.append(
            f"## {title.rstrip('.')}\n\n![{path.stem}](images/gallery/{path.stem}.png)\n\n{rest.strip()}\n\n"
            f"```{{literalinclude}} ../examples/gallery/{path.stem}.py\n:language: python\n:start-at: import\n```\n\n"
        )
    return "".join(parts).replace("\n\n\n\n", "\n\n").rstrip() + "\n"


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    every = sorted((ROOT / "examples" / "gallery").glob("*.py"))
    for example in every:
        if len(sys.argv) < 2 or example.stem in sys.argv[1:]:
            paint(example)
            print(example.stem)
    (ROOT / "docs" / "gallery.md").write_text(page(every))
