"""Plots of scores as inline SVG: `charts` has one function for each kind, `canvas` what they draw on."""
