"""What a reader met in a file and did not take over."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from signorini.io.xml_tree import Element

MOST_LINES = 6
"""Remarks that a warning shows."""


@dataclass(frozen=True)
class Remark:
    """One thing that the model does not have, or has otherwise than the file says."""

    what: str
    """Element and name, such as `joint 'knee'`."""
    why: str
    """What became of it."""
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.what}: {self.why}"


@dataclass(frozen=True)
class LoadReport:
    """All remarks about a file."""

    unsupported: list[Remark] = field(default_factory=list)
    """What has an effect on the motion and was left out or replaced."""
    ignored: list[Remark] = field(default_factory=list)
    """What has none: looks, sensors, and settings of other solvers."""

    def __iter__(self) -> Iterator[Remark]:
        return iter((*self.unsupported, *self.ignored))

    def __str__(self) -> str:
        if not self.unsupported and not self.ignored:
            return "everything was understood"
        lines = [f"unsupported: {remark}" for remark in self.unsupported]
        return "\n".join((*lines, *(f"ignored: {remark}" for remark in self.ignored)))

    def unsupport(self, element: Element, why: str, what: str | None = None) -> None:
        """Note an element, or a part of it, that was left out or replaced."""
        self.unsupported.append(Remark(what or _named(element), why, element.file, element.line))

    def ignore(self, element: Element, why: str, what: str | None = None) -> None:
        """Note an element that has no effect on the motion here."""
        self.ignored.append(Remark(what or _named(element), why, element.file, element.line))

    def warn(self, stacklevel: int) -> None:
        """One Python warning for all that is unsupported."""
        if not self.unsupported:
            return
        shown = "; ".join(map(str, self.unsupported[:MOST_LINES]))
        more = len(self.unsupported) - MOST_LINES
        rest = f"; and {more} more" if more > 0 else ""
        warnings.warn(f"{shown}{rest} (all of them: model.report)", UserWarning, stacklevel=stacklevel + 1)


def _named(element: Element) -> str:
    name = element.attributes.get("name")
    return f"{element.tag} {name!r}" if name else element.tag
