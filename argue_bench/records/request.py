"""Judge requests, a closed union with declared verdicts; verdicts, and the tallies that metrics make of them.

Each request is a frozen value; its ``key`` (SHA-256 over its kind and fields) names it in stores and
files. ``verdicts`` are the only replies that count: a tuple of words, ``float`` or ``str``.
``default`` is the verdict that ARGUE assumes when a judge's reply cannot be read (Mayfield et
al. 2024; used only under ``--on-failure default``); None where no paper declares one.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Never, Self, get_args

from argue_bench.records.question import Sentence, Source

YES_NO = ("yes", "no")
# Made once: making it anew takes as long as a key.
_KEY_TEXT = json.JSONEncoder(default=lambda source: [source.id, source.text])


@dataclass(frozen=True)
class _JudgeRequest:
    verdicts: ClassVar[tuple[str, ...] | type[float] | type[str]] = YES_NO
    default: ClassVar[str | None] = None
    # The field of which the judge names the sentence that decides, if any.
    quotes: ClassVar[str] = ""
    # The last fields, where they tell what the request speaks of and may be left empty.
    context_fields: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def declares(cls, value: object) -> bool:
        """Whether a value is a verdict of this kind."""
        if isinstance(cls.verdicts, tuple):
            return isinstance(value, str) and value in cls.verdicts
        if cls.verdicts is str:
            return isinstance(value, str)
        # True is an int in Python, and no judge means 1 by it.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return math.isfinite(value)

    @classmethod
    def declared_verdicts(cls) -> str:
        """The verdicts of this kind in words: "yes or no", "a number", "a text"."""
        if isinstance(cls.verdicts, tuple):
            return " or ".join(cls.verdicts)
        return "a number" if cls.verdicts is float else "a text"

    @property
    def stated(self) -> tuple[str, ...]:
        """The names of its fields, without those of the context where all of these are empty."""
        names, context = self.__match_args__, self.context_fields
        # A generator would take as long as all else that is done for a request.
        for name in context:
            if getattr(self, name):
                return names
        return names[: len(names) - len(context)]

    def without_context(self) -> Self:
        """The request for a judge that does not read its context."""
        if not any(getattr(self, name) for name in self.context_fields):
            return self
        return replace(self, **dict.fromkeys(self.context_fields, ""))

    @cached_property
    def key(self) -> str:
        """64 hexadecimal digits that name this request, on every platform and in every version."""
        values = [type(self).__name__, *(getattr(self, name) for name in self.stated)]
        return hashlib.sha256(_KEY_TEXT.encode(values).encode()).hexdigest()


@dataclass(frozen=True)
class _OfSources(_JudgeRequest):
    """The base of requests about sources, which are read together."""

    premise: tuple[Source, ...]

    @property
    def premise_text(self) -> str:
        """The sources joined by line breaks, in the order cited."""
        return "\n".join(source.text for source in self.premise)


@dataclass(frozen=True)
class Entails(_OfSources):
    """Do the sources, read together, support the sentence? ARGUE's SENTENCE_ATTESTED; ALCE's NLI.

    ``question``, ``before`` and ``after`` (what the answer says next to the sentence) tell what it
    speaks of; they are no evidence.
    """

    hypothesis: str
    question: str = ""
    before: str = ""
    after: str = ""
    context_fields: ClassVar[tuple[str, ...]] = ("question", "before", "after")
    default: ClassVar[str | None] = "no"


@dataclass(frozen=True)
class _SaidOfSources(_OfSources):
    """The base of requests about sources and a sentence, with what tells of what it speaks."""

    sentence: str
    question: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class SupportLevel(_SaidOfSources):
    """How far do the sources, read together, support the sentence? TREC RAG's support assessment.

    Thakur et al. 2025 (arXiv 2504.15205, section 3) judge one cited passage at a time; what the
    passages that were provided say together is faithfulness. ``question``, ``before`` and ``after``
    (what the answer says next to the sentence) tell what the sentence speaks of; they are no evidence.
    """

    verdicts: ClassVar[tuple[str, ...]] = ("full", "partial", "no")


@dataclass(frozen=True)
class Contradicts(_SaidOfSources):
    """Do the sources say something that cannot be true together with the sentence?

    ``question``, ``before`` and ``after`` are those of `SupportLevel`, and are no evidence either.
    """


@dataclass(frozen=True)
class HelpsAnswer(_JudgeRequest):
    """Does the sentence help to answer the question?

    Of a context: context relevance (Es et al. 2024, section 3); of an answer: answer relevancy as
    deepeval defines it.
    """

    sentence: str
    question: str


@dataclass(frozen=True)
class ListClaims(_JudgeRequest):
    """Which claims does the sentence make, each understood by itself? One on a line.

    ragas' first step of faithfulness (Es et al. 2024, section 3); atomic facts as Min et al. 2023 cut them.
    """

    sentence: str
    question: str = ""
    before: str = ""
    verdicts: ClassVar[type[str]] = str


@dataclass(frozen=True)
class DraftNuggets(_JudgeRequest):
    """Which facts does a good answer hold, as the documents give them? nuggetizer's creation step.

    The verdict is the whole list anew, ``nuggets`` with what the documents add, one on a line
    (Pradeep et al. 2024, section 3).
    """

    question: str
    documents: tuple[Source, ...]
    nuggets: tuple[str, ...] = ()
    verdicts: ClassVar[type[str]] = str


@dataclass(frozen=True)
class NuggetImportance(_JudgeRequest):
    """Must a good answer hold the nugget, or is it nice to have? (Pradeep et al. 2024, section 3)."""

    question: str
    nugget: str
    verdicts: ClassVar[tuple[str, ...]] = ("vital", "okay")


@dataclass(frozen=True)
class Answers(_JudgeRequest):
    """Does the sentence give this answer to this question? ARGUE's SENTENCE_ANSWERS_QUESTION.

    ``before`` and ``after`` are what the report says next to the sentence.
    """

    sentence: str
    question: str
    answer: str
    before: str = ""
    after: str = ""
    context_fields: ClassVar[tuple[str, ...]] = ("before", "after")
    default: ClassVar[str | None] = "no"


@dataclass(frozen=True)
class Supports(_JudgeRequest):
    """How far does the passage contain the nugget? nuggetizer's assignment (Pradeep et al. 2024)."""

    passage: str
    question: str
    nugget: str
    verdicts: ClassVar[tuple[str, ...]] = ("full", "partial", "no")


