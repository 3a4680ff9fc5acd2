"""The values of facts: a count, a quantity, a date, a name or a phrase, in two languages.

Every value is said in a ``form``: "exact", "rounded" (about 1,200) or "unit" (1.24 kilometres). The exact
form gives the others too; a rounded one does not give the exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tools.core_set import wording
from tools.core_set.stream import RandomStream
from tools.core_set.wording import WORDS, Date

Form = Literal["exact", "rounded", "unit"]


class FactValue:
    """The value of a fact."""

    __slots__ = ()

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        """The value in words or digits; ``stream`` picks among equal wordings, the first without it."""
        raise NotImplementedError

    def aliases(self, language: str) -> tuple[str, ...]:
        """All accepted spellings of the exact value."""
        return (self.say(language),)

    def rounding(self, language: str) -> str:
        """The rounded form, where it differs from the exact one; else empty."""
        return ""

    @property
    def plain(self) -> str | int:
        """The value as plain data: a number, or English text."""
        return self.say("en")


@dataclass(frozen=True, slots=True)
class Count(FactValue):
    """A whole number of things; the pattern names the things."""

    n: int

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        if form == "exact":
            if stream and self.n <= 100 and stream.chance(60 if self.n <= 20 else 30):
                # French would need the gender of what is counted (vingt et un, une): digits do not.
                if language == "fr" and self.n % 10 == 1 and self.n not in (11, 71, 91):
                    return wording.in_digits(self.n, language)
                return wording.in_words(self.n, language)
            return wording.in_digits(self.n, language)
        abouts = WORDS["about"][language]
        about = stream.pick(abouts) if stream else abouts[0]
        return f"{about} {wording.in_digits(wording.round_figure(self.n), language)}"

    def aliases(self, language: str) -> tuple[str, ...]:
        small = (wording.in_words(self.n, language),) if self.n <= 100 else ()
        plain = (str(self.n),) if self.n >= 1000 else ()
        return (wording.in_digits(self.n, language), *plain, *small)

    def rounding(self, language: str) -> str:
        if self.n < 100 or wording.round_figure(self.n) == self.n:
            return ""
        return self.say(language, "rounded")

    @property
    def plain(self) -> int:
        return self.n

    def at(self, n: int) -> Count:
        """Another number of the same things."""
        return Count(n)


@dataclass(frozen=True, slots=True)
class Quantity(FactValue):
    """Tenths of a unit: 47 tenths of a metre is "4.7 metres", or "470 centimetres"."""

    n: int
    unit: str

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        name, small, factor = WORDS["units"][self.unit][language]
        if form == "unit" and small:
            return f"{wording.in_digits(self.n * factor // 10, language)} {small}"
        return f"{wording.in_tenths(self.n, language)}{name}"

    def aliases(self, language: str) -> tuple[str, ...]:
        spellings = [self.say(language), self.say(language, "unit")]
        if self.unit == "percent" and language == "en":
            number = wording.in_tenths(self.n, language)
            spellings += [f"{number}%", f"{number} percent"]
        return tuple(dict.fromkeys(spellings))

    def at(self, n: int) -> Quantity:
        """Another number of the same unit."""
        return Quantity(n, self.unit)


@dataclass(frozen=True, slots=True)
class Day(FactValue):
    """A date."""

    day: Date

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        return wording.long_date(self.day, language)

    def aliases(self, language: str) -> tuple[str, ...]:
        american = (wording.long_date(self.day, "en", 1),) if language == "en" else ()
        return (self.say(language), *american)


@dataclass(frozen=True, slots=True)
class ProperName(FactValue):
    """A person, place or organisation. ``other`` are shorter names; ``fr`` the French, if any."""

    full: str
    other: tuple[str, ...] = ()
    gender: str = ""
    fr: str = ""

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        return self.fr if language == "fr" and self.fr else self.full

    def aliases(self, language: str) -> tuple[str, ...]:
        if language == "fr" and self.fr:
            bare = self.fr.removeprefix("la ").removeprefix("le ").removeprefix("les ")
            return tuple(dict.fromkeys((self.fr, bare.removeprefix("l'"))))
        return (self.full, *self.other)

    @property
    def plain(self) -> str:
        return self.full


@dataclass(frozen=True, slots=True)
class Phrase(FactValue):
    """One of a domain's choices: two wordings in each language, the first the usual one."""

    en: tuple[str, ...]
    fr: tuple[str, ...]

    def say(self, language: str, form: Form = "exact", stream: RandomStream | None = None) -> str:
        wordings = self.aliases(language)
        return stream.pick(wordings) if stream else wordings[0]

    def aliases(self, language: str) -> tuple[str, ...]:
        return self.en if language == "en" else self.fr
