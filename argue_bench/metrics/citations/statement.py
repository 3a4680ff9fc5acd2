"""What citations, support and faithfulness share: a statement as a judge reads it, and why it failed.

A sentence without full support has one class, the first of these that fits:

    another source   a document that it was not judged by supports it fully
    contradicted     the sources that it was judged by say what cannot be true together with it
    partly           they support a part of it
    missing          it cites only what is not there
    nothing          none of these
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from argue_bench.metrics.base import Steps
from argue_bench.records import (
    Answer,
    Contexts,
    Contradicts,
    Documents,
    Entails,
    JudgeRequest,
    Miss,
    Question,
    Sentence,
    Source,
    SupportLevel,
    Tally,
    Verdict,
)
from argue_bench.text import read_answer
from argue_bench.text.language import detect, stems
from argue_bench.text.statements import ClaimSentence, claim_sentences

Lack = Literal["another source", "contradicted", "partly", "missing", "nothing"]
# The classes by the names of the columns that count them.
CLASSES: dict[str, Lack] = {
    "another_source": "another source",
    "contradicted": "contradicted",
    "partly": "partly",
    "missing": "missing",
    "unsupported": "nothing",
}
# Other documents that a judge reads for a sentence without support, those with most of its words first. Five of
# them hold the right one nearly always, and bound what a failure costs.
OTHERS = 5
# Characters of a source in a message: enough to know it again in one line.
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer as a judge reads it.

    ``number`` is its place in the answer, from 1, and ``sentence`` how it stands there; ``text`` has a
    bare "Yes." before it, or what introduces it, where it has that. ``question``, ``before`` and
    ``after`` tell what it speaks of.
    """

    number: int
    sentence: Sentence
    text: str
    citations: tuple[str, ...]
    question: str
    before: str
    after: str

    def entailed_by(self, sources: Iterable[Source]) -> Entails:
        """Do these sources, read together, support it?"""
        return Entails(tuple(sources), self.text, self.question, self.before, self.after)

    def level_by(self, sources: Iterable[Source]) -> SupportLevel:
        """How far do they: full, partial, no?"""
        return SupportLevel(tuple(sources), self.text, self.question, self.before, self.after)

    def contradicted_by(self, sources: Iterable[Source]) -> Contradicts:
        """Do they say what cannot be true together with it?"""
        return Contradicts(tuple(sources), self.text, self.question, self.before, self.after)


def statements(
    question: Question, answer: Answer, stated: Iterable[ClaimSentence] | None = None
) -> Iterator[Statement]:
    """The sentences of an answer that are judged: those ``stated``, or all that state something or cite."""
    near = answer.neighbours
    if stated is None:
        stated = claim_sentences(answer.sentences, question.text, citing=True)
    for one in stated:
        yield Statement(
            one.number,
            answer.sentences[one.number - 1],
            one.text,
            answer.sentences[one.number - 1].citations,
            question.text,
            # Before a bare "Yes." that is judged along, and not that "Yes." itself.
            near[one.begins - 1][0],
            near[one.number - 1][1],
        )


def contexts_of(question: Question, answer: Answer, documents: Documents) -> Contexts:
    """The documents listed with the question, in their order; where none are, those that are cited."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    # Boards of the web list nothing: there an answer finds, and cites, its own sources.
    ids = question.documents or tuple(dict.fromkeys(cited))
    return Contexts(documents[id] for id in ids if id in documents)


def reference_sentences(question: Question) -> list[str]:
    """What the reference answer states, by sentence; nothing where there is no reference in words."""
    gold = question.gold
    answer = gold.answer if gold is not None else None
    # FanOutQA's gold can be a list or a table, which states nothing in sentences.
    text = answer if isinstance(answer, str) else ""
    if not text and gold is not None and gold.long_answers:
        text = gold.long_answers[0]
    read = read_answer("", text, {}, question.language)
    return [one.text for one in claim_sentences(read.sentences, question.text)]


def classify(
    statement: Statement,
    read: tuple[Source, ...],
    level: str,
    *,
    missing: tuple[str, ...] = (),
    others: Sequence[Source] = (),
    by: str = "what it cites",
    verdict: Verdict | None = None,
) -> Steps[Miss]:
    """A statement without full support as a miss with its class, after the requests that this takes.

    ``read``: the sources that it was judged by; ``level``: what they gave it, partial or no; ``missing``:
    what it cites, where none of that is there; ``others``: documents that it was not judged by. ``by``
    says in words what ``read`` is; ``verdict`` is what ``level`` rests on, with its judge's reason.
    """

    def miss(lack: Lack, reason: str, source: str = "") -> Miss:
        said, number = statement.sentence, statement.number
        return Miss.of(number, said, reason, lack, source, verdict)

    supports = {one: statement.level_by([one]) for one in nearest(statement.text, others)}
    contradicts = statement.contradicted_by(read)
    # Without sources there is nothing that could contradict it.
    asked: list[JudgeRequest] = [*supports.values(), *([contradicts] if read else [])]
    verdicts = (yield asked) if asked else {}
    # A right sentence with a wrong citation is the likeliest fault, and the one that is quickly mended.
    for source, request in supports.items():
        if verdicts[request].value == "full":
            return miss(
                "another source",
                f"a document that it does not cite supports it: {quoted_source(source)}",
                source.id,
            )
    if read and verdicts[contradicts].yes:
        why = verdicts[contradicts].note
        return miss("contradicted", f"contradicted by {by}{why and f': {why}'}")
    told = f": {verdict.note}" if verdict and verdict.note else ""
    if level == "partial":
        return miss("partly", f"supported in part by {by}{told}")
    if missing:
        return miss("missing", f"it cites [{missing[0][:80]}], which is not among the sources")
    return miss("nothing", f"nothing in {by} supports it{told}")


def lack_counts(misses: Sequence[Miss], names: Iterable[str] = CLASSES) -> dict[str, Tally]:
    """How many misses are of each class."""
    return {name: Tally(sum(one.lack == CLASSES[name] for one in misses)) for name in names}


def quoted_source(source: Source) -> str:
    """Its id and how it begins: ids of rows are digests, by which nobody knows a text."""
    words = " ".join(source.text[:_QUOTED].split())
    return f'[{source.id[:80]}] "{words}{"..." if len(source.text) > _QUOTED else ""}"'


def nearest(sentence: str, others: Sequence[Source]) -> list[Source]:
    """At most `OTHERS` sources with most words of the sentence, of those that hold any; the fullest first."""
    wanted = _stems_of(sentence)
    shared = [(len(wanted & _stems_of(one.text)), one) for one in others]
    # Stable: of equal sources the one listed first, so that a run can be repeated.
    ranked = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    return [one for _, one in ranked[:OTHERS]]


# Each unsupported sentence of an answer is held against the same few documents.
@lru_cache(maxsize=64)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stems(text, detect(text)))


def has_answer(question: Question) -> bool:
    """Whether the gold says that the question has an answer."""
    gold = question.gold
    return (
        gold is not None
        and gold.answerable
        and bool(gold.answer is not None or gold.nuggets or gold.short_answers or gold.long_answers)
    )
