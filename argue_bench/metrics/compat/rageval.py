"""Rules of rageval's metrics on ALCE results, frozen.

gomate-community/rageval at 01e2580. They read the raw output: all lines, no end mark removed.

    exact match          an alias is a substring letter by letter, citations still inside; case counts
    citation recall      mean over answers of supported sentences / sentences, 0 without sentences
    citation precision   correct / counted citations over the whole set, 0 if nothing is supported;
                         citations of unsupported sentences are not counted at all

Sentences under 3 characters are dropped. A citation outside of 1..n rejects its sentence. The premise is
the prompt's own form of each document, joined by blanks. All else is as in ALCE.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_bench.metrics.base import Steps
from argue_bench.metrics.compat.alce import Split, without_citations
from argue_bench.metrics.compat.alce_citations import CITATION, Judged, Statement, leave_one_out
from argue_bench.records import Document, Source

SHORTEST = 3


def exact_match(pairs: Sequence[Sequence[str]], text: str, ignore_case: bool = False) -> list[bool]:
    """For each question's aliases, whether one is a substring of the raw output."""
    body = text.lower() if ignore_case else text
    return [
        any((alias.lower() if ignore_case else alias) in body for alias in aliases)
        for aliases in pairs
    ]


def raw_statements(text: str, split: Split) -> list[Statement]:
    """The sentences of the raw output; positions count from 0, so that ``[0]`` is -1."""
    parts = [part for part in map(str.strip, split(text)) if len(part) >= SHORTEST]
    return [
        Statement(
            part,
            without_citations(part).strip(),
            tuple(int(number) - 1 for number in CITATION.findall(part)),
        )
        for part in parts
    ]


def contexts(documents: Sequence[Document], texts: Sequence[str]) -> list[Source]:
    """The documents as the prompt showed them; ``texts`` are theirs, or what stood for them."""
    return [
        Source(document.id, f"Document [{place}](Title: {document.title}): {text}\n")
        for place, (document, text) in enumerate(zip(documents, texts, strict=True), 1)
    ]


def judge_statement(statement: Statement, shown: Sequence[Source]) -> Steps[Judged]:
    """Asks about one statement; without support none of its citations is counted."""
    if not statement.cited or any(not 0 <= place < len(shown) for place in statement.cited):
        return Judged(statement, False)

    def premise(places: Sequence[int]) -> tuple[Source, ...]:
        cited = [shown[place] for place in places]
        return (Source(" ".join(one.id for one in cited), " ".join(one.text for one in cited)),)

    judged = yield from leave_one_out(statement, statement.cited, premise)
    return judged if judged.supported else Judged(statement, False)
