"""The question of a topic and its gold.

Gold is read off the facts and the provenance of printed sentences, never off the text: references
are all documents that state a fact, by construction.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

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
from tools.core_set.printer import PrintedSentence
from tools.core_set.scenario import Cell
from tools.core_set.values import Count, Quantity
from tools.core_set.wording import WORDS

if TYPE_CHECKING:
    from tools.core_set.topic import GeneratedTopic

_LIMITS = (1500, 2000, 2500, 3000, 4000)
_EVIDENCE = {"en": "in English", "fr": "in French", "mixed": "in both languages"}


def make_question(topic: GeneratedTopic) -> Question:
    """The question of a topic with all of its gold."""
    gold = _GoldMaker(topic)
    draw = topic.stream.child("question")
    long_answers = (gold.report("ledger", first=True), gold.report("wire", first=False))
    wanted = max(map(len, long_answers)) * 5 // 4
    limit = next((n for n in _LIMITS if n >= wanted), _LIMITS[-1])
    end = "Say what cannot be found out. Cite the documents."
    readers, known = WORDS["background"]["readers"], WORDS["background"]["known"]
    answers = Gold(topic.question_plan.answerable, None, (), gold.nuggets(), long_answers)
    if answers.answerable:
        answers = replace(
            answers,
            answer=gold.answer(),
            short_answers=gold.short_answers(),
            claims=gold.claims(),
            supporting=gold.supporting(),
            decomposition=gold.decomposition(),
        )
    return Question(
        id=topic.id,
        text=gold.text,
        request=Request(
            title=topic.scenario.title["en"],
            problem_statement=f"{gold.text} {gold.extra_request()} {end}",
            background=f"{draw.pick(readers)}. {draw.pick(known)}",
            limit=limit,
        ),
        documents=tuple(page.id for page in topic.pages),
        categories=(*topic.scenario.domain.categories, f"evidence {_EVIDENCE[topic.languages]}"),
        gold=answers,
    )


def nugget_cells(topic: GeneratedTopic) -> dict[str, Cell | None]:
    """The cell that each nugget asks about, by the nugget's id; None for the list of the items."""
    cells = [None, *_GoldMaker(topic).nugget_cells()]
    return {_nugget_id(topic, at): cell for at, cell in enumerate(cells)}


def _nugget_id(topic: GeneratedTopic, at: int) -> str:
    return f"{topic.id}-{at + 1}"


