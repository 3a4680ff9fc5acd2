"""How does a fact become a sentence of a particular page?

A Printer writes one document: it knows what was named already (so the next sentence may say "it"
or "the bridge"), which patterns were used, and which language's habits to keep. Every sentence
comes with its provenance: the facts it states, in which form, from which pattern family.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from argue_bench.synthetic import numbers
from argue_bench.synthetic.grammar import PLAIN, Pattern, Patterns, expand
from argue_bench.synthetic.scenario import Cell, Entity, Fact, Scenario
from argue_bench.synthetic.stream import RandomStream
from argue_bench.synthetic.values import Day, Form, Value

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
    """That a sentence states a fact, and how exactly."""

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


@dataclass(slots=True)
class _Mention:
    text: str
    gender: str


class Printer:
    """Prints sentences about one case, in one language, one after the other."""

    def __init__(
        self,
        scenario: Scenario,
        language: str,
        patterns: Patterns,
        stream: RandomStream,
        pronouns: bool = True,
        heard: set[str] | None = None,
        canonical: bool = False,
    ) -> None:
        self.scenario, self.language, self.patterns = scenario, language, patterns
        self.stream, self.pronouns, self.canonical = stream, pronouns, canonical
        self.slots: dict[str, str] = {}
        self._named: set[str] = set()
        self._last = ""
        self._subject_last = ""
        self._american = language == "en" and not canonical and stream.chance(15)
        self._used: set[str] = set()
        self._heard = heard if heard is not None else set()
        """Lines without facts that other documents of the topic have used: others come first."""
        self._fresh_speakers = stream.shuffled(range(1, len(scenario.speakers)))
        self._gender = scenario.hub.gender

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
        section = f"{self.scenario.domain.key}.{cell.relation.key}"
        spoken, pattern = self._pattern(section, family)
        text = self._sentence(pattern, cell.subject, self._value(facts, form))
        return PrintedSentence(
            text, tuple(StatedFact(fact, form) for fact in facts), spoken, self.language
        )

    def round(self, cells: list[Cell], family: str, old: bool = False) -> PrintedSentence | None:
        """One sentence for the same relation of several items, where a pattern exists."""
        key = f"{self.scenario.domain.key}.{cells[0].relation.key}.round"
        if not self.patterns.has(self.language, key, family):
            return None
        spoken, pattern = self._pattern(key, family)
        rows, facts = [], []
        for cell in cells:
            fact = cell.old if old and cell.old else cell.fact
            self.slots["v"] = self._value((fact,), "exact")
            self._last = ""
            rows.append(expand(pattern.row, self._filler(cell.subject, False), self.stream))
            facts.append(StatedFact(fact))
        self._last = ""
        head = expand(pattern.parts, self._filler(None, False), self.stream)
        tail = expand(pattern.tail, self._filler(None, False), self.stream)
        text = self._finish(head + numbers.join_words(rows, self.language) + tail)
        return PrintedSentence(text, tuple(facts), spoken, self.language)

    def members(self, family: str) -> PrintedSentence:
        """Which items there are."""
        items = self.scenario.items
        spoken, pattern = self._pattern(f"{self.scenario.domain.key}.members", family)
        self.slots["items"] = numbers.join_words(
            [i.full[self.language] for i in items], self.language
        )
        self._named.update(item.id for item in items)
        text = self._sentence(pattern, self.scenario.hub, "")
        self._last = ""
        return PrintedSentence(
            text, tuple(StatedFact(fact) for fact in self.scenario.members), spoken, self.language
        )

    def corrected(self, cell: Cell) -> PrintedSentence:
        """That a figure was first given otherwise."""
        assert cell.old is not None  # noqa: S101
        spoken, pattern = self._pattern("common.corrected", "desk")
        self.slots["old"] = cell.old.value.say(self.language)
        self.slots["np"] = self.about(cell)
        text = self._sentence(pattern, cell.subject, cell.fact.value.say(self.language))
        self._named.add(cell.subject.id)
        self._last = ""
        return PrintedSentence(text, (StatedFact(cell.fact),), spoken, self.language, "correction")

    def unknown(self, cell: Cell, section: str = "common.unknown") -> PrintedSentence:
        """That nothing is known of a cell."""
        self.slots["np"] = self.about(cell)
        return self.plain(section, unknown=cell.id)

    def plain(
        self,
        section: str,
        family: str = PLAIN,
        subject: Entity | None = None,
        unknown: str = "",
        role: Literal["prose", "question", "dateline"] = "prose",
    ) -> PrintedSentence:
        """A sentence that states no fact of the gold."""
        spoken, pattern = self._pattern(section, family)
        if not subject:
            self._last = ""
        text = self._sentence(pattern, subject, "")
        if not subject:
            self._last = ""
        return PrintedSentence(text, (), spoken, self.language, role, unknown)

    def about(self, cell: Cell) -> str:
        """The noun phrase of a cell: "the number of people evacuated in Karvel"."""
        entity = cell.subject
        name = entity.full[self.language]
        he = entity.pronoun(self.language)[0]
        return cell.relation.np[self.language].format(S=name, il=he)

    def question(self, cell: Cell) -> str:
        """The question of a cell as one asks it in conversation, without the hub's name."""
        name = cell.subject.full[self.language]
        if self.language == "fr":
            text = cell.relation.ask_fr.format(S=name, il=cell.subject.pronoun("fr")[0])
            return self._finish(text)
        text = re.sub(r"~[^~]*~", "", cell.relation.question)
        return self._finish(text.format(S=name, H=self.scenario.hub.full["en"]))

    # how it says it

    def _pattern(self, section: str, family: str) -> tuple[str, Pattern]:
        spoken, lines = self.patterns.find(self.language, section, family)
        fresh = [line for line in lines if line.source not in self._used]
        if not fresh and family != PLAIN:
            for other in _KIN[family]:
                others = self.patterns.lines.get((self.language, section, other), ())
                fresh = [line for line in others if line.source not in self._used]
                if fresh:
                    spoken = other
                    break
        if family == PLAIN:
            fresh = [line for line in fresh if line.source not in self._heard] or fresh
        pattern = self.stream.pick(fresh or list(lines))
        self._used.add(pattern.source)
        if family == PLAIN:
            self._heard.add(pattern.source)
        return spoken, pattern

    def left(self, section: str) -> bool:
        """Whether the section has a plain line that this document has not used."""
        _, lines = self.patterns.find(self.language, section, PLAIN)
        return any(line.source not in self._used for line in lines)

    def _value(self, facts: tuple[Fact, ...], form: Form) -> str:
        said = [self._say(fact.value, form) for fact in facts]
        return numbers.join_words(said, self.language)

    def _say(self, value: Value, form: Form) -> str:
        if self._american and isinstance(value, Day):
            return numbers.long_date(value.day, "en", 1)
        return value.say(self.language, form, None if self.canonical else self.stream)

    def _sentence(self, pattern: Pattern, subject: Entity | None, value: str) -> str:
        self.slots["v"] = value
        text = expand(pattern.parts, self._filler(subject, pattern.opens_with_subject), self.stream)
        self._last = subject.id if subject else ""
        self._subject_last = self._last if pattern.opens_with_subject else ""
        return self._finish(text)

    def _filler(self, subject: Entity | None, opens: bool) -> Callable[[str], str]:
        scenario, language = self.scenario, self.language
        said: _Mention | None = None

        def fill(name: str) -> str:
            nonlocal said
            if name == "S" and subject:
                said = self._subject(subject, opens and said is None)
                return said.text
            if name == "e":
                gender = said.gender if said else self._gender
                return "e" if gender == "f" else ""
            if name == "H":
                self._named.add(scenario.hub.id)
                return scenario.hub.full[language]
            if name == "h":
                return self._hub()
            if name == "who":
                return self._speaker()
            if name == "P":
                return self.stream.pick(scenario.places)
            if name == "n":
                return numbers.in_words(len(scenario.items), language)
            if name == "n.less":
                return numbers.in_words(len(scenario.items) - 1, language)
            if name == "noun":
                return str(scenario.domain.item[f"nouns_{language}"])
            return self.slots[name]

        return fill

    def _subject(self, entity: Entity, may_be_short: bool) -> _Mention:
        language = self.language
        if entity.id not in self._named or not self.pronouns:
            self._named.add(entity.id)
            return _Mention(entity.full[language], entity.gender)
        if may_be_short and self._last == entity.id:
            called = entity.called[language]
            if called and (self.stream.chance(40) or self._subject_last != entity.id):
                text, gender = self.stream.pick(called)
                return _Mention(text, gender)
            if self._subject_last == entity.id or entity.person:
                return _Mention(*entity.pronoun(language))
        called = entity.called[language]
        place = self.scenario.domain.item["what"] == "place" and language == "fr"
        again = self._last == entity.id and bool(called) and not entity.person and not place
        if again and self.stream.chance(55):
            return _Mention(*self.stream.pick(called))
        if entity.id == self.scenario.hub.id:
            return _Mention(self._hub(), entity.gender)
        return _Mention(entity.short[language], entity.gender)

    def _hub(self) -> str:
        hub = self.scenario.hub
        if hub.id not in self._named or not self.pronouns:
            self._named.add(hub.id)
            return hub.full[self.language]
        text, gender = hub.called[self.language][0]
        self._gender = gender or hub.gender
        return text

    def _speaker(self) -> str:
        at = self._fresh_speakers.pop() if self._fresh_speakers else 0
        return f"{self.scenario.speakers[at][0]}, {self.role(at)}"

    def role(self, speaker: int) -> str:
        """What this speaker is, the same in every document."""
        gender = self.scenario.speakers[speaker][1]
        roles = self.scenario.domain.item[f"roles_{self.language}"]
        fit = [r.split("|")[0] for r in roles if "|" not in r or r.endswith(f"|{gender}")]
        return str(fit[speaker % len(fit)]).replace("{P}", self.scenario.places[2])

    def _finish(self, text: str) -> str:
        return finish(text, self.language)


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
