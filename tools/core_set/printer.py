"""Prints facts as sentences of one document.

A Printer knows what was named already (so that the next sentence may say "it" or "the bridge"), which
patterns were used, and the habits of its language. Every sentence comes with its provenance: the facts
that it states, in which form, from which pattern family. Gold is read off the provenance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tools.core_set import wording
from tools.core_set.grammar import PLAIN, Pattern, Patterns, expand
from tools.core_set.scenario import Cell, Entity, Fact, Scenario
from tools.core_set.stream import RandomStream
from tools.core_set.values import Day, Form

_VOWEL = "aeiouyàâäéèêëîïôöùûüœAEIOUÀÂÉÈÊËÎÏÔÙÛ"
_ELIDE = re.compile(rf"\b([Dd]|[Qq]u|[Jj]usqu|[Ll]orsqu|[Pp]uisqu)e (?=[{_VOWEL}])(?!onze\b|oui\b)")
_ARTICLE = re.compile(r"\b([Dd]e|[Ààa]) (le|les) (?=\S)")
_DE_DES = re.compile(r"\b([Dd])e des? (?=\S)")
_CONTRACTED = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}
_KIN = {
    "wire": ("desk", "ledger"),
    "desk": ("wire", "ledger"),
    "local": ("wire", "voice", "desk"),
    "ledger": ("wire", "desk"),
    "office": ("ledger", "wire"),
    "voice": ("local", "wire", "desk"),
}
"""Where a page has used up the lines of a family for a section, the families that help out."""
_SENTENCE_START = re.compile(r"^(\W*)(\w)", re.UNICODE)


@dataclass(frozen=True, slots=True)
class StatedFact:
    """The statement of a fact by a sentence, with its precision."""

    fact: Fact
    form: Form = "exact"


@dataclass(frozen=True, slots=True)
class PrintedSentence:
    """A sentence with its provenance. Sentences that state nothing of the gold have no facts."""

    text: str
    facts: tuple[StatedFact, ...] = ()
    family: str = PLAIN
    language: str = "en"
    role: Literal["prose", "question", "dateline", "correction"] = "prose"
    unknown: str = ""
    """The id of a cell of which the sentence says that it is not known."""


class Printer:
    """Prints sentences about one scenario, in one language, one after the other.

    ``used_elsewhere``: lines without facts that other documents of the topic have used. ``for_report``:
    names in full and values in their usual spelling, as in gold; a document varies both.
    """

    def __init__(
        self,
        scenario: Scenario,
        language: str,
        patterns: Patterns,
        stream: RandomStream,
        used_elsewhere: set[str] | None = None,
        for_report: bool = False,
    ) -> None:
        self.scenario, self.language, self.patterns = scenario, language, patterns
        self.stream, self._for_report = stream, for_report
        self.slots = {
            "n": wording.in_words(len(scenario.items), language),
            "n.less": wording.in_words(len(scenario.items) - 1, language),
            "noun": str(scenario.domain.item[f"nouns_{language}"]),
        }
        self.gender = scenario.hub.gender
        """The gender that French endings agree with where a sentence names no subject."""
        self._named: set[str] = set()
        self._last = self._subject_last = ""
        self._american = language == "en" and not for_report and stream.chance(15)
        self._used: set[str] = set()
        self._used_elsewhere = used_elsewhere if used_elsewhere is not None else set()
        self._fresh_speakers = stream.shuffled(range(1, len(scenario.speakers)))

    # what a document says

    def cell(
        self,
        cell: Cell,
        family: str,
        form: Form = "exact",
        old: bool = False,
        only: tuple[Fact, ...] = (),
    ) -> PrintedSentence:
        """The sentence that states a cell; ``old`` its superseded figure, ``only`` a list's part."""
        facts = (cell.old,) if old and cell.old else (only or cell.facts)
        stated = tuple(StatedFact(fact, form) for fact in facts)
        section = f"{self.scenario.domain.key}.{cell.relation.key}"
        return self._print(section, family, cell.subject, stated)

    def round(self, cells: list[Cell], family: str, old: bool = False) -> PrintedSentence | None:
        """One sentence for the same relation of several items, where a pattern exists."""
        key = f"{self.scenario.domain.key}.{cells[0].relation.key}.round"
        if not self.patterns.has(self.language, key, family):
            return None
        spoken, pattern = self._pattern(key, family)
        rows, facts = [], []
        self._last = ""
        for cell in cells:
            facts.append(StatedFact(cell.old if old and cell.old else cell.fact))
            self.slots["v"] = self._values(facts[-1:])
            rows.append(expand(pattern.row, self._filler(cell.subject, False), self.stream))
        head = expand(pattern.parts, self._filler(None, False), self.stream)
        tail = expand(pattern.tail, self._filler(None, False), self.stream)
        text = finish(head + wording.join_words(rows, self.language) + tail, self.language)
        return PrintedSentence(text, tuple(facts), spoken, self.language)

    def members(self, family: str) -> PrintedSentence:
        """The list of the items."""
        names = [item.full[self.language] for item in self.scenario.items]
        self.slots["items"] = wording.join_words(names, self.language)
        self._named.update(item.id for item in self.scenario.items)
        stated = tuple(map(StatedFact, self.scenario.members))
        section = f"{self.scenario.domain.key}.members"
        printed = self._print(section, family, self.scenario.hub, stated)
        self._last = ""
        return printed

    def corrected(self, cell: Cell) -> PrintedSentence:
        """A sentence that corrects a figure that was first given otherwise."""
        assert cell.old is not None
        self.slots["old"] = cell.old.value.say(self.language)
        self.slots["np"] = self._noun_phrase(cell)
        stated, value = (StatedFact(cell.fact),), cell.fact.value.say(self.language)
        printed = self._print("common.corrected", "desk", cell.subject, stated, value)
        self._named.add(cell.subject.id)
        self._last = ""
        return replace(printed, role="correction")

    def unknown(self, cell: Cell, section: str = "common.unknown") -> PrintedSentence:
        """A sentence that says that a cell is not known."""
        self.slots["np"] = self._noun_phrase(cell)
        return replace(self.plain(section), unknown=cell.id)

    def plain(
        self, section: str, family: str = PLAIN, subject: Entity | None = None
    ) -> PrintedSentence:
        """A sentence that states no fact of the gold."""
        if not subject:
            self._last = ""
        return self._print(section, family, subject)

    def question(self, cell: Cell) -> str:
        """The question of a cell as one asks it in conversation, without the hub's name."""
        name, relation = cell.subject.full[self.language], cell.relation
        if self.language == "fr":
            text = relation.ask_fr.format(S=name, il=cell.subject.pronoun("fr")[0])
        else:
            text = re.sub(r"~[^~]*~", "", relation.question)
            text = text.format(S=name, H=self.scenario.hub.full["en"])
        return finish(text, self.language)

    def left(self, section: str) -> bool:
        """Whether the section has a plain line that this document has not used."""
        _, lines = self.patterns.find(self.language, section, PLAIN)
        return any(line.source not in self._used for line in lines)

    def role(self, speaker: int) -> str:
        """The role of this speaker, the same in every document."""
        gender = self.scenario.speakers[speaker][1]
        roles = self.scenario.domain.item[f"roles_{self.language}"]
        fit = [r.split("|")[0] for r in roles if "|" not in r or r.endswith(f"|{gender}")]
        return str(fit[speaker % len(fit)]).replace("{P}", self.scenario.places[2])

    # how it says it

    def _noun_phrase(self, cell: Cell) -> str:
        """The noun phrase of a cell: "the number of people evacuated in Karvel"."""
        name, pronoun = cell.subject.full[self.language], cell.subject.pronoun(self.language)[0]
        return cell.relation.np[self.language].format(S=name, il=pronoun)

    def _pattern(self, section: str, family: str) -> tuple[str, Pattern]:
        """A pattern that this document has not used, with its family, if there is one left."""
        spoken, lines = self.patterns.find(self.language, section, family)
        fresh = [line for line in lines if line.source not in self._used]
        for other in () if fresh or family == PLAIN else _KIN[family]:
            others = self.patterns.lines.get((self.language, section, other), ())
            if fresh := [line for line in others if line.source not in self._used]:
                spoken = other
                break
        if family == PLAIN:
            fresh = [line for line in fresh if line.source not in self._used_elsewhere] or fresh
        pattern = self.stream.pick(fresh or list(lines))
        self._used.add(pattern.source)
        if family == PLAIN:
            self._used_elsewhere.add(pattern.source)
        return spoken, pattern

    def _print(
        self,
        section: str,
        family: str,
        subject: Entity | None,
        facts: tuple[StatedFact, ...] = (),
        value: str = "",
    ) -> PrintedSentence:
        spoken, pattern = self._pattern(section, family)
        self.slots["v"] = value or self._values(facts)
        text = expand(pattern.parts, self._filler(subject, pattern.opens_with_subject), self.stream)
        self._last = subject.id if subject else ""
        self._subject_last = self._last if pattern.opens_with_subject else ""
        return PrintedSentence(finish(text, self.language), facts, spoken, self.language)

    def _values(self, facts: Sequence[StatedFact]) -> str:
        stream = None if self._for_report else self.stream
        said = [
            wording.long_date(stated.fact.value.day, "en", 1)
            if self._american and isinstance(stated.fact.value, Day)
            else stated.fact.value.say(self.language, stated.form, stream)
            for stated in facts
        ]
        return wording.join_words(said, self.language)

    def _filler(self, subject: Entity | None, opens: bool) -> Callable[[str], str]:
        """A function that gives the text of a slot of one sentence."""
        named: tuple[str, str] | None = None

        def fill(name: str) -> str:
            nonlocal named
            hub = self.scenario.hub
            if name == "S" and subject:
                named = self._mention(subject, opens and named is None)
                return named[0]
            if name == "e":
                return "e" if (named[1] if named else self.gender) == "f" else ""
            if name == "H":
                self._named.add(hub.id)
                return hub.full[self.language]
            if name == "h":
                return self._mention_hub()
            if name == "who":
                at = self._fresh_speakers.pop() if self._fresh_speakers else 0
                return f"{self.scenario.speakers[at][0]}, {self.role(at)}"
            if name == "P":
                return self.stream.pick(self.scenario.places)
            return self.slots[name]

        return fill

    def _mention(self, entity: Entity, may_be_short: bool) -> tuple[str, str]:
        """The next mention of a hub or item, with its gender: name, description or pronoun."""
        language = self.language
        if entity.id not in self._named or self._for_report:
            self._named.add(entity.id)
            return entity.full[language], entity.gender
        called, again = entity.called[language], self._last == entity.id
        if may_be_short and again:
            if called and (self.stream.chance(40) or self._subject_last != entity.id):
                return self.stream.pick(called)
            if self._subject_last == entity.id or entity.person:
                return entity.pronoun(language)
        place = self.scenario.domain.item["what"] == "place" and language == "fr"
        if again and called and not entity.person and not place and self.stream.chance(55):
            return self.stream.pick(called)
        if entity.id == self.scenario.hub.id:
            return self._mention_hub(), entity.gender
        return entity.short[language], entity.gender

    def _mention_hub(self) -> str:
        hub = self.scenario.hub
        if hub.id not in self._named or self._for_report:
            self._named.add(hub.id)
            return hub.full[self.language]
        text, gender = hub.called[self.language][0]
        self.gender = gender or hub.gender
        return text


def finish(text: str, language: str) -> str:
    """Capital at the start; elision, contraction and fixed blanks in French."""
    if language == "fr":
        text = _DE_DES.sub(r"\1e ", text)
        text = _ARTICLE.sub(_contract, text)
        text = _ELIDE.sub(r"\1'", text)
        text = text.replace("si il ", "s'il ").replace(" ?", "\u202f?").replace(" ;", "\u202f;")
        text = text.replace(" :", "\u00a0:").replace("« ", "«\u00a0").replace(" »", "\u00a0»")
    return _SENTENCE_START.sub(lambda found: found[1] + found[2].upper(), text, count=1)


def _contract(found: re.Match[str]) -> str:
    joined = _CONTRACTED.get(f"{found[1].lower()} {found[2]}")
    if joined is None:
        return found[0]
    return (joined.capitalize() if found[1][0].isupper() else joined) + " "
