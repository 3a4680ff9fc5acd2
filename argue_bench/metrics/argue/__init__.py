"""ARGUE: nuggets and citations, judged sentence by sentence."""
