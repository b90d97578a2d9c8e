"""Applied forces, one file each."""
