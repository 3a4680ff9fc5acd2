"""What the lexical judge makes of a sentence's talk about its sources, of records, and what its flags say."""

from __future__ import annotations

import json
import time

import pytest

from argue_bench.judges.lexical import RULES
from argue_bench.judges.lexical.reading import read_text
from argue_bench.judges.lexical.support import judged, stated, weigh_words
from argue_bench.records import Answers, Entails, Source, SupportLevel, Verdict
from tests.shared import ROOT, table

SHOP = (
    '{"name": "Olga\'s", "attributes": {"OutdoorSeating": false, "TakeOut": true, "Music": null}}'
)


def level(source: str, sentence: str, question: str = "What is known?") -> Verdict:
    return judged(SupportLevel((Source("d", source),), sentence, question))


@pytest.mark.parametrize(
    ("sentence", "text"),
    table(
        """
        Based on the given passages, the bridge (passage 1) opened in 1931. | the bridge ( ) opened in 1931.
        2. Passage 2 states that the bridge opened. | the bridge opened.
        It is 5 m long, while passages 2 and 3 say that it is 6 m. | It is 5 m long, while it is 6 m.
        In 1931 the data centre opened. | In 1931 the data centre opened.
        The documents provide the following information: Cost: 5 crowns | Cost: 5 crowns
        How many died, and where? Seven people died in Oslo. | Seven people died in Oslo.
        How many died? Seven. | How many died? Seven.
        Say who built it. Bridge: Levrarm; Cost: 5 crowns | Say who built it. Levrarm; 5 crowns
        The Levrarm Bridge: Attribute: Cost; Value: 5 crowns | The Levrarm Bridge: Cost; 5 crowns
        """
    ),
)
def test_talk_about_the_sources_is_taken_off(sentence: str, text: str) -> None:
    assert stated(sentence).text == text


def test_what_the_sources_do_not_say_is_looked_for() -> None:
    source = "The bridge opened in 1931. The toll was nine crowns."
    assert level(source, "The passages do not mention the length of the canal.").value == "full"
    assert level(source, "The passages do not mention the toll of nine crowns.").value != "full"


@pytest.mark.parametrize(
    ("sentence", "supported"),
    [("It offers outdoor seating.", False), ("It has take out.", True)],
)
def test_a_field_that_says_no_denies(sentence: str, supported: bool) -> None:
    assert (level(SHOP, sentence, "Describe the shop.").value == "full") is supported


@pytest.mark.parametrize(
    ("source", "sentence"),
    table(
        """
        {"name": "Luna Grill", "attributes": {"WiFi": "free"}} | The cafe offers free WiFi.
        {"name": "Luna Grill", "attributes": {"WiFi": "free"}} | The cafe offers free Wi-Fi.
        Luna Grill is open every day from 10:00 to 22:00. | Luna Grill is open from 10:00 AM to 10:00 PM.
        Dinner is served from 4 p.m. to 9 p.m. | Dinner is served 4 p.m.–9 p.m.
        """
    ),
)
def test_keys_halves_of_the_day_and_dashes_deny_nothing(source: str, sentence: str) -> None:
    assert level(source, sentence).value == "full"


@pytest.mark.parametrize(
    "said",
    [
        "Name: 1990 final; Reason for late start: a goat on the terraces",
        "Late start – Because of a goat on the terraces",
    ],
)
def test_what_begins_behind_a_semicolon_or_a_dash_is_no_name(said: str) -> None:
    asked = "Why did the 1990 final of the Kreilmand Cup start late?"
    assert RULES[Answers](Answers(said, asked, "a goat on the terraces")).value == "yes"


@pytest.mark.parametrize(
    ("sentence", "against"),
    [
        ("The shop offers take out, but outdoor seating is not there.", False),
        ("Olga's shop, which has take out, lacks outdoor seating.", False),
        ("Tables for outdoor seating are unavailable.", False),
        # Words with the same first letters are others.
        ("It has a classic menu that tourists like.", False),
        ("It is a classy shop.", True),
    ],
)
def test_whoever_denies_a_field_that_says_no_is_right(sentence: str, against: bool) -> None:
    shop = SHOP.replace(
        "{", '{"ShopOutdoorSeating": false, "classy": false, "touristy": false, ', 1
    )
    flag = level(shop, sentence, "Describe the shop.").flag
    assert (flag == "contradicted") is against


def test_words_that_lead_to_an_item_are_nowhere_in_a_source() -> None:
    source = "Seven ships sank near Bergen in 1931, and Tromsø lost its harbour."
    lead = "Here are the findings, formatted as a bulleted overview with references for easier reading:"
    assert level(source, f"{lead} Seven ships sank near Bergen").value == "full"
    assert level(source, f"{lead} Nine ferries burnt in Oslo").value == "no"


