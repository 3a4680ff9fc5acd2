"""Correctness: strings, words, spans, claims and lists compared with the gold answer."""
