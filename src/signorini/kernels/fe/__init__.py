"""Finite elements: energies, forces and stiffness of all elements at once."""
