"""TREC's tracks: their files, and the measures that they define."""
