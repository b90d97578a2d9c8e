"""Loops shared by the threads of a team, with the same bits for any number of them."""
