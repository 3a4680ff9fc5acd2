"""What metrics of rows read of a question: its contexts and its reference answer; and classes of failures.

A sentence without full support is

    another source   a document of the question that it was not judged by supports it fully
    contradicted     the sources that it was judged by say what cannot be true together with it
    partly           they support a part of it
    missing          it cites only what is not there
    nothing          none of these

Each has one class, the first of these that fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.metrics.base import Steps
from argue_bench.records import (
    Answer,
    Contradicts,
    Documents,
    JudgeRequest,
    Miss,
    Question,
    Source,
    SupportLevel,
    Tally,
)
from argue_bench.text import sentences
from argue_bench.text.overlap import stems

Lack = Literal["another source", "contradicted", "partly", "missing", "nothing"]
OTHERS = 5
"""Other documents that are looked at for a sentence, those with most of its words first."""
_REASONS: dict[Lack, str] = {
    "another source": "{named} supports it, which it does not cite",
    "contradicted": "contradicted by {by}{named}",
    "partly": "supported in part by {by}",
    "missing": "it cites {named}, which is not among the sources",
    "nothing": "nothing in {by} supports it",
}


def contexts_of(question: Question, answer: Answer, documents: Documents) -> tuple[Source, ...]:
    """The documents listed with the question, in their order; where none are, those that are cited."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    ids = question.documents or tuple(dict.fromkeys(cited))
    return tuple(Source.of(documents[id]) for id in ids if id in documents)


def reference_sentences(question: Question) -> list[str]:
    """The sentences of the reference answer; none where there is no reference in words."""
    gold = question.gold
    answer = gold.answer if gold is not None else None
    text = answer if isinstance(answer, str) else ""
    if not text and gold is not None and gold.long_answers:
        text = gold.long_answers[0]
    return [one for one in sentences(text) if any(map(str.isalnum, one))]


@dataclass(frozen=True)
class Unsupported:
    """A sentence without full support. ``judged`` are the sources that it was judged by.

    ``level`` is what they gave it, ``unknown`` what it cites where none of that is there, ``others``
    the question's documents that it was not judged by; ``by`` names in words what it was judged by.
    """

    number: int
    judged: SupportLevel
    level: str
    unknown: tuple[str, ...] = ()
    others: Sequence[Source] = ()
    by: str = "what it cites"

    def classify(self) -> Steps[Miss]:
        """The sentence as a miss with its class, after the requests that it takes."""
        other = _nearest(self.judged.sentence, self.others)
        supports = {one.id: replace(self.judged, premise=(one,)) for one in other}
        asked: list[JudgeRequest] = list(supports.values())
        contradicts = Contradicts(
            self.judged.premise,
            self.judged.sentence,
            self.judged.question,
            self.judged.before,
            self.judged.after,
        )
        if self.judged.premise:
            asked.append(contradicts)
        verdicts = (yield asked) if asked else {}
        for id, request in supports.items():
            if verdicts[request].value == "full":
                return self._miss("another source", id)
        if self.judged.premise and verdicts[contradicts].yes:
            return self._miss("contradicted", "", verdicts[contradicts].note)
        if self.level == "partial":
            return self._miss("partly")
        if self.unknown:
            return self._miss("missing", self.unknown[0])
        return self._miss("nothing")

    def _miss(self, lack: Lack, source: str = "", note: str = "") -> Miss:
        named = f": {note}" if note else f"[{source[:80]}]" if source else ""
        reason = _REASONS[lack].format(by=self.by, named=named)
        kept = source if lack == "another source" else ""
        return Miss("sentence", str(self.number), self.judged.sentence, reason, lack, kept)


def lack_counts(misses: Sequence[Miss], names: Mapping[str, Lack]) -> dict[str, Tally]:
    """How many misses are of each class, by the column's name."""
    return {name: Tally(sum(one.lack == lack for one in misses)) for name, lack in names.items()}


def _nearest(sentence: str, others: Sequence[Source]) -> list[Source]:
    """The sources with most words of the sentence, of those that hold any."""
    wanted = set(stems(sentence))
    shared = [(len(wanted & set(stems(one.text))), one) for one in others]
    ranked = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    return [one for _, one in ranked[:OTHERS]]