@dataclass(frozen=True)
class Meets(_JudgeRequest):
    """How far does the answer do what the criterion of a rubric says?

    "contradicts": it says the opposite, also where it meets the criterion elsewhere (DRAGUN's
    guidelines). The note of the verdict holds the sentence of the answer that decides.
    """

    criterion: str
    question: str
    answer: str
    verdicts: ClassVar[tuple[str, ...]] = ("met", "partly", "unmet", "contradicts")
    quotes: ClassVar[str] = "answer"


@dataclass(frozen=True)
class NeedsCitation(_JudgeRequest):
    """Does this uncited sentence need a citation? ARGUE's REQUIRES_CITATION."""

    sentence: str
    default: ClassVar[str | None] = "yes"


@dataclass(frozen=True)
class FirstInstance(_JudgeRequest):
    """Does the sentence say something that no previous sentence said? Yes means new."""

    sentence: str
    previous: tuple[str, ...]
    default: ClassVar[str | None] = "yes"


@dataclass(frozen=True)
class NegativeAssertion(_JudgeRequest):
    """Does the sentence say that something is not known or was not found?"""

    sentence: str
    default: ClassVar[str | None] = "no"


@dataclass(frozen=True)
class Confirms(_JudgeRequest):
    """Does the sentence say that this question, which has no answer, cannot be answered?

    ``before`` and ``after`` are what the report says next to the sentence.
    """

    sentence: str
    question: str
    before: str = ""
    after: str = ""
    context_fields: ClassVar[tuple[str, ...]] = ("before", "after")
    default: ClassVar[str | None] = "no"


