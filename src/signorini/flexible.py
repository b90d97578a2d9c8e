"""Flexible bodies: finite-element solids and cables."""

from __future__ import annotations

from signorini.fe.cable import Cable as Cable
from signorini.fe.mesh import Mesh as Mesh
from signorini.fe.soft_body import SoftBody as SoftBody

__all__ = ["Cable", "Mesh", "SoftBody"]
