"""The contact problem, its cones, its certificate, and what a solver returns."""
