"""rageval: its scores of ALCE's answers, and its command lines."""
