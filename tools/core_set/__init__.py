"""Prints data sets from a seed: topics, documents in several languages, gold, and systems of known quality.

argue_bench/data/core holds the two sets with a public seed, and data/demo answers on one of them. `python -m
tools.core_set` prints both anew, and sets from a secret seed.
"""
