"""ARGUE: nuggets and citations, judged sentence by sentence; nuggetizer's scores and rubrics beside it."""
