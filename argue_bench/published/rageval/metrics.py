"""rageval's metrics on ALCE results, to the letter: ``rules=rageval`` of citations, str_em and claims.

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
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.metrics.base import Steps, Tallies
from argue_bench.metrics.correctness import judged as judged_metrics
from argue_bench.metrics.correctness import short_answers
from argue_bench.published.alce.auto_ais import (
    CITATION,
    AlceStatement,
    Judged,
    NumberedCitations,
    leave_one_out,
)
from argue_bench.published.alce.scores import Split, without_citations
from argue_bench.records import NOT_APPLICABLE, Answer, Document, Documents, Question, Source, Tally

SHORTEST = 3
"""Characters of the shortest sentence that rageval judges."""


@dataclass(frozen=True)
class RagevalCitations(NumberedCitations):
    """Citation recall, and the pooled precision, as rageval computes them.

    ``document_field`` is the form of the documents in rageval's prompt.
    """

    document_field: Literal["text", "summary", "extraction"] = "text"
    judge: str = ""

    rules: ClassVar[str] = "rageval"

    def stated(self, question: Question, answer: Answer) -> list[AlceStatement]:
        return raw_statements(answer.text, self.sentences)

    def judge_statement(self, one: AlceStatement, documents: Sequence[Document]) -> Steps[Judged]:
        # A document without that form was shown as it is.
        forms = [getattr(document, self.document_field) for document in documents]
        texts = [d.text if form is None else form for d, form in zip(documents, forms, strict=True)]
        return judge_statement(one, contexts(documents, texts))

    def told(self, tallies: dict[str, Tally], judged: Sequence[Judged]) -> Tallies:
        # rageval has the pooled precision alone.
        return tallies | {"precision": replace(NOT_APPLICABLE, note=tallies["precision"].note)}


def raw_statements(text: str, split: Split) -> list[AlceStatement]:
    """The sentences of the raw output; positions count from 0, so that ``[0]`` is -1."""
    parts = [part for part in map(str.strip, split(text)) if len(part) >= SHORTEST]
    return [
        AlceStatement(
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


def judge_statement(statement: AlceStatement, shown: Sequence[Source]) -> Steps[Judged]:
    """Asks about one statement; without support none of its citations is counted."""
    if not statement.cited or any(not 0 <= place < len(shown) for place in statement.cited):
        return Judged(statement, False)

    def premise(places: Sequence[int]) -> tuple[Source, ...]:
        # One premise with blanks between, where ALCE has lines.
        cited = [shown[place] for place in places]
        return (Source(" ".join(one.id for one in cited), " ".join(one.text for one in cited)),)

    # ALCE counts the citations of an unsupported sentence as wrong; here they leave the precision.
    judged = yield from leave_one_out(statement, statement.cited, premise)
    return judged if judged.supported else Judged(statement, False)


class RagevalStrEM(short_answers.StrEM):
    """Spellings that are a substring of the raw output, citations inside; case counts."""

    rules: ClassVar[str] = "rageval"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = short_answers.short_answers(question)
        found = exact_match([one.answers for one in wanted], answer.text)
        return short_answers.found_tallies(wanted, found)


class RagevalClaims(judged_metrics.Claims):
    """Claim recall of the raw output with its citations."""

    rules: ClassVar[str] = "rageval"

    def read(self, answer: Answer) -> str:
        return answer.text


def exact_match(pairs: Sequence[Sequence[str]], text: str, ignore_case: bool = False) -> list[bool]:
    """For each question's aliases, whether one is a substring of the raw output."""
    body = text.lower() if ignore_case else text
    return [
        any((alias.lower() if ignore_case else alias) in body for alias in aliases)
        for aliases in pairs
    ]
