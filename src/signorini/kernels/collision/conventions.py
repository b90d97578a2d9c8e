"""What shapes and collision kernels agree on. Imports nothing, so that shapes can name their kind without numba."""

from __future__ import annotations

SPHERE, CAPSULE, BOX, CYLINDER, HALF_SPACE, CONVEX, MESH, CONE, ELLIPSOID = range(9)
"""Kinds of shape. A pair is handled by the kernel of (smaller kind, larger kind), see `pair_kernels`; those without a
kernel of their own are `CONVEX`, handled by their support points, or `MESH`, handled triangle by triangle. The last two
kinds have a signed distance of their own, but as pairs they are `CONVEX`."""
KINDS = 8
"""More than any kind of a pair."""
FLAT = 0.1
"""Angle [rad] within which a face or line counts as the feature towards a direction."""
