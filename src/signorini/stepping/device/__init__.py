"""Steps on a GPU."""
