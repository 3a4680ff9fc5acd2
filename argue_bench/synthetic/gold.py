"""What is asked about a topic, and what is right?

Gold is read off the facts and the provenance of printed sentences, never off the text: references
are all documents that state a fact, by construction.
"""

from __future__ import annotations

import re
from dataclasses import replace

from argue_bench.records import (
    Gold,
    Nugget,
    NuggetAnswer,
    Question,
    Request,
    ShortAnswer,
    SubQuestion,
)
from argue_bench.records.question import Structured, Weight
from argue_bench.synthetic.printer import PrintedSentence
from argue_bench.synthetic.scenario import Cell
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.values import Count, Quantity, Value
from argue_bench.synthetic.words import WORDS

_LIMITS = (1500, 2000, 2500, 3000, 4000)


def make_question(topic: GeneratedTopic) -> Question:
    """The question of a topic with all of its gold."""
    gold = _Gold(topic)
    draw = topic.stream.child("question")
    long_answers = gold.long_answers()
    longest = max(map(len, long_answers))
    limit = next((n for n in _LIMITS if n >= longest * 5 // 4), _LIMITS[-1])
    extra = gold.extra_request()
    statement = f"{gold.text} {extra} Say what cannot be found out. Cite the documents.".strip()
    return Question(
        id=topic.id,
        text=gold.text,
        request=Request(
            title=topic.scenario.title["en"],
            problem_statement=statement,
            background=f"{draw.pick(WORDS['background']['readers'])}. "
            f"{draw.pick(WORDS['background']['known'])}",
            limit=limit,
        ),
        documents=tuple(page.id for page in topic.pages),
        categories=(
            *topic.scenario.domain.categories,
            {
                "en": "evidence in English",
                "fr": "evidence in French",
                "mixed": "evidence in both languages",
            }[topic.languages],
        ),
        gold=Gold(
            answerable=topic.question_plan.answerable,
            answer=gold.answer(),
            short_answers=gold.short_answers(),
            nuggets=gold.nuggets(),
            long_answers=long_answers,
            claims=gold.claims(),
            supporting=gold.supporting(),
            decomposition=gold.decomposition(),
        ),
    )


def nugget_id(topic: GeneratedTopic, at: int) -> str:
    """The id of a nugget by its place; 0 is the one that asks which items there are."""
    return f"{topic.id}-{at + 1}"


def nugget_cells(topic: GeneratedTopic) -> dict[str, Cell | None]:
    """Which cell each nugget asks about, by the nugget's id; None: which items there are."""
    cells = [None, *_Gold(topic).nugget_cells()]
    return {nugget_id(topic, at): cell for at, cell in enumerate(cells)}


class _Gold:
    def __init__(self, topic: GeneratedTopic) -> None:
        self.topic, self.scenario = topic, topic.scenario
        self.relations = [
            next(r for r in topic.scenario.active if r.key == key)
            for key in topic.question_plan.relations
        ]
        self.languages = {"en": ("en",), "fr": ("en", "fr"), "mixed": ("en", "fr")}[topic.languages]
        self.text = self._text()

    # the question

    def _text(self) -> str:
        scenario, asked = self.scenario, self.topic.question_plan
        of = scenario.domain.item["of_en"].format(H=scenario.hub.full["en"])
        fans = " and ".join(relation.fan for relation in self.relations)
        if asked.shape == "above":
            limit = self._threshold().say("en")
            return f"Considering {fans}, for which of the {of} was the figure above {limit}?"
        if asked.shape == "first":
            return f"Considering {fans}, which of the {of} had the highest figure, and what was it?"
        return f"For each of the {of}, say {fans}."

    def _threshold(self) -> Count | Quantity:
        """Halfway between two neighbouring figures, so that one is above and one below."""
        values = sorted(cell.figure.n for cell in self._asked())
        middle = (values[-2] + values[-1]) // 2 if len(values) < 4 else (values[1] + values[2]) // 2
        return self._asked()[0].figure.at(middle)

    def extra_request(self) -> str:
        parts = []
        hub = [self.scenario.cell(self.scenario.hub, r) for r in self.scenario.domain.hub_relations]
        told = [cell for cell in hub if cell.id not in self.scenario.hidden][:2]
        questions = [self.requests(cell) for cell in told]
        if self.topic.question_plan.missing:
            questions.append(self.requests(self.topic.question_plan.missing))
        if questions:
            parts.append("A report should also answer: " + " ".join(questions))
        return " ".join(parts)

    def requests(self, cell: Cell) -> str:
        """The question of a cell, with the hub's name."""
        text = cell.relation.question.replace("~", "")
        text = text.format(S=cell.subject.full["en"], H=self.scenario.hub.full["en"])
        return text[0].upper() + text[1:]

    def _asked(self) -> list[Cell]:
        return [cell for relation in self.relations for cell in self.scenario.row(relation)]

    # the answers

    def answer(self) -> Structured:
        asked = self.topic.question_plan
        if not asked.answerable:
            return None
        if asked.shape == "above":
            limit = self._threshold().n
            return tuple(self._name(cell) for cell in self._asked() if cell.figure.n > limit)
        if asked.shape == "first":
            best = max(self._asked(), key=lambda cell: cell.figure.n)
            return {self._name(best): best.figure.plain}
        if len(self.relations) == 1:
            return {self._name(cell): _plain(cell) for cell in self._asked()}
        return {
            item.full["en"]: tuple(
                _plain(self.scenario.cell(item, relation)) for relation in self.relations
            )
            for item in self.scenario.items
        }

    def _name(self, cell: Cell) -> str:
        return cell.subject.full["en"]

    def short_answers(self) -> tuple[ShortAnswer, ...]:
        if not self.topic.question_plan.answerable:
            return ()
        pairs = []
        for cell in self._asked():
            question = self.requests(cell)
            for fact in cell.facts:
                pairs.append(ShortAnswer(question, self._aliases(fact.value)))
        return tuple(pairs)

    def _aliases(self, value: Value) -> tuple[str, ...]:
        found = [alias for language in self.languages for alias in value.aliases(language)]
        return tuple(dict.fromkeys(found))

    # nuggets

    def nuggets(self) -> tuple[Nugget, ...]:
        """The members, then every cell of ``nugget_cells`` in its order."""
        scenario = self.scenario
        of = scenario.domain.item["of_en"].format(H=scenario.hub.full["en"])
        members = tuple(
            NuggetAnswer(item.full["en"], self.topic.speaks_of(item.id)) for item in scenario.items
        )
        made = [Nugget("", f"Which are the {of}?", members, "all", "vital")]
        asked = {cell.id for cell in self._asked()}
        for cell in self.nugget_cells():
            made.append(self._nugget(cell, "vital" if cell.id in asked else "okay"))
        return tuple(replace(nugget, id=nugget_id(self.topic, i)) for i, nugget in enumerate(made))

    def nugget_cells(self) -> list[Cell]:
        """What is asked, what is told of the hub, two cells besides, and what is missing."""
        scenario = self.scenario
        told = [scenario.cell(scenario.hub, relation) for relation in scenario.domain.hub_relations]
        others = [r for r in scenario.active if r not in self.relations]
        besides = [r for r in others if r.many][:1] or others[:1]
        row = [cell for relation in besides for cell in scenario.row(relation)]
        cells = self._asked() + told
        cells += [cell for cell in row if cell.id not in scenario.hidden][:2]
        return cells + (
            [self.topic.question_plan.missing] if self.topic.question_plan.missing else []
        )

    def _nugget(self, cell: Cell, wanted: Weight) -> Nugget:
        if cell.id in self.scenario.hidden:
            return Nugget("", self.requests(cell), (), "any", wanted)
        if cell.relation.many:
            answers = tuple(
                NuggetAnswer(fact.value.plain, self.topic.references(fact.id))  # type: ignore[arg-type]
                for fact in cell.facts
            )
            return Nugget("", self.requests(cell), answers, "all", wanted)
        value = cell.fact.value
        exact = self.topic.references(cell.fact.id)
        answers = tuple(NuggetAnswer(alias, exact) for alias in self._wordings(value))
        if rounding := value.rounding("en"):
            about = self.topic.references(cell.fact.id, "rounded")
            answers += (NuggetAnswer(rounding, about),)
        wrong = ((cell.old.value.say("en"),) if cell.old else ()) + self._namesakes(cell)
        wrong = tuple(text for text in dict.fromkeys(wrong) if text not in value.aliases("en"))
        return Nugget("", self.requests(cell), answers, "any", wanted, wrong)

    def _namesakes(self, cell: Cell) -> tuple[str, ...]:
        """What some document says of another subject of the same name, under the same relation."""
        found = []
        for page in self.topic.pages:
            for stated in (s for sentence in page.sentences for s in sentence.facts):
                fact = stated.fact
                same = fact.relation == cell.relation.key and not fact.superseded
                if page.role == "namesake" and same and fact.subject.full == cell.subject.full:
                    found.append(fact.value.say("en"))
        return tuple(found)

    def _wordings(self, value: Value) -> tuple[str, ...]:
        """The aliases that differ in more than punctuation."""
        kept: dict[str, str] = {}
        for alias in value.aliases("en"):
            kept.setdefault(re.sub(r"[\W_]", "", alias.lower()), alias)
        return tuple(kept.values())

    # reports

    def long_answers(self) -> tuple[str, ...]:
        """Two reports that say all that is asked, each sentence with what it cites."""
        return self._report("ledger", first=True), self._report("wire", first=False)

    def _report(self, family: str, first: bool) -> str:
        printer = self.topic.printer("report", family)
        cells = self.nugget_cells()
        known = [cell for cell in cells if cell.id not in self.scenario.hidden]
        sentences = [_with_citations(printer.members(family), [self.topic.roll_call().id])]
        for cell in known if first else known[::-1]:
            sentences.append(self._cited(printer.cell(cell, family), first, cell))
        for cell in cells:
            if cell.id in self.scenario.hidden:
                sentences.append(printer.unknown(cell, "common.report.unknown").text)
        return " ".join(sentences)

    def _cited(self, said: PrintedSentence, first: bool, cell: Cell) -> str:
        """The sentence with a document that states all of it: the first such, or the last."""
        references = [self.topic.references(fact.id) for fact in cell.facts]
        common = [id for id in references[0] if all(id in other for other in references)]
        return _with_citations(said, [common[0] if first else common[-1]])

    def claims(self) -> tuple[str, ...]:
        if not self.topic.question_plan.answerable:
            return ()
        printer = self.topic.printer("claims")
        return tuple(printer.cell(cell, "ledger").text for cell in self._asked())

    def supporting(self) -> tuple[str, ...]:
        """The documents that state something asked, in the order of the question's documents."""
        if not self.topic.question_plan.answerable:
            return ()
        ids = {
            id
            for cell in self._asked()
            for fact in cell.facts
            for id in self.topic.references(fact.id, "rounded")
        }
        return tuple(page.id for page in self.topic.pages if page.id in ids)

    def decomposition(self) -> tuple[SubQuestion, ...]:
        if not self.topic.question_plan.answerable:
            return ()
        scenario = self.scenario
        of = scenario.domain.item["of_en"].format(H=scenario.hub.full["en"])
        names = tuple(item.full["en"] for item in scenario.items)
        steps = [SubQuestion(f"{self.topic.id}-s1", f"Which are the {of}?", names)]
        for i, cell in enumerate(self._asked(), 2):
            steps.append(
                SubQuestion(
                    f"{self.topic.id}-s{i}", self.requests(cell), _plain(cell), (steps[0].id,)
                )
            )
        return tuple(steps)


def _with_citations(said: PrintedSentence, ids: list[str]) -> str:
    return f"{said.text.rstrip('.')} {''.join(f'[{id}]' for id in ids)}."


def _plain(cell: Cell) -> Structured:
    if cell.relation.many:
        return tuple(fact.value.plain for fact in cell.facts)
    return cell.fact.value.plain
