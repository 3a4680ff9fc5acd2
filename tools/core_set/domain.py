"""The eight domains of the world, each a file in ``domains/``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tools.core_set.values import Phrase
from tools.core_set.wording import LANGUAGES

KEYS = ("floods", "elections", "mergers", "trials", "bridges", "finals", "expeditions", "courts")


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that can be known of a hub (the umbrella subject) or of each of its items."""

    key: str
    of: str
    kind: str
    question: str
    np: dict[str, str]
    ask_fr: str
    fan: str = ""
    unit: str = ""
    low: int = 0
    high: int = 0
    step: int = 1
    corrected: bool = False
    choices: tuple[Phrase, ...] = ()

    @property
    def many(self) -> bool:
        return self.kind.startswith("list:")

    @property
    def numeric(self) -> bool:
        return self.kind in {"count", "amount", "whole"}

    @property
    def scale(self) -> int:
        """The smallest difference of two figures, in the units of `Quantity` (tenths) or `Count`."""
        return self.step * (10 if self.kind == "whole" else 1)


@dataclass(frozen=True)
class Domain:
    """A kind of topic: a hub, its items, what is known of either."""

    key: str
    categories: tuple[str, ...]
    early_days: int
    hub: dict[str, Any]
    item: dict[str, Any]
    hub_relations: tuple[Relation, ...]
    item_relations: tuple[Relation, ...]

    @property
    def dated(self) -> bool:
        """Whether the hub's name holds a year, so that another year is another hub."""
        return "{year}" in self.hub["en"]


@cache
def domain(key: str) -> Domain:
    """The domain of this name."""
    text = (resources.files(__package__) / "domains" / f"{key}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    relations = []
    for entry in data["relation"]:
        low, high = entry.pop("range", None) or entry.pop("days", (0, 0))
        names = {language: entry.pop(f"np_{language}") for language in LANGUAGES}
        choices = tuple(Phrase(tuple(en), tuple(fr)) for en, fr in entry.pop("choices", ()))
        relations.append(Relation(np=names, low=low, high=high, choices=choices, **entry))
    return Domain(
        data["key"],
        tuple(data["categories"]),
        data["early_days"],
        data["hub"],
        data["item"],
        hub_relations=tuple(relation for relation in relations if relation.of == "hub"),
        item_relations=tuple(relation for relation in relations if relation.of == "item"),
    )
