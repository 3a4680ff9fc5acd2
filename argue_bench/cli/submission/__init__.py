"""Commands of a participant."""
