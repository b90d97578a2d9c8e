"""The page: template, style and script with the data of a run."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError
from signorini.simulation.run import Run
from signorini.view.web.frames import contact_rows, frames_of, sizes_of
from signorini.view.web.scene import scene_of


def page_of(data: dict[str, Any]) -> str:
    """The page as one text: nothing else is needed to show it."""
    folder = files("signorini.view.web")
    parts = {
        "TITLE": _escaped(data["title"]),
        "STYLE": (folder / "viewer.css").read_text(encoding="utf-8"),
        "SCRIPT": (folder / "viewer.js").read_text(encoding="utf-8"),
        # In a script element "</" would end it, whatever the kind of the element.
        "DATA": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
    }
    page = (folder / "viewer.html").read_text(encoding="utf-8")
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text, 1)
    return page


def data_of_run(run: Run, model: Model, title: str = "", play: bool = False) -> dict[str, Any]:
    """What the page shows of a run."""
    states = [run.state(0), run.state(-1)]
    last = run.contacts(-1)
    sizes = sizes_of(states, [contact_rows(last.contacts, last.impulse)])
    summary = run.summary()
    note = (
        f"{summary['steps']} steps of {run.settings['step']:g} s, {run.settings['solver']['name']}, "
        f"{summary['contacts_mean']:.0f} contacts, certificate at worst {summary['residual_max']:.1e}"
    )
    if summary["failures"]:
        note += f"; {summary['failures']} steps missed their tolerance (red)"
    return {
        **scene_of(model, states), **sizes, "frames": frames_of(run, model), "title": title or "Signorini run",
        "note": note, "live": False, "play": play, "step": float(run.settings["step"]),
    }  # fmt: skip


def data_of_state(model: Model, state: State, frames: dict[str, Any], title: str, step: float) -> dict[str, Any]:
    """What the page shows of a model at one instant, or of a running simulation."""
    return {
        **scene_of(model, [state]), "impulse": 0.0, "fastest": 0.0, "frames": frames, "title": title, "note": "",
        "live": False, "play": False, "step": step,
    }  # fmt: skip


def save_html(run: Run, model: Model, path: str | Path, title: str = "") -> Path:
    """Write a run as one HTML file that plays in any browser, without Python and without a network."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise FileError(f"{path} is no name of a page; give one that ends in .html")
    if not path.parent.is_dir():
        raise FileError(f"there is no folder {path.parent}; make it first")
    path.write_text(page_of(data_of_run(run, model, title, play=True)), encoding="utf-8")
    return path


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
