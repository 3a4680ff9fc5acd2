"""What is true about one topic? The facts, before any word of text.

A Case is a hub with its items and a Cell for each (subject, relation): one fact, or several where
the value is a list. Distractors are cases of their own, whose facts are nobody's gold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from argue_bench.synthetic import numbers
from argue_bench.synthetic.domain import Domain, Relation
from argue_bench.synthetic.names import TopicNames
from argue_bench.synthetic.numbers import Date
from argue_bench.synthetic.stream import RandomStream
from argue_bench.synthetic.values import Count, Day, ProperName, Quantity, Value

_ORGS = {
    "league": (
        ("the {} League", "la Ligue de {}"),
        ("the {} Alliance", "l'Alliance de {}"),
        ("the Free {} Party", "le Parti libre de {}"),
        ("the {} Reform List", "la Liste réformatrice de {}"),
    ),
    "foundation": (
        ("the {} Foundation", "la Fondation {}"),
        ("the {} Endowment", "la Dotation {}"),
        ("the {} Medical Fund", "le Fonds médical {}"),
    ),
    "trust": (
        ("the {} Bridge Trust", "la Régie des ponts de {}"),
        ("the {} Roads Agency", "l'Agence routière de {}"),
        ("the {} Highways Office", "l'Office des routes de {}"),
    ),
    "union": (
        ("the {} Sports Union", "l'Union sportive de {}"),
        ("the {} Games Council", "le Conseil des jeux de {}"),
    ),
    "club": (
        ("{} United", ""),
        ("{} Rovers", ""),
        ("{} Wanderers", ""),
        ("Sporting {}", ""),
        ("{} Athletic", ""),
    ),
    "panel": (
        ("the {} Audit Board", "la Chambre des comptes de {}"),
        ("the {} Trade Inspectorate", "l'Inspection du commerce de {}"),
        ("the {} Revenue Panel", "la Commission fiscale de {}"),
    ),
    "firm": (
        ("{} Ironworks", "les Forges {}"),
        ("{} Brothers", "{} Frères"),
        ("{} Construction", ""),
        ("{} Masonry", "{} Maçonnerie"),
    ),
}
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
    value: Value
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """What is true of one subject under one relation: one fact, or a list's several."""

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
        """The value of a numeric relation. Raises TypeError where it is none."""
        value = self.fact.value
        if not isinstance(value, Count | Quantity):
            raise TypeError(f"{self.id} is no figure but {value!r}")
        return value

    @property
    def date(self) -> Date | None:
        """Before this day nobody can have reported it."""
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
    """The item relations of which this case has cells."""
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
    """A case from chance alone, or a distractor ``like`` another: same hub in another year
    (``same_hub``), else another hub with one item of the same name.
    """
    namer = TopicNames(stream.child("names"), (stem,) + (_all_names(like) if like else ()))
    draw = stream.child("case")
    low, high = domain.hub["years"]
    year = draw.between(low, high)
    while like and abs(year - like.day[0]) < 4:
        year = draw.between(low, high)
    day: Date = (year, draw.between(1, 12), draw.between(1, 28))
    place = namer.place()
    words = {"stem": stem, "year": str(year), "place": place}
    hub = _entity(id, domain.hub, words, "")
    items = _items(draw, domain, id, namer, year, like, same_hub)
    active = _active(draw, domain)
    cells = {}
    for subject, relations in ((hub, domain.hub_relations), *((item, active) for item in items)):
        for relation in relations:
            cell = _cell(draw, namer, subject, relation, day, like)
            cells[cell.id] = cell
    _distinct(draw, cells, items, active)
    _correct(draw, cells, items, active)
    return Scenario(
        domain=domain,
        stem=stem,
        hub=hub,
        items=items,
        members=tuple(
            Fact(f"{item.id}.member", hub, "members", ProperName(item.full["en"])) for item in items
        ),
        cells=cells,
        day=day,
        places=(place, namer.place(), namer.place()),
        speakers=tuple(_speaker(namer) for _ in range(4)),
        body={lang: domain.hub[f"body_{lang}"].format(**words) for lang in ("en", "fr")},
        press=f"{namer.place()} {draw.pick(('Press', 'Wire', 'News Service'))}",
        title={lang: domain.hub[f"title_{lang}"].format(**words) for lang in ("en", "fr")},
        active=active,
    )


def _all_names(scenario: Scenario) -> tuple[str, ...]:
    return tuple(item.short["en"] for item in scenario.items if not item.year)


def _speaker(namer: TopicNames) -> tuple[str, str]:
    given, surname, gender = namer.person()
    return f"{given} {surname}", gender


def _items(
    draw: RandomStream,
    domain: Domain,
    id: str,
    namer: TopicNames,
    year: int,
    like: Scenario | None,
    same_hub: bool,
) -> tuple[Entity, ...]:
    n = draw.pick((3, 3, 4, 4, 5))
    if domain.item["what"] == "year":
        years = sorted(draw.sample(range(year - 14, year), n))
        return tuple(
            _entity(f"{id}.{i}", domain.item, {"year": str(y)}, "", year=y)
            for i, y in enumerate(years)
        )
    shared = draw.sample(like.items, 2 if same_hub else 1) if like else []
    items = []
    for i in range(n):
        if i < len(shared):
            twin = shared[i]
            items.append(
                Entity(f"{id}.{i}", twin.full, twin.short, twin.called, twin.gender, twin.person)
            )
            continue
        words, gender = {}, ""
        if domain.item["what"] == "person":
            given, surname, gender = namer.person()
            words = {"name": f"{given} {surname}", "surname": surname}
        else:
            words = {"name": namer.place()}
        if "suffixes" in domain.item:
            words["suffix"] = draw.pick(domain.item["suffixes"])
        items.append(_entity(f"{id}.{i}", domain.item, words, gender))
    return tuple(draw.shuffled(items))


