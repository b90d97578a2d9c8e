"""Parts of Newton's method on cones, shared by the second-order solvers; see README.md in this folder."""
