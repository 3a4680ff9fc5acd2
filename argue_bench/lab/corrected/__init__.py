"""Scores corrected by labels that people gave: on some of the same questions, or on another data set."""
