"""Curves in space, one file each."""
