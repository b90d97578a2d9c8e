"""Motors and prescribed motions, one file each."""
