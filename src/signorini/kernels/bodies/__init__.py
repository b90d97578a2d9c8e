"""Rigid bodies: poses, momenta, free motion, coordinates of joints, rows of contacts."""
