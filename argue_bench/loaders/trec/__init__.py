"""TREC's report runs and topics: the rules of each track (tracks.toml), checking runs (check), topics as a data set (dataset)."""
