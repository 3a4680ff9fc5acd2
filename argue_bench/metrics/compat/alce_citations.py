"""Rules of ALCE's evaluator for sentences and citations (AutoAIS), frozen.

Gao et al. 2023, section 4; princeton-nlp/ALCE at 246c476. It splits the first line into
sentences. A citation is ``[`` with digits behind it; the number minus 1 is the index, so ``[0]`` cites the
last document.

    supported   the cited documents, joined, entail the sentence without its citations; a citation
                out of range rejects the whole sentence, and none of its citations is counted
    correct     of a supported sentence: it is the only one, or it entails the sentence alone, or the
                others (all copies of it but the first among them) do not

Only the first ``max_citations`` citations of a sentence are read; the range is checked before that. Where
there are no documents at all, ``[0]`` rejects its sentence (ALCE stops with an IndexError).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from argue_bench.metrics.base import Steps
from argue_bench.metrics.compat.alce import Split, items, output, without_citations
from argue_bench.records import Document, Entails, Source

CITATION = re.compile(r"\[(\d+)")
Premise = Callable[[Sequence[int]], tuple[Source, ...]]
"""Positions of documents to what a judge reads of them together."""


class Statement(NamedTuple):
    """A sentence, the hypothesis to entail, and the positions that it cites, from 0, not cut."""

    text: str
    hypothesis: str
    cited: tuple[int, ...]


class Judged(NamedTuple):
    """A statement, whether it is supported, and for each counted citation whether it is correct."""

    statement: Statement
    supported: bool
    correct: tuple[bool, ...] = ()


def statements(text: str, split: Split, question: str | None = None) -> list[Statement]:
    """What the evaluator judges in an output.

    ``question``: the output is a list (QAMPARI), of which every item is judged behind it.
    """
    line = output(text)
    if question is None:
        parts = list(split(line))
    else:
        parts = [f"{question} {item}" for item in items(line)]
    return [
        Statement(
            part,
            without_citations(part).strip(),
            tuple(int(number) - 1 for number in CITATION.findall(part)),
        )
        for part in parts
    ]


def alce_source(document: Document) -> Source:
    """A document as the evaluator shows it to its model: its ``sent``, where it has one."""
    text = getattr(document, "sent", document.text)
    return Source(document.id, f"Title: {document.title}\n{text}")


def judge_by_alce(
    statement: Statement, documents: Sequence[Source], max_citations: int = 3
) -> Steps[Judged]:
    """Asks about one statement. ``max_citations`` 0: every citation is read."""
    cited = statement.cited
    if not cited or not documents or any(place >= len(documents) for place in cited):
        return Judged(statement, False)
    return (
        yield from leave_one_out(
            statement,
            cited[:max_citations] if max_citations else cited,
            lambda places: tuple(documents[place] for place in places),
        )
    )


def leave_one_out(statement: Statement, cited: Sequence[int], premise: Premise) -> Steps[Judged]:
    """Support by all, then for each citation by it alone, then by all but its first copy."""

    def entails(places: Sequence[int]) -> Entails:
        return Entails(premise(places), statement.hypothesis)

    joint = entails(cited)
    if not (yield [joint])[joint].yes:
        return Judged(statement, False, (False,) * len(cited))
    if len(cited) == 1:
        return Judged(statement, True, (True,))
    alone = [entails((place,)) for place in cited]
    verdicts = dict((yield list(dict.fromkeys(alone))))
    rest = {
        place: entails(_without_first(cited, place))
        for place, request in zip(cited, alone, strict=True)
        if not verdicts[request].yes
    }
    if rest:
        verdicts.update((yield list(dict.fromkeys(rest.values()))))
    return Judged(
        statement,
        True,
        tuple(
            verdicts[request].yes or not verdicts[rest[place]].yes
            for place, request in zip(cited, alone, strict=True)
        ),
    )


def _without_first(cited: Sequence[int], place: int) -> list[int]:
    left = list(cited)
    left.remove(place)
    return left
