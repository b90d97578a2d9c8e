"""The interior point; mathematics in README.md."""

from signorini.solvers.interior_point.solver import InteriorPoint

__all__ = ["InteriorPoint"]
