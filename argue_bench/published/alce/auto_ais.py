"""Citation recall and precision of ALCE's evaluator (AutoAIS), to the letter: ``citations(rules=alce)``.

Gao et al. 2023, section 4; princeton-nlp/ALCE at 246c476. It splits the first line into
sentences. A citation is ``[`` with digits behind it; the number minus 1 is the index, so ``[0]`` cites the
last document.

    supported   the cited documents, joined, entail the sentence without its citations; a citation
                out of range rejects the whole sentence, and none of its citations is counted
    correct     of a supported sentence: it is the only one, or it entails the sentence alone, or the
                others (all copies of it but the first among them) do not

Only the first ``max_citations`` citations of a sentence are read; the range is checked before that. Where
there are no documents at all, ``[0]`` rejects its sentence (ALCE stops with an IndexError). An answer
without a sentence is left out of the means. Our splitter stands in the place of NLTK's punkt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from argue_bench.errors import UsageError
from argue_bench.metrics.base import Bounds, Metric, Steps, Tallies, TallySteps, run_together
from argue_bench.metrics.citations.recall_precision import (
    SCORES,
    Checked,
    Finding,
    citation_tallies,
)
from argue_bench.published.alce.content import list_items
from argue_bench.published.alce.correctness import Split, output, without_citations
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Document,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Sentence,
    Source,
    Tally,
)
from argue_bench.stats.averages import Average
from argue_bench.text import sentences

# ALCE's ``--at_most_citations``, as its scripts set it.
MAX_CITATIONS = 3
CITATION = re.compile(r"\[(\d+)")
# Positions of documents to what a judge reads of them together.
Premise = Callable[[Sequence[int]], tuple[Source, ...]]


class AlceStatement(NamedTuple):
    """A sentence, the hypothesis to entail, and the positions that it cites, from 0, not cut."""

    text: str
    hypothesis: str
    cited: tuple[int, ...]


class Judged(NamedTuple):
    """A statement, whether it is supported, and for each counted citation whether it is correct."""

    statement: AlceStatement
    supported: bool
    correct: tuple[bool, ...] = ()


@dataclass(frozen=True)
class NumberedCitations(Metric):
    """The parts that ALCE's and rageval's citation scores share: documents cited by their number."""

    name: ClassVar[str] = "citations"
    family: ClassVar[str] = "citations"
    summary: ClassVar[str] = "does what is cited support each sentence?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = SCORES
    headline: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1", "precision_micro")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        shown = [documents[id] for id in question.documents if id in documents]
        # Where a question lists nothing, its numbers count all documents of the set.
        shown = shown or list(documents.values())
        stated = self.stated(question, answer)
        judged = yield from run_together([self.judge_statement(one, shown) for one in stated])
        tallies = citation_tallies([_checked(n, one, shown) for n, one in enumerate(judged, 1)])
        # An answer that cites by id is worth nothing here, which its reader should hear.
        if any(one.citations for one in answer.sentences) and not any(one.cited for one in stated):
            note = f"rules={self.rules} reads numbers in brackets alone, and finds none"
            tallies["recall"] = replace(tallies["recall"], note=note)
        return self.told(tallies, judged)

    def sentences(self, text: str) -> Sequence[str]:
        """The sentences of an answer."""
        return sentences(text)

    def stated(self, question: Question, answer: Answer) -> list[AlceStatement]:
        """The sentences that are judged, with the positions of what they cite."""
        raise NotImplementedError

    def judge_statement(self, one: AlceStatement, documents: Sequence[Document]) -> Steps[Judged]:
        """Asks about one of them."""
        raise NotImplementedError

    def told(self, tallies: dict[str, Tally], judged: Sequence[Judged]) -> Tallies:
        """The tallies without those that the program does not have."""
        return tallies

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """After the first round, each of several citations alone, and the others without it."""
        most = sum(2 * len(one.cited) for one in self.stated(question, answer) if one.cited[1:])
        return {"Entails": (0, most)} if most else {}


@dataclass(frozen=True)
class AlceCitations(NumberedCitations):
    """Citation recall and precision as ALCE's evaluator prints them.

    ``unit=item``: the answer is a list (QAMPARI), of which every item is judged behind the question.
    ``max_citations``: how many citations of a sentence are read, 0 for all.
    """

    unit: Literal["sentence", "item"] = "sentence"
    max_citations: int = MAX_CITATIONS
    judge: str = ""

    rules: ClassVar[str] = "alce"
    unranked: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1")

    def __post_init__(self) -> None:
        if self.max_citations < 0:
            raise UsageError("citations(rules=alce): max_citations is a number from 0, 0 for all")

    def stated(self, question: Question, answer: Answer) -> list[AlceStatement]:
        return alce_statements(
            answer.text, self.sentences, question.text if self.unit == "item" else None
        )

    def judge_statement(self, one: AlceStatement, documents: Sequence[Document]) -> Steps[Judged]:
        return judge_by_alce(one, [alce_source(each) for each in documents], self.max_citations)

    def told(self, tallies: dict[str, Tally], judged: Sequence[Judged]) -> Tallies:
        return tallies | dict.fromkeys(() if judged else ("recall", "precision"), NOT_APPLICABLE)


def alce_statements(text: str, split: Split, question: str | None = None) -> list[AlceStatement]:
    """What the evaluator judges in an output.

    ``question``: the output is a list (QAMPARI), of which every item is judged behind it.
    """
    listed = (f"{question} {item}" for item in list_items(output(text)))
    return [*map(as_statement, split(output(text)) if question is None else listed)]


def as_statement(part: str) -> AlceStatement:
    """A sentence with the places that it cites, counted from 0, so that ``[0]`` is -1."""
    # Python reads no longer number, and so the program fails at one.
    places = tuple(int(digits[:4_300]) - 1 for digits in CITATION.findall(part))
    return AlceStatement(part, without_citations(part).strip(), places)


def alce_source(document: Document) -> Source:
    """A document as the evaluator shows it to its model: its ``sent``, where it has one."""
    # An Excerpt of `data` has it: post-hoc citing adds the one sentence that it found.
    text = getattr(document, "sent", document.text)
    return Source(document.id, f"Title: {document.title}\n{text}")


def judge_by_alce(
    statement: AlceStatement, documents: Sequence[Source], max_citations: int = 3
) -> Steps[Judged]:
    """Asks about one statement. ``max_citations`` 0: every citation is read."""
    cited = statement.cited
    # Places from -1 ("[0]") are valid to Python's index, and so to ALCE.
    if not cited or not documents or any(place >= len(documents) for place in cited):
        return Judged(statement, False)
    return (
        yield from leave_one_out(
            statement,
            cited[:max_citations] if max_citations else cited,
            lambda places: tuple(documents[place] for place in places),
        )
    )


def leave_one_out(
    statement: AlceStatement, cited: Sequence[int], premise: Premise
) -> Steps[Judged]:
    """Support by all, then for each citation by it alone, then by all but its first copy."""

    def entails(places: Sequence[int]) -> Entails:
        return Entails(premise(places), statement.hypothesis)

    joint = entails(cited)
    # The rounds are ALCE's calls one by one: its model is asked no more than it asked.
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
    # list.remove takes the first of two copies: the second stays in, and "replaces" it.
    left = list(cited)
    left.remove(place)
    return left


def _checked(number: int, judged: Judged, documents: Sequence[Document]) -> Checked:
    """The judgment in the form in which our own rules count; places out of range keep their number."""
    wrong: Finding = "adds nothing" if judged.supported else "unsupported"
    found: list[tuple[str, Finding]] = []
    for at, place in enumerate(judged.statement.cited):
        known = -1 <= place < len(documents)
        id = documents[place].id if known and documents else str(place + 1)
        if at < len(judged.correct):
            found.append((id, "counted correct" if judged.correct[at] else wrong))
        elif not judged.correct:
            found.append((id, "not counted"))
    return Checked(number, Sentence(judged.statement.text), judged.supported, tuple(found))
