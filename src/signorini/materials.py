"""What flexible bodies are made of; `signorini.Material` is what surfaces are made of."""

from __future__ import annotations

from signorini.fe.materials.elastic import Elastic as Elastic
from signorini.fe.materials.neo_hookean import NeoHookean as NeoHookean
from signorini.fe.materials.saint_venant_kirchhoff import SaintVenantKirchhoff as SaintVenantKirchhoff

__all__ = ["Elastic", "NeoHookean", "SaintVenantKirchhoff"]
