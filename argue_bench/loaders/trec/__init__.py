"""TREC's report runs: the rules of each track (tracks.toml), and checking runs by them (check, sentences)."""
