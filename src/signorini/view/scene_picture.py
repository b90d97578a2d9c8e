"""A picture of the bodies of a model at one instant."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.view.flexible_parts import stress_note
from signorini.view.seen import longest_arm, seen_contacts, seen_state
from signorini.view.style import check_picture_path, picture

DOTS = 160.0
"""Pixels per inch."""


def scene_image(model: Model, state: State, *, camera: str = "iso", size: tuple[int, int] | None = None) -> Array:
    """The bodies at `state`, shape (height, width, 3); `camera` and `size` as for `draw_scene`."""
    from signorini.view.render.renderer import Renderer
    from signorini.view.render.settings import PictureSettings

    return np.asarray(Renderer(model, [state], PictureSettings(camera=camera, size=size)).image(state))


def draw_scene(
    model: Model,
    state: State,
    path: str | Path,
    *,
    title: str = "",
    contacts: Contacts | None = None,
    impulses: Array | None = None,
    camera: str = "iso",
    size: tuple[int, int] | None = None,
) -> None:
    """Paint the bodies at `state` to `path` (.png, .pdf, .svg).

    Parameters
    ----------
    contacts, impulses
        Contacts and their normal impulses [N s], shape (contacts,): drawn as lines whose width tells the size.
    camera
        "iso", "front", "top", ... or azimuth and elevation in degrees: "30,20".
    size
        Width and height [pixels]; by default the scene decides.
    """
    from signorini.view.render.overlay import draw_forces, force_lines
    from signorini.view.render.renderer import Renderer
    from signorini.view.render.settings import PictureSettings

    path = Path(path)
    check_picture_path(path)
    renderer = Renderer(model, [state], PictureSettings(camera=camera, size=size))
    image = renderer.image(state)
    if contacts is not None and impulses is not None and contacts.count:
        movable = np.array([body.movable for body in model.bodies], dtype=bool)
        largest = float(np.max(impulses, initial=0.0))
        seen = seen_contacts(model, state, contacts), seen_state(model, state)
        lines = force_lines(*seen, movable, longest_arm(model))
        draw_forces(image, renderer.camera, lines, impulses, largest)
    words = "\n".join(line for line in (title, stress_note(renderer.stress_top)) if line)
    height, width = image.shape[:2]
    with picture(path, 1, (width / DOTS, height / DOTS + 0.3 * len(words.splitlines()))) as (figure, panels):
        panels[0].imshow(image, interpolation="none")
        panels[0].set_axis_off()
        if words:
            figure.suptitle(words, fontsize=10)
