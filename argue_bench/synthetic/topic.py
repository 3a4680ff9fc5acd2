"""What belongs to one topic? A case, its documents, the distractors, the question and the gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from argue_bench.records import Document, Question
from argue_bench.synthetic import numbers
from argue_bench.synthetic.assignment import Plan, assign, plan_documents
from argue_bench.synthetic.case import Case, Cell, make_case
from argue_bench.synthetic.composition import SHORTEST, Page, Writer, _with_text
from argue_bench.synthetic.domain import KEYS, domain
from argue_bench.synthetic.grammar import Patterns
from argue_bench.synthetic.names import Names
from argue_bench.synthetic.printer import Printer
from argue_bench.synthetic.stream import Stream
from argue_bench.synthetic.values import Form

STEMS = 4
"""Names that each topic takes from the world's permutation: its hub's and the distractors'."""
_LANGUAGES = ("en",) * 14 + ("mixed",) * 4 + ("fr",) * 2
UNANSWERABLE = 10
"""One in so many questions has no answer, and about as many of the nuggets."""


@dataclass(frozen=True, slots=True)
class Sort:
    """What sort of topic it is to be: in each run of topics every sort has its share."""

    domain: str
    languages: str
    answerable: bool


def sort_of(world: Stream, index: int) -> Sort:
    """The sort of topic number ``index``: dealt from a shuffled pack for each run of topics."""

    def deal(name: str, pack: tuple[str, ...]) -> str:
        run, at = divmod(index, len(pack))
        return world.child(name, run).shuffled(pack)[at]

    return Sort(
        deal("domains", KEYS),
        deal("languages", _LANGUAGES),
        deal("answerable", ("no",) + ("yes",) * (UNANSWERABLE - 1)) == "yes",
    )


@dataclass(frozen=True)
class Asked:
    """What the question asks: of each item, under one or two relations."""

    relations: tuple[str, ...]
    shape: str
    answerable: bool
    missing: Cell | None
    """A cell that the request asks for besides, and no document states."""


@dataclass(frozen=True)
class Topic:
    """One topic with everything that was printed for it."""

    id: str
    case: Case
    pages: tuple[Page, ...]
    asked: Asked
    languages: str
    patterns: Patterns
    stream: Stream

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        return tuple(
            Document(page.id, page.text, page.title, page.language, numbers.iso(page.day))
            for page in self.pages
        )

    @cached_property
    def question(self) -> Question:
        """The question with its gold."""
        from argue_bench.synthetic.gold import make_question

        return make_question(self)

    def printer(self, *name: str, language: str = "en", canonical: bool = True) -> Printer:
        """Prints report sentences from the same patterns as the documents, names in full.

        The same name gives the same sentences. ``cell`` states a cell (``old`` its superseded
        figure, ``only`` part of a list, a ``form``), ``members`` which items there are, ``unknown``
        that a cell is not known (section "common.report.unknown"). ``canonical`` values are spelled
        as in the gold's structured answer; without it, in any accepted way.
        """
        stream = self.stream.child(*name)
        return Printer(self.case, language, self.patterns, stream, False, canonical=canonical)

    def references(self, fact_id: str, form: Form = "exact") -> tuple[str, ...]:
        """Ids of all documents that state the fact. One that gives it exactly also rounds it."""
        return tuple(self._stated.get((fact_id, "rounded" if form == "rounded" else "exact"), ()))

    def speaks_of(self, item_id: str) -> tuple[str, ...]:
        """Ids of all documents that state anything of an item, and so that it belongs to the hub."""
        return tuple(self._stated.get((item_id, "rounded"), ()))

    @cached_property
    def _stated(self) -> dict[tuple[str, str], dict[str, None]]:
        """By fact (or item) and form: the ids of documents, in order, as the keys of a dictionary."""
        found: dict[tuple[str, str], dict[str, None]] = {}
        for page in self.pages:
            for sentence in page.sentences:
                for stated in sentence.facts:
                    fact = stated.fact
                    item = fact.id.removesuffix(".member") if ".member" in fact.id else ""
                    names = [(fact.id, "rounded"), (item or fact.subject.id, "rounded")]
                    if stated.form != "rounded":
                        names.append((fact.id, "exact"))
                    for name in names:
                        found.setdefault(name, {})[page.id] = None
        return found


