"""Bodies, shapes, materials, joints and forces: what a user describes."""
