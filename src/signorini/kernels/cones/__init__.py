"""Cones, intervals and rolling blocks: projection, de Saxce term, scales."""
