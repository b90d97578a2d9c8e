"""Solid elements, one file each. A new one is one file and one line here."""

from __future__ import annotations

from signorini.fe.elements.element import Element
from signorini.fe.elements.hexahedron import HEXAHEDRON
from signorini.fe.elements.tetrahedron import TETRAHEDRON
from signorini.fe.elements.tetrahedron10 import TETRAHEDRON10

ELEMENTS: dict[int, Element] = {element.nodes: element for element in (TETRAHEDRON, HEXAHEDRON, TETRAHEDRON10)}
"""By the number of nodes."""

__all__ = ["ELEMENTS", "Element"]
