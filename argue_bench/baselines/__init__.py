"""What one could submit: systems that need no model, and the lines of a submission they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from argue_bench.baselines.base import SETTINGS, Setting, System
from argue_bench.baselines.bm25 import ExtractiveBM25
from argue_bench.baselines.library import Library
from argue_bench.baselines.simple import LeadSentences, RandomCitations, Stuffing
from argue_bench.errors import UnknownName
from argue_bench.loaders.dataset import Dataset

__all__ = ["SETTINGS", "SYSTEMS", "Setting", "System", "generate"]


@dataclass(frozen=True)
class Known:
    """One line of the list of systems."""

    summary: str
    create: Callable[[Library], System]


SYSTEMS: dict[str, Known] = {
    ExtractiveBM25.name: Known(
        "quotes the sentences that BM25+ ranks first, each with its citation", ExtractiveBM25
    ),
    LeadSentences.name: Known(
        "quotes how each document begins, each sentence with its citation", LeadSentences
    ),
    RandomCitations.name: Known(
        "says what bm25-extractive says, and cites documents drawn at random", RandomCitations
    ),
    Stuffing.name: Known(
        "titles of the documents and all numbers to 2100: what saying everything earns", Stuffing
    ),
}


def generate(
    name: str, dataset: Dataset, setting: Setting, index: Path | None = None
) -> Iterator[dict[str, str]]:
    """The lines of a submission, ``{"id", "answer"}``, one a question, in the set's order.

    ``index``: a folder where the index of the whole set is kept.

    Raises UnknownName, UsageError where the setting needs documents that the set lacks, and
    DataError where pages of Wikipedia can't be had.
    """
    if name not in SYSTEMS:
        raise UnknownName("system", name, tuple(SYSTEMS), see="argue-bench systems")
    system = SYSTEMS[name].create(Library(dataset, setting, index=index))
    for question in dataset:
        yield {"id": question.id, "answer": system.answer(question)}
