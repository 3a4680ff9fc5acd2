"""What is asked."""

from __future__ import annotations

from dataclasses import dataclass

from argue_bench.records.document import Evidence
from argue_bench.records.gold import Gold


@dataclass(frozen=True, slots=True)
class Request:
    """Who wants the report and what for (TREC's report request)."""

    title: str = ""
    """A heading for the report that is asked for."""
    problem_statement: str = ""
    """What the report must cover, in the words of the person who asks."""
    background: str = ""
    """Who asks, what they know already and what they need it for."""
    limit: int | None = None
    """How many characters the report may have; null, or None, for no limit."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, or one topic. ``gold`` is None where it is sealed (the test split).

    ``documents`` are ids, in the order in which `[1]`, `[2]` count them; empty where a system
    searches the whole set. ``evidence`` is FanOutQA's, public also on its test split.
    """

    id: str
    text: str
    request: Request | None = None
    documents: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = "en"
    evidence: tuple[Evidence, ...] = ()
    gold: Gold | None = None

    @property
    def necessary_evidence(self) -> tuple[Evidence, ...]:
        """FanOutQA's name for ``evidence``."""
        return self.evidence
