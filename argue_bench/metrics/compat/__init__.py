"""Behaviour of reference programs, frozen: literal and pure, chosen by ``rules=``."""
