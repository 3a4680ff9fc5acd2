"""Typed tokens: what is the same, and what only looks so. Worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_bench.text.typed import canonical_number, typed_text

SAME = [
    ("$5", "it cost $5 in all"),
    ("$5", "5 US dollars"),
    ("$5", "USD 5"),
    ("C++", "I use C++ daily"),
    ("C#", "written in C#."),
    ("No.", "No."),
    ("Apple Inc.", "owned by Apple Inc."),
    ("Apple Inc.", "Apple Inc is large"),
    ("3.0", "3"),
    ("3", "3.00"),
    ("1,000", "1000"),
    ("1000", "1,000 people"),
    ("1590152", "1 590 152"),
    ("1590152", "1\u202f590\u202f152"),
    ("10,00,000", "1000000"),
    ("1e+16", "10000000000000000"),
    ("1.4 billion", "1,400,000,000 people"),
    ("920,000,000", "some 920 million"),
    ("$6.9 billions", "$6.9bn"),
    ("$350–460 million", "about $350-460 million"),
    ("5%", "5 percent"),
    ("5 km", "5km away"),
    ("9,596,961 km2", "9,596,961 square kilometres"),
    ("-5.6", "minus: −5.6 °C"),
    ("14 July 1999", "on July 14th, 1999,"),
    ("14 July 1999", "1999-07-14"),
    ("July 14", "the 14th of July 1999"),
    ("1999", "14 July 1999"),
    ("Washington, D.C.", "Washington DC"),
    ("J. R. R. Tolkien", "J.R.R. Tolkien"),
    ("JD Drew", "J. D. Drew"),
    ("São Paulo", "Sao Paulo"),
    ("São Paulo", "SA\u0303O PAULO"),
    ("ＡＢＣ１２３", "abc123"),
    ("Moon Knight", "Moon Knight’s"),
    ("Tom & Jerry", "Tom and Jerry"),
    ("Italie", "l’Italie"),
    ("co-op", "co\u2011op"),
    ("5th", "the fifth time"),
    ("March", "March"),
    ("½", "½ mile"),
    ("Mar-kun", "first, Mar-kun, they say"),
    ("Sept. 5", "on 5 September"),
    ("8.05", "8.05 million crowns"),
    ("7", "seven in Quenholt"),
    ("21", "twenty-one years"),
    ("Seven Samurai", "Seven Samurai"),
    ("2000000", "two million"),
    ("-100", "between -100 and 0"),
    ("1463000", "* **Bahrain** - 1463000"),
]
OTHER = [
    ("1.2", "12"),
    ("12", "1.2"),
    ("-100", "100"),
    ("100", "-100"),
    ("100", "1100"),
    ("5", "1985"),
    ("5", "1.5"),
    ("$5", "$5 million"),
    ("5 million", "5"),
    ("20", "twenty-one"),
    ("7", "seventh"),
    ("5", "5th"),
    ("5", "G5"),
    ("1980", "the 1980s"),
    ("2019", "12019"),
    ("3.5", "3,5"),
    ("58", "3:58"),
    ("5%", "5"),
    ("$5", "5"),
    ("$5", "€5"),
    ("5 km", "5 miles"),
    ("art", "part of it"),
    ("C", "C++"),
    ("C++", "C"),
    ("abc", "ABC_def"),
    ("Neal", "O'Neal"),
    ("s", "the king's"),
    ("a.b", "axb"),
    ("2", "½"),
    ("-72", "90-72"),
]


@pytest.mark.parametrize(("gold", "text"), SAME)
def test_found(gold: str, text: str) -> None:
    assert typed_text(text).holds(typed_text(gold))


@pytest.mark.parametrize(("gold", "text"), OTHER)
def test_not_found(gold: str, text: str) -> None:
    assert not typed_text(text).holds(typed_text(gold))


def test_a_comma_is_a_decimal_in_french_only() -> None:
    assert typed_text("3,5 %", "fr").holds(typed_text("3.5%"))
    assert not typed_text("3,5 %").holds(typed_text("3.5%"))
    assert typed_text("18 400 visiteurs", "fr").holds(typed_text("18400", "fr"))
    assert not typed_text("in 18 400 visitors").holds(typed_text("18400"))


@pytest.mark.parametrize(
    ("digits", "exponent", "wanted"),
    [
        ("007", 0, "7"),
        ("0.50", 0, "0.5"),
        ("1,000.0", 0, "1000"),
        ("1.027", 9, "1027000000"),
        ("5", -3, "0.005"),
        ("0", 6, "0"),
        (".5", 0, "0.5"),
    ],
)
def test_numbers_have_one_spelling(digits: str, exponent: int, wanted: str) -> None:
    assert canonical_number(digits, exponent=exponent) == wanted


@given(st.integers(-(10**15), 10**15))
def test_an_integer_is_found_however_it_is_grouped(number: int) -> None:
    assert typed_text(f"It is {number:,} today").holds(typed_text(str(number)))


@given(st.text(max_size=60))
def test_every_text_holds_itself(text: str) -> None:
    assert typed_text(text).holds(typed_text(text))
