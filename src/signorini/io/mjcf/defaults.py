"""Default classes of MJCF: attributes that elements need not repeat."""

from __future__ import annotations

from dataclasses import dataclass, field

from signorini.io.robots.report import LoadReport
from signorini.io.xml_tree import Element
from signorini.problem.errors import FileError

MAIN = "main"
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin",
)  # fmt: skip
ACTUATOR_COMMON = (
    "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gear", "group", "cranklength", "lengthrange",
)  # fmt: skip
"""Attributes that defaults of one kind of actuator give to all kinds."""
TAGS = (
    "default", "mesh", "material", "joint", "geom", "site", "camera", "light", "pair", "equality", "tendon",
    *ACTUATORS,
)  # fmt: skip
"""Elements of a default."""
COMMON = "actuator"
"""Tag under which they are kept."""


@dataclass(frozen=True, eq=False)
class Defaults:
    """Attributes by class and tag; a class has those of the class around it."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    @classmethod
    def of(cls, root: Element, report: LoadReport) -> Defaults:
        """All `default` sections of a file."""
        result = cls()
        for element in root.all("default"):
            result._add(element, element.attributes.get("class", MAIN), {}, report, top=True)
        return result

    def _add(
        self, element: Element, name: str, around: dict[str, dict[str, str]], report: LoadReport, top: bool
    ) -> None:
        if top:
            name, around = MAIN, self.classes[MAIN]
        elif name in self.classes:
            raise element.error(f"has the class {name!r}, expected one that no other default has")
        own = {tag: dict(attributes) for tag, attributes in around.items()}
        self.classes[name] = own
        for child in element.children:
            if child.tag not in TAGS:
                report.unsupport(child, "this element is not read in defaults", f"default {child.tag}")
            elif child.tag != "default":
                own.setdefault(child.tag, {}).update(child.attributes)
                if child.tag in ACTUATORS:
                    shared = {key: value for key, value in child.attributes.items() if key in ACTUATOR_COMMON}
                    own.setdefault(COMMON, {}).update(shared)
        for child in element.all("default"):
            self._add(child, child.text("class"), own, report, top=False)

    def applied(self, element: Element, childclass: str | None, kind: str | None = None) -> Element:
        """The element with the attributes of its class, or else of the class of the bodies around it.

        `kind` is the tag in the defaults where that is another one: all equality constraints share one, and so do
        tendons.
        """
        name = element.attributes.get("class", childclass or MAIN)
        if name not in self.classes:
            raise FileError(f"{element.place}: <{element.tag}> is of the class {name!r}, which no default defines")
        own = self.classes[name]
        given = {**own.get(COMMON, {})} if element.tag in ACTUATORS else {}
        given |= own.get(kind or element.tag, {})
        if not given:
            return element
        given.pop("class", None)
        return Element(element.tag, {**given, **element.attributes}, element.file, element.line, element.children)
