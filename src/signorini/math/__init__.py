"""Plain numpy and scipy: sparse matrices, rotations, memory that is used again."""