@dataclass(frozen=True)
class Relevant(_JudgeRequest):
    """Does the document support this answer to this question? ARGUE's CITED_DOCUMENT_RELEVANCE."""

    document: Source
    question: str
    answer: str
    default: ClassVar[str | None] = "no"


@dataclass(frozen=True)
class RelevanceGrade(_JudgeRequest):
    """How relevant is the document to the question, from 0 to 3? UMBRELA (Upadhyay et al. 2024).

    0: nothing to do with it; 1: on its subject, without an answer; 2: a part of an answer, or unclear;
    3: about the question, with the exact answer.
    """

    document: Source
    question: str
    verdicts: ClassVar[tuple[str, ...]] = ("0", "1", "2", "3")


@dataclass(frozen=True)
class Factual(_JudgeRequest):
    """How does the answer compare with an expert's? A-F as in FanOutQA (Zhu et al. 2024, 4.3)."""

    question: str
    reference: str
    answer: str
    verdicts: ClassVar[tuple[str, ...]] = ("A", "B", "C", "D", "E", "F")


@dataclass(frozen=True)
class Grounded(_JudgeRequest):
    """How right and how faithful to its sources is the response? 1 (wrong) to 5 (flawless)."""

    question: str
    reference: str
    supporting: tuple[str, ...]
    documents: tuple[Source, ...]
    response: str
    verdicts: ClassVar[tuple[str, ...]] = ("1", "2", "3", "4", "5")


@dataclass(frozen=True)
class Refuses(_JudgeRequest):
    """Does the response decline to answer the question, in whatever words?"""

    question: str
    response: str


@dataclass(frozen=True)
class Prefers(_JudgeRequest):
    """Which of two answers to the question is better? A language model is asked in both orders, and says tie
    where the two differ (Zheng et al. 2023, section 3.4)."""

    question: str
    a: str
    b: str
    verdicts: ClassVar[tuple[str, ...]] = ("A", "B", "tie")

    def swapped(self) -> Prefers:
        """The same answers in the other order."""
        return Prefers(self.question, self.b, self.a)

    @staticmethod
    def mirrored(word: str) -> str:
        """The verdict that says the same of the other order."""
        return {"A": "B", "B": "A"}.get(word, word)

    @staticmethod
    def disagreed(here: str, there: str) -> Verdict:
        """The tie of two orders that differ: the verdict of this order and the other's, both in this order's words."""
        return Verdict("tie", f"{here} in this order, {there} in the other")

    @staticmethod
    def of_this_order(verdict: Verdict) -> str:
        """What the judge said in this order alone, also where the other order made a tie of it."""
        here, found, _ = verdict.note.partition(" in this order, ")
        return (
            here
            if verdict.value == "tie" and found and here in Prefers.verdicts
            else str(verdict.value)
        )


@dataclass(frozen=True)
class Span(_JudgeRequest):
    """Which words of the context answer the question? The verdict is text, empty for none."""

    question: str
    context: str
    verdicts: ClassVar[type[str]] = str


@dataclass(frozen=True)
class Similar(_JudgeRequest):
    """How alike are the two texts? A number, as BLEURT gives."""

    reference: str
    candidate: str
    verdicts: ClassVar[type[float]] = float


JudgeRequest = (
    Entails
    | SupportLevel
    | Contradicts
    | HelpsAnswer
    | ListClaims
    | DraftNuggets
    | NuggetImportance
    | Answers
    | Supports
    | Meets
    | NeedsCitation
    | FirstInstance
    | NegativeAssertion
    | Confirms
    | Relevant
    | RelevanceGrade
    | Factual
    | Grounded
    | Refuses
    | Prefers
    | Span
    | Similar
)

KINDS: dict[str, type[JudgeRequest]] = {kind.__name__: kind for kind in get_args(JudgeRequest)}

LISTS_OF_SOURCES = ("premise", "documents")
# The fields that hold several sources, and several texts.
LISTS = ("previous", "supporting", "nuggets")


