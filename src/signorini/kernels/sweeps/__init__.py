"""Sweeps, products and vector passes of the first-order solvers."""
