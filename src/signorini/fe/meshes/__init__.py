"""Structured meshes, one file each."""
