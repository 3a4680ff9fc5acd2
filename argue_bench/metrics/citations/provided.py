"""What metrics of rows read of a question: its contexts and its reference answer; and classes of failures.

A sentence without full support is

    another source   a document that it was not judged by supports it fully: of the question, or, where
                     all of these were read, of the set
    contradicted     the sources that it was judged by say what cannot be true together with it
    partly           they support a part of it
    missing          it cites only what is not there
    nothing          none of these

Each has one class, the first of these that fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from argue_bench.metrics.base import Steps
from argue_bench.metrics.web_pages import Contexts
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
from argue_bench.text.statements import claim_sentences

Lack = Literal["another source", "contradicted", "partly", "missing", "nothing"]
CLASSES: dict[str, Lack] = {
    "another_source": "another source",
    "contradicted": "contradicted",
    "partly": "partly",
    "missing": "missing",
    "unsupported": "nothing",
}
"""The classes of sentences that cite, by the names of their rates."""
OTHERS = 5
"""Other documents that are looked at for a sentence, those with most of its words first."""
_QUOTED = 60
"""Characters of a source that are shown."""
_REASONS: dict[Lack, str] = {
    "another source": "{elsewhere} supports it: {named}",
    "contradicted": "contradicted by {by}{named}",
    "partly": "supported in part by {by}",
    "missing": "it cites {named}, which is not among the sources",
    "nothing": "nothing in {by} supports it",
}


def contexts_of(question: Question, answer: Answer, documents: Documents) -> Contexts:
    """The documents listed with the question, in their order; where none are, those that are cited."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    ids = question.documents or tuple(dict.fromkeys(cited))
    return Contexts(documents[id] for id in ids if id in documents)


def reference_sentences(question: Question) -> list[str]:
    """What the reference answer states, by sentence; nothing where there is no reference in words."""
    gold = question.gold
    answer = gold.answer if gold is not None else None
    text = answer if isinstance(answer, str) else ""
    if not text and gold is not None and gold.long_answers:
        text = gold.long_answers[0]
    return [one.text for one in claim_sentences(sentences(text), question.text)]


@dataclass(frozen=True)
class Unsupported:
    """A sentence without full support. ``judged`` are the sources that it was judged by.

    ``level`` is what they gave it, ``unknown`` what it cites where none of that is there, ``others``
    documents that it was not judged by; ``by`` and ``elsewhere`` name in words what these are.
    """

    number: int
    judged: SupportLevel
    level: str
    unknown: tuple[str, ...] = ()
    others: Sequence[Source] = ()
    by: str = "what it cites"
    elsewhere: str = "a document that it does not cite"
    note: str = ""
    """Why its judge did not give it full support."""

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
        for one in other:
            if verdicts[supports[one.id]].value == "full":
                return self._miss("another source", one.id, _quoted(one))
        if self.judged.premise and verdicts[contradicts].yes:
            note = verdicts[contradicts].note
            return self._miss("contradicted", "", f": {note}" if note else "")
        if self.level == "partial":
            return self._miss("partly", told=self.note)
        if self.unknown:
            return self._miss("missing", "", f"[{self.unknown[0][:80]}]")
        return self._miss("nothing", told=self.note)

    def _miss(self, lack: Lack, source: str = "", named: str = "", told: str = "") -> Miss:
        reason = _REASONS[lack].format(by=self.by, elsewhere=self.elsewhere, named=named)
        reason += f": {told}" if told else ""
        return Miss("sentence", str(self.number), self.judged.sentence, reason, lack, source)


def lack_counts(misses: Sequence[Miss], names: Mapping[str, Lack]) -> dict[str, Tally]:
    """How many misses are of each class, by the column's name."""
    return {name: Tally(sum(one.lack == lack for one in misses)) for name, lack in names.items()}


def _quoted(source: Source) -> str:
    """Its id and how it begins: ids of rows are digests, by which nobody knows a text."""
    words = " ".join(source.text[:_QUOTED].split())
    return f'[{source.id[:80]}] "{words}{"..." if len(source.text) > _QUOTED else ""}"'


def _nearest(sentence: str, others: Sequence[Source]) -> list[Source]:
    """The sources with most words of the sentence, of those that hold any."""
    wanted = set(stems(sentence))
    shared = [(len(wanted & _stems_of(one.text)), one) for one in others]
    ranked = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    return [one for _, one in ranked[:OTHERS]]


# Each unsupported sentence of an answer is held against the same few documents.
@lru_cache(maxsize=64)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stems(text))
