"""Luciole: grounded questions in two published layouts, with their own scores."""
