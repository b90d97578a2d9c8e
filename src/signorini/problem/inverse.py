"""Former names of the mass matrix types."""

from signorini.problem.mass_matrix import BlockDiagonalMass as BlockInverse
from signorini.problem.mass_matrix import MassMatrix as Inverse
from signorini.problem.mass_matrix import gram

__all__ = ["BlockInverse", "Inverse", "gram"]
