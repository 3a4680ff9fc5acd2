"""Questions with their gold, documents and nuggets, and the answers of systems to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Document:
    """A document. ``summary`` and ``extraction`` are ALCE's shortened forms."""

    id: str
    text: str
    title: str = ""
    language: str = "en"
    date: str = ""
    url: str = ""
    summary: str | None = None
    extraction: str | None = None


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
"""What came of looking a web address up (`argue_bench.sources.states` defines each)."""
LOST: frozenset[State] = frozenset(("gone", "never_archived"))
"""States in which nobody can check the page: without a copy its citations are unsupported."""


@dataclass(frozen=True, slots=True)
class WebPage(Document):
    """A web page as it was when it was fetched; its id is the address's `identity_key`.

    ``passages``: how many passages of a long text a judge reads, 0 for the whole text.
    """

    state: State = "read"
    passages: int = 0


Documents = Mapping[str, Document]
"""Documents by id."""


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


Structured = None | bool | int | float | str | tuple["Structured", ...] | Mapping[str, "Structured"]
"""A gold answer as FanOutQA has it: a plain value, a list or a mapping, to any depth."""


def freeze(value: Any) -> Structured:
    """A JSON value with its lists as tuples."""
    if isinstance(value, dict):
        return {key: freeze(inner) for key, inner in value.items()}
    frozen: Structured = tuple(map(freeze, value)) if isinstance(value, list) else value
    return frozen


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
    elif isinstance(gold, bool):
        yield "yes" if gold else "no"
    elif gold is not None:
        yield str(gold)


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


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its citation marks, and the ids it cites, in order, repeats kept.

    A citation that names no document of the question keeps the words of its mark as its id.
    """

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One system's answer to one question.

    ``text`` is what the system wrote, marks included; ``sentences`` is how it reads. A report that
    came as sentences (TREC) has its own, and ``text`` is their texts joined by blanks.
    """

    id: str
    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    run: str = ""

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def plain(self) -> str:
        """The answer without citation marks."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def neighbours(self) -> list[tuple[str, str]]:
        """The texts before and after each sentence; empty before the first and after the last."""
        texts = [sentence.text for sentence in self.sentences]
        return list(zip(["", *texts[:-1]], [*texts[1:], ""], strict=True)) if texts else []
