"""How does a document read, from its first line to its last? One function for each kind.

Paragraphs of printed sentences; facts about one subject stand together, a second may share its
sentence, and lines that state nothing (scene, context, quotation) fill the page to its length.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.synthetic import numbers
from argue_bench.synthetic.assignment import DocumentPlan
from argue_bench.synthetic.grammar import Patterns
from argue_bench.synthetic.printer import PrintedSentence, Printer, finish
from argue_bench.synthetic.scenario import Cell, Scenario
from argue_bench.synthetic.stream import RandomStream
from argue_bench.synthetic.words import WORDS

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
_JOINED = {"en": " and ", "fr": " et "}
Paragraph = list[PrintedSentence]
Decoy = Literal["namesake", "neighbour"]


@dataclass(frozen=True)
class Page:
    """A document before it is a record: its paragraphs of printed sentences."""

    id: str
    kind: str
    language: str
    day: numbers.Date
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
        return "\n\n".join(
            " ".join(sentence.text for sentence in paragraph) for paragraph in self.paragraphs
        )

    @property
    def text(self) -> str:
        return f"{self.prose}\n\n{self.canary}"

    @property
    def words(self) -> int:
        return len(self.prose.split())


class DocumentWriter:
    """Writes one planned document."""

    def __init__(
        self,
        scenario: Scenario,
        plan: DocumentPlan,
        patterns: Patterns,
        stream: RandomStream,
        used_elsewhere: set[str],
    ) -> None:
        self.scenario, self.plan, self.stream = scenario, plan, stream
        self.printer = Printer(
            scenario, plan.language, patterns, stream, used_elsewhere=used_elsewhere
        )
        self.domain = scenario.domain.key
        self._connected = False
        self._fill_common()

    def write(self) -> tuple[str, tuple[tuple[PrintedSentence, ...], ...]]:
        """Title and paragraphs."""
        paragraphs = getattr(self, f"_{self.plan.kind}")()
        paragraphs = [paragraph for paragraph in paragraphs if paragraph]
        self._lengthen(paragraphs)
        return self._title(), tuple(map(tuple, paragraphs))

    # kinds of document

    def _agency(self) -> list[Paragraph]:
        printer = self.printer
        dateline = self._dateline()
        lead = [dateline, printer.plain(f"{self.domain}.lead", "wire")]
        if self.stream.chance(70):
            lead.append(printer.members(self._family()))
        facts = self._facts()
        first = facts[:1] if self.stream.chance(50) else []
        rest = facts[len(first) :]
        body = [lead, *first, [self._context()], *rest]
        body[2 + len(rest) // 2 : 2 + len(rest) // 2] = [[self._quote()]]
        return [*body, [self._close()]]

    def _followup(self) -> list[Paragraph]:
        printer = self.printer
        lead = [self._dateline(), printer.plain("common.followup.open")]
        corrected = [cell for cell in self.plan.cells if cell.old]
        fixes = [printer.corrected(cell) for cell in self.stream.shuffled(corrected)]
        why = [printer.plain("common.followup.why")] if fixes else []
        self.plan.cells = [cell for cell in self.plan.cells if not cell.old]
        rest = self._facts()
        return [lead, [*fixes, *why], *rest, [self._context(), self._close()]]

    def _local(self) -> list[Paragraph]:
        facts = self._facts()
        scene = [self.printer.plain(f"{self.domain}.scene")]
        about = [self.printer.plain("common.local.unrelated")]
        if self.stream.chance(50):
            scene, about = scene + about, []
        middle = [self._quote()] if self.stream.chance(70) else [self._context()]
        half = (len(facts) + 1) // 2
        return [scene, *facts[:half], middle, *facts[half:], about]

    def _statement(self) -> list[Paragraph]:
        printer = self.printer
        opening = [printer.plain(self._own("common.statement.open"))]
        if self.stream.chance(60):
            opening.append(printer.members(self._family()))
        facts = self._facts()
        middle = [printer.plain("common.statement.mid")]
        return [opening, *facts, middle, [printer.plain("common.statement.close")]]

    def _encyclopedia(self) -> list[Paragraph]:
        printer, focus = self.printer, self.plan.focus
        if focus:
            first = [printer.plain(f"{self.domain}.define_item", "ledger", focus[0])]
            facts = self._facts()
            return [first + (facts[0] if facts else []), *facts[1:], [self._context()]]
        first = [printer.plain(f"{self.domain}.define", "ledger", self.scenario.hub)]
        members = printer.members("ledger")
        facts = self._facts()
        return [[*first, members], *facts, [self._context()]]

    def _interview(self) -> list[Paragraph]:
        printer = self.printer
        paragraphs = [[printer.plain("common.interview.open")]]
        if self.stream.chance(60):
            paragraphs += self._exchange("warm")
        for cell in self._ordered():
            asked = printer.question(cell)
            if len(paragraphs) > 1 and self.stream.chance(20):
                before = printer.plain("common.interview.next").text
                asked = f"{before} {asked}"
            reply = self._state(cell, "voice")
            paragraphs.append([self._ask(asked)])
            paragraphs.append([self._dash(reply)])
        for cell in self.plan.unknown:
            paragraphs.append([self._ask(printer.question(cell))])
            paragraphs.append([self._dash(printer.unknown(cell))])
        return [*paragraphs, *self._exchange("last")]

    def _nothing(self) -> list[Paragraph]:
        printer = self.printer
        first = [printer.plain(f"{self.domain}.scene"), printer.plain("common.local.unrelated")]
        second = [self._context(), self._quote(), self._context()]
        third = [printer.plain(f"{self.domain}.scene"), printer.plain("common.local.unrelated")]
        return [first, second, third, [self._quote(), self._close()]]

    # pieces

    def _fill_common(self) -> None:
        scenario, plan, printer = self.scenario, self.plan, self.printer
        language = plan.language
        speaker = self.stream.below(len(scenario.speakers))
        name, gender = scenario.speakers[speaker]
        title = scenario.title[language]
        printer.slots.update(
            {
                "day": self._day_words(),
                "body": scenario.body[language],
                "speaker": name,
                "role": printer.role(speaker),
                "town": plan.focus[0].short[language] if self._town() else scenario.places[1],
                "T": title,
                "T.in": scenario.hub.full[language],
            }
        )
        printer.gender = gender if plan.kind == "interview" else scenario.hub.gender

    def _town(self) -> bool:
        return bool(self.plan.focus) and self.scenario.domain.item["what"] == "place"

    def _day_words(self) -> str:
        if self.plan.kind == "agency":
            name = WORDS["weekdays"][self.plan.language][datetime.date(*self.plan.day).weekday()]
            day = numbers.short_date(self.plan.day, "fr")
            return name if self.plan.language == "en" else f"{name} {day}"
        year = self.plan.day[0] != self.scenario.day[0] or self.stream.chance(30)
        say = numbers.long_date if year else numbers.short_date
        return say(self.plan.day, self.plan.language)

    def _family(self) -> str:
        first, second = _FAMILIES[self.plan.kind]
        return second if self.stream.chance(30) else first

    def _dateline(self) -> PrintedSentence:
        place = self.scenario.places[0].upper()
        day = numbers.short_date(self.plan.day, self.plan.language)
        return PrintedSentence(
            f"{place}, {day} ({self.scenario.press}) –",
            (),
            language=self.plan.language,
            role="dateline",
        )

    def _context(self) -> PrintedSentence:
        return self.printer.plain(f"{self.domain}.context")

    def _quote(self) -> PrintedSentence:
        return self.printer.plain(f"{self.domain}.quote")

    def _close(self) -> PrintedSentence:
        return self.printer.plain(f"{self.domain}.close")

    def _exchange(self, part: str) -> list[Paragraph]:
        both = self.printer.plain(f"common.interview.{part}")
        question, reply = both.text.split(" // ")
        return [[self._ask(question)], [self._dash(replace(both, text=reply))]]

    def _ask(self, text: str) -> PrintedSentence:
        return PrintedSentence(f"– {text}", (), language=self.plan.language, role="question")

    def _dash(self, said: PrintedSentence) -> PrintedSentence:
        return replace(said, text=f"– {said.text}")

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
        paragraphs: list[Paragraph] = []
        for relation in self.scenario.active:
            rows = [c for c in cells if c.relation is relation and c.id not in self.plan.forms]
            if len(rows) < 3 or self.plan.kind == "local":
                continue
            if said := self.printer.round(rows, _FAMILIES[self.plan.kind][0], self.plan.early):
                paragraphs.append([said])
                cells = [cell for cell in cells if cell not in rows]
                break
        groups: dict[str, list[Cell]] = {}
        for cell in cells:
            groups.setdefault(cell.subject.id, []).append(cell)
        spoken = [self._group(group) for group in groups.values()]
        spoken = _merged_short(spoken)
        if self.plan.unknown and spoken:
            spoken[-1] += [self.printer.unknown(cell) for cell in self.plan.unknown]
        elif self.plan.unknown:
            spoken.append([self.printer.unknown(cell) for cell in self.plan.unknown])
        hub_first = next(iter(groups), "") == self.scenario.hub.id
        return spoken[:1] + paragraphs + spoken[1:] if hub_first else paragraphs + spoken

    def _group(self, cells: list[Cell]) -> Paragraph:
        """The sentences about one subject; some joined, one perhaps led in by a connective."""
        said: Paragraph = []
        for cell in cells:
            sentence = self._state(cell, self._family())
            if said and (joined := self._join(said[-1], sentence, cell)):
                said[-1] = joined
            else:
                said.append(sentence)
        if not self._connected and self._may_connect(said):
            self._connected = True
            word = self.printer.plain("common.connect").text
            first = said[0].text
            said[0] = replace(said[0], text=f"{word} {first}")
        return said

    def _may_connect(self, said: Paragraph) -> bool:
        opening = said[0].text.split()[0] if said else ""
        entity = next((s.fact.subject for s in said[0].facts), None) if said else None
        if self.plan.kind in {"encyclopedia", "interview", "statement"} or not entity:
            return False
        name = entity.short[self.plan.language].split()[0]
        return opening == name and self.stream.chance(40)

    def _join(
        self, first: PrintedSentence, second: PrintedSentence, cell: Cell
    ) -> PrintedSentence | None:
        """ "It opened in May and cost a fortune": the second drops its subject."""
        language = self.plan.language
        pronouns = {cell.subject.pronoun(language)[0].capitalize()}
        pronouns |= {finish(text, language) for text, _ in cell.subject.called[language]}
        opening = next((p for p in sorted(pronouns) if second.text.startswith(f"{p} ")), None)
        plain = first.text.endswith(".") and not set(",;:(“") & set(first.text)
        plain = plain and _JOINED[language] not in first.text and first.family == second.family
        starts = first.facts and self._starts_with_subject(first, cell)
        if not (opening and plain and starts and len(first.text) < 90) or self.stream.chance(35):
            return None
        rest = second.text[len(opening) + 1 :]
        text = first.text[:-1] + _JOINED[language] + rest
        facts = first.facts + second.facts
        return PrintedSentence(text, facts, first.family, language)

    def _starts_with_subject(self, said: PrintedSentence, cell: Cell) -> bool:
        language, subject = self.plan.language, cell.subject
        names = {subject.full[language], subject.short[language], subject.pronoun(language)[0]}
        names |= {text for text, _ in subject.called[language]}
        return any(said.text.startswith(finish(name, language) + " ") for name in sorted(names))

    # length and title

    def _lengthen(self, paragraphs: list[Paragraph]) -> None:
        """Adds lines that state nothing until the document has its length."""
        lines = [f"{self.domain}.context"] * 2
        if self.plan.kind in {"local", "nothing"}:
            lines[1] = f"{self.domain}.scene"
        elif self.plan.kind == "statement":
            lines = ["common.statement.mid"] * 2
        goal = SHORTEST + 2 + (self.stream.below(30) if self.plan.kind != "encyclopedia" else 0)
        turn = 0
        order = self.stream.shuffled(range(1, max(2, len(paragraphs) - 1)))
        while _words(paragraphs) < goal:
            section = lines[turn % 2]
            if not self.printer.left(section):
                section = next((s for s in self._spare() if self.printer.left(s)), "")
            if not section:
                if _words(paragraphs) >= SHORTEST:
                    return
                section = f"{self.domain}.context"
            said = self.printer.plain(section)
            if self.plan.kind == "interview":
                self._into_replies(paragraphs, said, turn)
            elif len(paragraphs) > 1:
                paragraphs[min(order[turn % len(order)], len(paragraphs) - 1)].append(said)
            else:
                paragraphs.append([said])
            turn += 1

    def _spare(self) -> tuple[str, ...]:
        extra = ("statement.mid",) if self.plan.kind == "statement" else ("local.unrelated",)
        if self.plan.kind == "encyclopedia":
            return (f"{self.domain}.context", f"{self.domain}.close")
        if self.plan.kind in {"agency", "followup"}:
            return (f"{self.domain}.context", f"{self.domain}.quote", f"{self.domain}.close")
        return (f"{self.domain}.context", *(f"common.{name}" for name in extra))

    def _into_replies(self, paragraphs: list[Paragraph], said: PrintedSentence, turn: int) -> None:
        """In an interview only the one who replies rambles on."""
        replies = [p for p in paragraphs[1:] if p[0].role != "question"]
        replies[turn % len(replies)].append(said)

    def _title(self) -> str:
        printer, plan = self.printer, self.plan
        if plan.kind == "encyclopedia":
            entity = plan.focus[0] if plan.focus else self.scenario.hub
            return finish(entity.full[plan.language], plan.language)
        return printer.plain(self._own(f"common.title.{plan.kind}")).text

    def _own(self, section: str) -> str:
        """The section as this domain has it, if it does."""
        own = f"{section}.{self.domain}"
        return own if self.printer.left(own) else section


def _words(paragraphs: list[Paragraph]) -> int:
    return sum(len(said.text.split()) for paragraph in paragraphs for said in paragraph)


def _merged_short(groups: list[Paragraph]) -> list[Paragraph]:
    """Single sentences share a paragraph, two by two."""
    merged: list[Paragraph] = []
    for group in groups:
        if merged and len(merged[-1]) + len(group) <= 3 and len(group) < 3:
            merged[-1] = merged[-1] + group
        else:
            merged.append(group)
    return merged
