"""What is known to be right about a question. Sealing, leaking and refusing are all about this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from argue_bench.records.document import Evidence
from argue_bench.records.nugget import Nugget

Structured = None | bool | int | float | str | tuple["Structured", ...] | Mapping[str, "Structured"]
"""A gold answer as FanOutQA has it: a plain value, a list or a mapping, to any depth."""


def freeze(value: Any) -> Structured:
    """A JSON value with its lists as tuples."""
    if isinstance(value, dict):
        return {key: freeze(inner) for key, inner in value.items()}
    frozen: Structured = tuple(map(freeze, value)) if isinstance(value, list) else value
    return frozen


def leaves(gold: Structured) -> Iterator[str]:
    """Every plain value in a gold answer as text, keys of mappings included, None left out.

    >>> list(leaves({"Oslo": (True, 2.50, None)}))
    ['Oslo', 'yes', '2.5']
    """
    if isinstance(gold, Mapping):
        for key, value in gold.items():
            yield from leaves(key)
            yield from leaves(value)
    elif isinstance(gold, (list, tuple)):
        for value in gold:
            yield from leaves(value)
    elif isinstance(gold, bool):
        yield "yes" if gold else "no"
    elif gold is not None:
        yield str(gold)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """One short question and every accepted spelling of its answer (ALCE's qa_pairs)."""

    question: str
    """A short question about one fact."""
    answers: tuple[str, ...]
    """Every accepted spelling of its answer: aliases, digits and words, units."""


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One step on the way to the answer (FanOutQA's decomposition)."""

    id: str
    question: str
    answer: Structured = None
    depends_on: tuple[str, ...] = ()
    evidence: Evidence | None = None
    decomposition: tuple[SubQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Gold:
    """Everything that may be scored against. A data set fills what it has."""

    answerable: bool = True
    answer: Structured = None
    short_answers: tuple[ShortAnswer, ...] = ()
    nuggets: tuple[Nugget, ...] = ()
    long_answers: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    supporting: tuple[str, ...] = ()
    """Ids of the documents that an answer should cite."""
    decomposition: tuple[SubQuestion, ...] = ()
    relevance: Mapping[str, int] = field(default_factory=dict)
    """How assessors labelled documents (TREC's qrels); above 0 is relevant, absent is unlabelled."""
