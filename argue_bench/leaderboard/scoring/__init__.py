"""Scores a bundle against hidden gold: tallies, the signed result, and what of it is published."""
