"""Reading plain text: sentences, citation marks, typed tokens, word overlap, lemmas.

The only place that reads citation notations, and the only one that tokenizes with spaCy.
"""

from __future__ import annotations

from argue_bench.text.citations import CitationIndex, Mark, find_marks, without_marks
from argue_bench.text.reading import read_answer
from argue_bench.text.sentences import sentences, spans, splitter
from argue_bench.text.tags import strip_reasoning, without_traces

__all__ = [
    "CitationIndex",
    "Mark",
    "find_marks",
    "read_answer",
    "sentences",
    "spans",
    "splitter",
    "strip_reasoning",
    "without_marks",
    "without_traces",
]
