"""Questions with their gold, documents and nuggets, and the answers of systems to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, cast

# What came of looking a document up. All but "read" are states of web pages (`argue_bench.web.extraction`).
State = Literal[
    "read",
    "empty",
    "paywalled",
    "blocked",
    "gone",
    "never_archived",
    "unreachable",
    "unsupported",
    "not_looked_up",
]
# States in which nobody can check the document: without a copy its citations are unsupported.
LOST: frozenset[State] = frozenset(("gone", "never_archived"))


@dataclass(frozen=True, slots=True)
class Document:
    """A document. ``summary`` and ``extraction`` are ALCE's shortened forms.

    A kind of document that was fetched, or that is too long to be judged whole, overrides ``state`` and
    ``evidence_of`` (`argue_bench.web.snapshot`).
    """

    fetched: ClassVar[bool] = False
    """Whether it was fetched since an answer cites it: it is then no part of the data set."""

    id: str
    text: str
    title: str = ""
    language: str = "en"
    date: str = ""
    url: str = ""
    summary: str | None = None
    extraction: str | None = None

    @property
    def state(self) -> State:
        """What came of looking it up; "read" for what is no web page."""
        return "read"

    @property
    def readable(self) -> bool:
        """Whether a judge can read it: it was read, or it is lost and there is a copy."""
        return self.state == "read" or (self.state in LOST and bool(self.text))

    @property
    def unread(self) -> bool:
        """Whether its text is unknown, so that a citation of it is neither right nor wrong."""
        return self.state != "read" and self.state not in LOST

    def evidence(self, statement: str) -> Source:
        """What a judge reads of it to decide on a statement."""
        # A page of blanks alone has no passage: then its title is all that can be read.
        found = self.evidence_of((self,), statement)
        return found[0] if found else Source(self.id, self.title)

    @classmethod
    def evidence_of(cls, documents: Sequence[Document], statement: str) -> Sequence[Source]:
        """What a judge reads of several documents of this class together to decide on a statement.

        In their order; a document may be left out where others say more on the statement.
        """
        return list(map(Source.of, documents))


@dataclass(frozen=True)
class Source:
    """A source text with its id, which is part of the identity of a request."""

    id: str
    text: str

    @classmethod
    def of(cls, document: Document) -> Source:
        """The source that a judge reads for a document: its title, where it has one, and its text.

        >>> Source.of(Document("d1", "It stands.", "The Wall")).text
        'The Wall\\nIt stands.'
        """
        return cls(document.id, "\n".join(filter(None, (document.title, document.text))))


# Documents by id.
Documents = Mapping[str, Document]


class Contexts:
    """The readable ones of the documents provided to an answer, as a judge reads them together."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(one for one in documents if one.readable)

    def __bool__(self) -> bool:
        return bool(self.documents)

    def read_for(self, statement: str) -> tuple[Source, ...]:
        """The sources that a judge reads to decide on a statement, in the order of the documents."""
        found: dict[str, Source] = {}
        # Documents of one class share what a judge reads of long ones, so each class is asked once.
        for kind in dict.fromkeys(type(one) for one in self.documents):
            alike = [one for one in self.documents if type(one) is kind]
            found |= {one.id: one for one in kind.evidence_of(alike, statement)}
        return tuple(found[one.id] for one in self.documents if one.id in found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A Wikipedia page at one revision (FanOutQA's necessary evidence)."""

    pageid: int | None
    """The number of the page; None where the publisher has not filled it in."""
    revid: int | None
    """The number of its revision; None where the publisher has not filled it in."""
    title: str
    """The heading of the page."""
    url: str
    """Where it can be read."""


Combine = Literal["all", "any"]
Weight = Literal["vital", "okay"]


@dataclass(frozen=True, slots=True)
class NuggetAnswer:
    """One accepted answer, and the ids of the documents that state it."""

    text: str
    """An accepted answer."""
    references: tuple[str, ...] = ()
    """Ids of ALL documents of the set that state this answer."""


@dataclass(frozen=True, slots=True)
class Nugget:
    """A question that a good report answers, with its accepted answers (ARGUE)."""

    id: str
    """Names the nugget, once in the whole set."""
    question: str
    """A question that a good report answers."""
    answers: tuple[NuggetAnswer, ...]
    """The accepted answers. Without any, the documents do not answer the question, and a good report says so."""
    combine: Combine = "any"
    """'any': one of the answers is enough (OR). 'all': every answer is wanted (AND)."""
    weight: Weight | None = None
    """'vital': a report without it is not good. 'okay': nice to have. null: it was not labelled."""
    wrong: tuple[str, ...] = ()
    """Answers that a report must not give: figures since corrected, facts about a namesake, rumours."""

    @property
    def answerable(self) -> bool:
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a rubric: what an answer should do, or with a weight below 0 what it should not."""

    id: str
    """Names the criterion, once within the question."""
    text: str
    """What a judge compares the answer with, in one sentence."""
    weight: float = 1.0
    """How much it counts; below 0 for a fault, which costs so much. Criteria of one group have the group's weight."""
    axis: str = ""
    """The dimension that it belongs to, such as completeness."""
    tags: tuple[str, ...] = ()
    """Free labels, to look at scores by kind of criterion (HealthBench)."""
    group: str = ""
    """Criteria with the same group share its weight: the short answers of one question (DRAGUN)."""


# A gold answer as FanOutQA has it: a plain value, a list or a mapping, to any depth.
Structured = None | bool | int | float | str | tuple["Structured", ...] | Mapping[str, "Structured"]


def freeze(value: Any) -> Structured:
    """A JSON value with its lists as tuples."""
    if isinstance(value, dict):
        return {key: freeze(inner) for key, inner in value.items()}
    return cast("Structured", tuple(map(freeze, value)) if isinstance(value, list) else value)


def as_text(value: Structured) -> str:
    """Gold as one text: list items on lines, ``key - value`` for mappings, yes and no (FanOutQA's form).

    >>> as_text({"1998": ("Burrell", "Mulder"), "held": True})
    '1998 - Burrell\\nMulder\\nheld - yes'
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "\n".join(f"{key} - {as_text(inner)}" for key, inner in value.items())
    return "\n".join(map(as_text, value)) if isinstance(value, (list, tuple)) else str(value)


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
    elif gold is not None:
        yield as_text(gold)


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
    """The gold of a question. A data set fills the parts that it has."""

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
    rubric: tuple[Criterion, ...] = ()
    decided: bool = field(default=False, compare=False)
    """Whether the set itself gives ``answerable``, as each line of gold.jsonl does. Where it does not, a gold
    that holds nothing leaves open whether there is an answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """The report request: who wants the report and what for (TREC's report request)."""

    title: str = ""
    """A heading for the report that is asked for."""
    problem_statement: str = ""
    """What the report must cover, in the words of the person who asks."""
    background: str = ""
    """Who asks, what they know already and what they need it for."""
    limit: int | None = None
    """How many characters the report may have; null, or None, for no limit."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, or one topic. ``gold`` is None where it is sealed (the test split).

    ``documents`` are ids, in the order in which `[1]`, `[2]` count them; empty where a system
    searches the whole set. ``evidence`` is FanOutQA's, public also on its test split.
    """

    id: str
    text: str
    request: Request | None = None
    documents: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = "en"
    evidence: tuple[Evidence, ...] = ()
    gold: Gold | None = None
    cluster: str = ""
    """The conversation, document or author that it shares with others; resampled together."""
    pairing: tuple[str, ...] = ()
    """Of own rows: a digest of what was asked, with the reference, and one of the contexts. By these the rows
    of two systems are paired."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Of own rows: what an answer calls documents besides by their ids and in their order, with the id that
    the data set has for each."""
    metrics: tuple[str, ...] = ()
    """The metrics of the set that it comes from, where a list of its questions is scored."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, an item of a list or a row of a table, with the ids that it cites.

    ``text`` is what stands in the answer from ``start`` to ``end``, in characters. ``citations`` are in
    order, repeats kept; one that names no document of the question keeps the words of its mark as its id.
    """

    text: str
    citations: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    plain: str = ""
    """Its words without citation marks and signs of Markdown, a row with the names of its columns."""
    lead: str = ""
    """The line that introduces it, where it says nothing without: "Open on:" before "- Monday"."""

    def __post_init__(self) -> None:
        if not self.plain:
            object.__setattr__(self, "plain", self.text)

    @property
    def claim(self) -> str:
        """What a judge reads: its words, after the line that introduces them."""
        return f"{self.lead} {self.plain}" if self.lead else self.plain


# A label introduces what follows it; references are a list of sources.
AsideKind = Literal["heading", "label", "table header", "rule", "code", "references"]


@dataclass(frozen=True, slots=True)
class Aside:
    """A part of an answer that states nothing, from ``start`` to ``end``; ``plain`` are its words, where
    it has some that an answer may be looked for in."""

    kind: AsideKind
    start: int
    end: int
    plain: str = ""


class MarkCount(NamedTuple):
    """How many citation marks of a form, such as "[1]", were read, and how many of these name no source."""

    form: str
    read: int
    unknown: int


def sum_marks(answers: Iterable[Answer]) -> dict[str, MarkCount]:
    """The counts of all answers by form, the commonest first."""
    found: dict[str, MarkCount] = {}
    for one in (one for answer in answers for one in answer.marks):
        _, read, unknown = found.get(one.form, one._replace(read=0, unknown=0))
        found[one.form] = MarkCount(one.form, read + one.read, unknown + one.unknown)
    return dict(sorted(found.items(), key=lambda item: -item[1].read))


@dataclass(frozen=True, slots=True)
class Answer:
    """One system's answer to one question.

    ``text`` is what the system wrote, marks included; ``sentences`` are what it states, ``asides`` what
    states nothing. A report that came as sentences (TREC) has its own, and ``text`` is their texts
    joined by blanks.
    """

    id: str
    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    run: str = ""
    asides: tuple[Aside, ...] = ()
    marks: tuple[MarkCount, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        # Sentences that came as such are looked for in the text that was made of them.
        if self.sentences and not any(one.end for one in self.sentences):
            object.__setattr__(self, "sentences", tuple(_placed(self.text, self.sentences)))

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def plain(self) -> str:
        """The words of the answer without citation marks and lists of references, a blank line where one of its lines ends."""
        said, at = "", 0
        for part in filter(lambda one: one.plain, self._parts()):
            gap = "\n\n" if "\n" in self.text[at : part.start] else " "
            said += f"{gap if said else ''}{part.plain}"
            at = part.end
        return said

    @property
    def neighbours(self) -> list[tuple[str, str]]:
        """The words before and after each sentence under its heading: the heading, the sentence and the label before it, a line each,
        and the sentence after; empty where there are none."""
        found: list[tuple[str, str]] = []
        heading = last = label = ""
        for part in self._parts():
            if isinstance(part, Sentence):
                if last:
                    found[-1] = found[-1][0], part.claim
                found.append(("\n".join(filter(None, (heading, last, label))), ""))
                # A heading that it is read with stands before it already.
                last = part.plain if heading and part.lead.startswith(heading) else part.claim
                label = ""
            elif part.kind == "heading":
                heading, last, label = part.plain, "", ""
            elif part.kind == "label":
                label = part.plain
        return found

    def _parts(self) -> Sequence[Sentence | Aside]:
        return (
            sorted((*self.sentences, *self.asides), key=lambda one: one.start)
            if self.asides
            else self.sentences
        )


def _placed(text: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    at = 0
    for one in sentences:
        found = text.find(one.text, at)
        if found >= 0:
            at = found + len(one.text)
            one = replace(one, start=found, end=at)
        yield one
