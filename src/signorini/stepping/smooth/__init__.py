"""Smooth dynamics: integrators, Newton's method on one step, penalty contacts, step-size control."""
