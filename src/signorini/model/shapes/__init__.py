"""Shapes, one file each."""