@pytest.mark.parametrize("sentence", ["What does the toll cost?", "Here it is in 200 words:"])
def test_what_asks_or_announces_is_not_flagged(sentence: str) -> None:
    assert level("The bridge opened in 1931.", sentence).value == "full"


@pytest.mark.parametrize(
    ("source", "sentence", "flag"),
    table(
        """
        Items can be returned within 30 days of delivery. | You can return items within 60 days of delivery. | contradicted
        The tower is 250 m high. It was painted grey in 1985. | The tower is 300 m high. | contradicted
        The tower is 250 m high. It was painted grey in 1985. | It was painted red in 1990. | value
        The bridge was built by Anna Berg. | The bridge was built by Carl Meyer. | name
        """
    ),
)
def test_a_plain_contradiction_is_sure_and_no_partial_support(
    source: str, sentence: str, flag: str
) -> None:
    verdict = level(source, sentence)
    assert verdict.flag == flag
    assert verdict.probability is not None
    assert verdict.probability >= 0.5
    assert flag != "contradicted" or verdict.value == "no"


def test_the_label_of_a_cell_is_no_name() -> None:
    assert level("Alpha is 250 m high.", "Name: Alpha; Value: 250 m").value == "full"


@pytest.mark.parametrize("joint", [":", ".", " –", " —", " -", ";"])
def test_a_label_may_be_anywhere_in_the_sources(joint: str) -> None:
    source = "A closure was announced. The town is old. In 2021 the flood scoured its foundations."
    said = "The flood of 2021 scoured its foundations."
    assert level(source, f"Closure{joint} {said}").value == "full"
    assert level(source, f"Painting{joint} It was painted red in 1990.").value == "no"


@pytest.mark.parametrize("blank", "\u00a0\u2009\u202f")
def test_thousands_may_be_parted_by_a_thin_blank(blank: str) -> None:
    assert (
        level("The wall has 12,345 stones.", f"The wall has 12{blank}345 stones.").value == "full"
    )
    assert level("The wall has 12,346 stones.", f"The wall has 12{blank}345 stones.").value == "no"


def test_a_capital_m_behind_a_number_is_a_million() -> None:
    source = "The works cost 8.05 million crowns, for 1.9 km of road."
    assert level(source, "The works cost 8.05M crowns.").value == "full"
    assert level(source, "The works cost 9.05M crowns.").value == "no"


def test_a_flag_has_its_class_and_how_often_such_flags_are_right() -> None:
    verdict = level("The mill burned down on 13 June 1931.", "The mill burned down on 3 May 1931.")
    assert (verdict.flag, verdict.note) == ("contradicted", "it says 1931-06-13, not 1931-05-03")
    assert verdict.probability is not None
    assert 0 < verdict.probability < 1
    assert level("The mill burned down in 1820.", "The mill burned down.").probability is None


def test_a_reason_spells_large_numbers_out() -> None:
    verdict = level("The new hall cost $2 million.", "The new hall cost $1.3 million.")
    assert verdict.note == "it says 2,000,000 $, not 1,300,000 $"


@pytest.mark.parametrize("some", ["documents 1 and 2, ", "based on the ", "- 1. ", "(passage 1 "])
def test_talk_without_end_takes_no_long_time(some: str) -> None:
    begin = time.process_time()
    stated(some * (900 // len(some)))
    assert time.process_time() - begin < 2


def test_each_source_of_the_hard_pairs_has_a_right_and_a_wrong_statement() -> None:
    lines = (ROOT / "tests/judges/hard_pairs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) >= 300
    for right, wrong in zip(rows[::2], rows[1::2], strict=True):
        assert (right["source"], right["label"], wrong["label"]) == (wrong["source"], "yes", "no")


SOURCE = Source(
    "d",
    "The Harlow Bridge opened in 1931. It is 412 m long. The relief work of 2005 was paid by Ada Holm.",
)


@pytest.mark.parametrize(
    "begin", ["Based solely on", "Based strictly on", "Based only on", "Based exclusively on"]
)
def test_how_strictly_a_sentence_rests_on_its_sources_is_no_claim(begin: str) -> None:
    assert stated(f"{begin} the provided passages, it opened.").text == "it opened."
    assert stated("The documents state that it opened.").text == "it opened."


def test_the_words_of_a_label_may_be_anywhere_in_the_source() -> None:
    said = Entails((SOURCE,), "Harlow Bridge: The relief work of 2005 was paid by Ada Holm.")
    assert judged(said).value == "full"
    lacks = Entails(
        (SOURCE,), "Quarry, dock and foundry: The relief work of 2005 was paid by Ada Holm."
    )
    assert weigh_words(lacks.hypothesis, "", read_text(SOURCE.text)).held < 1
