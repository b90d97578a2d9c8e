"""Settings that make a solver of ours that of a document."""

from __future__ import annotations

from typing import Any

DOCUMENTS: dict[str, Any] = {
    "centring": "mehrotra",
    "correctors": 0,
    "finish_below": 0.0,
    "lift": 0.0,
    "fraction": "adaptive",
    "start": "cone",
}
"""Of `InteriorPoint`: centring of [MangoniTasora, eq. 14], step lengths and start of [Mangoni2018, 4.12 and 4.14.4],
and none of our own parts."""
