"""Studies: many problems, many solvers, one table. Called by the command line and from Python alike."""
