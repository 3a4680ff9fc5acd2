"""The facts of one topic, drawn before any word of text is printed.

Facts come first so that gold needs no reading: documents, references and answers are all printed from them.
A Scenario is a hub (a flood, say) with its items (the towns) and a Cell for each subject and relation: one
fact, or several where the value is a list. Distractors are scenarios of their own, whose facts are no gold.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tools.core_set import wording
from tools.core_set.domain import Domain, Relation
from tools.core_set.names import TopicNames
from tools.core_set.stream import RandomStream
from tools.core_set.values import Count, Day, FactValue, ProperName, Quantity
from tools.core_set.wording import LANGUAGES, WORDS, Date

_STEADY = 40
"""A corrected figure differs from the first by at least one part in this many."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A hub or an item, and how each language speaks of it."""

    id: str
    full: dict[str, str]
    short: dict[str, str]
    called: dict[str, tuple[tuple[str, str], ...]]
    """Descriptions ("the bridge") with their gender."""
    gender: str
    """"f" or "m", for French; a person's in both languages."""
    person: bool = False
    year: int = 0

    def pronoun(self, language: str) -> tuple[str, str]:
        """He, she, it; il, elle: with its gender."""
        if language == "fr":
            return ("elle" if self.gender == "f" else "il"), self.gender
        return (("she" if self.gender == "f" else "he") if self.person else "it"), self.gender


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, relation, value. ``superseded`` facts were printed first and corrected later."""

    id: str
    subject: Entity
    relation: str
    value: FactValue
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The facts of one subject under one relation: one fact, or several in a list."""

    subject: Entity
    relation: Relation
    facts: tuple[Fact, ...]
    old: Fact | None = None

    @property
    def id(self) -> str:
        return f"{self.subject.id}.{self.relation.key}"

    @property
    def fact(self) -> Fact:
        return self.facts[0]

    @property
    def figure(self) -> Count | Quantity:
        """The value of a numeric relation. Raises TypeError for another relation."""
        value = self.fact.value
        if not isinstance(value, Count | Quantity):
            raise TypeError(f"{self.id} has no figure but {value!r}")
        return value

    @property
    def date(self) -> Date | None:
        """The day of the fact: no earlier document can report it."""
        value = self.fact.value
        return value.day if isinstance(value, Day) else None


@dataclass(frozen=True)
class Scenario:
    """One hub, its items and cells; names for the people and places in the margins."""

    domain: Domain
    stem: str
    hub: Entity
    items: tuple[Entity, ...]
    members: tuple[Fact, ...]
    cells: dict[str, Cell]
    day: Date
    places: tuple[str, ...]
    speakers: tuple[tuple[str, str], ...]
    body: dict[str, str]
    press: str
    title: dict[str, str]
    active: tuple[Relation, ...]
    """The item relations of which this scenario has cells."""
    hidden: set[str] = field(default_factory=set)
    """Ids of cells that no document states."""

    def cell(self, subject: Entity, relation: Relation) -> Cell:
        return self.cells[f"{subject.id}.{relation.key}"]

    def row(self, relation: Relation) -> list[Cell]:
        """The cells of all items under this relation."""
        return [self.cell(item, relation) for item in self.items]


def make_scenario(
    stream: RandomStream,
    domain: Domain,
    id: str,
    stem: str,
    like: Scenario | None = None,
    same_hub: bool = False,
) -> Scenario:
    """A scenario from chance alone, or a distractor ``like`` another: the same hub in another year
    (``same_hub``), else another hub with one item of the same name.
    """
    taken = tuple(item.short["en"] for item in like.items if not item.year) if like else ()
    names = TopicNames(stream.child("names"), (stem, *taken))
    draw = stream.child("case")
    low, high = domain.hub["years"]
    year = draw.between(low, high)
    while like and abs(year - like.day[0]) < 4:
        year = draw.between(low, high)
    day: Date = (year, draw.between(1, 12), draw.between(1, 28))
    place = names.place()
    words = {"stem": stem, "year": str(year), "place": place}
    hub = _entity(id, domain.hub, words, "")
    items = _items(draw, domain, id, names, year, like, same_hub)
    # Five of the item relations, the one that gets corrected among them; the others stay unknown.
    relations = draw.shuffled(domain.item_relations)
    relations.sort(key=lambda relation: not relation.corrected)
    active = tuple(draw.shuffled(relations[:5]))
    facts = _Facts(draw, names, day)
    for relation in domain.hub_relations:
        facts.add(hub, relation)
    for item in items:
        for relation in active:
            facts.add(item, relation)
    for relation in active:
        facts.make_distinct(items, relation)
    for relation in active:
        if relation.corrected:
            facts.correct(items, relation)
    members = [(f"{item.id}.member", ProperName(item.full["en"])) for item in items]
    others = names.place(), names.place()
    speakers = [names.person() for _ in range(4)]
    return Scenario(
        domain=domain,
        stem=stem,
        hub=hub,
        items=items,
        members=tuple(Fact(fact, hub, "members", name) for fact, name in members),
        cells=facts.cells,
        day=day,
        places=(place, *others),
        speakers=tuple((f"{given} {surname}", gender) for given, surname, gender in speakers),
        body={lang: domain.hub[f"body_{lang}"].format(**words) for lang in LANGUAGES},
        press=f"{names.place()} {draw.pick(('Press', 'Wire', 'News Service'))}",
        title={lang: domain.hub[f"title_{lang}"].format(**words) for lang in LANGUAGES},
        active=active,
    )


