"""Robots from URDF and MJCF files: a description in the middle, one reader for each format, one builder of models."""
