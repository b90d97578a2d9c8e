"""Kernels of the certificate: sets, natural map and rows of equations, stated a second time on purpose.

Solvers have their own kernels for the same mathematics (`kernels/cones`, `kernels/sweeps`, `kernels/interior`). This
room imports none of them and none of them imports it, so that a mistake in one cannot hide in the other.
"""
