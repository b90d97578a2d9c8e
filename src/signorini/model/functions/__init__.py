"""Functions of time that drive motors and brakes, one file each."""
