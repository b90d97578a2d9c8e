"""The step of small models in a few compiled calls; the general step is its reference."""
