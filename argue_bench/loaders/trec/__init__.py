"""TREC report runs: what a track asks of them (tracks), reading them (runs), checking them (check)."""
