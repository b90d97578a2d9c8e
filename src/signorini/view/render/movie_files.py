"""Where pictures go: an MP4 or GIF film, a folder of PNG files, one picture."""

from __future__ import annotations

import shutil
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from signorini.problem.errors import FileError
from signorini.view.render.overlay import Image

MOVIES = (".mp4", ".gif")
PICTURES = (".png", ".jpg", ".jpeg")
COLOURS = 128
"""Of a GIF."""


class MovieFile(ABC):
    """Takes the pictures of a film one after another."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def add(self, image: Image) -> None:
        """Take the next picture."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""

    def discard(self) -> None:
        """Leave nothing half written."""
        self.path.unlink(missing_ok=True)


class Mp4(MovieFile):
    """H.264 by ffmpeg: that of the package imageio-ffmpeg, or one that is installed."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        super().__init__(path)
        command = [
            ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
            "-r", f"{fps:g}", "-i", "-", "-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264",
            "-preset", "veryfast", "-crf", "19", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def add(self, image: Image) -> None:
        """Hand it to ffmpeg."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(image).data)
        except BrokenPipeError:
            self._end()

    def close(self) -> None:
        """Wait for ffmpeg."""
        self._end()

    def discard(self) -> None:
        """Stop ffmpeg and remove the file."""
        self._process.kill()
        self._process.communicate()
        super().discard()

    def _end(self) -> None:
        _, said = self._process.communicate()
        if self._process.returncode:
            words = said.decode(errors="replace").strip().splitlines() or [f"exit code {self._process.returncode}"]
            raise FileError(f"{self.path} cannot be written: ffmpeg says: {words[-1]}")


class Gif(MovieFile):
    """An animation that plays everywhere, in few colours."""

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path)
        self._frames: list[Any] = []
        self._fps = fps

    def add(self, image: Image) -> None:
        """Reduce the colours to those of the first picture."""
        from PIL import Image as Pictures

        picture = Pictures.fromarray(image)
        if self._frames:
            self._frames.append(picture.quantize(palette=self._frames[0], dither=Pictures.Dither.NONE))
        else:
            self._frames.append(picture.quantize(COLOURS, dither=Pictures.Dither.NONE))

    def close(self) -> None:
        """Write it."""
        first, *rest = self._frames
        # Times of GIF frames are whole hundredths of a second.
        pause = max(20, 10 * round(100.0 / self._fps))
        first.save(self.path, save_all=True, append_images=rest, duration=pause, loop=0, optimize=False)


class Folder(MovieFile):
    """Numbered PNG files."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        path.mkdir(parents=True, exist_ok=True)
        self._count = 0

    def add(self, image: Image) -> None:
        """Write frame-00000.png and so on."""
        save_picture(image, self.path / f"frame-{self._count:05d}.png")
        self._count += 1

    def close(self) -> None:
        """Each picture is written already."""

    def discard(self) -> None:
        """Keep the pictures: each is whole."""


def movie_file(path: Path, size: tuple[int, int], fps: float) -> MovieFile:
    """The kind of output that the ending of `path` names; without an ending, a folder."""
    if path.suffix.lower() == ".mp4":
        return Mp4(path, size, fps)
    if path.suffix.lower() == ".gif":
        return Gif(path, fps)
    return Folder(path)


def check_movie_path(path: Path) -> None:
    """Raise before work is done if the film cannot be written."""
    endings = (*MOVIES, *PICTURES)
    if path.suffix and path.suffix.lower() not in endings:
        raise FileError(f"{path} has the ending '{path.suffix}', expected {', '.join(endings)} or a folder")
    if path.suffix and path.is_dir():
        raise FileError(f"{path} is a directory, expected the name of a file to write")
    if not path.suffix and path.exists() and not path.is_dir():
        raise FileError(f"{path} is a file, expected a folder for the pictures; or add an ending such as .mp4")
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no directory {path.parent}; make it first")
    if path.suffix.lower() == ".mp4":
        ffmpeg()


def save_picture(image: Image, path: Path) -> None:
    """Write one picture."""
    from PIL import Image as Pictures

    try:
        Pictures.fromarray(image).save(path, compress_level=4)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error


def ffmpeg() -> str:
    """The program that encodes films."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if found is None:
        raise FileError(
            'MP4 films need ffmpeg: pip install "signorini[render]", or write a .gif or a folder of pictures'
        )
    return found
