"""Grounding on rows worked by hand, and weakness by weakness against Luciole's own rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from argue_bench.eval import Report, evaluate
from argue_bench.eval.driver import Case, run_metrics
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.grounding import match_gold
from argue_bench.published.luciole.v1 import NAMES
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
    asked: str = "Who?",
) -> dict[str, Tally]:
    shown = DOCUMENTS if documents is None else documents
    spellings = (gold,) if isinstance(gold, str) else gold
    question = Question(
        "q",
        asked,
        documents=tuple(shown),
        language=language,
        gold=Gold(
            answerable, short_answers=(ShortAnswer("Who?", spellings),), supporting=supporting
        ),
    )
    answer = read_answer("q", text, shown, language)
    metric = parse(f"grounding(rules={rules})")
    return dict(counted(metric, Case(question, answer, shown)))


def counted(metric: Any, case: Case, judge: Any = None) -> Any:
    async def work() -> Any:
        judges = {} if judge is None else {"j": judge}
        return [outcome async for outcome in run_metrics([case], [metric], judges)]

    (outcome,) = asyncio.run(work())
    (found,) = outcome.counted.values()
    assert found.failures == ()
    return found.tallies


def values(found: dict[str, Tally]) -> dict[str, float]:
    return {
        name: tally.numerator / tally.denominator
        for name, tally in found.items()
        if tally.denominator
    }


def test_an_answer_with_one_gold_one_distractor_and_one_invented_citation() -> None:
    found = values(tallies("Gustave Eiffel built it [t1]. It stands [t3]. It is old [d99]."))
    assert found["answer_em"] == 1
    assert found["citation_precision_strict"] == pytest.approx(1 / 3)
    assert found["citation_recall_strict"] == pytest.approx(1 / 2)
    assert found["citation_f1_strict"] == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert found["distractor_citation_rate"] == pytest.approx(1 / 3)
    assert found["unknown_citation_rate"] == pytest.approx(1 / 3)
    assert found["false_refusal_rate"] == 0
    assert found["answered"] == 1
    assert "refusal_precision" not in found  # nothing was refused
    assert "refusal_recall" not in found  # the question has an answer
    # words shared: gustave, eiffel of 2 in the gold and 9 in the answer
    assert found["answer_f1"] == pytest.approx(2 * 2 / (2 + 9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So [t1]. And so [t2].", 1),
        ("So [t1]. And so [t2]. And [t3].", 1 - 1 / 2),
        # What was never given counts as a distractor does.
        ("So [t1]. And so [t2]. And [d99].", 1 - 1 / 2),
        ("So [t1]. And so [t3]. And [d99].", 0),
        ("So it is.", 0),
    ],
)
def test_informedness_subtracts_distractors_and_invented_citations(
    text: str, expected: float
) -> None:
    assert values(tallies(text))["citation_informedness"] == expected


def test_words_of_several_gold_strings_count_once_in_f1() -> None:
    """Four words are wanted, of which the answer's two are each in two strings: at most its two count."""
    found = match_gold("Oslo Norway", [("Oslo Norway",), ("Oslo",), ("Norway",)])
    assert found == (2 * 2 / (2 + 4), [])


RATES = (
    "refusal_recall",
    "refusal_recall_strict",
    "hallucination_rate",
    "hedged_rate",
    "empty_rate",
    "citation_rate_unanswerable",
)


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("I cannot answer this question.", (1, 1, 0, 0, 0, 0)),
        ("I cannot answer. It was Gustave Eiffel, perhaps [t1].", (1, 0, 0, 1, 0, 1)),
        ("It was Gustave Eiffel.", (0, 0, 1, 0, 0, 0)),
        ("", (0, 0, 0, 0, 1, 0)),
    ],
)
def test_an_unanswerable_question(text: str, rates: tuple[int, ...]) -> None:
    found = values(tallies(text, answerable=False, supporting=()))
    assert tuple(found[name] for name in RATES) == rates
    assert "answer_em" not in found


