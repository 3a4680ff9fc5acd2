"""Grounding on rows worked by hand, and weakness by weakness against Luciole's own rules."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from argue_bench.eval.drive import Case, drive
from argue_bench.judges.recorded import Recorded
from argue_bench.metrics import parse
from argue_bench.metrics.grounding.metric import THEIRS
from argue_bench.records import (
    Document,
    Gold,
    Grounded,
    Question,
    Refuses,
    ShortAnswer,
    Source,
    Tally,
    Verdict,
)
from argue_bench.text import read_answer

DOCUMENTS = {
    "t1": Document("t1", "The tower opened in 1889.", "Eiffel Tower"),
    "t2": Document("t2", "He was born in Dijon.", "Gustave Eiffel"),
    "t3": Document("t3", "A railway viaduct.", "Garabit Viaduct"),
    "t4": Document("t4", "Signed in Paris.", "Treaty of Paris"),
}


def tallies(
    text: str,
    gold: str | tuple[str, ...] = "Gustave Eiffel",
    supporting: tuple[str, ...] = ("t1", "t2"),
    answerable: bool = True,
    rules: str = "default",
    documents: dict[str, Document] | None = None,
    language: str = "en",
) -> dict[str, Tally]:
    shown = DOCUMENTS if documents is None else documents
    spellings = (gold,) if isinstance(gold, str) else gold
    question = Question(
        "q", "Who?", documents=tuple(shown), language=language,
        gold=Gold(answerable, short_answers=(ShortAnswer("Who?", spellings),), supporting=supporting),
    )  # fmt: skip
    answer = read_answer("q", text, shown, language)
    metric = parse(f"grounding(rules={rules})")
    return dict(counted(metric, Case(question, answer, shown)))


def counted(metric: Any, case: Case, judge: Any = None) -> Any:
    async def work() -> Any:
        judges = {} if judge is None else {"j": judge}
        return [outcome async for outcome in drive([case], [metric], judges)]

    (outcome,) = asyncio.run(work())
    (found,) = outcome.counted.values()
    assert found.failures == ()
    return found.tallies


def values(found: dict[str, Tally]) -> dict[str, float]:
    return {name: tally.got / tally.of for name, tally in found.items() if tally.of}


def test_an_answer_with_one_gold_one_distractor_and_one_invented_citation() -> None:
    found = values(tallies("Gustave Eiffel built it [t1]. It stands [t3]. It is old [d99]."))
    assert found["answer_exact"] == 1
    assert found["citation_precision"] == pytest.approx(1 / 3)
    assert found["citation_recall"] == pytest.approx(1 / 2)
    assert found["citation_f1"] == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert found["distractor_rate"] == pytest.approx(1 / 3)
    assert found["invented_rate"] == pytest.approx(1 / 3)
    assert found["false_refusal_rate"] == 0
    assert found["answered"] == 1
    assert "refusal_precision" not in found  # nothing was refused
    assert "refusal_recall" not in found  # the question has an answer
    # words shared: gustave, eiffel of 2 in the gold and 9 in the answer
    assert found["answer_f1"] == pytest.approx(2 * 2 / (2 + 9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I cannot answer this question.", {"refusal_recall": 1, "refusal_behaviour": 1,
         "hallucination_rate": 0, "hedged_rate": 0, "refusal_precision": 1}),
        ("I cannot answer. It was Gustave Eiffel, perhaps [t1].", {"refusal_recall": 1,
         "refusal_behaviour": 0, "hallucination_rate": 0, "hedged_rate": 1,
         "citation_rate_unanswerable": 1}),
        ("It was Gustave Eiffel.", {"refusal_recall": 0, "refusal_behaviour": 0,
         "hallucination_rate": 1, "citation_rate_unanswerable": 0}),
        ("", {"refusal_recall": 0, "refusal_behaviour": 0, "hallucination_rate": 0,
         "empty_rate": 1}),
    ],
)  # fmt: skip
def test_an_unanswerable_question(text: str, expected: dict[str, float]) -> None:
    found = values(tallies(text, answerable=False, supporting=()))
    assert {name: found[name] for name in expected} == expected
    assert "answer_exact" not in found


def test_refusing_an_answerable_question_earns_nothing() -> None:
    found = values(tallies("I cannot answer whether Gustave Eiffel built it [t1]."))
    assert found["false_refusal_rate"] == found["false_refusal_behaviour"] == 1
    assert found["answer_exact"] == found["citation_f1"] == found["answered"] == 0
    assert found["refusal_precision"] == 0


REPORT = {
    "a": Document("a", "", "Rep [aaaaaaaa]"),
    "b": Document("b", "", "Rep [bbbbbbbb]"),
    "c": Document("c", "", "L'Avare"),
    "d": Document("d", "", "Gatsby, The"),
}

# weakness number of the specification, arguments, score, theirs (v1), ours
BETTER = [
    (1, {"text": "It was 1985.", "gold": "5"}, "answer_exact", 1, 0),
    (1, {"text": "A party.", "gold": "art"}, "answer_exact", 1, 0),
    (1, {"text": "It is unknown to me who, or when.", "gold": "no"}, "answer_exact", 1, 0),
    (2, {"text": "It cost 35 million.", "gold": "$3.5 million"}, "answer_exact", 1, 0),
    (2, {"text": "It grew by 20%.", "gold": "-20%"}, "answer_exact", 1, 0),
    (2, {"text": "They counted 1\u202f234\u202f567.", "gold": "1234567", "language": "fr"},
     "answer_exact", 0, 1),
    (3, {"text": "vitamin C", "gold": "vitamin D"}, "answer_exact", 1, 0),
    (3, {"text": "It was A", "gold": "A"}, "answer_exact", 0, 1),
    (4, {"text": "Molie\u0300re wrote it.", "gold": "Molière", "language": "fr"}, "answer_exact", 0, 1),
    (4, {"text": "Moliere wrote it.", "gold": "Molière", "language": "fr"}, "answer_exact", 0, 1),
    (5, {"text": "See <cite>Gustave Eiffel</cite>."}, "answer_exact", 1, 0),
    (5, {"text": "Dijon<cite>Eiffel Tower</cite>", "gold": "Dijon"}, "answer_fuzzy", 0, 1),
    (8, {"text": "It is 330 metres.", "gold": ("330 metres (1,083 ft)", "330 metres")},
     "answer_exact", 0, 1),
    (9, {"text": "Gustave Eiffel."}, "citation_precision", None, 0),
    (9, {"text": "Gustave Eiffel."}, "citation_f1", None, 0),
    (10, {"text": "So <cite>e</cite>."}, "citation_f1_fuzzy", 1, 0),
    (10, {"text": "So <cite>Paris</cite>.", "supporting": ("t4",)}, "citation_precision_fuzzy", 1, 0),
    (11, {"text": "So <cite>Rep [aaaaaaaa]</cite>.", "supporting": ("b",), "documents": REPORT},
     "citation_precision", 1, 0),
    (13, {"text": "So <cite>L’Avare</cite>.", "supporting": ("c",), "documents": REPORT},
     "citation_f1", 0, 1),
    (14, {"text": "So <cite>Nowhere at all</cite>."}, "distractor_rate", 1, 0),
    (14, {"text": "So <cite>Nowhere at all</cite>."}, "invented_rate", None, 1),
    (16, {"text": "So <cite>Eiffel Towers</cite>.", "supporting": ("t1",)},
     "distractor_rate_fuzzy", None, 0),
    (17, {"text": "It was X <cite>Garabit Viaduct</cite>.", "answerable": False, "supporting": ()},
     "citation_rate_unanswerable", None, 1),
    (18, {"text": "Solar panels do not provide power at night."}, "false_refusal_rate", 1, 0),
    (19, {"text": "I don't know.", "answerable": False, "supporting": ()}, "refusal_recall", 0, 1),
    (19, {"text": "Cela ne figure pas dans le contexte.", "answerable": False, "supporting": (),
          "language": "fr"}, "refusal_recall", 0, 1),
    (20, {"text": "I cannot answer. But wait. In the end I cannot answer.", "answerable": False,
          "supporting": ()}, "refusal_behaviour", None, 1),
    (21, {"text": "I cannot answer this. It is Paris.", "answerable": False, "supporting": ()},
     "hedged_rate", None, 1),
    (22, {"text": "I cannot answer that Gustave Eiffel did it."}, "answer_exact", 1, 0),
    (23, {"text": "", "answerable": False, "supporting": ()}, "empty_rate", None, 1),
]  # fmt: skip


@pytest.mark.parametrize("row", BETTER, ids=lambda row: f"{row[0]}-{row[2]}-{row[1]['text'][:24]}")
def test_a_weakness_is_mended(row: tuple[int, dict[str, Any], str, float | None, float]) -> None:
    _, arguments, score, theirs, ours = row
    assert values(tallies(**arguments)).get(score) == ours
    assert values(tallies(**arguments, rules="luciole-v1")).get(score) == theirs


def test_each_gold_title_serves_one_citation() -> None:
    twins = {"a": Document("a", "", "Annual Report"), "b": Document("b", "", "Annual Report")}
    found = tallies("So [a]. And so [b].", supporting=("a",), documents=twins)
    assert values(found)["citation_precision_fuzzy"] == 0.5


@pytest.mark.parametrize("rules", ["luciole-v1", "luciole-head"])
def test_frozen_rules_fill_our_names(rules: str) -> None:
    text = 'Gustave Eiffel <cite>Eiffel Tower</cite><ref name="Eiffel Tower"></ref>.'
    found = values(tallies(text, rules=rules))
    assert found["answer_exact"] == 1
    assert found["citation_precision"] == 1
    assert found["citation_recall"] == 0.5
    assert set(THEIRS.values()) <= set(found)


def test_a_judge_rates_and_finds_refusals() -> None:
    question = Question(
        "q", "Who?", documents=("t1",),
        gold=Gold(short_answers=(ShortAnswer("Who?", ("Gustave Eiffel",)),), supporting=("t1",)),
    )  # fmt: skip
    answer = read_answer("q", "Gustave Eiffel [t1].", DOCUMENTS)
    source = Source("t1", "Eiffel Tower\nThe tower opened in 1889.")
    asks = {
        Grounded("Who?", "Gustave Eiffel", ("Eiffel Tower",), (source,), answer.text): "4",
        Refuses("Who?", answer.text): "no",
    }
    judge = Recorded({a.key: Verdict(v) for a, v in asks.items()}, name="people", digest="d")
    case = Case(question, answer, {"t1": DOCUMENTS["t1"]})
    found = counted(parse("grounding_judge(judge=j)"), case, judge)
    assert values(found) == {
        "rating": 4, "at_least_4": 1, "at_least_5": 0, "false_refusal_rate": 0,
    }  # fmt: skip
