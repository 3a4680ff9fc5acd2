"""Data sets generated from a seed, with topics, documents in several languages, and gold."""
