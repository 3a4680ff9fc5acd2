"""People's labels of a run: their tallies, and scores and differences corrected by them."""
