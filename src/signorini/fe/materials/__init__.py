"""Materials of solids, one file each."""
