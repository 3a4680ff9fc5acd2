"""Support of sentences by what they cite, as TREC's RAG track assesses it (Thakur et al. 2025).

Each citation is judged by itself: full, partial or no support (`SupportLevel`), worth 1, 1/2 and 0.

    precision   mean over the sentences that cite something
    recall      the same sum over all sentences of the answer
    strict_     only full support counts
    (all four are 0 where the question has an answer and no sentence counts: for precision none that cites)
    another_source, contradicted, partly, missing, unsupported
                shares of all sentences that cite something and have no full support, by class (see below)
    uncited     sentences that cite nothing / sentences
    invented    citations of what is not there / citations

``citations=first``, the track's way of 2024, judges the first citation of a sentence alone;
``citations=all`` takes the mean over all of them. A citation of a document that is not there supports
nothing, without a request. A web page that nobody could read is left out, with the sentences that cite
nothing else, and counted in a note; of a long one the judge reads the passages that BM25+ ranks first
for the sentence. A failed verdict fails the answer; the track's programs leave the sentence out of both
divisors. An answer that declines a question which has no answer,
or whose answer nobody wrote down, does not apply: it states nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean
from typing import ClassVar, Literal, TypeVar

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contexts,
    Contradicts,
    Documents,
    Entails,
    Gold,
    JudgeRequest,
    Miss,
    Question,
    Refuses,
    Sentence,
    Source,
    SupportLevel,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro
from argue_bench.text import read_answer
from argue_bench.text.language import detect, stems
from argue_bench.text.statements import ClaimSentence, claim_sentences, says_something

# What citations, support and faithfulness share: a statement as a judge reads it, and why it failed.
#
# A sentence without full support has one class, the first of these that fits:
#
#     another source   a document that it was not judged by supports it fully
#     contradicted     the sources that it was judged by say what cannot be true together with it
#     partly           they support a part of it
#     missing          it cites only what is not there
#     nothing          none of these

Lack = Literal["another source", "contradicted", "partly", "missing", "nothing"]
# The classes by the names of the columns that count them.
CLASSES: dict[str, Lack] = {
    "another_source": "another source",
    "contradicted": "contradicted",
    "partly": "partly",
    "missing": "missing",
    "unsupported": "nothing",
}
A = TypeVar("A", Entails, SupportLevel, Contradicts)
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

    def asked(self, kind: type[A], sources: Iterable[Source]) -> A:
        """What a judge is asked of it and these sources, read together."""
        return kind(tuple(sources), self.text, self.question, self.before, self.after)


def statements(
    question: Question, answer: Answer, stated: Iterable[ClaimSentence]
) -> Iterator[Statement]:
    """The sentences of an answer that are judged, as a judge reads them."""
    near = answer.neighbours
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

    supports = {
        one: statement.asked(SupportLevel, [one]) for one in nearest(statement.text, others)
    }
    contradicts = statement.asked(Contradicts, read)
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
    """Whether the gold says that the question has an answer: in so many words, or by anything that it holds."""
    gold = question.gold
    return gold is not None and gold.answerable and (gold.decided or gold != Gold())


# What a citation earns by its level (Thakur et al. 2025, section 3.4).
VALUES = {"full": 1.0, "partial": 0.5, "no": 0.0}
STRICT = {"full": 1.0}
_MEANS = ("precision", "recall", "strict_precision", "strict_recall")


@dataclass(frozen=True)
class Support(Metric):
    """Weighted precision and recall of what is cited."""

    citations: Literal["first", "all"] = "first"
    judge: str = ""

    name: ClassVar[str] = "support"
    needs: ClassVar[str] = "a sentence that cites"
    summary: ClassVar[str] = "how far does what is cited support each sentence?"
    paper: ClassVar[str] = "Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        **{name: macro(name) for name in _MEANS},
        **{name: lower_is_better(Ratio(name, "sentences")) for name in (*CLASSES, "uncited")},
        "invented": lower_is_better(Ratio("invented", "cited")),
    }
    headline: ClassVar[tuple[str, ...]] = ("precision", "recall", "invented")
    ranking: ClassVar[tuple[str, ...]] = _MEANS
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, SupportLevel, Contradicts)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if answer.sentences and not has_answer(question):
            refuses = Refuses(question.text, answer.plain)
            if (yield [refuses])[refuses].yes:
                columns = (*_MEANS, *CLASSES, "uncited", "invented", "sentences", "cited")
                return dict.fromkeys(columns, NOT_APPLICABLE)
        said = list(statements(question, answer, self.counted(question, answer)))
        told = [one for one in (_without_unread(one, documents) for one in said) if one is not None]
        asked = {
            (one.number, id): one.asked(SupportLevel, [documents[id].evidence(one.text)])
            for one in told
            for id in self._cited(one)
            if id in documents and documents[id].readable
        }
        verdicts = (yield list(dict.fromkeys(asked.values()))) if asked else {}
        # Without a request a citation of what is not there, or is gone, supports nothing.
        nothing = Verdict("no")
        given = [
            [
                verdicts[asked[place]] if (place := (one.number, id)) in asked else nothing
                for id in self._cited(one)
            ]
            for one in told
        ]
        levels = [[str(verdict.value) for verdict in own] for own in given]
        misses = yield from run_together(
            [
                self._classify(one, own, question, documents)
                for one, own in zip(told, given, strict=True)
                if any(verdict.value != "full" for verdict in own)
            ]
        )
        uncited = [
            Miss.of(one.number, one.sentence, "it cites nothing", "uncited")
            for one in told
            if not one.citations
        ]
        cited = [id for one in told for id in one.citations]
        unread = sum(len(one.citations) for one in said) - len(cited)
        unsaid = self._unsaid(question, answer, unread)
        # People read the failures beside the answer, in its order.
        listed = tuple(sorted([*misses, *uncited], key=lambda miss: int(miss.id)))
        precision, recall = weigh(levels, VALUES, unsaid)
        strict_precision, strict_recall = weigh(levels, STRICT, unsaid)
        unknown = [id for id in cited if id not in documents]
        left = f"left out, since nobody could read the page: {unread} citations" if unread else ""
        note = f"not among the sources: {', '.join(unknown[:10])}" if unknown else ""
        return {
            "precision": precision,
            "recall": replace(recall, misses=listed, note=left or recall.note),
            "strict_precision": strict_precision,
            "strict_recall": strict_recall,
            **lack_counts(misses),
            "uncited": Tally(len(uncited)),
            "sentences": Tally(len(told)),
            "invented": Tally(len(unknown), note=note),
            "cited": Tally(len(cited)),
        }

    def facts(self) -> Mapping[str, str]:
        # 2: who says nothing that counts, or only asks, has 0, and does not drop out of the means; 3: so it is
        # whatever the gold holds, claims, a rubric or documents alone; 4: questions and closing offers are left out.
        return {} if self.frozen else {"rules": "4"}

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """Each sentence that cites may be compared with other documents, and asked for a contradiction."""
        n = sum(bool(one.citations) for one in answer.sentences)
        counted = () if has_answer(question) else self.counted(question, answer)
        own = sum(len(self._cited(one)) for one in statements(question, answer, counted))
        others = n * min(OTHERS, len(question.documents))
        return {"SupportLevel": (0, own + others), "Contradicts": (0, n)}

    def counted(self, question: Question, answer: Answer) -> Sequence[ClaimSentence]:
        """The sentences that count: all that state something or cite, where any says more than a question."""
        stated = claim_sentences(answer.sentences, question.text, citing=True)
        return stated if says_something(stated, answer.sentences) else []

    def _unsaid(self, question: Question, answer: Answer, unread: int) -> Tally:
        """What stands where no sentence counts: 0 where there is an answer, for who declines, thanks or cites nothing."""
        # A published task says so of an empty answer alone.
        if not has_answer(question) or (answer.sentences and (self.frozen or unread)):
            return NOT_APPLICABLE
        return Tally(0.0, note="no sentence counts" if answer.sentences else "empty")

    def _cited(self, statement: Statement) -> tuple[str, ...]:
        return statement.citations[:1] if self.citations == "first" else statement.citations

    def _classify(
        self, one: Statement, given: Sequence[Verdict], question: Question, documents: Documents
    ) -> Steps[Miss]:
        """The class of a sentence that cites something and earns less than 1."""
        # Only what was judged: with citations=first a later citation is another document.
        known = [documents[id] for id in self._cited(one) if id in documents]
        judged = {document.id for document in known}
        others = [documents[id] for id in question.documents if id in documents]
        return classify(
            one,
            tuple(document.evidence(one.text) for document in known if document.readable),
            "no" if all(verdict.value == "no" for verdict in given) else "partial",
            missing=() if known else one.citations,
            others=[other.evidence(one.text) for other in others if other.id not in judged],
            # The citation that is likeliest wrong speaks for the sentence.
            verdict=max(given, key=lambda verdict: verdict.probability or 0.0),
        )


def weigh(
    sentences: Sequence[Sequence[str]], values: Mapping[str, float], unsaid: Tally = NOT_APPLICABLE
) -> tuple[Tally, Tally]:
    """Precision and recall of an answer: what its sentences earn, over those that cite, and over all.

    ``sentences`` are the levels of each sentence's citations (full, partial, no), ``values`` what a level
    is worth; a sentence earns the mean of its own. ``unsaid`` stands where there is none to divide by.
    """
    earned = [fmean(values.get(level, 0.0) for level in levels) for levels in sentences if levels]
    return (
        Tally(sum(earned), len(earned)) if earned else unsaid,
        Tally(sum(earned), len(sentences)) if sentences else unsaid,
    )


def _without_unread(one: Statement, documents: Documents) -> Statement | None:
    """The sentence without citations of pages that nobody could read; None where it cites nothing else."""
    kept = tuple(i for i in one.citations if i not in documents or not documents[i].unread)
    return replace(one, citations=kept) if kept or not one.citations else None
