"""XML from strangers: elements with their lines, without entities, within limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from signorini.io.confined_folder import ConfinedFolder
from signorini.math.sparse import Array
from signorini.problem.errors import FileError

MOST_BYTES = 32 * 2**20
"""Of an XML file."""
MOST_ELEMENTS = 200_000
"""In a file, and in all files that it includes."""
MOST_DEPTH = 200
"""Of elements within elements: readers go down by recursion."""
MOST_NUMBERS = 1_000_000
"""In one attribute."""
LARGEST = 1e20
"""Numbers beyond it are slips: volumes and moments made of them would overflow."""


@dataclass(frozen=True, eq=False)
class Element:
    """An XML element, its attributes as text."""

    tag: str
    attributes: dict[str, str]
    file: str
    """Name of the file, for messages."""
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def place(self) -> str:
        """File and line, for messages."""
        return f"{self.file}, line {self.line}"

    @property
    def name(self) -> str:
        """The attribute `name`, or the tag and line of an element without."""
        return self.attributes.get("name") or f"{self.tag} of line {self.line}"

    def error(self, text: str) -> FileError:
        """An error about this element; to be raised."""
        return FileError(f"{self.place}: <{self.tag}> {text}")

    def all(self, *tags: str) -> Iterator[Element]:
        """Children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        """The first child with that tag."""
        return next(self.all(tag), None)

    def text(self, key: str, default: str | None = None) -> str:
        """An attribute; one without a default has to be there."""
        value = self.attributes.get(key, default)
        if value is None:
            raise self.error(f"has no attribute {key}=...")
        return value

    def choice(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        """An attribute that is one of a few words."""
        value = self.text(key, default)
        if value not in allowed:
            raise self.error(f"has {key}={value!r}, expected one of {', '.join(allowed)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """An attribute that is `true` or `false`."""
        return self.choice(key, ("true", "false"), "true" if default else "false") == "true"

    def numbers(self, key: str, default: Any = None, least: int | None = None, most: int | None = None) -> Array:
        """Finite numbers, between `least` and `most` of them; `least` alone: exactly as many."""
        if key not in self.attributes:
            if default is None:
                raise self.error(f"has no attribute {key}=...")
            return np.array(default, dtype=np.float64).reshape(-1)
        text = self.attributes[key]
        if len(text) > 32 * MOST_NUMBERS:
            raise self.error(f"has {key}=... of {len(text)} characters, expected at most {32 * MOST_NUMBERS}")
        values = [self._number(word, key) for word in text.split()]
        most = least if most is None else most
        if least is not None and most is not None and not least <= len(values) <= most:
            expected = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"has {key}={_short(text)!r}, {len(values)} numbers, expected {expected}")
        return np.array(values, dtype=np.float64)

    def number(self, key: str, default: float | None = None) -> float:
        """One finite number."""
        return float(self.numbers(key, default, 1)[0])

    def integer(self, key: str, default: int | None = None) -> int:
        """One whole number that fits in 32 bits."""
        value = self.number(key, default)
        if value != int(value) or abs(value) >= 2**32:
            raise self.error(f"has {key}={_short(self.text(key, str(default)))!r}, expected a whole number")
        return int(value)

    def _number(self, word: str, key: str) -> float:
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"has {key}={_short(self.attributes[key])!r}, expected numbers") from None
        if not abs(value) <= LARGEST:
            raise self.error(f"has {key}={_short(self.attributes[key])!r}, expected numbers up to {LARGEST:g} in size")
        return value


def read_xml(path: Path, folder: ConfinedFolder) -> Element:
    """The root element of a file; raises `FileError` for anything that is not plain, small, well-formed XML."""
    raw = folder.read(path, MOST_BYTES)
    return parse_xml(raw, path.name)


def parse_xml(raw: bytes, name: str) -> Element:
    """The root element of XML text; `name` is for messages."""
    builder = _Builder(name)
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise FileError(f"{name}, line {error.lineno}: not well-formed XML ({expat.ErrorString(error.code)})") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know, or text against it
        raise FileError(f"{name}: cannot be read as XML ({error})") from None
    if builder.root is None:
        raise FileError(f"{name}: no XML element in it")
    return builder.root


class _Builder:
    """Collects elements from expat; declarations of entities end the reading."""

    def __init__(self, name: str) -> None:
        self.name, self.root, self.count = name, None, 0
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = lambda _: self.open.pop()
        self.parser.EntityDeclHandler = self._refuse
        self.parser.UnparsedEntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse
        self.parser.SkippedEntityHandler = self._refuse

    root: Element | None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        line = self.parser.CurrentLineNumber
        if self.count > MOST_ELEMENTS:
            raise FileError(f"{self.name}, line {line}: more than {MOST_ELEMENTS} elements; expected a smaller file")
        if len(self.open) >= MOST_DEPTH:
            raise FileError(f"{self.name}, line {line}: elements lie more than {MOST_DEPTH} deep in one another")
        element = Element(tag, attributes, self.name, line)
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def _refuse(self, *_: Any) -> int:
        line = self.parser.CurrentLineNumber
        raise FileError(f"{self.name}, line {line}: declares or uses an XML entity, which is not read; write it out")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
