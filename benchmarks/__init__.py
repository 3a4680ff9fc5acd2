"""What the package takes and how right it is, each script on its own; ``python -m benchmarks`` runs all."""
