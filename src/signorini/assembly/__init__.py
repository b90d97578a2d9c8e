"""Where physics becomes matrices: (model, state, contacts, step) -> ContactProblem."""
