"""Calls of the user's functions, whose errors name the user's line."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from signorini.problem.errors import SignoriniError, UserCodeError

OWN = str(Path(__file__).parents[1])
"""Files below it are not the user's."""
LIBRARIES = ("site-packages", "dist-packages", "<frozen")
"""Nor are those with these words in their paths, as far as there are others."""


def called(function: Callable[..., Any], what: str, *arguments: Any) -> Any:
    """The function's answer; an exception becomes a `UserCodeError` that names its line in the user's code.

    `what` names the function for messages, such as "motion of 'box' at t = 0.1 s".
    """
    try:
        return function(*arguments)
    except SignoriniError:
        raise
    except Exception as error:
        raise UserCodeError(f"{what} failed: {place_of(error)}") from error


def place_of(error: BaseException) -> str:
    """The error in one line, with the last line outside this package that it came through."""
    story = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OWN)]
    if not frames:
        return story
    last = ([frame for frame in frames if not any(word in frame.filename for word in LIBRARIES)] or frames)[-1]
    text = (last.line or linecache.getline(last.filename, last.lineno or 0)).strip()
    return f"{story} ({last.filename}, line {last.lineno}{f': {text}' if text else ''})"
