"""Flexible bodies: meshes, finite elements, their materials."""
