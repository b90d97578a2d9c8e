"""Plain numpy and scipy helpers: sparse matrices, later quaternions and frames."""
