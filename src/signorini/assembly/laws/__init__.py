"""Contact laws: each a small change of the rows of the contact problem, one file each."""