def test_refusing_an_answerable_question_earns_nothing() -> None:
    found = values(tallies("I cannot answer whether Gustave Eiffel built it [t1]."))
    assert found["false_refusal_rate"] == found["false_refusal_rate_strict"] == 1
    assert found["answer_em"] == found["citation_f1_strict"] == found["answered"] == 0
    assert found["refusal_precision"] == 0


REPORT = {
    "a": Document("a", "", "Rep [aaaaaaaa]"),
    "b": Document("b", "", "Rep [bbbbbbbb]"),
    "c": Document("c", "", "L'Avare"),
    "d": Document("d", "", "Gatsby, The"),
    "e": Document("e", "", "C# lang"),
    "f": Document("f", "", 'The "Great" Gatsby'),
}

NO = {"answerable": False, "supporting": ()}


def titled(*supporting: str) -> dict[str, Any]:
    return {"supporting": supporting, "documents": REPORT}


# weakness number of the specification, text, what is asked, score, theirs (v1), ours
BETTER: list[tuple[int, str, dict[str, Any], str, float | None, float]] = [
    (1, "It was 1985.", {"gold": "5"}, "answer_em", 1, 0),
    (2, "It cost 35 million.", {"gold": "$3.5 million"}, "answer_em", 1, 0),
    (
        2,
        "They counted 1\u202f234\u202f567.",
        {"gold": "1234567", "language": "fr"},
        "answer_em",
        0,
        1,
    ),
    (3, "vitamin C", {"gold": "vitamin D"}, "answer_em", 1, 0),
    (3, "It was A", {"gold": "A"}, "answer_em", 0, 1),
    (4, "Molie\u0300re wrote it.", {"gold": "Molière", "language": "fr"}, "answer_em", 0, 1),
    (5, "See <cite>Gustave Eiffel</cite>.", {}, "answer_em", 1, 0),
    (6, "Paris, Lyon, Dijon, Lille or Nice", {"gold": "Dijon"}, "answer_f1", None, 2 * 1 / (6 + 1)),
    (
        6,
        "Acme members of that board, May 1986.",
        {"gold": "Acme board members May 1985"},
        "answer_f1",
        None,
        2 * 4 / (7 + 5),
    ),
    (8, "It is 330 metres.", {"gold": ("330 metres (1,083 ft)", "330 metres")}, "answer_em", 0, 1),
    (9, "Gustave Eiffel.", {}, "citation_precision_strict", None, 0),
    (9, "Gustave Eiffel.", {}, "citation_f1_strict", None, 0),
    (10, "So <cite>Paris</cite>.", {"supporting": ("t4",)}, "citation_precision_strict", 0, 0),
    (11, "So <cite>Rep [aaaaaaaa]</cite>.", titled("b"), "citation_precision_strict", 1, 0),
    (12, "So [Source: Rep [bbbbbbbb]].", titled("b"), "citation_f1_strict", 0, 1),
    (12, "So ##Cite C# lang##.", titled("e"), "citation_f1_strict", None, 1),
    (12, 'So <cite>The "Great" Gatsby</cite>.', titled("f"), "citation_f1_strict", 0, 1),
    (12, "So <cite>L'Avare, C# lang</cite>.", titled("c", "e"), "citation_recall_strict", 0, 1),
    (12, 'So <ref name="L\'Avare">it</ref> is.', titled("c"), "citation_f1_strict", None, 1),
    (12, "So <ref id='1' name='Gatsby, The'/>.", titled("d"), "citation_f1_strict", None, 1),
    (13, "So <cite>L’Avare</cite>.", titled("c"), "citation_f1_strict", 0, 1),
    (14, "So <cite>Nowhere at all</cite>.", {}, "distractor_citation_rate", 1, 0),
    (14, "So <cite>Nowhere at all</cite>.", {}, "unknown_citation_rate", None, 1),
    (17, "It was X <cite>Garabit Viaduct</cite>.", NO, "citation_rate_unanswerable", None, 1),
    (18, "Solar panels do not provide power at night.", {}, "false_refusal_rate", 1, 0),
    (19, "I don't know.", NO, "refusal_recall", 0, 1),
    (19, "Cela ne figure pas dans le contexte.", NO | {"language": "fr"}, "refusal_recall", 0, 1),
    (
        20,
        "I cannot answer. But wait. In the end I cannot answer.",
        NO,
        "refusal_recall_strict",
        None,
        1,
    ),
    (21, "I cannot answer this. It is Paris.", NO, "hedged_rate", None, 1),
    (22, "I cannot answer that Gustave Eiffel did it.", {}, "answer_em", 1, 0),
    (23, "", NO, "empty_rate", None, 1),
    (25, "<think>It may be Gustave Eiffel <cite>Eiffel Tower</cite>", {}, "answer_em", 1, 0),
    (25, "<think>So Gustave", {}, "empty_rate", None, 1),
    (25, "<think>I cannot answer.</think>Gustave Eiffel.", {}, "false_refusal_rate", 1, 0),
]


