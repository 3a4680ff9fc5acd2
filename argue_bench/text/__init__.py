"""How is a plain text read? Sentences, citation marks and language pipelines.

The only place that reads citation notations, and the only one that knows spaCy.
"""

from __future__ import annotations

from argue_bench.text.citations import CitationIndex, Mark, find_marks, without_marks
from argue_bench.text.pipelines import nlp
from argue_bench.text.reading import read_answer, strip_reasoning
from argue_bench.text.sentences import sentences, spans, splitter

__all__ = [
    "CitationIndex",
    "Mark",
    "find_marks",
    "nlp",
    "read_answer",
    "sentences",
    "spans",
    "splitter",
    "strip_reasoning",
    "without_marks",
]