def make_topic(
    stream: Stream, names: Names, patterns: Patterns, index: int, id: str, canary: str, sort: Sort
) -> Topic:
    """Topic number ``index`` of a world."""
    draw = stream.child("shape")
    kind, languages = domain(sort.domain), sort.languages
    case = make_case(stream.child("case"), kind, f"t{index}", names.unique(index * STEMS))
    asked = _ask(draw, case, sort.answerable)
    pages = _write_all(stream, case, languages, patterns, canary)
    distractors: tuple[tuple[Literal["namesake", "neighbour"], bool, int], ...] = (
        ("namesake", True, 1),
        ("neighbour", False, 2),
    )
    for role, like, stem in distractors:
        pages += _distract(
            stream.child(role),
            case,
            role,
            like,
            names.unique(index * STEMS + stem),
            patterns,
            canary,
            languages,
        )
    return Topic(id, case, tuple(draw.shuffled(pages)), asked, languages, patterns, stream)


def _ask(draw: Stream, case: Case, answerable: bool) -> Asked:
    relations = draw.shuffled(case.active)
    shape = draw.pick(("table",) * 6 + ("two",) * 3 + ("above", "first"))
    if shape in {"above", "first"}:
        relations.sort(key=lambda relation: not relation.numeric)
        if not relations[0].numeric:
            shape = "table"
    wanted = relations[: 2 if shape == "two" else 1]
    if not answerable:
        wanted = wanted[:1]
        for relation in wanted:
            case.hidden.update(cell.id for cell in case.row(relation))
        return Asked((wanted[0].key,), "table", False, None)
    missing = None
    rest = [r for r in case.active if r not in wanted and not r.corrected]
    if draw.chance(95) and rest:
        missing = case.cell(draw.pick(case.items), draw.pick(rest))
        case.hidden.add(missing.id)
    return Asked(tuple(relation.key for relation in wanted), shape, True, missing)


def _write_all(
    stream: Stream, case: Case, languages: str, patterns: Patterns, canary: str
) -> list[Page]:
    plans = plan_documents(stream, case, languages)
    assign(stream, case, plans)
    pages, heard = [], set[str]()
    for i, plan in enumerate(plans):
        pages.append(_write(stream.child("page", i), case, plan, patterns, canary, heard))
    draw = stream.child("more")
    copied = [page for page in pages if page.kind in {"agency", "local"}]
    pages.append(_copy(stream.child("copy"), draw.pick(copied)))
    nothing = Plan("nothing", plans[0].language, numbers.later(case.day, draw.between(5, 50)))
    pages.append(
        replace(
            _write(stream.child("nothing"), case, nothing, patterns, canary, heard),
            role="no answer",
        )
    )
    return pages


def _write(
    stream: Stream, case: Case, plan: Plan, patterns: Patterns, canary: str, heard: set[str]
) -> Page:
    title, paragraphs = Writer(case, plan, patterns, stream.child("words"), heard).write()
    return Page(
        stream.token(10), plan.kind, plan.language, plan.day, title, paragraphs, canary, case
    )


def _copy(stream: Stream, page: Page) -> Page:
    """A near-duplicate: another paper runs it a day later, cut by a sentence or two."""
    paragraphs = [list(paragraph) for paragraph in page.paragraphs]
    for at in stream.shuffled(range(1, len(paragraphs))):
        spare = paragraphs[at][-1]
        if len(paragraphs[at]) > 1 and page.words - len(spare.text.split()) > SHORTEST + 5:
            paragraphs[at].pop()
            break
    first = paragraphs[0][0]
    if first.role == "dateline":
        paragraphs[0][0] = _with_text(first, first.text.replace("(", "(Courier, "))
    title = f"{page.title} ({'from our partners' if page.language == 'en' else 'reprise'})"
    return replace(
        page,
        id=stream.token(10),
        day=numbers.later(page.day, 1),
        title=title,
        paragraphs=tuple(map(tuple, paragraphs)),
        role="duplicate",
    )


def _distract(
    stream: Stream,
    case: Case,
    role: Literal["namesake", "neighbour"],
    like: bool,
    stem: str,
    patterns: Patterns,
    canary: str,
    languages: str,
) -> list[Page]:
    """A document or two about a namesake of the topic, or about another hub of the same domain."""
    draw = stream.child("which")
    same_hub = like and case.domain.dated and draw.chance(60)
    other = make_case(
        stream.child("case"),
        case.domain,
        f"{case.hub.id}-{role}",
        case.stem if same_hub else stem,
        like=case if like else None,
        same_hub=same_hub,
    )
    plans = plan_documents(stream, other, "fr" if languages == "fr" else "en")
    wanted = draw.sample(("agency", "encyclopedia", "statement", "local"), 1 + draw.below(2))
    plans = [plan for plan in plans if plan.kind in wanted and not (like and plan.focus)]
    plans = plans[:2] or [Plan("encyclopedia", "fr" if languages == "fr" else "en", other.day)]
    assign(stream, other, plans, thorough=False)
    heard = set[str]()
    return [
        replace(_write(stream.child(i), other, plan, patterns, canary, heard), role=role)
        for i, plan in enumerate(plans)
    ]
