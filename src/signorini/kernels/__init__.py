"""Compiled loops: plain arrays in, plain arrays out. The only folder that imports numba."""