def request_to_json(request: JudgeRequest) -> dict[str, Any]:
    """The request as plain data: its kind and its fields."""
    return {
        "kind": type(request).__name__,
        **{name: _plain(getattr(request, name)) for name in request.stated},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return {"id": value.id, "text": value.text} if isinstance(value, Source) else value


def request_from_json(data: dict[str, Any]) -> JudgeRequest:
    """The request that `request_to_json` wrote. Raises KeyError or TypeError on anything else."""
    values = dict(data)
    # Fields that are not there have their defaults: labels of older versions lack the later ones.
    kind = KINDS[values.pop("kind")]
    for name in values.keys() & LISTS_OF_SOURCES:
        values[name] = tuple(Source(**source) for source in values[name])
    if "document" in values:
        values["document"] = Source(**values["document"])
    for name in values.keys() & LISTS:
        values[name] = tuple(values[name])
    return kind(**values)


# Classes of flags that a reader can check at once: something is said that the sources lack or contradict.
SURE = frozenset(("contradicted", "value", "name"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared verdict of the request: a word, a number or a text. ``note`` is for a reader.

    ``prompt`` and ``reply`` are what was sent to a model and what came back; a verdict store keeps
    them, and returns verdicts without. Of a verdict that is less than full support, ``probability`` is
    the share of such verdicts that people's labels call right, None where nobody measured it, and
    ``flag`` the class of what is wrong: "contradicted", "value" or "name" (that the sources lack),
    "nothing" (little of it is there) or "partly".
    """

    value: str | float
    note: str = ""
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)
    probability: float | None = None
    flag: str = ""

    @property
    def yes(self) -> bool:
        return self.value == "yes"


@dataclass(frozen=True, slots=True)
class Failed:
    """The judge gave no verdict. A failure never counts as a number or as a no."""

    reason: str
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)


class Miss(NamedTuple):
    """A sentence or nugget that a tally did not count, and the reason in words.

    ``id`` is the number of the sentence in the answer, from 1, or the id of the nugget; ``text`` is
    the sentence as it stands in the answer from ``start`` to ``end``, or the nugget's question. ``lack``
    is the class of a sentence without support, where the metric tells classes apart, and ``source`` the
    document that supports it all the same. ``flag`` and ``probability`` are those of the judge's verdict.
    """

    kind: Literal["sentence", "nugget"]
    id: str
    text: str
    reason: str
    lack: str = ""
    source: str = ""
    start: int = 0
    end: int = 0
    flag: str = ""
    probability: float | None = None

    @classmethod
    def of(
        cls,
        number: int,
        sentence: Sentence,
        reason: str,
        lack: str = "",
        source: str = "",
        verdict: Verdict | None = None,
    ) -> Miss:
        """The sentence with this number, as it stands in its answer, with what was judged of it."""
        told = (verdict.flag, verdict.probability) if verdict else ("", None)
        place = (sentence.start, sentence.end)
        return cls("sentence", str(number), sentence.text, reason, lack, source, *place, *told)


@dataclass(frozen=True, slots=True)
class Tally:
    """``numerator`` out of ``denominator``. Where the latter is 0 the score does not apply to this question.

    ``note`` says in words what was found or missed, for a reader to check by eye.
    """

    numerator: float
    denominator: float = 1.0
    note: str = ""
    misses: tuple[Miss, ...] = field(default=(), compare=False, repr=False)
    """The sentences or nuggets behind the difference between the two numbers, where it has some."""

    @property
    def applies(self) -> bool:
        return self.denominator != 0

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True)
class NotJudged(Mapping[str, Tally]):
    """Nobody judged it, since the judge or the metric cannot read its language or form, and ``reason`` says so.

    A judge gives it as a reply in place of a verdict, a metric returns it in place of tallies, of which it
    holds none: an average leaves the question out, and says so. Not a failure: asking again changes nothing.
    """

    reason: str

    def __getitem__(self, name: str) -> Never:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


# Out of nothing: such a question is left out of an average, and is no 0.
NOT_APPLICABLE = Tally(0.0, 0.0)
