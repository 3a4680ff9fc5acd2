"""Whole documents composed of printed sentences, one function for each kind of document.

A paragraph holds the facts about one subject, and a sentence may state two of them. Sentences that
state no fact (scene, context, quotation) fill the document to its length.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Literal

from tools.core_set import wording
from tools.core_set.assignment import DocumentPlan
from tools.core_set.grammar import Patterns
from tools.core_set.printer import PrintedSentence, Printer, finish
from tools.core_set.scenario import Cell, Scenario
from tools.core_set.stream import RandomStream
from tools.core_set.wording import WORDS

SHORTEST, LONGEST = 120, 400
"""Words of a document, the canary line not counted."""
_FAMILIES = {
    "agency": ("wire", "desk"),
    "followup": ("desk", "wire"),
    "local": ("local", "wire"),
    "statement": ("office", "ledger"),
    "encyclopedia": ("ledger", "ledger"),
    "interview": ("voice", "voice"),
    "nothing": ("local", "local"),
}
_AND = {"en": " and ", "fr": " et "}
Paragraph = list[PrintedSentence]
Decoy = Literal["namesake", "neighbour"]


@dataclass(frozen=True)
class Page:
    """A document before it is a record: its paragraphs of printed sentences."""

    id: str
    kind: str
    language: str
    day: wording.Date
    title: str
    paragraphs: tuple[tuple[PrintedSentence, ...], ...]
    canary: str
    scenario: Scenario
    role: Literal["evidence", "duplicate", "no answer"] | Decoy = "evidence"

    @property
    def sentences(self) -> tuple[PrintedSentence, ...]:
        """Every printed sentence in order."""
        return tuple(sentence for paragraph in self.paragraphs for sentence in paragraph)

    @property
    def prose(self) -> str:
        """The text without the canary line."""
        return "\n\n".join(" ".join(one.text for one in part) for part in self.paragraphs)

    @property
    def text(self) -> str:
        return f"{self.prose}\n\n{self.canary}"

    @property
    def words(self) -> int:
        return len(self.prose.split())


class DocumentWriter:
    """Writes one planned document.

    ``used_elsewhere``: lines without facts that other documents of the topic have used.
    """

    def __init__(
        self,
        scenario: Scenario,
        plan: DocumentPlan,
        patterns: Patterns,
        stream: RandomStream,
        used_elsewhere: set[str],
    ) -> None:
        self.scenario, self.plan, self.stream = scenario, plan, stream
        self.domain, self.language = scenario.domain.key, plan.language
        self.printer = Printer(
            scenario, plan.language, patterns, stream, used_elsewhere=used_elsewhere
        )
        self._connected = False
        speaker = stream.below(len(scenario.speakers))
        name, gender = scenario.speakers[speaker]
        in_town = bool(plan.focus) and scenario.domain.item["what"] == "place"
        self.printer.slots |= {
            "day": self._day(),
            "body": scenario.body[plan.language],
            "speaker": name,
            "role": self.printer.role(speaker),
            "town": plan.focus[0].short[plan.language] if in_town else scenario.places[1],
            "T": scenario.title[plan.language],
            "T.in": scenario.hub.full[plan.language],
        }
        self.printer.gender = gender if plan.kind == "interview" else scenario.hub.gender

    def write(self) -> tuple[str, tuple[tuple[PrintedSentence, ...], ...]]:
        """Title and paragraphs."""
        kinds = {
            "agency": self._agency,
            "followup": self._followup,
            "local": self._local,
            "statement": self._statement,
            "encyclopedia": self._encyclopedia,
            "interview": self._interview,
            "nothing": self._nothing,
        }
        paragraphs = [paragraph for paragraph in kinds[self.plan.kind]() if paragraph]
        self._lengthen(paragraphs)
        if self.plan.kind == "encyclopedia":
            entity = self.plan.focus[0] if self.plan.focus else self.scenario.hub
            title = finish(entity.full[self.language], self.language)
        else:
            title = self.printer.plain(self._own(f"common.title.{self.plan.kind}")).text
        return title, tuple(map(tuple, paragraphs))

    # kinds of document

    def _agency(self) -> list[Paragraph]:
        lead = [self._dateline(), self.printer.plain(f"{self.domain}.lead", "wire")]
        if self.stream.chance(70):
            lead.append(self.printer.members(self._family()))
        facts = self._facts()
        first = facts[:1] if self.stream.chance(50) else []
        rest = facts[len(first) :]
        body = [lead, *first, [self._line("context")], *rest]
        body.insert(2 + len(rest) // 2, [self._line("quote")])
        return [*body, [self._line("close")]]

    def _followup(self) -> list[Paragraph]:
        lead = [self._dateline(), self.printer.plain("common.followup.open")]
        corrected = [cell for cell in self.plan.cells if cell.old]
        fixes = [self.printer.corrected(cell) for cell in self.stream.shuffled(corrected)]
        if fixes:
            fixes.append(self.printer.plain("common.followup.why"))
        self.plan.cells = [cell for cell in self.plan.cells if not cell.old]
        return [lead, fixes, *self._facts(), [self._line("context"), self._line("close")]]

    def _local(self) -> list[Paragraph]:
        facts = self._facts()
        scene = [self._line("scene")]
        about = [self.printer.plain("common.local.unrelated")]
        if self.stream.chance(50):
            scene, about = scene + about, []
        middle = [self._line("quote" if self.stream.chance(70) else "context")]
        half = (len(facts) + 1) // 2
        return [scene, *facts[:half], middle, *facts[half:], about]

    def _statement(self) -> list[Paragraph]:
        opening = [self.printer.plain(self._own("common.statement.open"))]
        if self.stream.chance(60):
            opening.append(self.printer.members(self._family()))
        facts = self._facts()
        middle = [self.printer.plain("common.statement.mid")]
        return [opening, *facts, middle, [self.printer.plain("common.statement.close")]]

    def _encyclopedia(self) -> list[Paragraph]:
        printer, focus = self.printer, self.plan.focus
        if focus:
            first = [printer.plain(f"{self.domain}.define_item", "ledger", focus[0])]
            facts = self._facts()
            return [first + (facts[0] if facts else []), *facts[1:], [self._line("context")]]
        first = [printer.plain(f"{self.domain}.define", "ledger", self.scenario.hub)]
        return [[*first, printer.members("ledger")], *self._facts(), [self._line("context")]]

    def _interview(self) -> list[Paragraph]:
        printer = self.printer
        paragraphs = [[printer.plain("common.interview.open")]]
        if self.stream.chance(60):
            paragraphs += self._exchange("warm")
        for cell in self._ordered():
            asked = printer.question(cell)
            if len(paragraphs) > 1 and self.stream.chance(20):
                asked = f"{printer.plain('common.interview.next').text} {asked}"
            paragraphs += self._turns(asked, self._state(cell, "voice"))
        for cell in self.plan.unknown:
            paragraphs += self._turns(printer.question(cell), printer.unknown(cell))
        return [*paragraphs, *self._exchange("last")]

    def _nothing(self) -> list[Paragraph]:
        unrelated = "common.local.unrelated"
        return [
            [self._line("scene"), self.printer.plain(unrelated)],
            [self._line("context"), self._line("quote"), self._line("context")],
            [self._line("scene"), self.printer.plain(unrelated)],
            [self._line("quote"), self._line("close")],
        ]

    # pieces

    def _line(self, section: str) -> PrintedSentence:
        """A line of the domain that states nothing: scene, context, quote or close."""
        return self.printer.plain(f"{self.domain}.{section}")

    def _day(self) -> str:
        day, language = self.plan.day, self.language
        if self.plan.kind == "agency":
            name: str = WORDS["weekdays"][language][datetime.date(*day).weekday()]
            return name if language == "en" else f"{name} {wording.short_date(day, 'fr')}"
        year = day[0] != self.scenario.day[0] or self.stream.chance(30)
        return (wording.long_date if year else wording.short_date)(day, language)

    def _family(self) -> str:
        first, second = _FAMILIES[self.plan.kind]
        return second if self.stream.chance(30) else first

    def _dateline(self) -> PrintedSentence:
        place, day = self.scenario.places[0].upper(), self.plan.day
        text = f"{place}, {wording.short_date(day, self.language)} ({self.scenario.press}) –"
        return PrintedSentence(text, language=self.language, role="dateline")

    def _exchange(self, part: str) -> list[Paragraph]:
        both = self.printer.plain(f"common.interview.{part}")
        question, reply = both.text.split(" // ")
        return self._turns(question, replace(both, text=reply))

    def _turns(self, question: str, reply: PrintedSentence) -> list[Paragraph]:
        """A question of an interview and its reply."""
        asked = PrintedSentence(f"– {question}", language=self.language, role="question")
        return [[asked], [replace(reply, text=f"– {reply.text}")]]

    # facts

    def _ordered(self) -> list[Cell]:
        """The hub's cells first (last where the page is about items), then item by item."""
        order = {item.id: i for i, item in enumerate(self.stream.shuffled(self.scenario.items))}
        cells = self.stream.shuffled(self.plan.cells)
        hub = 99 if self.plan.focus else -1
        return sorted(cells, key=lambda cell: order.get(cell.subject.id, hub))

    def _state(self, cell: Cell, family: str) -> PrintedSentence:
        plan = self.plan
        only = tuple(cell.facts[i] for i in plan.parts.get(cell.id, ()))
        old = plan.early and cell.old is not None
        return self.printer.cell(cell, family, plan.forms.get(cell.id, "exact"), old, only)

    def _facts(self) -> list[Paragraph]:
        """Paragraphs that state the plan's cells."""
        cells = self._ordered()
        rounds: list[Paragraph] = []
        for relation in self.scenario.active:
            rows = [c for c in cells if c.relation is relation and c.id not in self.plan.forms]
            if len(rows) < 3 or self.plan.kind == "local":
                continue
            if line := self.printer.round(rows, _FAMILIES[self.plan.kind][0], self.plan.early):
                rounds.append([line])
                cells = [cell for cell in cells if cell not in rows]
                break
        groups: dict[str, list[Cell]] = {}
        for cell in cells:
            groups.setdefault(cell.subject.id, []).append(cell)
        paragraphs: list[Paragraph] = []
        for said in map(self._group, groups.values()):  # short paragraphs are joined, two by two
            if paragraphs and len(said) < 3 and len(paragraphs[-1]) + len(said) <= 3:
                paragraphs[-1] = paragraphs[-1] + said
            else:
                paragraphs.append(said)
        if self.plan.unknown:
            unknown = [self.printer.unknown(cell) for cell in self.plan.unknown]
            paragraphs[-1:] = [paragraphs[-1] + unknown] if paragraphs else [unknown]
        hub_first = next(iter(groups), "") == self.scenario.hub.id
        return paragraphs[:1] + rounds + paragraphs[1:] if hub_first else rounds + paragraphs

    def _group(self, cells: list[Cell]) -> Paragraph:
        """The sentences about one subject; some joined, one perhaps led in by a connective."""
        said: Paragraph = []
        for cell in cells:
            sentence = self._state(cell, self._family())
            if said and (joined := self._join(said[-1], sentence, cell)):
                said[-1] = joined
            else:
                said.append(sentence)
        bare = self._connected or self.plan.kind in {"encyclopedia", "interview", "statement"}
        if not bare and said[0].facts:
            name = said[0].facts[0].fact.subject.short[self.language].split()[0]
            if said[0].text.split()[0] == name and self.stream.chance(40):
                self._connected = True
                word = self.printer.plain("common.connect").text
                said[0] = replace(said[0], text=f"{word} {said[0].text}")
        return said

    def _join(
        self, first: PrintedSentence, second: PrintedSentence, cell: Cell
    ) -> PrintedSentence | None:
        """ "It opened in May and cost a fortune": the second drops its subject."""
        language, subject = self.language, cell.subject
        called = {text for text, _ in subject.called[language]}
        pronoun = subject.pronoun(language)[0]
        openings = {pronoun.capitalize()} | {finish(text, language) for text in called}
        opening = next((o for o in sorted(openings) if second.text.startswith(f"{o} ")), None)
        plain = first.text.endswith(".") and not set(",;:(“") & set(first.text)
        plain = plain and _AND[language] not in first.text and first.family == second.family
        names = {subject.full[language], subject.short[language], pronoun} | called
        subjects = tuple(finish(name, language) + " " for name in names)
        starts = first.facts and first.text.startswith(subjects)
        if not (opening and plain and starts and len(first.text) < 90) or self.stream.chance(35):
            return None
        text = first.text[:-1] + _AND[language] + second.text[len(opening) + 1 :]
        return PrintedSentence(text, first.facts + second.facts, first.family, language)

    # length

    def _lengthen(self, paragraphs: list[Paragraph]) -> None:
        """Adds lines that state nothing until the document has its length."""
        kind, context = self.plan.kind, f"{self.domain}.context"
        lines, spare = (context, context), [context, f"{self.domain}.close"]
        if kind in {"agency", "followup"}:
            spare.insert(1, f"{self.domain}.quote")
        elif kind == "statement":
            lines, spare = ("common.statement.mid",) * 2, [context, "common.statement.mid"]
        elif kind != "encyclopedia":
            spare[1] = "common.local.unrelated"
            if kind != "interview":
                lines = (context, f"{self.domain}.scene")
        goal = SHORTEST + 2 + (self.stream.below(30) if kind != "encyclopedia" else 0)
        turn = 0
        order = self.stream.shuffled(range(1, max(2, len(paragraphs) - 1)))
        while _words(paragraphs) < goal:
            # When the document's own sections are used up, lines of others are taken.
            sections = (lines[turn % 2], *spare)
            section = next((one for one in sections if self.printer.left(one)), "")
            if not section and _words(paragraphs) >= SHORTEST:
                return
            said = self.printer.plain(section or context)
            if kind == "interview":  # only the one who replies rambles on
                replies = [p for p in paragraphs[1:] if p[0].role != "question"]
                replies[turn % len(replies)].append(said)
            elif len(paragraphs) > 1:
                paragraphs[min(order[turn % len(order)], len(paragraphs) - 1)].append(said)
            else:
                paragraphs.append([said])
            turn += 1

    def _own(self, section: str) -> str:
        """The section as this domain has it, if it does."""
        own = f"{section}.{self.domain}"
        return own if self.printer.left(own) else section


def _words(paragraphs: list[Paragraph]) -> int:
    return sum(len(said.text.split()) for paragraph in paragraphs for said in paragraph)