@pytest.mark.parametrize("row", BETTER, ids=lambda row: f"{row[0]}-{row[3]}-{row[1][:24]}")
def test_a_weakness_is_mended(
    row: tuple[int, str, dict[str, Any], str, float | None, float],
) -> None:
    _, text, asked, score, theirs, ours = row
    assert values(tallies(text, **asked)).get(score) == pytest.approx(ours)
    assert values(tallies(text, **asked, rules="luciole-v1")).get(score) == theirs


def test_7_a_row_without_gold_answer_is_not_scored_for_it() -> None:
    found = values(tallies("It is so <cite>Eiffel Tower</cite>.", gold="", supporting=("t1",)))
    assert found["citation_f1_strict"] == 1
    assert not {"answer_em", "answer_f1"} & found.keys()


def reported(
    texts: Mapping[str, str], answerable: Sequence[str], metric: str = "grounding"
) -> Report:
    questions = [
        Question(
            id,
            "Who?",
            documents=("t1",),
            gold=Gold(
                id in answerable,
                short_answers=(ShortAnswer("Who?", ("Eiffel",)),) if id in answerable else (),
                supporting=("t1",) if id in answerable else (),
            ),
        )
        for id in texts
    ]
    dataset = Dataset("luciole", "piaf", tuple(questions), DOCUMENTS)
    return evaluate(dataset, [{"id": id, "answer": text} for id, text in texts.items()], [metric])


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot answer this question from the documents.",
        "**Question:** Who built the tower?\n\n**Answer:** I cannot answer this question from the documents.",
        "Who built the tower?\n\nI cannot answer this question from the documents.",
        "Q: Who built the tower?\nA: I cannot answer this question from the documents.",
        "| Question | Answer |\n|---|---|\n| Who built the tower? | I cannot answer this question. |",
        "# I cannot answer this question\n\nPlease consult another source.",
        "**I cannot answer this question**\n\nPlease consult another source.",
        "I cannot answer this question:\n\n- The passages do not name a builder.",
    ],
)
def test_the_question_over_a_refusal_is_no_answer_beside_it(answer: str) -> None:
    asked = "When was it opened? Who built the tower?"
    for text in ("Who built the tower?", asked):
        question = Question("q", text, gold=Gold(answerable=False))
        report = evaluate([question], [read_answer("q", answer, {})], ["grounding"])
        assert report.scores["grounding.refusal_recall_strict"].value == 1


@pytest.mark.parametrize(
    "answer",
    [
        "It opened in 1889.\n\n# I cannot answer this question",
        "| Year | Builder |\n|---|---|\n| It opened in 1889 | I cannot answer this question |",
    ],
)
def test_a_refusal_in_a_heading_or_a_cell_hides_no_answer(answer: str) -> None:
    found = tallies(answer, answerable=False, supporting=())
    assert values(found)["hedged_rate"] == 1


