"""A bundle against hidden gold: tallies, signed result, and what of it is announced."""