def _items(
    draw: RandomStream,
    domain: Domain,
    id: str,
    names: TopicNames,
    year: int,
    like: Scenario | None,
    same_hub: bool,
) -> tuple[Entity, ...]:
    n = draw.pick((3, 3, 4, 4, 5))
    what = domain.item["what"]
    if what == "year":
        years = enumerate(sorted(draw.sample(range(year - 14, year), n)))
        return tuple(
            _entity(f"{id}.{i}", domain.item, {"year": str(y)}, "", year=y) for i, y in years
        )
    shared = draw.sample(like.items, 2 if same_hub else 1) if like else []
    items = [replace(twin, id=f"{id}.{i}", year=0) for i, twin in enumerate(shared[:n])]
    for i in range(len(items), n):
        if what == "person":
            given, surname, gender = names.person()
            words = {"name": f"{given} {surname}", "surname": surname}
        else:
            words, gender = {"name": names.place()}, ""
        if "suffixes" in domain.item:
            words["suffix"] = draw.pick(domain.item["suffixes"])
        items.append(_entity(f"{id}.{i}", domain.item, words, gender))
    return tuple(draw.shuffled(items))


def _entity(
    id: str, spec: dict[str, Any], words: dict[str, str], gender: str, year: int = 0
) -> Entity:
    full = {lang: spec[lang].format(**words) for lang in LANGUAGES}
    what = spec.get("what")
    short_word = {"person": "surname", "company": "name"}.get(str(what))
    short = dict.fromkeys(LANGUAGES, words[short_word]) if short_word else dict(full)
    called = {
        "en": tuple((text, "") for text in spec["called_en"]),
        "fr": tuple((text.split("|")[0], text.split("|")[1]) for text in spec["called_fr"]),
    }
    return Entity(id, full, short, called, gender or spec["gender"], what == "person", year)


class _Facts:
    """Draws the facts of one scenario, cell by cell."""

    def __init__(self, draw: RandomStream, names: TopicNames, day: Date) -> None:
        self._draw, self._names, self._day = draw, names, day
        self.cells: dict[str, Cell] = {}

    def add(self, subject: Entity, relation: Relation) -> None:
        """A cell with one fact, or with two or three where the relation's value is a list."""
        draw, id = self._draw, f"{subject.id}.{relation.key}"
        values: list[FactValue]
        if not relation.many:
            values = [self._value(relation, relation.kind)]
        elif relation.kind == "list:phrase":
            values = list(draw.sample(relation.choices, draw.between(2, 3)))
        else:
            kind = relation.kind.removeprefix("list:").replace("firm", "org:firm")
            values = [self._value(relation, kind) for _ in range(draw.between(2, 3))]
        facts = [
            Fact(f"{id}.{i}" if relation.many else id, subject, relation.key, value)
            for i, value in enumerate(values)
        ]
        self.cells[id] = Cell(subject, relation, tuple(facts))

    def _value(self, relation: Relation, kind: str) -> FactValue:
        draw, names = self._draw, self._names
        if kind == "count":
            return Count(draw.between(relation.low, relation.high))
        if kind in {"amount", "whole"}:
            n = draw.between(relation.low // relation.step, relation.high // relation.step)
            return Quantity(n * relation.scale, relation.unit)
        if kind == "date":
            shift = draw.between(relation.low, relation.high)
            years = max(0, -(shift // 365)) + 1
            year, month, day = self._day
            return Day(wording.add_days((year - years, month, day), shift + 365 * years))
        if kind == "phrase":
            return draw.pick(relation.choices)
        if kind == "person":
            given, surname, gender = names.person()
            return ProperName(f"{given} {surname}", (surname,), gender)
        if kind == "place":
            return ProperName(names.place())
        english, french = draw.pick(WORDS["organisations"][kind.removeprefix("org:")])
        name = english.format(place := names.place())
        bare = (name.removeprefix("the "),) if name.startswith("the ") else ()
        return ProperName(name, bare, fr=french.format(place))

    def _row(self, items: tuple[Entity, ...], relation: Relation) -> list[Cell]:
        return [self.cells[f"{item.id}.{relation.key}"] for item in items]

    def make_distinct(self, items: tuple[Entity, ...], relation: Relation) -> None:
        """Moves figures and days that two items share, so that each points at one item."""
        seen: set[FactValue] = set()
        for cell in self._row(items, relation):
            value = cell.fact.value
            if not isinstance(value, Count | Quantity | Day):
                return
            while value in seen:
                if isinstance(value, Day):
                    value = Day(wording.add_days(value.day, 1))
                else:
                    value = value.at(value.n + relation.scale)
            seen.add(value)
            self.cells[cell.id] = replace(cell, facts=(replace(cell.fact, value=value),))

    def correct(self, items: tuple[Entity, ...], relation: Relation) -> None:
        """Gives one to three items another figure that was printed at first."""
        draw = self._draw
        for item in draw.sample(items, draw.between(1, min(3, len(items)))):
            cell = self.cells[f"{item.id}.{relation.key}"]
            unit = 10 if relation.kind == "whole" else 1
            n = cell.figure.n // unit
            by = max(2, n // _STEADY + draw.below(n // 6 + 1))
            n = n - by if draw.chance(65) and n > 3 * by else n + by
            taken = {other.fact.value for other in self._row(items, relation)}
            while cell.figure.at(n * unit) in taken:
                n += 1
            old = Fact(f"{cell.id}~", item, relation.key, cell.figure.at(n * unit), superseded=True)
            self.cells[cell.id] = replace(cell, old=old)
