"""Time stepping: from one state to the next."""
