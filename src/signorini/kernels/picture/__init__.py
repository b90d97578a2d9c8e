"""Pictures: what is seen through each sample, shadows, shading, strokes."""