def test_24_always_refusing_is_half_of_balanced_accuracy_whatever_the_mix() -> None:
    texts = dict.fromkeys("abcd", "I cannot answer this question.")
    for answerable in ("a", "abc"):
        scores = reported(texts, answerable).scores
        assert scores["grounding.refusal_recall"].value == 1
        assert scores["grounding.balanced_accuracy"].value == 0.5


def test_what_ranks_is_moved_by_what_an_answer_says() -> None:
    """Two fixed sentences, "The documents speak of this." where words of the question stand in a document, else a refusal,
    led MT-RAG by balanced accuracy with 68.9, where GPT-4o has 66.0."""
    no = "I cannot answer this question."
    right = {"a": "Eiffel [t1].", "b": "Eiffel [t1].", "y": no, "z": no}
    fixed = {**dict.fromkeys("ab", "The documents speak of this."), "y": no, "z": no}
    ranked = {
        name: reported(texts, "ab").scores["grounding.balanced_f1"].value
        for name, texts in (
            ("right", right),
            ("half right", {**right, "z": "Eiffel [t1]."}),
            ("fixed", fixed),
            ("refuses every second one", {**right, "b": no, "z": "Eiffel [t1]."}),
            ("refuses all", dict.fromkeys("abyz", no)),
            ("answers all", dict.fromkeys("abyz", "Eiffel [t1].")),
        )
    }
    assert ranked == {
        "right": 1,
        "half right": pytest.approx(2 / 3),
        "fixed": 0,
        # A coin that refused 40 % earned 27 on MT-RAG, where half of the questions had lost their passages.
        "refuses every second one": 0,
        "refuses all": 0,
        "answers all": 0,
    }
    assert reported(fixed, "ab").scores["grounding.balanced_accuracy"].value == 1
    assert parse("grounding").ranked_by == ("balanced_f1",)


@pytest.mark.parametrize("rules", ["luciole-v1", "luciole-head"])
def test_no_score_of_luciole_ranks_that_a_list_one_sentence_or_few_citations_win(
    rules: str,
) -> None:
    assert parse(f"grounding(rules={rules})").ranked_by == ()


def test_no_author_chooses_by_language_which_questions_count() -> None:
    """One refusal and one answer that are sure, and a German sentence to all else, had 100 where the same
    sentence in English had less."""
    sure = {"a": "Eiffel [t1].", "z": "I cannot answer this question."}
    for said in ("Das ist eine gute Frage und wir sehen sie uns an.", "That is a good question."):
        scores = reported({**sure, **dict.fromkeys("bcyx", said)}, "abc").scores
        assert scores["grounding.refusal_recall_strict"].n == 3
        assert scores["grounding.balanced_accuracy"].value == pytest.approx((1 / 3 + 1) / 2)


@pytest.mark.parametrize("said", ["", "I cannot answer this question.", "Das wissen wir nicht."])
def test_refusals_do_not_apply_to_questions_in_other_languages(said: str) -> None:
    found = values(tallies(said, **NO, asked="Wer hat das gebaut und wo?", language="de"))
    assert "refusal_recall_strict" not in found


@pytest.mark.parametrize("rules", ["default", "luciole-v1", "luciole-head"])
def test_29_and_30_what_applies_to_nothing_is_unset_and_every_score_says_its_n(rules: str) -> None:
    texts = {
        "a": "Eiffel [t1].",
        "b": "I cannot answer this question.",
        "c": "Eiffel <cite>T</cite>",
    }
    report = reported(texts, "abc", f"grounding(rules={rules})")
    scores = {key.partition(".")[2]: score for key, score in report.scores.items()}
    assert (scores["refusal_recall"].value, scores["refusal_recall"].n) == (None, 0)
    assert scores["answer_em"].n == 3
    json.dumps(report.to_dict(), allow_nan=False)


