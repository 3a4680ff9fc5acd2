"""Frozen behaviour of reference programs: exact and pure, chosen by ``rules=``."""
