"""Films of recorded runs."""

from __future__ import annotations

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from signorini.math.sparse import Indices
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.simulation.run import FrameContacts, Run
from signorini.view.flexible_parts import stress_note
from signorini.view.render.movie_files import PICTURES, check_movie_path, movie_file, save_picture
from signorini.view.render.overlay import Image, draw_forces, force_lines, write
from signorini.view.render.renderer import Renderer
from signorini.view.render.settings import PictureSettings
from signorini.view.seen import longest_arm, middle_state, seen_contacts, seen_state

SIZE = (1280, 720)
LOOKED_AT = 24
"""States of a run that decide what the camera sees and how colours are scaled."""
MOST_PICTURES = 100_000


@dataclass(frozen=True)
class Timing:
    """Which instants of a run a film shows."""

    fps: float = 30.0
    """Pictures per second."""
    speed: float = 1.0
    """Simulated seconds per second of film; 0.1 is slow motion."""
    first: float | None = None
    """[s], the start by default."""
    last: float | None = None
    """[s], the end by default."""

    def __post_init__(self) -> None:
        for name in ("fps", "speed"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ModelError(f"{name} is {value:g}, expected a number > 0")

    def instants(self, start: float, end: float) -> list[float]:
        """Times of the pictures [s]."""
        first, last = self.first if self.first is not None else start, self.last if self.last is not None else end
        if not start <= first <= last <= end:
            raise ModelError(f"the film is from {first:g} to {last:g} s, but the run is from {start:g} to {end:g} s")
        count = math.floor((last - first) * self.fps / self.speed + 1e-9) + 1
        if count > MOST_PICTURES:
            raise ModelError(f"the film has {count} pictures, at most {MOST_PICTURES} are made: raise speed")
        return [first + k * self.speed / self.fps for k in range(count)]


def render_run(
    run: Run,
    model: Model,
    out: str | Path,
    settings: PictureSettings | None = None,
    timing: Timing | None = None,
    *,
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a film (.mp4, .gif), a folder of pictures, or one picture (.png) of the last state.

    `progress` is told the pictures done and the pictures there are.
    """
    out, settings, timing = Path(out), settings or PictureSettings(), timing or Timing()
    check_movie_path(out)
    settings = settings if settings.size else replace(settings, size=SIZE)
    painter = RunPainter(run, model, settings, title)
    if out.suffix.lower() in PICTURES:
        save_picture(painter.picture(float(run.times[-1]) if timing.last is None else timing.last), out)
        return out
    instants = timing.instants(float(run.times[0]), float(run.times[-1]))
    film = movie_file(out, painter.renderer.camera.size, timing.fps)
    try:
        for number, image in enumerate(painter.pictures(instants), start=1):
            film.add(image)
            if progress is not None:
                progress(number, len(instants))
    except BaseException:
        film.discard()
        raise
    film.close()
    return out


class RunPainter:
    """Paints instants of a run."""

    def __init__(self, run: Run, model: Model, settings: PictureSettings, title: str = "") -> None:
        self.run, self.model, self.title = run, model, title
        self._times = np.asarray(run.times)
        chosen = np.unique(np.linspace(0, len(self._times) - 1, LOOKED_AT).astype(int))
        self.renderer = Renderer(model, [run.state(int(k)) for k in chosen], settings)
        self._movable = np.array([body.movable for body in model.bodies], dtype=bool)
        self._largest = self._large_impulse(chosen) if settings.contacts else 0.0

    def picture(self, time: float) -> Image:
        """Paint one instant."""
        return self._painted(time, *self._at(time))

    def pictures(self, instants: list[float]) -> Iterator[Image]:
        """Paint instants in order, on all cores."""
        workers = cores()
        with ThreadPoolExecutor(workers) as pool:
            waiting: deque[Future[Image]] = deque()
            for time in instants:
                # Files are read by this thread alone.
                waiting.append(pool.submit(self._painted, time, *self._at(time)))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _at(self, time: float) -> tuple[State, FrameContacts | None]:
        """The state at a time, between two frames if need be, and the contacts of the nearest one if they are drawn."""
        after = int(np.clip(np.searchsorted(self._times, time), 0, len(self._times) - 1))
        before = max(after - 1, 0)
        gap = self._times[after] - self._times[before]
        share = float(np.clip((time - self._times[before]) / gap, 0.0, 1.0)) if gap > 0 else 1.0
        nearest = after if share > 0.5 else before
        found = self.run.contacts(nearest) if self.renderer.settings.contacts else None
        if share > 1.0 - 1e-6 or share < 1e-6:
            return self.run.state(nearest), found
        a, b = self.run.state(before), self.run.state(after)
        return middle_state(self.model, a, b, between(a, b, share)), found

    def _painted(self, time: float, state: State, found: FrameContacts | None) -> Image:
        image = self.renderer.image(state)
        if found is not None:
            seen = seen_contacts(self.model, state, found.contacts), seen_state(self.model, state)
            lines = force_lines(*seen, self._movable, longest_arm(self.model))
            draw_forces(image, self.renderer.camera_at(state), lines, found.impulse[:, 0], self._largest)
        return write(image, [self._scale(), f"{self.title}   t = {time:.2f} s".strip()])

    def _scale(self) -> str:
        if self.renderer.settings.colour == "speed":
            return f"speed from 0 (violet) to {self.renderer.fastest:.3g} m/s (yellow)"
        return stress_note(self.renderer.stress_top)

    def _large_impulse(self, frames: Indices) -> float:
        found = [self.run.contacts(int(frame)).impulse[:, 0] for frame in frames]
        # The middle of the run counts: one impact would make all other lines too thin to see.
        large = [float(np.percentile(each, 99.0)) for each in found if len(each)]
        return float(np.median(large)) if large else 0.0


def cores() -> int:
    """How many this program may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def between(a: State, b: State, share: float) -> State:
    """A state on the way from `a` to `b`."""
    mean = {
        name: (1.0 - share) * getattr(a, name) + share * getattr(b, name)
        for name in ("time", "position", "velocity", "angular_velocity", "node_position", "node_velocity")
    }
    # Quaternions of both signs are the same rotation: take the shorter way.
    sign = np.where(np.sum(a.orientation * b.orientation, axis=1, keepdims=True) < 0, -1.0, 1.0)
    turn = (1.0 - share) * a.orientation + share * sign * b.orientation
    return State(orientation=turn / np.linalg.norm(turn, axis=1, keepdims=True), **mean)
