"""One topic: its scenario, documents, decoys, question and gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from argue_bench.records import Document, Question
from tools.core_set import wording
from tools.core_set.assignment import DocumentPlan, assign, plan_documents
from tools.core_set.composition import SHORTEST, Decoy, DocumentWriter, Page
from tools.core_set.domain import KEYS, domain
from tools.core_set.gold import make_question
from tools.core_set.grammar import Patterns
from tools.core_set.names import WorldNames
from tools.core_set.printer import Printer
from tools.core_set.scenario import Cell, Scenario, make_scenario
from tools.core_set.stream import RandomStream
from tools.core_set.values import Form

STEMS = 4
"""Names that each topic takes from the world's permutation: its hub's and the distractors'."""
_LANGUAGES = ("en",) * 14 + ("mixed",) * 4 + ("fr",) * 2
_DECOYS: tuple[Decoy, ...] = ("namesake", "neighbour")
UNANSWERABLE = 10
"""One in so many questions has no answer, and about as many of the nuggets."""


@dataclass(frozen=True)
class QuestionPlan:
    """The relations that the question asks for, one or two, of each item."""

    relations: tuple[str, ...]
    shape: str
    answerable: bool
    missing: Cell | None
    """Another cell that the request asks for, which no document states."""


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
            Document(page.id, page.text, page.title, page.language, wording.iso(page.day))
            for page in self.pages
        )

    @cached_property
    def question(self) -> Question:
        """The question with its gold."""
        return make_question(self)

    def printer(self, *name: str, language: str = "en") -> Printer:
        """Prints report sentences from the same patterns as the documents, names in full.

        The same name gives the same sentences. ``cell`` states a cell (``old`` its superseded
        figure, ``only`` part of a list, a ``form``), ``members`` which items there are, ``unknown``
        that a cell is not known (section "common.report.unknown"). Values are spelled as in the
        gold's structured answer.
        """
        stream = self.stream.child(*name)
        return Printer(self.scenario, language, self.patterns, stream, for_report=True)

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
                    item = fact.id if ".member" in fact.id else fact.subject.id
                    found.setdefault((fact.id, "rounded"), {})[page.id] = None
                    found.setdefault((item.removesuffix(".member"), "rounded"), {})[page.id] = None
                    if stated.form != "rounded":
                        found.setdefault((fact.id, "exact"), {})[page.id] = None
        return found


def make_topic(
    world: RandomStream, names: WorldNames, patterns: Patterns, index: int, id: str, canary: str
) -> GeneratedTopic:
    """Topic number ``index`` of a world. In each run of topics every kind of topic has its share."""

    def deal(name: str, pack: tuple[str, ...]) -> str:
        run, at = divmod(index, len(pack))
        return world.child(name, run).shuffled(pack)[at]

    stream, languages = world.child("topic", index), deal("languages", _LANGUAGES)
    draw, stem = stream.child("shape"), names.unique(index * STEMS)
    kind = domain(deal("domains", KEYS))
    scenario = make_scenario(stream.child("case"), kind, f"t{index}", stem)
    answerable = deal("answerable", ("no",) + ("yes",) * (UNANSWERABLE - 1)) == "yes"
    question_plan = _plan_question(draw, scenario, answerable)
    press = _Press(scenario, languages, patterns, canary)
    pages = press.evidence(stream)
    # Decoys: a system that goes by names alone reports the figures of a namesake.
    for n, role in enumerate(_DECOYS, 1):
        pages += press.decoys(stream.child(role), role, names.unique(index * STEMS + n))
    shuffled = tuple(draw.shuffled(pages))
    return GeneratedTopic(id, scenario, shuffled, question_plan, languages, patterns, stream)


