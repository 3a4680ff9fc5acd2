"""Accuracy: leaves, typed matching, FanOutQA's quirks, and every gold string of its dev set."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from argue_bench import load
from argue_bench.errors import DataError
from argue_bench.metrics import parse
from argue_bench.metrics.correctness.accuracy import Reader
from argue_bench.published.fanoutqa.accuracy import answer_in_text
from argue_bench.records import Answer, Gold, Question, Sentence, ShortAnswer
from argue_bench.records.question import as_text, leaves
from argue_bench.text import read_answer
from argue_bench.text.citations import EMPTY_INDEX
from tests.metrics.correctness.counted import counted, values
from tests.shared import shared

needs_lemmas = pytest.mark.skipif(
    importlib.util.find_spec("spacy_lookups_data") is None, reason="needs argue-bench[fanoutqa]"
)
RULES = ("fanoutqa", "fanoutqa-lookup")


def test_leaves_are_keys_and_values_however_deep() -> None:
    gold = {"Oslo": (709_037, True), "Bergen": {"mayor": None, "area": 464.7}}
    assert list(leaves(gold)) == ["Oslo", "709037", "yes", "Bergen", "mayor", "area", "464.7"]


def test_loose_is_the_share_of_leaves_and_strict_all_of_them() -> None:
    gold = Gold(answer={"Oslo": 709_037, "Bergen": 289_330})
    tallies = counted("accuracy", gold, "Oslo has 709,037 people and Bergen 12.")
    assert values(tallies) == {"loose": 3 / 4, "strict": 0.0}
    assert tallies["loose"].note == "missing: 289330"
    assert values(counted("accuracy", gold, "Bergen: 289 330... no, 289,330; Oslo: 709037")) == {
        "loose": 1.0,
        "strict": 1.0,
    }


def test_no_answer_scores_0_and_no_gold_does_not_apply() -> None:
    assert values(counted("accuracy", Gold(answer="Oslo"), "")) == {"loose": 0.0, "strict": 0.0}
    for nothing in (None, (), {}, (None, ""), "  "):
        assert values(counted("accuracy", Gold(answer=nothing), "Oslo")) == {
            "loose": None,
            "strict": None,
        }


@pytest.mark.parametrize(
    ("gold", "text", "found"),
    [
        (True, "Yes, it is.", 1.0),
        (False, "No, it is not.", 1.0),
        (False, "It is known.", 0.0),
        (3.0, "It has 3.", 1.0),
        (-100, "It has 100.", 0.0),
        ("!!!", "The band !!! played.", 1.0),
        ("!!!", "The band played!", 0.0),
    ],
)
def test_plain_values(gold: Any, text: str, found: float) -> None:
    assert counted("accuracy", Gold(answer=gold), text)["loose"].value == found


def test_citation_marks_are_no_part_of_the_answer() -> None:
    answer = Answer("q", "It has many [5].", (Sentence("It has many.", ("d5",)),))
    assert counted("accuracy", Gold(answer=5), answer)["loose"].value == 0.0


@needs_lemmas
@pytest.mark.parametrize("rules", RULES)
def test_fanoutqa_reads_citation_marks_as_part_of_the_answer(rules: str) -> None:
    answer = Answer("q", "It has many [5].", (Sentence("It has many.", ("d5",)),))
    assert counted(f"accuracy(rules={rules})", Gold(answer=5), answer)["loose"].value == 1.0


@needs_lemmas
@pytest.mark.parametrize(
    "text",
    [
        "Jean\u2011Paul Sartre wrote O\u2019Neill, 12\u202f345 words.",
        "- **Jean–Paul Sartre**<sup>[1]</sup>\n- O'Neill[1]: 12\u00a0345[^1]",
        "<ul><li>Jean-Paul Sartre</li><li>[O'Neill](https://en.wikipedia.org/wiki/X)</li><li>12,345</li></ul>",
        "_Jean-Paul Sartre_ (O\u02bcNeill, 12345)",
    ],
)
def test_fanoutqas_plain_reading_finds_what_people_write_otherwise(text: str) -> None:
    gold = Gold(answer=("Jean-Paul Sartre", "O'Neill", 12345))
    answer = read_answer("q", text, EMPTY_INDEX, "en", "")
    for rules in RULES:
        plain = parse(f"accuracy(rules={rules},text=plain)")
        assert str(plain) == f"accuracy(rules={rules},text=plain)"
        plain.read_ahead([(Question("q", "Who?", gold=gold), answer)])
        assert values(counted(str(plain), gold, answer)) == {"loose": 1.0, "strict": 1.0}


@needs_lemmas
@pytest.mark.parametrize(
    "text",
    [
        *("China: 23\u00b9; Peru\u00b2: 1,000\u00b3", "China\u1d43: 23\u1d47, Peru: 1000", "China\u2460: 23\u2461; Peru: 1000"),
        *("China:23;Peru:1,000", "China\uff1a23\uff1bPeru\uff1a1000", "China,23\nPeru,1000", "1.China: 23; 2.Peru: 1000"),
        *("China\u2122 23\u00ae, Peru 1000", "China\u7684\u503c\u4e3a23\uff0cPeru\u306f1,000\u3067\u3059\u3002"),
    ],
)  # fmt: skip
def test_fanoutqas_plain_reading_parts_what_stands_beside_a_value(text: str) -> None:
    gold = Gold(answer={"China": 23, "Peru": 1000})
    assert counted("accuracy(rules=fanoutqa-lookup,text=plain)", gold, text)["loose"].value == 1.0


FORMS = [
    *(
        "\u2460Left Bank: 61.6\n\u2461Ada-Lee: 350\u2013460",
        "Left Bank\u301061.6\u3011Ada-Lee\u3010350\u2013460\u3011",
    ),
    *(
        '{"Left Bank":"61.6","Ada-Lee":"350\\u2013460"}',
        '"Left Bank","61.6"\n"Ada-Lee","350\u2013460"',
    ),
    *(
        "- **Left Bank:**61.6\n- **Ada-Lee:**350\u2013460",
        "Left Bank\u219261.6\nAda-Lee->350\u2013460",
    ),
    *(
        "|Left Bank|61.6|\n|Ada-Lee|350\u2013460|",
        "Left Bank\uff1a61.6\uff1bAda\\-Lee\uff1a350\u2013460",
    ),
    "Left Bank: [61.6](https://a.example/L) and Ada-Lee: [350\u2013460](https://a.example/A)",
    "- [[Left Bank]]: [61.6]\n- [Ada-Lee][1]: [350\u2013460][2]\n\n[1]: https://a.example/1",
    "<table><tr><th></th><th>Left Bank</th><th>Ada-Lee</th></tr><tr><td>Is</td><td>61.6</td><td>350\u2013460</td></tr></table>",
    '<a href="https://a.example">Left Bank</a>: $\\boxed{61.6}$, <b>Ada-Lee</b>&#58;&nbsp;350\u2013460',
]


@needs_lemmas
@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize(
    "name",
    ["accuracy(rules=fanoutqa-lookup,text=plain).loose", "str_em(rules=alce,lines=all).recall", "accuracy.loose"],
)  # fmt: skip
def test_a_form_that_models_write_loses_no_string(text: str, name: str) -> None:
    metric, _, score = name.rpartition(".")
    wanted = ("Left Bank", "61.6", "Ada-Lee", "350\u2013460")
    short = tuple(ShortAnswer(one, (one,)) for one in wanted)
    answer = read_answer("q", text, EMPTY_INDEX, "en", "")
    assert counted(metric, Gold(answer=wanted, short_answers=short), answer)[score].value == 1.0
    others = ("eft Bank", "1.6", "da-Lee", "50\u2013460")
    short = tuple(ShortAnswer(one, (one,)) for one in others)
    assert counted(metric, Gold(answer=others, short_answers=short), answer)[score].value == 0.0


@needs_lemmas
def test_what_begins_or_ends_in_a_sign_is_found_by_the_plain_reading_alone() -> None:
    gold = Gold(answer=("$87 billion", "Italy (2021)"))
    for text, found in (("plain", 1.0), ("written", 0.0)):
        name = f"accuracy(rules=fanoutqa-lookup,text={text})"
        assert counted(name, gold, "It is $87 billion, in Italy (2021).")["loose"].value == found


def test_a_trace_in_a_fence_is_no_part_of_an_answer() -> None:
    text = "It is old.\n\n```\n<think>\nOslo lies in Norway.\n</think>\nok\n```"
    answer = read_answer("q", text, EMPTY_INDEX, "en", "")
    assert counted("accuracy", Gold(answer="Norway"), answer)["loose"].value == 0.0


@needs_lemmas
@pytest.mark.parametrize("sign", ["\u0336", "\u034f", "\u0488", "\x80", "\u200b"])
def test_fanoutqas_plain_reading_parts_no_word_by_a_sign_that_a_reader_does_not_see(
    sign: str,
) -> None:
    plain, gold = "accuracy(rules=fanoutqa-lookup,text=plain)", Gold(answer=("China", "23"))
    assert counted(plain, gold, f"Ch{sign}ina: 2{sign}3")["loose"].value == 1.0
    assert counted(plain, gold, f"China{sign}kx: 23{sign}jx")["loose"].value == 0.0


@needs_lemmas
@pytest.mark.parametrize("name", ["accuracy", "accuracy(rules=fanoutqa-lookup,text=plain)"])
def test_a_list_in_a_fence_is_read_though_a_sentence_stands_over_it(name: str) -> None:
    text = "I looked this up in March.\n\n```json\nChina: 23\n```\nThat is all of them."
    answer = read_answer("q", text, EMPTY_INDEX, "en", "")
    gold = Gold(answer={"China": 23})
    assert values(counted(name, gold, answer))["strict"] == 1.0


@needs_lemmas
def test_fanoutqas_plain_reading_keeps_what_belongs_together() -> None:
    gold = Gold(answer=("10\u00b2", "3:58", "1,000.5", "O'Neill"))
    found = counted(
        "accuracy(rules=fanoutqa-lookup,text=plain)", gold, "10\u00b2, 3:58, 1,000.5, O'Neill"
    )
    assert found["loose"].value == 1.0
    assert (
        counted("accuracy(rules=fanoutqa-lookup,text=plain)", Gold(answer="23"), "231")[
            "loose"
        ].value
        == 0.0
    )


@needs_lemmas
def test_fanoutqas_plain_reading_finds_a_name_that_ends_in_a_point_in_brackets() -> None:
    gold, text = Gold(answer="Robert Downey Jr."), "One won (Robert Downey Jr.)"
    assert counted("accuracy(rules=fanoutqa-lookup)", gold, text)["loose"].value == 0.0
    plain = counted("accuracy(rules=fanoutqa-lookup,text=plain)", gold, text)
    assert plain["loose"].value == 1.0


@needs_lemmas
def test_fanoutqa_scores_nested_gold_below_zero_and_an_unanswered_question_0() -> None:
    gold = {"a": ("x", "y", "z")}  # four missing of two: the published scorer gives -1
    assert answer_in_text(gold, "nothing").score == -1.0
    assert answer_in_text(gold, "nothing", "table").score == -1.0
    assert counted("accuracy(rules=fanoutqa)", Gold(answer=gold), "nothing")["loose"].value == -1.0
    assert counted("accuracy(rules=fanoutqa)", Gold(answer=gold), "")["loose"].value == 0.0


@needs_lemmas
@pytest.mark.parametrize("gold", [(), {}, ("a", ())])
def test_fanoutqa_divides_by_zero_where_we_raise(gold: Any) -> None:
    with pytest.raises(DataError, match="empty list"):
        answer_in_text(gold, "a")


def test_every_gold_string_of_fanoutqa_is_found_in_its_own_text() -> None:
    dev = load("fanoutqa", path=shared("data", "fanoutqa"))
    golds = [leaf for q in dev if q.gold is not None for leaf in leaves(q.gold.answer)]
    assert len(golds) == 3079
    question = Question("q", "Who was it?")
    frames = ("{}", "It is {}.", "* **{}**", "- {} (see below)", "first, {}, they say")
    missed = [
        (leaf, frame)
        for leaf in golds
        for frame in frames
        if not Reader(frame.replace("{}", leaf), question).finds(leaf)
    ]
    assert missed == []


def test_gold_as_text() -> None:
    assert as_text({"a": {"b": True}, "c": (1, None)}) == "a - b - yes\nc - 1\n"


@needs_lemmas
def test_the_signature_names_model_or_table_with_its_version() -> None:
    model = parse("accuracy(rules=fanoutqa)").facts()
    assert list(model) == ["spacy", "lemmas", "ftfy"]
    name, _, version = model["lemmas"].partition(" ")
    assert name.startswith("en_core_web_sm")
    assert version.startswith("3.")
    assert list(parse("accuracy(rules=fanoutqa-lookup)").facts()) == [
        "spacy",
        "spacy-lookups-data",
        "ftfy",
    ]
