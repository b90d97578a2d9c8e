"""One step of a small model in a few compiled calls; see `README.md`."""
