"""Lines and words over a painted picture: forces of contacts, the time, what colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.kernels.picture.strokes import paint_strokes
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.view.links import COLOURS, Link
from signorini.view.render.camera import Camera
from signorini.view.render.geometry import Flags

Image = NDArray[np.uint8]
"""Red, green, blue, the first row on top, shape (height, width, 3)."""
FORCE = np.array([178.0, 24.0, 43.0, 0.85])
"""Red, green, blue and opacity of the lines of forces."""
WIDEST = 9.0
"""Line of the largest impulse, in a picture of 1000 pixels [pixels]."""
FADED = 0.45
"""What is left of the colours under lines of forces."""
THICK, ZIGZAG, COILS = 2.6, 9.0, 8
"""Lines of links and half the width of springs, in a picture of 1000 pixels [pixels]; turns of a spring."""
LETTERS = 0.026
"""Height of letters over that of the picture."""


def force_lines(contacts: Contacts, state: State, movable: Flags, longest: float = np.inf) -> Array:
    """From the centres of bodies that move to the contact and on to the centre of the other; shape (contacts, 3, 3).

    Walls and flexible bodies have no centre that the line could end at: there it ends at the contact. So it does where
    the centre is farther than `longest` [m], at the other end of periodic space.
    """
    lines = np.stack((contacts.point_a, 0.5 * (contacts.point_a + contacts.point_b), contacts.point_b), axis=1)
    for end, body in ((0, contacts.body_a), (2, contacts.body_b)):
        rigid = np.flatnonzero(body < len(movable))
        rigid = rigid[movable[body[rigid]]]
        lines[rigid, end] = state.position[body[rigid]]
        far = rigid[np.linalg.norm(lines[rigid, end] - lines[rigid, 1], axis=1) > longest]
        lines[far, end] = lines[far, 1]
    return np.asarray(lines)


def draw_forces(image: Image, camera: Camera, lines: Array, impulse: Array, largest: float) -> None:
    """Fade the picture and draw lines as wide as the normal impulses [N s] are large."""
    image[:] = (FADED * image + 255.0 * (1.0 - FADED)).astype(np.uint8)
    strength = np.clip(np.asarray(impulse) / largest, 0.0, 1.5) if largest > 0 else np.zeros(len(lines))
    seen = camera.project(lines)
    order = [k for k in np.argsort(strength) if strength[k] > 0.0 and np.isfinite(seen[k]).all()]
    ends = np.concatenate((seen[order][:, :2], seen[order][:, 1:]))
    width = np.tile(WIDEST * max(camera.size) / 1000.0 * strength[order], 2)
    paint_strokes(np.ascontiguousarray(ends), width, np.tile(FORCE, (len(ends), 1)), image)


def draw_links(image: Image, camera: Camera, links: Sequence[Link], state: State) -> None:
    """Draw springs as zigzags, ropes, rods and axes of joints as lines."""
    unit = max(camera.size) / 1000.0
    for link in links:
        seen = camera.project(link.places(state))
        if len(seen) < 2 or not np.isfinite(seen).all():
            continue
        path = zigzag(seen[0], seen[-1], ZIGZAG * unit) if link.kind == "spring" else seen
        ends = np.ascontiguousarray(np.stack((path[:-1], path[1:]), axis=1))
        colour = np.append(255.0 * np.array(COLOURS[link.kind]), 0.95)
        thick = THICK * unit * (1.6 if link.kind in ("joint", "motor") else 1.0)
        paint_strokes(ends, np.full(len(ends), thick), np.tile(colour, (len(ends), 1)), image)


def zigzag(a: Array, b: Array, width: float) -> Array:
    """Points of a spring between two places of the picture [pixels]."""
    along = b - a
    across = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
    share = np.concatenate(([0.0], np.linspace(0.12, 0.88, 2 * COILS + 1), [1.0]))
    side = np.concatenate(([0.0, 0.0], np.tile([1.0, -1.0], COILS)[:-1], [0.0, 0.0]))
    return np.asarray(a + share[:, None] * along + width * side[:, None] * across)


def write(image: Image, lines: list[str]) -> Image:
    """Words in the lower left corner."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    words = "\n".join(line for line in lines if line)
    if not words:
        return image
    height = max(11, round(LETTERS * image.shape[0]))
    gap = round(0.7 * height)
    # The letters need the lower rows alone.
    strip = image[-min(len(image), 2 * gap + (len(words.splitlines()) + 1) * 2 * height) :]
    picture = Pictures.fromarray(strip)
    place = (gap, strip.shape[0] - gap)
    ImageDraw.Draw(picture).multiline_text(place, words, fill=(60, 60, 60), font=_font(height), anchor="ld", spacing=3)
    strip[:] = np.asarray(picture)
    return image


@cache
def _font(height: int) -> Any:
    """The letters that matplotlib brings along."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", height)
