"""Comparisons of systems, rank bands, power, and the agreement of judges with people."""
