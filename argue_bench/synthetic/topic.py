"""What belongs to one topic? A case, its documents, the distractors, the question and the gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from argue_bench.records import Document, Question
from argue_bench.synthetic import numbers
from argue_bench.synthetic.assignment import DocumentPlan, assign, plan_documents
from argue_bench.synthetic.composition import SHORTEST, DocumentWriter, Page, _with_text
from argue_bench.synthetic.domain import KEYS, domain
from argue_bench.synthetic.grammar import Patterns
from argue_bench.synthetic.names import WorldNames
from argue_bench.synthetic.printer import Printer
from argue_bench.synthetic.scenario import Cell, Scenario, make_scenario
from argue_bench.synthetic.stream import RandomStream
from argue_bench.synthetic.values import Form

STEMS = 4
"""Names that each topic takes from the world's permutation: its hub's and the distractors'."""
_LANGUAGES = ("en",) * 14 + ("mixed",) * 4 + ("fr",) * 2
UNANSWERABLE = 10
"""One in so many questions has no answer, and about as many of the nuggets."""


@dataclass(frozen=True, slots=True)
class TopicKind:
    """What sort of topic it is to be: in each run of topics every sort has its share."""

    domain: str
    languages: str
    answerable: bool


def kind_of_topic(world: RandomStream, index: int) -> TopicKind:
    """The sort of topic number ``index``: dealt from a shuffled pack for each run of topics."""

    def deal(name: str, pack: tuple[str, ...]) -> str:
        run, at = divmod(index, len(pack))
        return world.child(name, run).shuffled(pack)[at]

    return TopicKind(
        deal("domains", KEYS),
        deal("languages", _LANGUAGES),
        deal("answerable", ("no",) + ("yes",) * (UNANSWERABLE - 1)) == "yes",
    )


@dataclass(frozen=True)
class QuestionPlan:
    """What the question asks: of each item, under one or two relations."""

    relations: tuple[str, ...]
    shape: str
    answerable: bool
    missing: Cell | None
    """A cell that the request asks for besides, and no document states."""


@dataclass(frozen=True)
class GeneratedTopic:
    """One topic with everything that was printed for it."""

    id: str
    scenario: Scenario
    pages: tuple[Page, ...]
    question_plan: QuestionPlan
    languages: str
    patterns: Patterns
    stream: RandomStream

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
        return Printer(self.scenario, language, self.patterns, stream, False, canonical=canonical)

    def roll_call(self) -> Page:
        """The first page that names every item in one sentence; the entry on the hub always does."""
        members = {fact.id for fact in self.scenario.members}
        return next(
            page
            for page in self.pages
            for printed in page.sentences
            if members <= {stated.fact.id for stated in printed.facts}
        )

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
    stream: RandomStream,
    names: WorldNames,
    patterns: Patterns,
    index: int,
    id: str,
    canary: str,
    sort: TopicKind,
) -> GeneratedTopic:
    """Topic number ``index`` of a world."""
    draw = stream.child("shape")
    kind, languages = domain(sort.domain), sort.languages
    scenario = make_scenario(stream.child("case"), kind, f"t{index}", names.unique(index * STEMS))
    question_plan = _ask(draw, scenario, sort.answerable)
    pages = _write_all(stream, scenario, languages, patterns, canary)
    distractors: tuple[tuple[Literal["namesake", "neighbour"], bool, int], ...] = (
        ("namesake", True, 1),
        ("neighbour", False, 2),
    )
    for role, like, stem in distractors:
        pages += _distract(
            stream.child(role),
            scenario,
            role,
            like,
            names.unique(index * STEMS + stem),
            patterns,
            canary,
            languages,
        )
    return GeneratedTopic(
        id, scenario, tuple(draw.shuffled(pages)), question_plan, languages, patterns, stream
    )


def _ask(draw: RandomStream, scenario: Scenario, answerable: bool) -> QuestionPlan:
    relations = draw.shuffled(scenario.active)
    shape = draw.pick(("table",) * 6 + ("two",) * 3 + ("above", "first"))
    if shape in {"above", "first"}:
        relations.sort(key=lambda relation: not relation.numeric)
        if not relations[0].numeric:
            shape = "table"
    wanted = relations[: 2 if shape == "two" else 1]
    if not answerable:
        wanted = wanted[:1]
        for relation in wanted:
            scenario.hidden.update(cell.id for cell in scenario.row(relation))
        return QuestionPlan((wanted[0].key,), "table", False, None)
    missing = None
    rest = [r for r in scenario.active if r not in wanted and not r.corrected]
    if draw.chance(95) and rest:
        missing = scenario.cell(draw.pick(scenario.items), draw.pick(rest))
        scenario.hidden.add(missing.id)
    return QuestionPlan(tuple(relation.key for relation in wanted), shape, True, missing)


def _write_all(
    stream: RandomStream, scenario: Scenario, languages: str, patterns: Patterns, canary: str
) -> list[Page]:
    plans = plan_documents(stream, scenario, languages)
    assign(stream, scenario, plans)
    pages, heard = [], set[str]()
    for i, plan in enumerate(plans):
        pages.append(_write(stream.child("page", i), scenario, plan, patterns, canary, heard))
    draw = stream.child("more")
    copied = [page for page in pages if page.kind in {"agency", "local"}]
    pages.append(_copy(stream.child("copy"), draw.pick(copied)))
    nothing = DocumentPlan(
        "nothing", plans[0].language, numbers.add_days(scenario.day, draw.between(5, 50))
    )
    pages.append(
        replace(
            _write(stream.child("nothing"), scenario, nothing, patterns, canary, heard),
            role="no answer",
        )
    )
    return pages


def _write(
    stream: RandomStream,
    scenario: Scenario,
    plan: DocumentPlan,
    patterns: Patterns,
    canary: str,
    heard: set[str],
) -> Page:
    title, paragraphs = DocumentWriter(
        scenario, plan, patterns, stream.child("words"), heard
    ).write()
    return Page(
        stream.token(10), plan.kind, plan.language, plan.day, title, paragraphs, canary, scenario
    )


def _copy(stream: RandomStream, page: Page) -> Page:
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
        day=numbers.add_days(page.day, 1),
        title=title,
        paragraphs=tuple(map(tuple, paragraphs)),
        role="duplicate",
    )


def _distract(
    stream: RandomStream,
    scenario: Scenario,
    role: Literal["namesake", "neighbour"],
    like: bool,
    stem: str,
    patterns: Patterns,
    canary: str,
    languages: str,
) -> list[Page]:
    """A document or two about a namesake of the topic, or about another hub of the same domain."""
    draw = stream.child("which")
    same_hub = like and scenario.domain.dated and draw.chance(60)
    other = make_scenario(
        stream.child("case"),
        scenario.domain,
        f"{scenario.hub.id}-{role}",
        scenario.stem if same_hub else stem,
        like=scenario if like else None,
        same_hub=same_hub,
    )
    plans = plan_documents(stream, other, "fr" if languages == "fr" else "en")
    wanted = draw.sample(("agency", "encyclopedia", "statement", "local"), 1 + draw.below(2))
    plans = [plan for plan in plans if plan.kind in wanted and not (like and plan.focus)]
    plans = plans[:2] or [
        DocumentPlan("encyclopedia", "fr" if languages == "fr" else "en", other.day)
    ]
    assign(stream, other, plans, thorough=False)
    heard = set[str]()
    return [
        replace(_write(stream.child(i), other, plan, patterns, canary, heard), role=role)
        for i, plan in enumerate(plans)
    ]
