"""Primal-dual interior point with friction cones as quadratic constraints; see README.md in this folder."""

from signorini.solvers.primal_dual_barrier.solver import PrimalDualBarrier

__all__ = ["PrimalDualBarrier"]
