"""From poses to contact points: bounding volumes, broad phase, one file per family of shape pairs."""
