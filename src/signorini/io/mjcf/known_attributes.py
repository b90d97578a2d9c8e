"""Attributes of MJCF elements: those that are read, those without effect here, and the rest."""

from __future__ import annotations

from signorini.io.robots.report import LoadReport
from signorini.io.xml_tree import Element

PLACED = ("name", "class", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "user")
READ: dict[str, tuple[str, ...]] = {
    "body": (*PLACED, "childclass", "mocap"),
    "frame": (*PLACED, "childclass"),
    "inertial": (*PLACED, "mass", "diaginertia", "fullinertia"),
    "joint": (
        "name", "class", "type", "pos", "axis", "range", "limited", "stiffness", "springref", "ref", "damping",
        "frictionloss", "user",
    ),
    "freejoint": ("name", "class", "user"),
    "geom": (
        *PLACED, "type", "size", "fromto", "mass", "density", "friction", "condim", "contype", "conaffinity", "group",
        "priority", "mesh",
    ),
    "site": (*PLACED, "type", "size", "fromto", "group", "material", "rgba"),
}  # fmt: skip
WITHOUT_EFFECT: dict[str, tuple[str, ...]] = {
    "body": ("sleep",),
    "joint": ("group", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "solref", "solimp"),
    "freejoint": ("group", "align"),
    "geom": ("rgba", "material", "solref", "solimp", "solmix", "margin", "gap", "hfield"),
}
"""Looks, and the softness of contacts and limits: here they are rigid."""
NOTHING = ("0", "0 0", "0 0 0", "false", "none", "auto", "")
"""Values that switch an attribute off."""


def note_attributes(element: Element, report: LoadReport) -> None:
    """Report the attributes of an element that are not read, by name."""
    read, silent = READ.get(element.tag, ()), WITHOUT_EFFECT.get(element.tag, ())
    for key, value in element.attributes.items():
        what = f"{key} of {element.tag} {element.name!r}"
        if key in silent:
            if key not in ("rgba", "material", "group"):
                report.ignore(element, "contacts and joints are rigid here", what)
        elif key not in read and not _is_nothing(value):
            report.unsupport(element, f"{key}={value[:40]!r} is left out", what)


def _is_nothing(value: str) -> bool:
    if value.strip() in NOTHING:
        return True
    try:
        return not any(float(word) for word in value.split())
    except ValueError:
        return False
