"""From shapes in space to contacts."""

from signorini.collision.detector import Detector, detect

__all__ = ["Detector", "detect"]