def _entity(
    id: str, spec: dict[str, Any], words: dict[str, str], gender: str, year: int = 0
) -> Entity:
    full = {lang: spec[lang].format(**words) for lang in ("en", "fr")}
    person = spec.get("what") == "person"
    short = dict.fromkeys(("en", "fr"), words["surname"]) if person else dict(full)
    if spec.get("what") == "company":
        short = dict.fromkeys(("en", "fr"), words["name"])
    called = {
        "en": tuple((text, "") for text in spec["called_en"]),
        "fr": tuple((text.split("|")[0], text.split("|")[1]) for text in spec["called_fr"]),
    }
    return Entity(id, full, short, called, gender or spec["gender"], person, year)


def _active(draw: RandomStream, domain: Domain) -> tuple[Relation, ...]:
    """Five of the item relations, the one that gets corrected among them; the rest is unknown."""
    relations = draw.shuffled(domain.item_relations)
    relations.sort(key=lambda relation: not relation.corrected)
    return tuple(draw.shuffled(relations[:5]))


def _cell(
    draw: RandomStream,
    namer: TopicNames,
    subject: Entity,
    relation: Relation,
    day: Date,
    like: Scenario | None,
) -> Cell:
    id = f"{subject.id}.{relation.key}"
    if not relation.many:
        value = _value(draw, namer, relation, relation.kind, day)
        return Cell(subject, relation, (Fact(id, subject, relation.key, value),))
    kind = relation.kind.removeprefix("list:").replace("firm", "org:firm")
    values: list[Value]
    if kind == "phrase":
        values = list(draw.sample(relation.choices, draw.between(2, 3)))
    else:
        values = [_value(draw, namer, relation, kind, day) for _ in range(draw.between(2, 3))]
    return Cell(
        subject,
        relation,
        tuple(Fact(f"{id}.{i}", subject, relation.key, value) for i, value in enumerate(values)),
    )


def _value(
    draw: RandomStream, namer: TopicNames, relation: Relation, kind: str, day: Date
) -> Value:
    if kind == "count":
        return Count(draw.between(relation.low, relation.high))
    if kind in {"amount", "whole"}:
        n = draw.between(relation.low // relation.step, relation.high // relation.step)
        n *= relation.step
        return Quantity(n * 10 if kind == "whole" else n, relation.unit)
    if kind == "date":
        shift = draw.between(relation.low, relation.high)
        years = max(0, -(shift // 365)) + 1
        return Day(numbers.add_days((day[0] - years, day[1], day[2]), shift + 365 * years))
    if kind == "phrase":
        return draw.pick(relation.choices)
    if kind == "person":
        given, surname, gender = namer.person()
        return ProperName(f"{given} {surname}", (surname,), gender)
    if kind == "place":
        return ProperName(namer.place())
    english, french = draw.pick(_ORGS[kind.removeprefix("org:")])
    place = namer.place()
    name = english.format(place)
    bare = (name.removeprefix("the "),) if name.startswith("the ") else ()
    return ProperName(name, bare, fr=french.format(place))


def _distinct(
    draw: RandomStream,
    cells: dict[str, Cell],
    items: tuple[Entity, ...],
    active: tuple[Relation, ...],
) -> None:
    """No two items share a figure or a day, so that it points at one of them."""
    for relation in active:
        if relation.kind == "date":
            _distinct_days([cells[f"{item.id}.{relation.key}"] for item in items], cells)
        if not relation.numeric:
            continue
        seen: set[int] = set()
        for item in items:
            cell = cells[f"{item.id}.{relation.key}"]
            n, step = (
                cell.figure.n,
                10 * relation.step if relation.kind == "whole" else relation.step,
            )
            while n in seen:
                n += step
            seen.add(n)
            cells[cell.id] = _with_figure(cell, n)


def _distinct_days(row: list[Cell], cells: dict[str, Cell]) -> None:
    seen: set[Date] = set()
    for cell in row:
        day = cell.date
        while day in seen:
            day = numbers.add_days(day, 1)
        if day is None:
            continue
        seen.add(day)
        fact = Fact(cell.fact.id, cell.subject, cell.relation.key, Day(day))
        cells[cell.id] = Cell(cell.subject, cell.relation, (fact,))


def _with_figure(cell: Cell, n: int, old: bool = False) -> Cell:
    new = cell.figure.at(n)
    if old:
        was = Fact(f"{cell.id}~", cell.subject, cell.relation.key, new, superseded=True)
        return Cell(cell.subject, cell.relation, cell.facts, was)
    fact = Fact(cell.fact.id, cell.subject, cell.relation.key, new)
    return Cell(cell.subject, cell.relation, (fact,))


def _correct(
    draw: RandomStream,
    cells: dict[str, Cell],
    items: tuple[Entity, ...],
    active: tuple[Relation, ...],
) -> None:
    """One to all items had another figure at first."""
    for relation in active:
        if not relation.corrected:
            continue
        for item in draw.sample(items, draw.between(1, min(3, len(items)))):
            cell = cells[f"{item.id}.{relation.key}"]
            unit = 10 if relation.kind == "whole" else 1
            n = cell.figure.n // unit
            by = max(2, n // _STEADY + draw.below(n // 6 + 1))
            n = n - by if draw.chance(65) and n > 3 * by else n + by
            taken = {cells[f"{other.id}.{relation.key}"].fact.value for other in items}
            while cell.figure.at(n * unit) in taken:
                n += 1
            cells[cell.id] = _with_figure(cell, n * unit, old=True)
