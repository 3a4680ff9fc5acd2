"""What one could submit: systems that need no model, and the lines of a submission they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from argue_bench.errors import UnknownName, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.systems.base import SETTINGS, Setting, System
from argue_bench.systems.bm25 import ExtractiveBM25

__all__ = ["SETTINGS", "SYSTEMS", "Setting", "System", "generate"]


@dataclass(frozen=True)
class Known:
    """One line of the list of systems."""

    summary: str
    create: Callable[[Dataset, Setting], System]


SYSTEMS: dict[str, Known] = {
    ExtractiveBM25.name: Known(
        "quotes the sentences that BM25+ ranks first, each with its citation", ExtractiveBM25
    ),
}


def generate(name: str, dataset: Dataset, setting: Setting) -> Iterator[dict[str, str]]:
    """The lines of a submission, ``{"id", "answer"}``, one a question, in the set's order.

    Raises UnknownName, and UsageError where the setting needs documents that the set lacks.
    """
    if name not in SYSTEMS:
        raise UnknownName("system", name, tuple(SYSTEMS), see="argue-bench systems")
    if setting != "closedbook" and not dataset.documents:
        raise UsageError(
            f"{dataset.name} comes without documents, so {setting} has nothing to read. "
            "Use --setting closedbook."
        )
    system = SYSTEMS[name].create(dataset, setting)
    for question in dataset:
        yield {"id": question.id, "answer": system.answer(question)}
