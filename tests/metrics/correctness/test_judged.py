"""What is asked of judges, and what their verdicts count."""

from __future__ import annotations

import pytest

from argue_bench import load
from argue_bench.errors import UsageError
from argue_bench.loaders import DATASETS
from argue_bench.metrics import parse
from argue_bench.records import (
    Answer,
    Entails,
    Factual,
    Gold,
    JudgeRequest,
    Sentence,
    Similar,
    Source,
)
from tests.metrics.correctness.counted import counted, values
from tests.shared import shared


def test_claims_are_entailed_by_the_answer_without_marks() -> None:
    gold = Gold(claims=("It is old.", "It is red."))
    answer = Answer("q", "It is old [1]. So.", (Sentence("It is old.", ("d",)), Sentence("So.")))
    asked: list[JudgeRequest] = []

    def judge(request: JudgeRequest) -> str:
        asked.append(request)
        assert isinstance(request, Entails)
        return "yes" if request.hypothesis in request.premise_text else "no"

    tallies = counted("claims", gold, answer, judge)
    assert asked[0] == Entails((Source("answer", "It is old. So."),), "It is old.")
    assert values(tallies) == {"recall": 0.5}
    assert tallies["recall"].note == "missing: It is red."


def test_claims_of_no_answer_are_not_asked() -> None:
    assert values(counted("claims", Gold(claims=("a", "b")), " ")) == {"recall": 0.0}
    assert values(counted("claims", Gold(), "x")) == {"recall": None}


def test_alce_reads_the_first_line_for_claims() -> None:
    def judge(request: JudgeRequest) -> str:
        assert isinstance(request, Entails)
        assert request.premise_text == "It is old."
        return "yes"

    counted("claims(rules=alce)", Gold(claims=("c",)), "It is old [1].\nMore.", judge)


def test_length_is_in_words() -> None:
    answer = Answer("q", "Two words [1].\nMore", (Sentence("Two words.", ("d",)), Sentence("More")))
    assert counted("length", Gold(), answer)["words"].numerator == 3
    assert counted("length(rules=alce)", Gold(), answer)["words"].numerator == 2
    assert counted("length", Gold(), "")["words"].numerator == 0


def test_bleurt_compares_gold_as_text_also_with_nothing() -> None:
    def judge(request: JudgeRequest) -> float:
        assert request == Similar("a - 1\nb - yes", "")
        return -0.25

    assert values(counted("bleurt", Gold(answer={"a": 1, "b": True}), "", judge)) == {
        "score": -0.25
    }
    assert values(counted("bleurt", Gold(), "x")) == {"score": None}


@pytest.mark.parametrize(("letter", "right"), [*zip("ABCDEF", (0, 1, 1, 0, 1, 0), strict=True)])
def test_factuality_counts_b_c_and_e(letter: str, right: int) -> None:
    def judge(request: JudgeRequest) -> str:
        assert request == Factual("What is it?", "Oslo", "It is Oslo [1].")
        return letter

    tallies = counted("factuality(judge=x)", Gold(answer="Oslo"), "It is Oslo [1].", judge)
    assert tallies["accuracy"].value == right
    assert tallies["accuracy"].note == letter


def test_factuality_of_no_answer_costs_nothing() -> None:
    assert values(counted("factuality(judge=x)", Gold(answer="Oslo"), " ")) == {"accuracy": 0.0}


def test_factuality_is_off_until_a_judge_is_named() -> None:
    with pytest.raises(UsageError, match="needs the option 'judge'"):
        parse("factuality")
    assert parse("factuality(judge=gpt)").judge_name == "gpt"
    dev = load("fanoutqa", path=shared("data", "fanoutqa"))
    assert not any("factuality" in metric for metric in dev.metrics)
    assert "fanoutqa" in DATASETS
