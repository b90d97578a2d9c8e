"""The exact Coulomb law by an outer loop around a convex solver: mathematics in `README.md` of this folder."""

from signorini.solvers.coulomb.solver import Coulomb as Coulomb
