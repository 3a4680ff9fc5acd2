"""Speed, measured as ratios in one run. Each script prints a table; ``python -m benchmarks`` runs all."""
