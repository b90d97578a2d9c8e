"""MJCF files with what they include, as one tree of elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from signorini.io.confined_folder import ConfinedFolder
from signorini.io.xml_tree import MOST_ELEMENTS, Element, read_xml
from signorini.problem.errors import FileError

MOST_INCLUDES = 200


@dataclass(frozen=True, eq=False)
class Includes:
    """Replaces `include` elements by what their files hold; every file may be included once, as in MuJoCo."""

    folder: ConfinedFolder
    main: Path
    """Folder of the main file: names in `include` start there."""
    seen: list[Path] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def root(self, file: Path) -> Element:
        """The main file with all that it includes."""
        self.seen.append(file.resolve())
        root = read_xml(file, self.folder)
        if root.tag != "mujoco":
            raise FileError(f"{root.place}: the file is a <{root.tag}>, expected a <mujoco>")
        return self._expanded(root, file.resolve().parent, 0)

    def _expanded(self, element: Element, here: Path, depth: int) -> Element:
        self.counts.append(1)
        if len(self.counts) > MOST_ELEMENTS:
            raise element.error(f"is beyond {MOST_ELEMENTS} elements; expected smaller files")
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children.extend(self._included(child, here, depth))
            else:
                children.append(self._expanded(child, here, depth))
        return Element(element.tag, element.attributes, element.file, element.line, children)

    def _included(self, element: Element, here: Path, depth: int) -> list[Element]:
        name = element.text("file")
        base = self.main if (self.main / name).is_file() else here
        path = self.folder.find(name, base, element.place)
        if path in self.seen:
            raise element.error(f"includes {name!r}, which is included already")
        if len(self.seen) > MOST_INCLUDES or depth > 50:
            raise element.error(f"is one of more than {MOST_INCLUDES} includes, or too deep in one another")
        self.seen.append(path)
        root = read_xml(path, self.folder)
        return self._expanded(root, path.parent, depth + 1).children
