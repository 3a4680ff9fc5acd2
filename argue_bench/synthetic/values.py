"""What can a fact say? A count, an amount, a date, a name or a phrase, in two languages.

Every value renders in a ``form``: "exact", "rounded" (about 1,200) or "unit" (1.24 kilometres).
Who reads the exact form knows the others too; a rounded one does not give the exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from argue_bench.synthetic import numbers
from argue_bench.synthetic.numbers import Date
from argue_bench.synthetic.stream import RandomStream

Form = Literal["exact", "rounded", "unit"]
_ABOUT = {
    "en": ("about", "around", "some", "roughly"),
    "fr": ("environ", "quelque"),
}


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number of things; the pattern names the things."""

    n: int
    forms = ("exact", "rounded")

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        if form == "exact":
            if stream and self.n <= 100 and stream.chance(60 if self.n <= 20 else 30):
                return self._words(language)
            return numbers.in_digits(self.n, language)
        about = stream.pick(_ABOUT[language]) if stream else _ABOUT[language][0]
        return f"{about} {numbers.in_digits(numbers.round_figure(self.n), language)}"

    def _words(self, language: str) -> str:
        """Digits where French would need the gender of what is counted (vingt et un, une)."""
        if language == "fr" and self.n % 10 == 1 and self.n % 100 not in (11, 71, 91):
            return numbers.in_digits(self.n, language)
        return numbers.in_words(self.n, language)

    def aliases(self, language: str) -> tuple[str, ...]:
        small = (numbers.in_words(self.n, language),) if self.n <= 100 else ()
        plain = (str(self.n),) if self.n >= 1000 else ()
        return (numbers.in_digits(self.n, language), *plain, *small)

    def rounding(self, language: str) -> str:
        """The rounded form, where it differs from the exact one."""
        if self.n < 100 or numbers.round_figure(self.n) == self.n:
            return ""
        return self.say(language, "rounded")

    @property
    def plain(self) -> int:
        return self.n

    def at(self, n: int) -> Count:
        """Another number of the same things."""
        return Count(n)


@dataclass(frozen=True, slots=True)
class Quantity:
    """Tenths of a unit: 47 tenths of a metre is "4.7 metres", or "470 centimetres"."""

    n: int
    unit: str
    forms = ("exact", "unit")

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        name, small, factor = UNITS[self.unit][language]
        if form == "unit" and small:
            return f"{numbers.in_digits(self.n * factor // 10, language)} {small}"
        return f"{numbers.in_tenths(self.n, language)}{name}"

    def aliases(self, language: str) -> tuple[str, ...]:
        _, small, _ = UNITS[self.unit][language]
        other = (self.say(language, "unit"),) if small else ()
        extra: tuple[str, ...] = ()
        if self.unit == "percent":
            number = numbers.in_tenths(self.n, language)
            extra = (f"{number}%", f"{number} percent") if language == "en" else ()
        return (self.say(language), *other, *extra)

    def rounding(self, language: str) -> str:
        return ""

    @property
    def plain(self) -> str:
        return self.say("en")

    def at(self, n: int) -> Quantity:
        """Another number of the same unit."""
        return Quantity(n, self.unit)


UNITS: dict[str, dict[str, tuple[str, str, int]]] = {
    "metres": {"en": (" metres", "centimetres", 100), "fr": (" mètres", "centimètres", 100)},
    "length": {"en": (" metres", "", 1), "fr": (" mètres", "", 1)},
    "percent": {"en": (" per cent", "", 1), "fr": ("\u202f%", "", 1)},
    "millions": {
        "en": (" million crowns", "crowns", 1_000_000),
        "fr": (" millions de couronnes", "couronnes", 1_000_000),
    },
    "milligrams": {"en": (" milligrams", "", 1), "fr": (" milligrammes", "", 1)},
}


@dataclass(frozen=True, slots=True)
class Day:
    """A date."""

    day: Date
    forms = ("exact",)

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        return numbers.long_date(self.day, language)

    def aliases(self, language: str) -> tuple[str, ...]:
        if language == "fr":
            return (numbers.long_date(self.day, "fr"),)
        return (numbers.long_date(self.day, "en"), numbers.long_date(self.day, "en", 1))

    def rounding(self, language: str) -> str:
        return ""

    @property
    def plain(self) -> str:
        return self.say("en")


@dataclass(frozen=True, slots=True)
class ProperName:
    """A person, place or organisation. ``other`` are shorter names; ``fr`` the French, if any."""

    full: str
    other: tuple[str, ...] = ()
    gender: str = ""
    fr: str = ""
    forms = ("exact",)

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        return self.fr if language == "fr" and self.fr else self.full

    def aliases(self, language: str) -> tuple[str, ...]:
        if language == "fr" and self.fr:
            bare = self.fr.removeprefix("la ").removeprefix("le ").removeprefix("les ")
            return tuple(dict.fromkeys((self.fr, bare.removeprefix("l'"))))
        return (self.full, *self.other)

    def rounding(self, language: str) -> str:
        return ""

    @property
    def plain(self) -> str:
        return self.full


@dataclass(frozen=True, slots=True)
class Phrase:
    """One of a domain's choices: two wordings in each language, the first the usual one."""

    en: tuple[str, ...]
    fr: tuple[str, ...]
    forms = ("exact",)

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        wordings = self.en if language == "en" else self.fr
        return stream.pick(wordings) if stream else wordings[0]

    def aliases(self, language: str) -> tuple[str, ...]:
        return self.en if language == "en" else self.fr

    def rounding(self, language: str) -> str:
        return ""

    @property
    def plain(self) -> str:
        return self.en[0]


Value = Count | Quantity | Day | ProperName | Phrase
