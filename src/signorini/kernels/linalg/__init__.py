"""Sparse, block and dense linear algebra on plain arrays."""