class _GoldMaker:
    """Makes the parts of one topic's gold."""

    def __init__(self, topic: GeneratedTopic) -> None:
        self.topic, self.scenario, self.plan = topic, topic.scenario, topic.question_plan
        self.relations = [
            next(r for r in self.scenario.active if r.key == key) for key in self.plan.relations
        ]
        self.cells = [cell for r in self.relations for cell in self.scenario.row(r)]
        """The cells that the question asks for."""
        self.items = self.scenario.domain.item["of_en"].format(H=self.scenario.hub.full["en"])
        fans = " and ".join(relation.fan for relation in self.relations)
        self.text = f"For each of the {self.items}, say {fans}."
        if self.plan.shape == "above":
            which = f"for which of the {self.items} was the figure above"
            self.text = f"Considering {fans}, {which} {self._threshold().say('en')}?"
        elif self.plan.shape == "first":
            which = f"which of the {self.items} had the highest figure, and what was it?"
            self.text = f"Considering {fans}, {which}"

    # the question

    def _threshold(self) -> Count | Quantity:
        """Halfway between two neighbouring figures, so that one is above and one below."""
        values = sorted(cell.figure.n for cell in self.cells)
        low = len(values) - 2 if len(values) < 4 else 1
        return self.cells[0].figure.at((values[low] + values[low + 1]) // 2)

    def extra_request(self) -> str:
        """The further questions that a report should answer."""
        return "A report should also answer: " + " ".join(map(self._question, self._besides()))

    def _besides(self) -> list[Cell]:
        """Two cells of the hub and two of items, one of which no document states, where one is missing.

        Neither number, kind nor place says which one that is.
        """
        scenario, draw = self.scenario, self.topic.stream.child("besides")
        others = [r for r in scenario.active if r not in self.relations and not r.corrected]
        stated = [cell for r in others for cell in scenario.row(r) if self._known(cell)]
        items = [self.plan.missing] if self.plan.missing else []
        items += draw.sample(stated, 2 - len(items))
        return draw.shuffled([*filter(self._known, self._hub_cells())][:2] + items)

    def _known(self, cell: Cell) -> bool:
        return cell.id not in self.scenario.hidden

    def _question(self, cell: Cell) -> str:
        """The question of a cell, with the hub's name."""
        text = cell.relation.question.replace("~", "")
        text = text.format(S=cell.subject.full["en"], H=self.scenario.hub.full["en"])
        return text[0].upper() + text[1:]

    # the answers

    def answer(self) -> Structured:
        if self.plan.shape == "above":
            limit = self._threshold().n
            return tuple(c.subject.full["en"] for c in self.cells if c.figure.n > limit)
        if self.plan.shape == "first":
            best = max(self.cells, key=lambda cell: cell.figure.n)
            return {best.subject.full["en"]: best.figure.plain}
        if len(self.relations) == 1:
            return {cell.subject.full["en"]: _plain(cell) for cell in self.cells}
        return {
            item.full["en"]: tuple(_plain(self.scenario.cell(item, r)) for r in self.relations)
            for item in self.scenario.items
        }

    def short_answers(self) -> tuple[ShortAnswer, ...]:
        languages = ("en",) if self.topic.languages == "en" else ("en", "fr")
        return tuple(
            ShortAnswer(
                self._question(cell),
                tuple(dict.fromkeys(a for lang in languages for a in fact.value.aliases(lang))),
            )
            for cell in self.cells
            for fact in cell.facts
        )

    def claims(self) -> tuple[str, ...]:
        printer = self.topic.printer("claims")
        return tuple(printer.cell(cell, "ledger").text for cell in self.cells)

    def supporting(self) -> tuple[str, ...]:
        """The documents that state something asked, in the order of the question's documents."""
        facts = [fact for cell in self.cells for fact in cell.facts]
        ids = {id for fact in facts for id in self.topic.references(fact.id, "rounded")}
        return tuple(page.id for page in self.topic.pages if page.id in ids)

    def decomposition(self) -> tuple[SubQuestion, ...]:
        id = f"{self.topic.id}-s"
        names = tuple(item.full["en"] for item in self.scenario.items)
        first = SubQuestion(f"{id}1", f"Which are the {self.items}?", names)
        return first, *(
            SubQuestion(f"{id}{i}", self._question(cell), _plain(cell), (first.id,))
            for i, cell in enumerate(self.cells, 2)
        )

    # nuggets

    def nuggets(self) -> tuple[Nugget, ...]:
        """The members, then every cell of ``nugget_cells`` in its order."""
        items, speaks_of = self.scenario.items, self.topic.speaks_of
        members = tuple(NuggetAnswer(item.full["en"], speaks_of(item.id)) for item in items)
        first = _nugget_id(self.topic, 0)
        made = [Nugget(first, f"Which are the {self.items}?", members, "all", "vital")]
        asked = {cell.id for cell in self.cells}
        for i, cell in enumerate(self.nugget_cells(), 1):
            weight: Weight = "vital" if cell.id in asked else "okay"
            made.append(replace(self._nugget(cell), id=_nugget_id(self.topic, i), weight=weight))
        return tuple(made)

    def nugget_cells(self) -> list[Cell]:
        """The cells that the question asks for, the hub's, two others, what the request lists, and the
        missing one.
        """
        scenario = self.scenario
        others = [r for r in scenario.active if r not in self.relations]
        others = [r for r in others if r.many][:1] or others[:1]
        row = [cell for relation in others for cell in scenario.row(relation)]
        cells = self.cells + self._hub_cells() + [*filter(self._known, row)][:2]
        cells += filter(self._known, self._besides())
        cells += [self.plan.missing] if self.plan.missing else []
        return list({cell.id: cell for cell in cells}.values())

    def _hub_cells(self) -> list[Cell]:
        scenario = self.scenario
        return [scenario.cell(scenario.hub, one) for one in scenario.domain.hub_relations]

    def _nugget(self, cell: Cell) -> Nugget:
        references, question = self.topic.references, self._question(cell)
        if cell.id in self.scenario.hidden:
            return Nugget("", question, (), "any")
        if cell.relation.many:
            listed = ((str(fact.value.plain), references(fact.id)) for fact in cell.facts)
            return Nugget("", question, tuple(NuggetAnswer(*one) for one in listed), "all")
        value = cell.fact.value
        # Aliases that differ in punctuation alone would make a judge answer the same twice.
        wordings: dict[str, str] = {}
        for alias in value.aliases("en"):
            wordings.setdefault(re.sub(r"[\W_]", "", alias.lower()), alias)
        exact = references(cell.fact.id)
        answers = [NuggetAnswer(alias, exact) for alias in wordings.values()]
        if rounding := value.rounding("en"):
            answers.append(NuggetAnswer(rounding, references(cell.fact.id, "rounded")))
        old = [cell.old.value.say("en")] if cell.old else []
        # The values that documents give for another subject of the same name and relation.
        pages = [page for page in self.topic.pages if page.role == "namesake"]
        printed = [one for page in pages for said in page.sentences for one in said.facts]
        namesakes = [
            one.fact.value.say("en")
            for one in printed
            if one.fact.relation == cell.relation.key
            and not one.fact.superseded
            and one.fact.subject.full == cell.subject.full
        ]
        wrong = dict.fromkeys([*old, *namesakes])
        wrongs = tuple(text for text in wrong if text not in value.aliases("en"))
        return Nugget("", question, tuple(answers), "any", wrong=wrongs)

    # reports

    def report(self, family: str, first: bool) -> str:
        """A report that says all that is asked, each sentence with a document that states all of it:
        the first such document, or the last.
        """
        printer = self.topic.printer("report", family)
        cells = self.nugget_cells()
        known = [*filter(self._known, cells)]
        sentences = [_with_citation(printer.members(family), self.topic.roll_call().id)]
        for cell in known if first else known[::-1]:
            references = [self.topic.references(fact.id) for fact in cell.facts]
            common = [id for id in references[0] if all(id in other for other in references)]
            printed = printer.cell(cell, family)
            sentences.append(_with_citation(printed, common[0] if first else common[-1]))
        for cell in cells:
            if cell.id in self.scenario.hidden:
                sentences.append(printer.unknown(cell, "common.report.unknown").text)
        return " ".join(sentences)


def _with_citation(printed: PrintedSentence, id: str) -> str:
    return f"{printed.text.rstrip('.')} [{id}]."


def _plain(cell: Cell) -> Structured:
    values = tuple(fact.value.plain for fact in cell.facts)
    return values if cell.relation.many else values[0]
