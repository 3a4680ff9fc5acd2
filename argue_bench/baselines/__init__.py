"""Baselines: what one could submit, from quoted sentences to a language model with retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from argue_bench.baselines.document_access import SETTINGS, DocumentAccess, Setting
from argue_bench.baselines.extractive import (
    Baseline,
    ExtractiveBM25,
    LeadSentences,
    RandomCitations,
    Stuffing,
)
from argue_bench.errors import UnknownName
from argue_bench.loaders.dataset import Dataset

__all__ = ["BASELINES", "SETTINGS", "Baseline", "Setting", "generate"]

BASELINES: dict[str, type[Baseline]] = {
    one.name: one for one in (ExtractiveBM25, LeadSentences, RandomCitations, Stuffing)
}
"""The baselines that need no model, by name."""


def generate(
    name: str, dataset: Dataset, setting: Setting, index: Path | None = None
) -> Iterator[dict[str, str]]:
    """The lines of a baseline's submission, ``{"id", "answer"}``, one a question, in the set's order.

    ``index``: a folder where the search index of the whole set is kept.

    Raises UnknownName, UsageError where the setting needs documents that the set lacks, and
    DataError where Wikipedia cannot be reached.
    """
    if name not in BASELINES:
        raise UnknownName("system", name, tuple(BASELINES), see="argue-bench list baselines")
    baseline = BASELINES[name](DocumentAccess(dataset, setting, index=index))
    for question in dataset:
        yield {"id": question.id, "answer": baseline.answer(question)}