def _plan_question(draw: RandomStream, scenario: Scenario, answerable: bool) -> QuestionPlan:
    """Chooses the relations that are asked for, and hides cells from the documents to be unknown."""
    relations = draw.shuffled(scenario.active)
    shape = draw.pick(("table",) * 6 + ("two",) * 3 + ("above", "first"))
    if shape in {"above", "first"}:
        relations.sort(key=lambda relation: not relation.numeric)
        if not relations[0].numeric:
            shape = "table"
    if not answerable:
        scenario.hidden.update(cell.id for cell in scenario.row(relations[0]))
        return QuestionPlan((relations[0].key,), "table", False, None)
    wanted, missing = relations[: 2 if shape == "two" else 1], None
    others = [r for r in scenario.active if r not in wanted and not r.corrected]
    if draw.chance(95) and others:
        missing = scenario.cell(draw.pick(scenario.items), draw.pick(others))
        scenario.hidden.add(missing.id)
    return QuestionPlan(tuple(relation.key for relation in wanted), shape, True, missing)


@dataclass(frozen=True)
class _Press:
    """Writes the pages of one topic."""

    scenario: Scenario
    languages: str
    patterns: Patterns
    canary: str

    def evidence(self, stream: RandomStream) -> list[Page]:
        """Pages that state the facts, a near-duplicate, and one that answers nothing."""
        plans = plan_documents(stream, self.scenario, self.languages)
        assign(stream, self.scenario, plans)
        used = set[str]()
        pages = [
            self._page(stream.child("page", i), self.scenario, plan, used)
            for i, plan in enumerate(plans)
        ]
        draw = stream.child("more")
        copied = draw.pick([page for page in pages if page.kind in {"agency", "local"}])
        day = wording.add_days(self.scenario.day, draw.between(5, 50))
        nothing = DocumentPlan("nothing", plans[0].language, day)
        talk = self._page(stream.child("nothing"), self.scenario, nothing, used)
        return [*pages, _copy(stream.child("copy"), copied), replace(talk, role="no answer")]

    def decoys(self, stream: RandomStream, role: Decoy, stem: str) -> list[Page]:
        """A document or two about a namesake of the topic, or about another hub of the same domain."""
        draw, like = stream.child("which"), role == "namesake"
        same_hub = like and self.scenario.domain.dated and draw.chance(60)
        other = make_scenario(
            stream.child("case"),
            self.scenario.domain,
            f"{self.scenario.hub.id}-{role}",
            self.scenario.stem if same_hub else stem,
            like=self.scenario if like else None,
            same_hub=same_hub,
        )
        language = "fr" if self.languages == "fr" else "en"
        plans = plan_documents(stream, other, language)
        wanted = draw.sample(("agency", "encyclopedia", "statement", "local"), 1 + draw.below(2))
        plans = [plan for plan in plans if plan.kind in wanted and not (like and plan.focus)]
        plans = plans[:2] or [DocumentPlan("encyclopedia", language, other.day)]
        assign(stream, other, plans, thorough=False)
        used = set[str]()
        pages = [self._page(stream.child(i), other, plan, used) for i, plan in enumerate(plans)]
        return [replace(page, role=role) for page in pages]

    def _page(
        self, stream: RandomStream, scenario: Scenario, plan: DocumentPlan, used: set[str]
    ) -> Page:
        words = stream.child("words")
        written = DocumentWriter(scenario, plan, self.patterns, words, used).write()
        id, canary = stream.token(10), self.canary
        return Page(id, plan.kind, plan.language, plan.day, *written, canary, scenario)


def _copy(stream: RandomStream, page: Page) -> Page:
    """A near-duplicate: another paper runs it a day later, cut by a sentence or two."""
    paragraphs = [list(paragraph) for paragraph in page.paragraphs]
    for at in stream.shuffled(range(1, len(paragraphs))):
        spare = paragraphs[at][-1]
        if len(paragraphs[at]) > 1 and page.words - len(spare.text.split()) > SHORTEST + 5:
            paragraphs[at].pop()
            break
    if (first := paragraphs[0][0]).role == "dateline":
        paragraphs[0][0] = replace(first, text=first.text.replace("(", "(Courier, "))
    return replace(
        page,
        id=stream.token(10),
        day=wording.add_days(page.day, 1),
        title=f"{page.title} ({'from our partners' if page.language == 'en' else 'reprise'})",
        paragraphs=tuple(map(tuple, paragraphs)),
        role="duplicate",
    )
