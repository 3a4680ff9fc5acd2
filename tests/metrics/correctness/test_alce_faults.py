"""Faults of ALCE's evaluator outside of citations (spec section 4): what it gives, then what we give."""

from __future__ import annotations

import pytest

from argue_bench.published.alce import correctness as alce
from argue_bench.records import Gold, ShortAnswer
from tests.metrics.correctness.counted import counted, values


def test_9_sentences_are_split_before_case_is_lost() -> None:
    reference = "The bridge opened in 1931. It was designed by Marsh."
    turned = "It was designed by Marsh. The bridge opened in 1931."
    # punkt sees no sentence end in "in 1931. it was", so ALCE compares one long sentence
    theirs = alce.rouge_lsum([reference], turned, lambda text: [text]).fscore
    ours = values(counted("rouge_lsum", Gold(long_answers=(reference,)), turned))
    assert theirs == pytest.approx(5 / 10)  # the bridge opened in 1931
    assert ours["fscore"] == 1


def test_9_every_reference_is_read() -> None:
    gold = Gold(long_answers=("One.", "Two.", "Marsh designed the bridge."))
    text = "Marsh designed the bridge."
    assert values(counted("rouge_lsum(rules=alce)", gold, text))["fscore"] == 0
    assert values(counted("rouge_lsum", gold, text))["fscore"] == 1
    assert values(counted("rouge_lsum", Gold(long_answers=(text,)), text))["fscore"] == 1


@pytest.mark.parametrize(
    ("alias", "text", "theirs", "ours"),
    [
        ("art", "It was a party.", 1, 0),
        ("Zoë", "Zoe\u0308 came.", 0, 1),
        ("it's", "So it’s.", 0, 1),
    ],
)
def test_10_words_are_found_whole_and_letters_as_they_read(
    alias: str, text: str, theirs: float, ours: float
) -> None:
    gold = Gold(short_answers=(ShortAnswer("?", (alias,)),))
    assert values(counted("str_em(rules=alce)", gold, text))["recall"] == theirs
    assert values(counted("str_em", gold, text))["recall"] == ours


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("Jean-Paul Sartre", "Jean\u2011Paul Sartre won."),
        ("Conan O'Brien", "Conan O\u2019Brien won."),
        ("12,345", "It had 12\u202f345 people."),
        ("Zoë", "Zoe\u0308 came."),
        ("part", "It was a party."),
        ("1914", "It went on (1912\u20131914)."),
        ("Stanford", "Yale/Stanford."),
        ("Brazil", "Winner:Brazil."),
        ("Oslo", "\\boxed{Oslo}"),
    ],
)
def test_10_over_all_lines_signs_are_read_in_one_spelling(alias: str, text: str) -> None:
    gold = Gold(short_answers=(ShortAnswer("?", (alias,)),))
    assert values(counted("str_em(rules=alce,lines=all)", gold, text))["recall"] == 1


def test_10_over_all_lines_a_string_is_found_only_where_a_word_begins() -> None:
    gold = Gold(short_answers=(ShortAnswer("?", ("art",)),))
    text = "It was a party."
    assert values(counted("str_em(rules=alce)", gold, text))["recall"] == 1
    assert values(counted("str_em(rules=alce,lines=all)", gold, text))["recall"] == 0


def test_10_an_alias_of_nothing_is_not_always_found() -> None:
    gold = Gold(short_answers=(ShortAnswer("?", ("The",)),))
    assert values(counted("str_em(rules=alce)", gold, "Nobody."))["recall"] == 1
    assert values(counted("str_em", gold, "Nobody."))["recall"] == 0


def test_13_no_claims_do_not_apply() -> None:
    for rules in ("claims", "claims(rules=alce)", "claims(rules=rageval)"):
        assert values(counted(rules, Gold(), "So."))["recall"] is None


def test_16_a_single_pair_is_read() -> None:
    gold = Gold(short_answers=(ShortAnswer("When?", ("1931",)),))
    for rules in ("qa", "qa(rules=alce)"):
        assert values(counted(rules, gold, "In 1931.", lambda request: "1931"))["em"] == 1


def test_19_a_name_with_a_comma_matches_and_repeats_gain_nothing() -> None:
    gold = Gold(short_answers=(ShortAnswer("", ("Leeds, England",)), ShortAnswer("", ("York",))))
    theirs = values(counted("qampari(rules=alce)", gold, "Leeds, England, Oslo, York, York"))
    ours = values(counted("qampari", gold, "Leeds, England, Oslo, York, York"))
    assert (theirs["precision"], theirs["recall"]) == (2 / 5, 1 / 2)
    assert (ours["precision"], ours["recall"]) == (2 / 3, 1)
