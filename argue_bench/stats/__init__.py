"""Averages, intervals, tests, rank correlations: numbers in, numbers out."""
