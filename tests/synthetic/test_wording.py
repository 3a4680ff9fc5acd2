"""Figures and dates as grammars and style guides of both languages write them."""

from __future__ import annotations

import pytest

from argue_bench.synthetic import wording
from argue_bench.synthetic.values import Count, Day, ProperName, Quantity


@pytest.mark.parametrize(
    ("n", "english", "french"),
    [
        (0, "zero", "zéro"),
        (17, "seventeen", "dix-sept"),
        (21, "twenty-one", "vingt et un"),
        (42, "forty-two", "quarante-deux"),
        (71, "seventy-one", "soixante et onze"),
        (77, "seventy-seven", "soixante-dix-sept"),
        (80, "eighty", "quatre-vingts"),
        (81, "eighty-one", "quatre-vingt-un"),
        (91, "ninety-one", "quatre-vingt-onze"),
        (99, "ninety-nine", "quatre-vingt-dix-neuf"),
        (100, "one hundred", "cent"),
    ],
)
def test_numbers_in_words(n: int, english: str, french: str) -> None:
    assert (wording.in_words(n, "en"), wording.in_words(n, "fr")) == (english, french)


@pytest.mark.parametrize(
    ("n", "to"),
    [(1243, 1200), (1250, 1300), (873, 870), (99, 99), (9960, 10_000), (45_499, 45_000)],
)
def test_rounding_keeps_two_figures(n: int, to: int) -> None:
    assert wording.round_figure(n) == to


def test_dates() -> None:
    assert wording.long_date((1987, 3, 1), "en") == "1 March 1987"
    assert wording.long_date((1987, 3, 1), "en", 1) == "March 1, 1987"
    assert wording.long_date((1987, 3, 1), "fr") == "1er mars 1987"
    assert wording.add_days((1987, 12, 30), 3) == (1988, 1, 2)
    assert wording.add_days((1987, 1, 31), 365) == (1988, 1, 31)


def test_amounts_never_pass_through_floats() -> None:
    assert Quantity(47, "metres").say("en") == "4.7 metres"
    assert Quantity(47, "metres").say("fr", "unit") == "470 centimètres"
    assert Quantity(124, "millions").say("en", "unit") == "12,400,000 crowns"
    assert Quantity(124, "millions").say("fr") == "12,4 millions de couronnes"
    assert Quantity(600, "percent").say("en") == "60 per cent"
    assert Quantity(2560, "length").say("en") == "256 metres"


def test_aliases_and_roundings() -> None:
    assert Count(1243).aliases("en") == ("1,243", "1243")
    assert Count(42).aliases("fr") == ("42", "quarante-deux")
    assert Count(1243).rounding("en") == "about 1,200"
    assert Count(1200).rounding("en") == ""
    assert Count(42).rounding("en") == ""
    assert Day((1987, 3, 14)).aliases("en") == ("14 March 1987", "March 14, 1987")
    league = ProperName("the Orv League", ("Orv League",), fr="la Ligue d'Orv")
    assert league.aliases("fr") == ("la Ligue d'Orv", "Ligue d'Orv")
