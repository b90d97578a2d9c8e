"""MJCF files, in and out."""