def test_27_what_a_judge_does_not_answer_is_listed_and_its_score_unset() -> None:
    gold = Gold(short_answers=(ShortAnswer("Who?", ("Eiffel",)),), supporting=("t1",))
    question = Question("a", "Who?", documents=("t1",), gold=gold)
    report = evaluate(
        Dataset("luciole", "piaf", (question,), DOCUMENTS),
        [{"id": "a", "answer": "Eiffel [t1]."}],
        ["grounding_judge(judge=j)"],
        judges={"j": Recorded({}, name="people", digest="d")},
    )
    assert report.failures
    assert {score.value for score in report.scores.values()} == {None}


def test_15_a_cited_page_must_say_what_is_cited_to_it() -> None:
    head = values(
        tallies(
            '<ref name="Eiffel Tower">Bananas are blue</ref>.',
            supporting=("t1",),
            rules="luciole-head",
        )
    )
    assert head["citation_f1_strict"] == 1
    report = reported({"a": '<ref name="Eiffel Tower">Bananas are blue</ref>.'}, "a", "citations")
    assert report.scores["citations.recall"].value == 0


@pytest.mark.parametrize("rules", ["luciole-v1", "luciole-head"])
def test_frozen_rules_fill_the_published_names(rules: str) -> None:
    text = 'Gustave Eiffel <cite>Eiffel Tower</cite><ref name="Eiffel Tower"></ref>.'
    found = values(tallies(text, rules=rules))
    assert found["answer_em"] == 1
    assert found["citation_precision_strict"] == 1
    assert found["citation_recall_strict"] == 0.5
    metric = parse(f"grounding(rules={rules})")
    assert set(metric.scores) == set(NAMES)
    assert set(metric.headline) <= set(NAMES)


def test_a_judge_rates_and_finds_refusals() -> None:
    question = Question(
        "q",
        "Who?",
        documents=("t1",),
        gold=Gold(short_answers=(ShortAnswer("Who?", ("Gustave Eiffel",)),), supporting=("t1",)),
    )
    answer = read_answer("q", "Gustave Eiffel [t1].", DOCUMENTS)
    source = Source("t1", "Eiffel Tower\nThe tower opened in 1889.")
    requests = {
        Grounded("Who?", "Gustave Eiffel", ("Eiffel Tower",), (source,), answer.text): "4",
        Refuses("Who?", answer.text): "no",
    }
    judge = Recorded({a.key: Verdict(v) for a, v in requests.items()}, name="people", digest="d")
    case = Case(question, answer, {"t1": DOCUMENTS["t1"]})
    found = counted(parse("grounding_judge(judge=j)"), case, judge)
    assert values(found) == {
        "rating": 4,
        "at_least_4": 1,
        "at_least_5": 0,
        "false_refusal_rate": 0,
    }


@pytest.mark.parametrize(
    "form",
    [
        "{}\n\nLet me know if you need more details!",
        "## Summary\n\n{}",
        "Based on the provided documents:\n\n- {}",
        "**Answer:** {}",
    ],
)
def test_words_that_state_nothing_are_no_words_of_the_answer(form: str) -> None:
    said = "Gustave Eiffel built it."
    assert (
        values(tallies(form.format(said)))["answer_f1"]
        == values(tallies(said))["answer_f1"]
        == 2 * 2 / (2 + 4)
    )


@pytest.mark.parametrize(
    "form",
    [
        "### Gustave Eiffel\n\n{}",
        "1. **Gustave Eiffel**\n   - {}",
        "Gustave Eiffel\n- {}",
    ],
)
def test_a_name_over_what_is_said_of_it_is_a_word_of_the_answer(form: str) -> None:
    found = values(tallies(form.format("He built that tower in 1889.")))
    assert found["answer_em"] == 1
    assert found["answer_f1"] == 2 * 2 / (2 + 8)
