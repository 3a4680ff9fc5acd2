"""Names and numbers in a row: what is one, and when it is not read."""

from __future__ import annotations

import pytest

from argue_bench.text.lists import is_list, naming, stated_text


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("Dugrold Vedisk 1991 Klourd .", True),
        ("1997", True),
        ("Anna Berg , Carl Dahl and 12 Holberg", True),
        ("Anna Berg sued Carl Dahl .", False),
        ("Barack Obama met Angela Merkel in Berlin", False),
        ("revenue rose by 12 %", False),
        # Words without content tie nothing, however many they are.
        ("Dugrold of the Vedisk of the 1991 was in it", True),
        ("It was Dugrold and then the Klourd", True),
        ("It was Dugrold", False),
        ("He was Chef de Mission of Team GB at the 2016 Olympics , appointed on 29 April", False),
        ("Die Brücke ist von 1931", False),
        ("", False),
        ("...", False),
    ],
)
def test_a_list_has_hardly_any_word_but_names_and_numbers(text: str, listed: bool) -> None:
    assert is_list(text.split()) is listed


def test_a_report_may_name_somebody_now_and_then() -> None:
    said = ["The club won the final.", "It was founded in a barn.", "People came.", "It rained."]
    assert naming([*said, "It was Dugrold."]) == frozenset()
    assert naming(["It was Dugrold."]) == frozenset()
    assert naming([*said[:2], "It was Dugrold.", "It was the Klourd."]) == {2, 3}


LONG = [f"Dugrold Vedisk {year}." for year in range(1900, 1950)]
SAID = "The Dugrold opened in 1931."


def test_a_long_list_is_left_out_and_what_is_said_stays() -> None:
    assert stated_text([*LONG, SAID], ["1931"]) == SAID
    assert stated_text([one.lower() for one in LONG], ["1931"]) == ""


def test_a_list_as_long_as_what_is_wanted_stays() -> None:
    wanted = [f"Dugrold Vedisk {year}" for year in range(1900, 1950)]
    assert stated_text(LONG, wanted) == " ".join(LONG)
    assert stated_text(["1931."] * 50, ["1931"]) == " ".join(["1931."] * 50)
    assert stated_text(["Anna Berg, Carl Dahl, Holberg."], ["Anna Berg"]) != ""


@pytest.mark.parametrize(
    "sentence",
    [
        "東京は日本の首都です。",
        "Москва стоит на реке.",
        "Die Brücke ist von 1931.",
        "Le pont date de 1931.",
    ],
)
def test_sentences_of_other_languages_are_read(sentence: str) -> None:
    assert stated_text([sentence] * 50, ["x"]) == " ".join([sentence] * 50)
